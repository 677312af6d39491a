"""Loop markers compiled: expressions parsed, names resolved, events named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bpmnsim.engine.executor import Options, Program
from bpmnsim.errors import ExpressionError, UnsupportedError
from bpmnsim.expr.language import Expression
from bpmnsim.model.activities import Activity
from bpmnsim.model.base import Formal
from bpmnsim.model.data import DataElement
from bpmnsim.model.events import (
    ErrorEventDefinition,
    EscalationEventDefinition,
    EventDefinition,
    MessageEventDefinition,
    SignalEventDefinition,
)
from bpmnsim.model.loops import Behavior, MultiInstanceLoopCharacteristics, StandardLoopCharacteristics
from bpmnsim.model.process import Model
from bpmnsim.semantics.flows import expression_of
from bpmnsim.semantics.iteration.attributes import LOOP_COUNTER, READ_ONLY


@dataclass(frozen=True, slots=True)
class Thrown:
    """An event that a behavior throws: kind (signal, message, …) and name or code."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class When:
    """A condition under which the next *count* events are thrown."""

    condition: Expression
    count: int


@dataclass(frozen=True, slots=True)
class LoopMarker:
    """A standard loop.

    Attributes
    ----------
    place, seeds
        Of the activity; places at which a track starts in each pass.
    condition, maximum, test_before
        When it goes on.
    """

    place: int
    seeds: tuple[int, ...]
    condition: Expression | None
    maximum: int | None
    test_before: bool


@dataclass(frozen=True, slots=True)
class Marker:
    """A multi-instance marker.

    Attributes
    ----------
    place, seeds
        Of the activity; places at which a track starts in each inner instance.
    options
        Of the run.
    source, over_collection
        Expression of the number of inner instances, or of the list of elements.
    index
        Further name of the loop counter, where the file gives one.
    item, output_item, output
        Names of one element, of one result, and of what is published.
    output_value
        Expression of one result, where the file has more than a name for it.
    capture
        Names that an inner instance holds itself; read before it closes.
    condition
        Completion condition.
    events, once
        What is thrown after a completion, each condition before its events; only after the first one.
    result_key, unique_keys
        Expression of the key where the result is a map; a repeated key is a fault (ITER-D-11).
    """

    place: int
    seeds: tuple[int, ...]
    options: Options
    source: Expression
    over_collection: bool = False
    index: str = ""
    item: str = ""
    output_item: str = ""
    output_value: Expression | None = None
    output: str = ""
    capture: tuple[str, ...] = ()
    condition: Expression | None = None
    events: tuple[When | Thrown, ...] = ()
    once: bool = False
    result_key: Expression | None = None
    unique_keys: bool = False


def compile_loop(
    place: int, seeds: tuple[int, ...], node: Activity, loop: StandardLoopCharacteristics, model: Model
) -> LoopMarker:
    """Compile a standard loop."""
    condition = expression_of(loop.condition, model.dialect, node.id) if loop.condition else None
    return LoopMarker(place, seeds, condition, loop.maximum, loop.test_before)


def compile_marker(
    program: Program,
    place: int,
    seeds: tuple[int, ...],
    node: Activity,
    loop: MultiInstanceLoopCharacteristics,
    model: Model,
) -> Marker:
    """Compile a multi-instance marker.

    Raises
    ------
    UnsupportedError
        If results are collected by a named reduction.
    """
    if loop.output_reduce:
        raise UnsupportedError(
            f"its results are collected by the reduction {loop.output_reduce!r} (ITER-B-10)",
            element_id=node.id,
            line=node.line,
            hint="collect them as a list or a keyed map, and reduce it in a task behind",
        )

    def compiled(formal: Formal | None) -> Expression | None:
        return expression_of(formal, model.dialect, node.id) if formal else None

    over_collection = loop.loop_cardinality is None
    source = _collection(loop.input_collection, node, model) if over_collection else compiled(loop.loop_cardinality)
    assert source is not None, "a marker has a cardinality or a collection (ITER-B-05)"
    value = _result(loop.output_item, node, model, program.setup.options)
    key = compiled(loop.output_key)
    read = [name.partition(".")[0] for each in (value, key) if each is not None for name in each.reads]
    names = (loop.output_item if value is None else "", loop.input_item, *read)
    return Marker(
        place,
        seeds,
        program.setup.options,
        source,
        over_collection,
        index=next((value for name, value in loop.attributes if name.endswith("}elementIndexVariable")), ""),
        item=loop.input_item,
        output_item=loop.output_item,
        output_value=value,
        output=loop.output_collection,
        capture=tuple(dict.fromkeys(name for name in names if name and name not in READ_ONLY)),
        condition=compiled(loop.completion_condition),
        events=_events(loop, node, model, program.setup.options),
        once=loop.behavior is Behavior.ONE,
        result_key=key,
        unique_keys=loop.unique_keys,
    )


def _collection(text: str, node: Activity, model: Model) -> Expression:
    """Return the expression of the list of elements; a declared name is looked up as it is, whatever signs it has."""
    declared = any(text in (each.name, each.id) for each in model.elements.values() if isinstance(each, DataElement))
    if not declared:
        return expression_of(Formal(text=text), model.dialect, node.id)

    def look_up(names: Mapping[str, object]) -> object:
        if text not in names:
            raise ExpressionError(f"{text!r} has no value", missing=text)
        return names[text]

    return Expression(text, "name", node.id, reads=(text,), _run=look_up)


def _result(text: str, node: Activity, model: Model, options: Options) -> Expression | None:
    """Return the expression of one result; a single name without a value is a missing output (ITER-D-06, ITER-D-12)."""
    if not text.startswith("="):
        return None
    name = text[1:].strip()
    if not name.isidentifier() or name in ("true", "false", "null"):
        return expression_of(Formal(text=text), model.dialect, node.id)

    def look_up(names: Mapping[str, object]) -> object:
        if name not in names and options.missing_output == "fault":
            problem = f"inner instance {names[LOOP_COUNTER]} produced no {name!r} (ITER-D-06)"
            raise ExpressionError(problem, missing=name)
        return names.get(name)

    return Expression(text, "name", node.id, reads=(name,), _run=look_up)


def _events(
    loop: MultiInstanceLoopCharacteristics, node: Activity, model: Model, options: Options
) -> tuple[When | Thrown, ...]:
    """Return the events of the behavior with their conditions (ITER-BH-01 to ITER-BH-04, ITER-B-07)."""
    if loop.behavior is Behavior.COMPLEX:
        found: list[When | Thrown] = []
        for each in loop.complex_definitions:
            if each.condition is not None and each.event is not None:
                events = [_thrown(definition, model) for definition in each.event.definitions]
                found += [When(expression_of(each.condition, model.dialect, node.id), len(events)), *events]
        return tuple(found)
    if loop.behavior is Behavior.ALL:
        return ()
    named = loop.none_event if loop.behavior is Behavior.NONE else loop.one_event
    definition = model.elements.get(named)
    if isinstance(definition, EventDefinition):
        return (_thrown(definition, model),)
    if named or options.profile == "standard":
        return (Thrown("signal", named or f"{node.id}.completed"),)
    return ()


def _thrown(definition: EventDefinition, model: Model) -> Thrown:
    match definition:
        case SignalEventDefinition(signal=reference):
            kind = "signal"
        case MessageEventDefinition(message=reference):
            kind = "message"
        case EscalationEventDefinition(escalation=reference):
            kind = "escalation"
        case ErrorEventDefinition(error=reference):
            kind = "error"
        case _:
            kind, reference = type(definition).__name__.removesuffix("EventDefinition").lower(), definition.name
    referred = model.elements.get(reference)
    code = getattr(referred, f"{kind}_code", "") if referred is not None else ""
    return Thrown(kind, code or (referred.name if referred is not None and referred.name else reference))
