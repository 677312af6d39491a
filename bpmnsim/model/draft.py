"""What the builder writes into: elements so far, ids, names declared on the fly, expressions and event definitions.

The methods a notebook types are in ``build``; the loop markers in ``markers``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypedDict, TypeVar, cast

from bpmnsim.errors import ModelError, did_you_mean
from bpmnsim.model.activities import Activity
from bpmnsim.model.base import Element, Formal, SequenceFlow
from bpmnsim.model.data import ItemDefinition
from bpmnsim.model.events import (
    CancelEventDefinition,
    CompensateEventDefinition,
    ConditionalEventDefinition,
    Error,
    ErrorEventDefinition,
    Escalation,
    EscalationEventDefinition,
    EventDefinition,
    LinkEventDefinition,
    Message,
    MessageEventDefinition,
    Signal,
    SignalEventDefinition,
    TerminateEventDefinition,
    TimerEventDefinition,
)
from bpmnsim.model.gateways import Gateway

Expression = str | int | float | Formal
Names = str | Sequence[str]
Declared = TypeVar("Declared", Message, Signal, Error, Escalation)
Kind = TypeVar("Kind", bound=Element)


class EventOptions(TypedDict, total=False):
    """What an event catches or throws; several keywords, or several names in one, make a multiple event.

    Parameters
    ----------
    message, signal, error, escalation
        Name (code for error and escalation) or names; declared on the fly. An empty name catches any.
    timer
        Seconds, or a text whose first letter tells the form: ``P`` duration, ``R`` cycle, a digit a date.
    duration, date, cycle
        The three forms of a timer by name.
    condition
        Text of the condition.
    link
        Name that pairs throw and catch.
    compensation
        True, or the id of the one activity to compensate.
    wait
        Whether a compensation throw waits; default true.
    cancel, terminate
        True adds the definition.

    Examples
    --------
    >>> from bpmnsim.model import ProcessBuilder
    >>> b = ProcessBuilder("p")
    >>> options: EventOptions = {"signal": "stop", "timer": "PT5M"}
    >>> _ = b.event("either", **options)
    >>> [type(definition).__name__ for definition in b.model().element("either").definitions]
    ['SignalEventDefinition', 'TimerEventDefinition']

    Notes
    -----
    Definitions are declared in the order in which the keywords are written (core.md EVT-05).
    """

    message: Names
    signal: Names
    error: Names
    escalation: Names
    timer: Expression
    duration: Expression
    date: Expression
    cycle: Expression
    condition: Expression
    link: str
    compensation: bool | str
    wait: bool
    cancel: bool
    terminate: bool


_KINDS: dict[str, type[EventDefinition]] = {
    "message": MessageEventDefinition,
    "signal": SignalEventDefinition,
    "error": ErrorEventDefinition,
    "escalation": EscalationEventDefinition,
    "timer": TimerEventDefinition,
    "condition": ConditionalEventDefinition,
    "link": LinkEventDefinition,
    "compensation": CompensateEventDefinition,
    "cancel": CancelEventDefinition,
    "terminate": TerminateEventDefinition,
}
_NAMED: dict[str, type[Element]] = {"message": Message, "signal": Signal, "error": Error, "escalation": Escalation}
_TIMERS = ("timer", "duration", "date", "cycle")
_ID = re.compile(r"[^\W\d][\w.\-]*")


def formal(value: Expression, element_id: str) -> Formal:
    """Return an expression as the model keeps it.

    Parameters
    ----------
    value
        Text, number or a ready expression.
    element_id
        Named when the value is refused.

    Raises
    ------
    ModelError
        If the value is something else, such as a function.

    Examples
    --------
    >>> formal(3, "task").text
    '3'
    """
    if isinstance(value, Formal):
        return value
    if isinstance(value, str | int | float):
        return Formal(text=str(value).strip())
    raise ModelError(
        f"an expression is a text or a number, not {type(value).__name__}",
        element_id=element_id,
        hint="write it as text, for example 'amount > 1000'; Python code belongs into behaviors=",
    )


class Draft:
    """The elements of a model under construction, in declared order.

    Examples
    --------
    >>> draft = Draft()
    >>> draft.new_id("end"), draft.new_id("end")
    ('end', 'end_2')
    """

    def __init__(self, dialect: str = "bpmn") -> None:
        self.dialect = dialect
        self.collaboration = ""
        self.declared: dict[str, Element] = {}
        self.elements: dict[str, Element] = {}
        self._ids: dict[str, None] = {}
        self._by_name: dict[tuple[str, str], str] = {}

    def new_id(self, base: str) -> str:
        """Return *base*, or *base* with the first free number, and keep it reserved."""
        candidate, number = base, 2
        while candidate in self._ids:
            candidate, number = f"{base}_{number}", number + 1
        self._ids[candidate] = None
        return candidate

    def take_id(self, wanted: str | None, base: str) -> str:
        """Return the wanted id, or a generated one where none is wanted."""
        if wanted is None:
            return self.new_id(base)
        if not _ID.fullmatch(wanted):
            hint = f"write id={slug(wanted)!r} and name={wanted!r}"
            raise ModelError("an id has letters, digits, '_', '-' and '.' only", element_id=wanted, hint=hint)
        if wanted in self._ids:
            raise ModelError(
                "another element already has this id",
                element_id=wanted,
                hint=f"give one of them another id, such as {wanted}_2",
            )
        return self.new_id(wanted)

    def find(self, element_id: str) -> Element:
        """Return an element that exists already."""
        found = self.elements.get(element_id) or self.declared.get(element_id)
        if found is None:
            hint = did_you_mean(element_id, [*self.elements, *self.declared]) or "add it before it is referred to"
            raise ModelError("no such element yet", element_id=element_id, hint=hint)
        return found

    def declare(self, kind: type[Declared], name: str, *, id: str | None = None, item: str = "") -> str:
        """Return the id of the message, signal, error, escalation or item of this name, adding it at first mention."""
        key = (kind.__name__, name)
        if key not in self._by_name:
            if isinstance(self.declared.get(name), kind):
                return name
            new = kind(id=self.take_id(id, f"{kind.__name__.lower()}_{slug(name)}"), name=name)
            code = {"Error": "error_code", "Escalation": "escalation_code"}.get(kind.__name__)
            self.declared[new.id] = edit(new, **{code: name}) if code else new
            self._by_name[key] = new.id
        found = self._by_name[key]
        if item:
            if not isinstance(self.declared.get(item), ItemDefinition):
                self.declared[self.take_id(item, item)] = ItemDefinition(id=item)
            self.declared[found] = edit(self.declared[found], item=item)
        return found

    def in_document_order(self) -> list[Element]:
        """Return every element, each directly followed by what it contains."""
        everything = self.declared | self.elements
        inside: dict[str, list[Element]] = {}
        for element in everything.values():
            inside.setdefault(element.parent if element.parent in everything else "", []).append(element)
        ordered: list[Element] = []
        stack = inside.get("", [])[::-1]
        while stack:
            ordered.append(stack.pop())
            stack += reversed(inside.get(ordered[-1].id, ()))
        return ordered

    def connect(
        self, source: str, target: str, when: Expression | None, default: bool, flow_id: str | None, name: str | None
    ) -> None:
        """Add a sequence flow between two nodes of one container."""
        start, stop = self.find(source), self.find(target)
        if start.parent != stop.parent:
            raise ModelError(
                f"a flow to {target!r} would cross a sub-process border (FLW-08)",
                element_id=source,
                hint="connect nodes of the same process or sub-process; cross borders with events or messages",
            )
        new_id = self.take_id(flow_id, f"f_{source}_{target}")
        condition = None if when is None else formal(when, new_id)
        self.elements[new_id] = SequenceFlow(
            id=new_id, name=name or "", parent=start.parent, source=source, target=target, condition=condition
        )
        if default:
            if not isinstance(start, Activity | Gateway):
                raise ModelError(
                    "an event has no default flow", element_id=source, hint="put an exclusive gateway behind it"
                )
            self.elements[source] = replace(start, default=new_id)

    def definitions(self, event_id: str, kind: str | None, what: Mapping[str, object]) -> tuple[EventDefinition, ...]:
        """Return the event definitions that the keywords of an event ask for, in the order written."""
        if kind == "conditional":
            kind = "condition"
        if kind not in (None, *_KINDS):
            kinds = did_you_mean(str(kind), _KINDS) or f"the kinds are {', '.join(_KINDS)}"
            raise ModelError(f"unknown kind of event {kind!r}", element_id=event_id, hint=kinds)
        unknown = [key for key in what if key not in EventOptions.__annotations__]
        if unknown:
            hint = did_you_mean(unknown[0], EventOptions.__annotations__)
            if unknown[0] in ("loop", "multi_instance"):
                hint = "only tasks, sub-processes and call activities may iterate (ITER-B-02)"
            raise ModelError(f"unknown keyword {unknown[0]!r}", element_id=event_id, hint=hint)
        found: list[EventDefinition] = []
        timed = [key for key in what if key in _TIMERS]
        for key, value in what.items():
            if key in _NAMED:
                for name in [value] if isinstance(value, str) else cast("Sequence[str]", value):
                    found.append(self._named_definition(event_id, key, name))
            elif timed and key == timed[0]:
                found.append(self._timer(event_id, {k: cast("Expression", what[k]) for k in timed}))
            elif key == "condition":
                condition = formal(cast("Expression", value), event_id)
                found.append(ConditionalEventDefinition(id="", condition=condition))
            elif key == "link":
                found.append(LinkEventDefinition(id="", name=cast("str", value)))
            elif key == "compensation" and value:
                activity = value if isinstance(value, str) else ""
                waits = bool(what.get("wait", True))
                found.append(CompensateEventDefinition(id="", activity=activity, wait_for_completion=waits))
            elif key in ("cancel", "terminate") and value:
                found.append(_KINDS[key](id=""))
        if kind is not None and not any(isinstance(definition, _KINDS[kind]) for definition in found):
            found.insert(0, _KINDS[kind](id=""))
        names = {cls: key for key, cls in _KINDS.items()}
        return tuple(replace(d, id=self.new_id(f"{event_id}_{names[type(d)]}"), parent=event_id) for d in found)

    def _named_definition(self, event_id: str, key: str, name: str) -> EventDefinition:
        if not isinstance(name, str):
            raise ModelError(f"{key}= is a name or a sequence of names", element_id=event_id)
        reference = self.declare(cast("type[Message]", _NAMED[key]), name) if name else ""
        return edit(_KINDS[key](id=""), **{key: reference})

    def _timer(self, event_id: str, forms: Mapping[str, Expression]) -> TimerEventDefinition:
        timer = TimerEventDefinition(id="")
        for key, value in forms.items():
            if isinstance(value, int | float):
                form = "duration" if key == "timer" else key
                value = f"PT{value}S" if form == "duration" else value
            else:
                text = formal(value, event_id).text
                form = (
                    key
                    if key != "timer"
                    else {"R": "cycle"}.get(text[:1], "date" if text[:1].isdigit() else "duration")
                )
            timer = edit(timer, **{form: formal(value, event_id)})
        return timer


def edit(element: Kind, **changes: Any) -> Kind:
    """Return a copy of an element with other values in fields that only its own class has.

    Examples
    --------
    >>> edit(Message(id="m"), item="pay").item
    'pay'
    """
    return replace(element, **changes)


def slug(name: str) -> str:
    """Return a name as it may stand in an id.

    Examples
    --------
    >>> slug("order paid!")
    'order_paid'
    """
    text = re.sub(r"\W+", "_", name).strip("_")
    return text if text and not text[0].isdigit() else f"_{text}"


def unknown_fields(element: Element, options: Mapping[str, object]) -> list[str]:
    """Return the keywords that an element of this class does not have.

    Examples
    --------
    >>> unknown_fields(Message(id="m"), {"item": "pay", "itm": "pay"})
    ['itm']
    """
    known = {field.name for field in fields(element)}
    return [key for key in options if key not in known]
