"""A loop marker compiled: its expressions parsed, its names resolved, its events named."""

from __future__ import annotations

from dataclasses import dataclass

from bpmnsim.engine.executor import Options, Program
from bpmnsim.expr.language import Expression
from bpmnsim.model.activities import Activity
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


@dataclass(frozen=True, slots=True)
class Thrown:
    """An event that a behavior throws: kind (signal, message, …) and name or code."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Marker:
    """What both loop kinds need of their marker.

    Attributes
    ----------
    element_id, place, seeds
        Of the activity; places at which a track starts in each inner instance.
    count, collection
        Expressions of the number of inner instances, or of the list of elements; exactly one for multi-instance.
    item, output_item, output
        Names of one element, of one result, and of the published list.
    condition
        Completion condition, or condition of a standard loop.
    maximum, test_before
        Of a standard loop.
    behavior, one, definitions
        When events are thrown; the event of behavior none or one; (condition, event) of behavior complex.
    result_key, unique_keys
        Expression of the key where the result is a map (ITER-D-11).
    options
        Of the run.
    """

    element_id: str
    place: int
    seeds: tuple[int, ...]
    options: Options
    count: Expression | None = None
    collection: Expression | None = None
    item: str = ""
    output_item: str = ""
    output: str = ""
    condition: Expression | None = None
    maximum: int | None = None
    test_before: bool = False
    behavior: Behavior = Behavior.ALL
    one: Thrown | None = None
    definitions: tuple[tuple[Expression, Thrown], ...] = ()
    result_key: Expression | None = None
    unique_keys: bool = False

    @property
    def capture(self) -> tuple[str, ...]:
        """Names read from an inner instance before it closes."""
        keyed = tuple(name.partition(".")[0] for name in self.result_key.reads) if self.result_key else ()
        names = (self.output_item, self.item, *keyed)
        return tuple(dict.fromkeys(name for name in names if name))


def compile_marker(program: Program, place: int, seeds: tuple[int, ...], node: Activity, model: Model) -> Marker:
    """Compile the loop characteristics of an activity."""
    loop, options = node.loop, program.setup.options
    if isinstance(loop, StandardLoopCharacteristics):
        condition = expression_of(loop.condition, model.dialect, node.id) if loop.condition else None
        return Marker(
            node.id,
            place,
            seeds,
            options,
            condition=condition,
            maximum=loop.maximum,
            test_before=loop.test_before,
        )
    assert isinstance(loop, MultiInstanceLoopCharacteristics), "there are two kinds of marker"

    def compiled(formal: object) -> Expression | None:
        return expression_of(formal, model.dialect, node.id) if formal else None  # type: ignore[arg-type]

    return Marker(
        node.id,
        place,
        seeds,
        options,
        count=compiled(loop.loop_cardinality),
        collection=_collection(loop.input_collection, model.dialect, node.id),
        item=loop.input_item,
        output_item=loop.output_item,
        output=loop.output_collection,
        condition=compiled(loop.completion_condition),
        behavior=loop.behavior,
        one=_event_of_behavior(loop, node, model, options),
        definitions=tuple(
            (expression_of(each.condition, model.dialect, node.id), _thrown(each.event.definitions[0], model))
            for each in loop.complex_definitions
            if each.condition is not None and each.event is not None and each.event.definitions
        ),
        result_key=compiled(loop.output_key),
        unique_keys=loop.unique_keys,
    )


def _collection(text: str, dialect: str, element_id: str) -> Expression | None:
    from bpmnsim.model.base import Formal

    return expression_of(Formal(text=text), dialect, element_id) if text else None


def _event_of_behavior(
    loop: MultiInstanceLoopCharacteristics, node: Activity, model: Model, options: Options
) -> Thrown | None:
    """Return the event of behavior none or one; profile standard makes one up where none is given (ITER-B-07)."""
    if loop.behavior not in (Behavior.NONE, Behavior.ONE):
        return None
    named = loop.none_event if loop.behavior is Behavior.NONE else loop.one_event
    definition = model.elements.get(named)
    if isinstance(definition, EventDefinition):
        return _thrown(definition, model)
    if named:
        return Thrown("signal", named)
    return Thrown("signal", f"{node.id}.completed") if options.profile == "standard" else None


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
