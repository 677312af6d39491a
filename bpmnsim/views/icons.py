"""The small signs of BPMN: in events, in gateways, in the corner and at the foot of activities. Own drawings."""

from __future__ import annotations

import math
from types import MappingProxyType

from bpmnsim.model.activities import (
    BusinessRuleTask,
    ManualTask,
    ReceiveTask,
    ScriptTask,
    SendTask,
    ServiceTask,
    UserTask,
)
from bpmnsim.model.base import Element
from bpmnsim.model.events import (
    CancelEventDefinition,
    CompensateEventDefinition,
    ConditionalEventDefinition,
    ErrorEventDefinition,
    EscalationEventDefinition,
    LinkEventDefinition,
    MessageEventDefinition,
    SignalEventDefinition,
    TerminateEventDefinition,
    TimerEventDefinition,
)
from bpmnsim.views.markup import path, tag
from bpmnsim.views.palette import INK, PAPER

__all__ = ["event_symbol", "foot_marker", "gateway_symbol", "task_icon"]

_SPIKES = 8


def _gear(x: float, y: float, size: float) -> str:
    """Return a cog wheel of eight teeth."""
    corners: list[str | float] = []
    for tooth in range(_SPIKES):
        for share, radius in ((0.0, 0.72), (0.12, 1.0), (0.42, 1.0), (0.54, 0.72)):
            angle = (tooth + share) * 2 * math.pi / _SPIKES
            corners += [
                "L" if corners else "M",
                x + size * radius * math.cos(angle),
                y + size * radius * math.sin(angle),
            ]
    return path(*corners, "Z", fill=PAPER) + tag("circle", cx=x, cy=y, r=size * 0.32, fill=PAPER)


def _envelope(left: float, top: float, width: float, height: float, *, filled: bool) -> str:
    flap = ("M", left, top, "L", left + width / 2, top + height * 0.6, "L", left + width, top)
    box = tag("rect", x=left, y=top, width=width, height=height, fill=INK if filled else PAPER)
    return box + path(*flap, stroke=PAPER if filled else INK)


_USER = path("M 1.5 17 C 1.5 12.6 4.3 10.4 9 10.4 S 16.5 12.6 16.5 17 Z", fill=PAPER) + tag(
    "circle", cx=9, cy=5.6, r=4, fill=PAPER
)
_HAND = path(
    "M 1.5 6.6 L 6.6 2.6 C 8.4 1.4 9.6 3.2 8.4 4.4 L 7 5.8 H 15.6 A 1.25 1.25 0 0 1 15.6 8.3 H 10.5"
    " H 16.4 A 1.25 1.25 0 0 1 16.4 10.8 H 10.5 H 15.8 A 1.2 1.2 0 0 1 15.8 13.2 H 10.5"
    " H 14.4 A 1.15 1.15 0 0 1 14.4 15.5 H 5.4 L 1.5 13.6 Z",
    fill=PAPER,
)
_SCROLL = path(
    "M 5.5 1.5 H 16.5 C 12 5 12.5 7 14 9.2 S 15.5 13.5 12.5 16.5 H 1.5 C 6 13 5.5 11 4 8.8 S 2.5 4.5 5.5 1.5 Z",
    fill=PAPER,
) + path("M 5.5 4.5 H 11.5 M 5.5 7.3 H 11.5 M 7 10.3 H 13 M 7.3 13.3 H 13", stroke_width=1)
_TABLE = (
    tag("rect", x=1, y=2.5, width=16, height=13, fill=PAPER)
    + tag("rect", x=1, y=2.5, width=16, height=4, fill="#B0B0B0")
    + path("M 1 11 H 17 M 6 6.5 V 15.5")
)

_TASKS = MappingProxyType(
    {
        UserTask: _USER,
        ManualTask: _HAND,
        ScriptTask: _SCROLL,
        BusinessRuleTask: _TABLE,
        ServiceTask: _gear(11.4, 11.2, 6.2) + _gear(6.4, 6.4, 5.6),
        SendTask: _envelope(1, 3, 16, 12, filled=True),
        ReceiveTask: _envelope(1, 3, 16, 12, filled=False),
    }
)
_STARTING_RECEIVE = tag("circle", cx=9, cy=9, r=8.5, fill=PAPER) + _envelope(4, 5.5, 10, 7, filled=False)


def task_icon(element: Element) -> str:
    """Return the icon of a task in a box of 18 by 18; empty for a task without a type.

    Examples
    --------
    >>> task_icon(SendTask(id="a")) == task_icon(ReceiveTask(id="b"))
    False
    """
    if isinstance(element, ReceiveTask) and element.instantiate:
        return _STARTING_RECEIVE
    return _TASKS.get(type(element), "")


_BOLT = "M -9 8.5 L -4 -6 L 2.2 1.6 L 8.5 -8.5 L 3.8 7 L -2.2 -.6 Z"
_CROSS = (
    "M -8.5 -5.7 L -5.7 -8.5 L 0 -2.8 L 5.7 -8.5 L 8.5 -5.7 L 2.8 0"
    " L 8.5 5.7 L 5.7 8.5 L 0 2.8 L -5.7 8.5 L -8.5 5.7 L -2.8 0 Z"
)
_PLUS = "M -2.2 -9 H 2.2 V -2.2 H 9 V 2.2 H 2.2 V 9 H -2.2 V 2.2 H -9 V -2.2 H -2.2 Z"
_PENTAGON = "M 0 -9.5 L 9 -2.9 L 5.6 7.7 H -5.6 L -9 -2.9 Z"
_OUTLINES = MappingProxyType(
    {
        ErrorEventDefinition: _BOLT,
        EscalationEventDefinition: "M 0 -9.5 L 6.5 8 L 0 1.5 L -6.5 8 Z",
        CancelEventDefinition: _CROSS,
        CompensateEventDefinition: "M -1.2 -6.5 V 6.5 L -10 0 Z M 7.6 -6.5 V 6.5 L -1.2 0 Z",
        SignalEventDefinition: "M 0 -9 L 8.6 6 H -8.6 Z",
        LinkEventDefinition: "M -9 -3.2 H 1 V -7.5 L 9.5 0 L 1 7.5 V 3.2 H -9 Z",
    }
)
_CLOCK = tag("circle", r=10, fill=PAPER) + path(
    "M 0 -10 V -7.8 M 10 0 H 7.8 M 0 10 V 7.8 M -10 0 H -7.8 M 7.1 -7.1 L 5.6 -5.6 M 7.1 7.1 L 5.6 5.6"
    " M -7.1 7.1 L -5.6 5.6 M -7.1 -7.1 L -5.6 -5.6 M 1.8 -6 L 0 0 H 4.8"
)
_PAGE = tag("rect", x=-7, y=-8.5, width=14, height=17, fill=PAPER) + path(
    "M -4.5 -5 H 4.5 M -4.5 -1.7 H 4.5 M -4.5 1.7 H 4.5 M -4.5 5 H 4.5"
)


def event_symbol(kinds: tuple[type, ...], *, filled: bool, all_needed: bool) -> str:
    """Return what an event shows inside, around the origin and made for a circle of radius 18.

    Parameters
    ----------
    kinds
        Types of its event definitions.
    filled
        Whether it throws.
    all_needed
        Whether several definitions must all occur.

    Examples
    --------
    >>> event_symbol((), filled=False, all_needed=False)
    ''
    """
    if not kinds:
        return ""
    fill = INK if filled else PAPER
    if len(kinds) > 1:
        return path(_PLUS if all_needed else _PENTAGON, fill=fill)
    kind = kinds[0]
    if kind in _OUTLINES:
        return path(_OUTLINES[kind], fill=fill)
    if kind is MessageEventDefinition:
        return _envelope(-9, -6.5, 18, 13, filled=filled)
    if kind is TimerEventDefinition:
        return _CLOCK
    if kind is ConditionalEventDefinition:
        return _PAGE
    if kind is TerminateEventDefinition:
        return tag("circle", r=10.5, fill=INK)
    return ""


_GATEWAYS = MappingProxyType(
    {
        "exclusive": path("M -6.5 -8 L 6.5 8 M 6.5 -8 L -6.5 8", stroke_width=3.5),
        "parallel": path("M 0 -11 V 11 M -11 0 H 11", stroke_width=3.5),
        "inclusive": tag("circle", r=10, stroke_width=3),
        "complex": path("M 0 -11 V 11 M -11 0 H 11 M -7.5 -7.5 L 7.5 7.5 M 7.5 -7.5 L -7.5 7.5", stroke_width=3),
        "event": tag("circle", r=13) + tag("circle", r=10.5) + tag("g", path(_PENTAGON), transform="scale(.75)"),
        "event-start": tag("circle", r=13) + tag("g", path(_PENTAGON), transform="scale(.8)"),
        "event-start-parallel": tag("circle", r=13) + tag("g", path(_PLUS), transform="scale(.95)"),
    }
)


def gateway_symbol(kind: str) -> str:
    """Return the sign in a gateway, around the origin and made for a diamond of 50 by 50.

    Examples
    --------
    >>> gateway_symbol("inclusive")
    '<circle r="10" stroke-width="3"/>'
    """
    return _GATEWAYS[kind]


_FEET = MappingProxyType(
    {
        "loop": path("M 4.6 12.2 A 5.4 5.4 0 1 1 8.8 12.3 M 1.2 12.6 L 5 12.6 L 4.4 8.8"),
        "parallel-multi-instance": path("M 3 2 V 13 M 7 2 V 13 M 11 2 V 13", stroke_width=2),
        "sequential-multi-instance": path("M 1.5 3.5 H 12.5 M 1.5 7.5 H 12.5 M 1.5 11.5 H 12.5", stroke_width=2),
        "compensation": path("M 6.6 2.8 V 12.2 L .6 7.5 Z M 13 2.8 V 12.2 L 7 7.5 Z", fill=PAPER),
        "ad-hoc": path(
            "M 1 9.6 C 2 5 5 4.6 7 7.4 S 12 10 13 5.4 C 12.4 10.8 9 11.6 7 8.8 S 2 6.4 1 9.6 Z",
            fill=INK,
            stroke_width=1,
        ),
        "collapsed": tag("rect", x=0.5, y=1, width=13, height=13, fill=PAPER) + path("M 7 3.6 V 11.4 M 3.1 7.5 H 10.9"),
    }
)


def foot_marker(kind: str) -> str:
    """Return a marker of the foot of an activity or pool, in a box of 14 by 15.

    Examples
    --------
    >>> foot_marker("parallel-multi-instance")
    '<path d="M 3 2 V 13 M 7 2 V 13 M 11 2 V 13" stroke-width="2"/>'
    """
    return _FEET[kind]
