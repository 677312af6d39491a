"""Build-time rules about loop markers."""

from __future__ import annotations

from bpmnsim.model.activities import Activity, ReceiveTask, SubProcess
from bpmnsim.model.base import Formal
from bpmnsim.model.data import DataObject, DataOutput, DataStoreReference, Property
from bpmnsim.model.loops import Behavior, MultiInstanceLoopCharacteristics, StandardLoopCharacteristics
from bpmnsim.model.process import Model
from bpmnsim.model.rules_common import Problems, Rule, static_type

RESERVED = (
    "loopCounter",
    "numberOfInstances",
    "numberOfActiveInstances",
    "numberOfCompletedInstances",
    "numberOfTerminatedInstances",
    "ITERATION_NUMBER",
    "ITERATION_ID",
    "ITERATION_MODE",
)
_NOT_IN_A_MARKER = (*RESERVED, *(name.replace("numberOf", "nrOf") for name in RESERVED if name.startswith("numberOf")))
"""The reserved names, and those that the counters have in other engines: an item of that name would hide a counter."""


def _several(activity: Activity) -> MultiInstanceLoopCharacteristics | None:
    return activity.loop if isinstance(activity.loop, MultiInstanceLoopCharacteristics) else None


def _event_subprocess_does_not_iterate(_: Model, scope: SubProcess) -> Problems:
    """iteration.md ITER-B-03."""
    if scope.triggered_by_event and scope.loop is not None:
        yield "an event sub-process cannot have loop characteristics", "remove the marker: each trigger starts it anew"


def _loop_ends(model: Model, activity: Activity) -> Problems:
    """iteration.md ITER-B-04."""
    loop = activity.loop
    if not isinstance(loop, StandardLoopCharacteristics):
        return
    if loop.maximum is None and (loop.condition is None or not loop.condition.text):
        yield "its loop has neither a condition nor a maximum", "give one of them"
    if loop.maximum is not None and loop.maximum < 1:
        yield f"its loop maximum {loop.maximum} is not positive", "use 1 or more"
    yield from _not_boolean(model, "loop condition", loop.condition)


def _one_count_source(_: Model, activity: Activity) -> Problems:
    """iteration.md ITER-B-05."""
    loop = _several(activity)
    if loop is not None and (loop.loop_cardinality is not None) == bool(loop.input_collection):
        given = (
            "both a cardinality and a collection" if loop.input_collection else "neither a cardinality nor a collection"
        )
        yield f"its multi-instance marker has {given}", "give exactly one of them"


def _marker_types(model: Model, activity: Activity) -> Problems:
    """iteration.md ITER-B-06; engines with a dialect of their own do not need the name of the input item."""
    loop = _several(activity)
    if loop is None:
        return
    if loop.loop_cardinality is not None and static_type(model, loop.loop_cardinality) == "boolean":
        yield f"its cardinality {loop.loop_cardinality.text!r} is not an integer", "write a number of instances"
    yield from _not_boolean(model, "completion condition", loop.completion_condition)
    for definition in loop.complex_definitions:
        yield from _not_boolean(model, "behavior condition", definition.condition)
        if definition.condition is None or definition.event is None:
            yield "a complex behavior needs a condition and an event", "give both"
    if loop.input_item and not loop.input_collection:
        yield "its input item is given but the input collection is required too", "name the input collection"
    elif loop.input_collection and not loop.input_item and model.dialect == "bpmn":
        yield "its input collection is given but the input item is required too", "name the input item"
    if bool(loop.output_collection) != bool(loop.output_item):
        given, missing = ("collection", "item") if loop.output_collection else ("item", "collection")
        yield f"its output {given} is given but the output {missing} is required too", f"name the output {missing}"


def _not_boolean(model: Model, what: str, condition: Formal | None) -> Problems:
    if condition is not None and static_type(model, condition) == "integer":
        yield f"its {what} {condition.text!r} is an integer, not a boolean", "write a comparison"


def _behavior_sources(_: Model, activity: Activity) -> Problems:
    """iteration.md ITER-B-07."""
    loop = _several(activity)
    if loop is None:
        return
    given = {
        Behavior.NONE: bool(loop.none_event),
        Behavior.ONE: bool(loop.one_event),
        Behavior.COMPLEX: bool(loop.complex_definitions),
    }
    for behavior, present in given.items():
        if present and behavior is not loop.behavior:
            hint = f"remove it, or set the behavior to {behavior}"
            yield f"its behavior is {loop.behavior} but an event for {behavior} is given", hint
    if loop.behavior is Behavior.COMPLEX and not loop.complex_definitions:
        yield "its behavior is complex but no condition and event is given", "add a complex behavior definition"


def behavior_event_needed(_: Model, activity: Activity) -> Problems:
    """Require an event for behavior none or one (iteration.md ITER-B-07, profile engine only).

    Examples
    --------
    >>> from bpmnsim.model import ProcessBuilder, parallel
    >>> b = ProcessBuilder("p")
    >>> _ = b.task("A", multi_instance=parallel(cardinality=2, behavior="one"))
    >>> [problem for problem, _ in behavior_event_needed(b.model(), b.model().element("A"))]
    ['its behavior is one but no event is given']
    """
    loop = _several(activity)
    events = {Behavior.NONE: "none_event", Behavior.ONE: "one_event"}
    if loop is not None and loop.behavior in events and not getattr(loop, events[loop.behavior]):
        yield (
            f"its behavior is {loop.behavior} but no event is given",
            "name the event to throw, set the behavior to all, or use profile='standard'",
        )


def _reserved_names(_: Model, item: Property | DataObject | DataStoreReference | DataOutput) -> Problems:
    """iteration.md ITER-B-09."""
    name = item.name or item.id
    if name in RESERVED:
        yield f"the name {name} is reserved for iterations", "choose another name"


def _reserved_names_in_marker(_: Model, activity: Activity) -> Problems:
    """iteration.md ITER-B-09, ITER-R-02, ITER-R-06."""
    loop = _several(activity)
    if loop is None:
        return
    named = {
        "input item": loop.input_item,
        "output item": loop.output_item,
        "output collection": loop.output_collection,
    }
    for what, name in named.items():
        if name in _NOT_IN_A_MARKER:
            yield f"its {what} has the name {name}, which is reserved for iterations", "choose another name"


def _one_result_strategy(_: Model, activity: Activity) -> Problems:
    """iteration.md ITER-B-10."""
    loop = _several(activity)
    if loop is not None and loop.output_key is not None and loop.output_reduce:
        yield "its results are collected in two ways", "keep the keyed map or the reduction"


def _correlation_pair(_: Model, activity: Activity) -> Problems:
    """iteration.md ITER-B-11."""
    loop = _several(activity)
    if loop is not None and loop.correlation is not None:
        key, expression = loop.correlation
        if not key.strip() or not expression.text:
            yield "its iteration correlation lacks the key name or the expression", "give both"


def parallel_receive_needs_a_key(_: Model, task: ReceiveTask) -> Problems:
    """Require a key where several instances wait for one message (iteration.md ITER-M-02).

    Examples
    --------
    >>> from bpmnsim.model import ProcessBuilder, parallel
    >>> b = ProcessBuilder("p")
    >>> _ = b.receive("A", message="m", multi_instance=parallel(cardinality=2))
    >>> len(list(parallel_receive_needs_a_key(b.model(), b.model().element("A"))))
    1
    """
    loop = _several(task)
    if loop is not None and not loop.is_sequential and loop.correlation is None:
        yield (
            "its parallel instances wait for the same message, and nothing tells which one gets it",
            "declare an iteration correlation (key, expression), or use on_ambiguous_message='ordinal'",
        )


RULES: tuple[Rule, ...] = (
    ("ITER-B-03", SubProcess, _event_subprocess_does_not_iterate),
    ("ITER-B-04", Activity, _loop_ends),
    ("ITER-B-05", Activity, _one_count_source),
    ("ITER-B-06", Activity, _marker_types),
    ("ITER-B-07", Activity, _behavior_sources),
    ("ITER-B-07", Activity, behavior_event_needed),
    ("ITER-B-09", Property, _reserved_names),
    ("ITER-B-09", DataObject, _reserved_names),
    ("ITER-B-09", DataStoreReference, _reserved_names),
    ("ITER-B-09", DataOutput, _reserved_names),
    ("ITER-B-09", Activity, _reserved_names_in_marker),
    ("ITER-B-10", Activity, _one_result_strategy),
    ("ITER-B-11", Activity, _correlation_pair),
    ("ITER-M-02", ReceiveTask, parallel_receive_needs_a_key),
)
