"""Events, their definitions, and the messages, signals, errors and escalations they speak of."""

from __future__ import annotations

from dataclasses import dataclass

from bpmnsim.model.base import Element, FlowNode, Formal


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(Element):
    """A message; partners know it by name.

    Examples
    --------
    >>> Message(id="m", name="payment").name
    'payment'
    """

    item: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal(Element):
    """A signal; catchers know it by name.

    Examples
    --------
    >>> Signal(id="s", name="alert").name
    'alert'
    """

    item: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Error(Element):
    """An error with the code that catchers match.

    Examples
    --------
    >>> Error(id="e", error_code="E1").error_code
    'E1'
    """

    error_code: str = ""
    item: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation(Element):
    """An escalation with the code that catchers match.

    Examples
    --------
    >>> Escalation(id="e", escalation_code="OVER_BUDGET").escalation_code
    'OVER_BUDGET'
    """

    escalation_code: str = ""
    item: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDefinition(Element):
    """What an event catches or throws; ``parent`` names the event.

    Examples
    --------
    >>> EventDefinition(id="d", parent="start").parent
    'start'
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageEventDefinition(EventDefinition):
    """Catches or throws a message.

    Examples
    --------
    >>> MessageEventDefinition(id="d", message="m").message
    'm'
    """

    message: str = ""
    operation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalEventDefinition(EventDefinition):
    """Catches or throws a signal.

    Examples
    --------
    >>> SignalEventDefinition(id="d", signal="s").signal
    's'
    """

    signal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorEventDefinition(EventDefinition):
    """Catches or throws an error.

    Examples
    --------
    >>> ErrorEventDefinition(id="d", error="e").error
    'e'
    """

    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalationEventDefinition(EventDefinition):
    """Catches or throws an escalation.

    Examples
    --------
    >>> EscalationEventDefinition(id="d", escalation="e").escalation
    'e'
    """

    escalation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerEventDefinition(EventDefinition):
    """Fires at a date, after a duration, or in a cycle (core.md TMR-01).

    Examples
    --------
    >>> TimerEventDefinition(id="d", duration=Formal(text="PT5M")).date is None
    True
    """

    date: Formal | None = None
    duration: Formal | None = None
    cycle: Formal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionalEventDefinition(EventDefinition):
    """Fires when a condition over data becomes true (core.md CND-01).

    Examples
    --------
    >>> ConditionalEventDefinition(id="d", condition=Formal(text="x > 1")).condition.text
    'x > 1'
    """

    condition: Formal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkEventDefinition(EventDefinition):
    """Joins a throw to the catch of the same name (core.md LNK-01).

    Examples
    --------
    >>> LinkEventDefinition(id="d", name="L").name
    'L'
    """

    sources: tuple[str, ...] = ()
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompensateEventDefinition(EventDefinition):
    """Throws or catches compensation (core.md CMP-05, CMP-06).

    Examples
    --------
    >>> CompensateEventDefinition(id="d").wait_for_completion
    True
    """

    activity: str = ""
    wait_for_completion: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelEventDefinition(EventDefinition):
    """Cancels a transaction (core.md TXN-02).

    Examples
    --------
    >>> CancelEventDefinition(id="d").id
    'd'
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminateEventDefinition(EventDefinition):
    """Ends the scope at once (core.md TRM-01).

    Examples
    --------
    >>> TerminateEventDefinition(id="d").id
    'd'
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(FlowNode):
    """An event; none of its definitions makes it a none event, several a multiple one.

    Examples
    --------
    >>> Event(id="e").definitions
    ()
    """

    definitions: tuple[EventDefinition, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StartEvent(Event):
    """Where a process or sub-process begins.

    Parameters
    ----------
    interrupting
        Only meaningful in an event sub-process.
    parallel_multiple
        All definitions must occur (core.md EVT-05).

    Examples
    --------
    >>> StartEvent(id="s").interrupting
    True
    """

    interrupting: bool = True
    parallel_multiple: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EndEvent(Event):
    """Where a path ends.

    Examples
    --------
    >>> EndEvent(id="e").definitions
    ()
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class IntermediateCatchEvent(Event):
    """Waits for what it defines.

    Examples
    --------
    >>> IntermediateCatchEvent(id="c").parallel_multiple
    False
    """

    parallel_multiple: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IntermediateThrowEvent(Event):
    """Throws what it defines, or nothing.

    Examples
    --------
    >>> IntermediateThrowEvent(id="t").definitions
    ()
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ImplicitThrowEvent(Event):
    """The event of a behavior definition; it is not drawn (iteration.md ITER-BH-04).

    Examples
    --------
    >>> ImplicitThrowEvent(id="i").definitions
    ()
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryEvent(Event):
    """Catches something while an activity is running.

    Parameters
    ----------
    attached_to
        Id of the activity.
    interrupting
        ``cancelActivity`` of BPMN.

    Examples
    --------
    >>> BoundaryEvent(id="b", attached_to="task").interrupting
    True
    """

    attached_to: str
    interrupting: bool = True
    parallel_multiple: bool = False
