"""Build-time rules about events: where a definition may stand, timers, links and boundary events."""

from __future__ import annotations

import re

from bpmnsim.model.activities import Activity, SubProcess, Transaction
from bpmnsim.model.base import Formal
from bpmnsim.model.collaboration import CorrelationSubscription
from bpmnsim.model.events import (
    BoundaryEvent,
    CancelEventDefinition,
    CompensateEventDefinition,
    ConditionalEventDefinition,
    EndEvent,
    ErrorEventDefinition,
    EscalationEventDefinition,
    Event,
    EventDefinition,
    IntermediateCatchEvent,
    IntermediateThrowEvent,
    LinkEventDefinition,
    MessageEventDefinition,
    SignalEventDefinition,
    StartEvent,
    TerminateEventDefinition,
    TimerEventDefinition,
)
from bpmnsim.model.gateways import EventBasedGateway
from bpmnsim.model.process import Model
from bpmnsim.model.rules_common import Problems, Rule, bare, static_type

_M, _T, _S = MessageEventDefinition, TimerEventDefinition, SignalEventDefinition
_C, _L, _K = ConditionalEventDefinition, LinkEventDefinition, CompensateEventDefinition
_ERROR, _ESCALATION = ErrorEventDefinition, EscalationEventDefinition
_ACCEPTED: dict[type[Event], tuple[type[EventDefinition], ...]] = {
    StartEvent: (_M, _T, _S, _C),
    IntermediateCatchEvent: (_M, _T, _S, _C),
    IntermediateThrowEvent: (_M, _S, _ESCALATION, _K),
    EndEvent: (_M, _S, _ERROR, _ESCALATION, _K, TerminateEventDefinition, CancelEventDefinition),
    BoundaryEvent: (_M, _T, _S, _C, _ESCALATION, _ERROR, _K, CancelEventDefinition),
}
_PLACES: dict[type[Event], str] = {
    StartEvent: "a start event",
    IntermediateCatchEvent: "an intermediate catch event",
    IntermediateThrowEvent: "an intermediate throw event",
    EndEvent: "an end event",
    BoundaryEvent: "a boundary event",
}
_DURATION = re.compile(r"[+-]?P(?=T?[+-]?\d)([+-]?\d+(\.\d+)?[YMWD])*(T([+-]?\d+(\.\d+)?[HMS])+)?", re.IGNORECASE)


def _word(definition: EventDefinition) -> str:
    word = type(definition).__name__.removesuffix("EventDefinition").lower()
    return "compensation" if word == "compensate" else word


def _in_event_subprocess(model: Model, event: Event) -> bool:
    container = model.container(event.id)
    return isinstance(container, SubProcess) and container.triggered_by_event


def _definition_positions(model: Model, event: Event) -> Problems:
    """core.md EVT-05; links, errors on throw events and cancel events have rules of their own."""
    place = _PLACES.get(type(event))
    if place is None:
        return
    accepted = _ACCEPTED[type(event)]
    if isinstance(event, StartEvent) and _in_event_subprocess(model, event):
        accepted += (_ERROR, _ESCALATION, _K)
    elsewhere = (_L, _ERROR) if isinstance(event, IntermediateThrowEvent) else (_L,)
    for definition in event.definitions:
        if not isinstance(definition, (*accepted, *elsewhere)):
            allowed = ", ".join(_word(kind(id="")) for kind in accepted)
            yield f"{place} cannot be one of kind {_word(definition)}", f"use one of: {allowed}"
    if isinstance(event, IntermediateCatchEvent | BoundaryEvent) and not event.definitions:
        yield f"{place} that waits for nothing never continues", "give it an event definition, or remove it"


def _error_is_not_thrown_on_the_way(_: Model, event: IntermediateThrowEvent) -> Problems:
    """core.md ERR-01."""
    if any(isinstance(definition, _ERROR) for definition in event.definitions):
        yield "an error cannot be thrown by an intermediate event", "throw it with an end event"


def _error_interrupts(_: Model, event: BoundaryEvent | StartEvent) -> Problems:
    """core.md ERR-11."""
    if not event.interrupting and any(isinstance(definition, _ERROR) for definition in event.definitions):
        yield "an error always interrupts", "make it interrupting, or use an escalation"


def _conditional_start(model: Model, event: StartEvent) -> Problems:
    """core.md CND-08."""
    if not isinstance(model.container(event.id), SubProcess) and any(isinstance(d, _C) for d in event.definitions):
        yield "a process cannot be started by a condition: there is no data yet", "use a message, signal or timer start"


def _link_pairs(model: Model, event: Event) -> Problems:
    """core.md LNK-01; a link without a name of its own goes by the name of its event."""
    for definition in event.definitions:
        if not isinstance(definition, _L):
            continue
        name = definition.name or event.name
        if isinstance(event, IntermediateThrowEvent):
            if not _catches(model, event, name):
                hint = "add a link catch event of this name in the same process or sub-process"
                yield f"no link event catches {name!r} here", hint
        elif not isinstance(event, IntermediateCatchEvent):
            yield f"{_PLACES.get(type(event), 'this event')} cannot be a link", "use intermediate events for links"
        else:
            if _catches(model, event, name)[0] is not event:
                yield (
                    f"another link event already catches {name!r} here",
                    "keep one catch event and let all throws use it",
                )
            sources = (model.elements.get(flow.source) for flow in model.incoming(event.id))
            if any(isinstance(source, EventBasedGateway) for source in sources):
                yield "a link cannot be an arm of an event-based gateway", "use a message, timer, signal or condition"


def _catches(model: Model, event: Event, name: str) -> list[IntermediateCatchEvent]:
    return [
        node
        for node in model.nodes(event.parent)
        if isinstance(node, IntermediateCatchEvent)
        and any(isinstance(d, _L) and (d.name or node.name) == name for d in node.definitions)
    ]


def _timer_form(_: Model, event: Event) -> Problems:
    """core.md TMR-01."""
    for timer in event.definitions:
        if not isinstance(timer, _T):
            continue
        date, duration, cycle = (f is not None and bool(f.text) for f in (timer.date, timer.duration, timer.cycle))
        if not (date or duration or cycle):
            yield "its timer says neither when nor how long", "give a date, a duration or a cycle"
        elif date and (duration or cycle):
            yield "its timer has a date and something else", "keep the date, or the duration and cycle"
        elif timer.cycle and not duration and re.fullmatch(r"R?\d*", timer.cycle.text):
            yield "its timer repeats without a duration", "write for example R3/PT10M"


def _timer_text(_: Model, event: Event) -> Problems:
    """core.md TMR-02."""
    for timer in event.definitions:
        if isinstance(timer, _T):
            texts = [f.text for f in (timer.duration, timer.cycle) if f is not None]
            for text in (text.rpartition("/")[2] for text in texts):
                if _DURATION.fullmatch(text) and (text != text.upper() or "-" in text):
                    yield f"{text!r} is not a duration", "write it in capitals and without minus, such as PT30S"


def _timer_type(model: Model, event: Event) -> Problems:
    """core.md TMR-04."""
    for timer in event.definitions:
        if isinstance(timer, _T):
            yield from _wrong_type(model, "duration", timer.duration, "PT30S")
            yield from _wrong_type(model, "date", timer.date, "2030-01-31T12:00:00Z")


def _wrong_type(model: Model, what: str, value: Formal | None, example: str) -> Problems:
    if value is not None and value.text and static_type(model, value):
        yield f"its {what} {bare(value)!r} is of type {static_type(model, value)}", f"write it like {example}"


def _one_interrupting_per_declaration(model: Model, activity: Activity) -> Problems:
    """core.md BND-08."""
    taken: dict[tuple[str, str], str] = {}
    for event in model.boundaries(activity.id):
        for definition in event.definitions if event.interrupting else ():
            match definition:
                case _M(message=target) | _S(signal=target) | _ERROR(error=target) | _ESCALATION(escalation=target):
                    key = (_word(definition), target)
                case _:
                    continue
            if target and taken.setdefault(key, event.id) != event.id:
                yield (
                    f"{taken[key]!r} and {event.id!r} both interrupt it on {key[0]} {target!r}",
                    "keep one of them",
                )


def _boundary_is_no_target(model: Model, event: BoundaryEvent) -> Problems:
    """core.md BND-10."""
    for flow in model.incoming(event.id):
        yield f"flow {flow.id!r} leads to a boundary event", "lead it to the activity"


def _cancel_stays_in_transactions(model: Model, event: Event) -> Problems:
    """core.md TXN-01, events."""
    if not any(isinstance(definition, CancelEventDefinition) for definition in event.definitions):
        return
    if isinstance(event, EndEvent) and not isinstance(model.container(event.id), Transaction):
        yield "a cancel end event stands outside a transaction", "put it directly inside a transaction"
    if isinstance(event, BoundaryEvent):
        if not isinstance(model.elements.get(event.attached_to), Transaction):
            yield "a cancel boundary event is not attached to a transaction", "make its host a transaction"
        if not event.interrupting:
            yield "a cancel boundary event always interrupts", "make it interrupting"


def _no_predicate_correlation(_: Model, subscription: CorrelationSubscription) -> Problems:
    """core.md COR-07."""
    if subscription.bindings:
        yield "it correlates messages by predicates", "use a correlation key alone"


RULES: tuple[Rule, ...] = (
    ("EVT-05", Event, _definition_positions),
    ("ERR-01", IntermediateThrowEvent, _error_is_not_thrown_on_the_way),
    ("ERR-11", BoundaryEvent, _error_interrupts),
    ("ERR-11", StartEvent, _error_interrupts),
    ("CND-08", StartEvent, _conditional_start),
    ("LNK-01", Event, _link_pairs),
    ("TMR-01", Event, _timer_form),
    ("TMR-02", Event, _timer_text),
    ("TMR-04", Event, _timer_type),
    ("BND-08", Activity, _one_interrupting_per_declaration),
    ("BND-10", BoundaryEvent, _boundary_is_no_target),
    ("TXN-01", Event, _cancel_stays_in_transactions),
    ("COR-07", CorrelationSubscription, _no_predicate_correlation),
)
