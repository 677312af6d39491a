"""One node with what sits on it: boundary events and messages below, data, notes and messages above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bpmnsim.model.base import Element, FlowNode
from bpmnsim.model.collaboration import TextAnnotation
from bpmnsim.model.data import DataObject, DataObjectReference, DataStoreReference
from bpmnsim.model.events import BoundaryEvent, Event
from bpmnsim.model.gateways import Gateway
from bpmnsim.model.layout_parts import SPREAD, Cell, End, Point

_TRACK = 10
_SLOT = 44
_EVENT = 18
_MARGIN = 15
_NAME = 30
"""Room for a name below an event, gateway or data element."""


@dataclass(frozen=True, slots=True)
class Leaving:
    """One end of a message flow that leaves a container at *node*; *inner* is its x on the border of that node.

    Examples
    --------
    >>> Leaving("m 0", "task", up=True).inner is None
    True
    """

    id: str
    node: str
    up: bool
    inner: float | None = None


@dataclass(frozen=True, slots=True)
class Host:
    """A node with its cell; all places are relative to the center of the node.

    Parameters
    ----------
    cell
        The room for all of it.
    width, height
        Of the node alone.
    slots
        Lines from the outline down or up, by boundary event and by what leaves.
    satellites
        Left, top, width and height of data and notes above.
    bus
        The x at which the lines from these run down to the node.

    Examples
    --------
    >>> from bpmnsim.model import Task
    >>> make_host(Task(id="A"), (100, 80), (), (), ()).right("A").stub
    ((50.0, 0),)
    """

    cell: Cell
    width: float
    height: float
    slots: dict[str, tuple[Point, ...]]
    satellites: dict[str, tuple[float, float, float, float]]
    bus: float

    def right(self, id: str) -> End:
        """Return where a line leaves the node, or what sits on it."""
        if id in self.satellites:
            x, y, width, height = self.satellites[id]
            return End(self.cell, ((x + width, y + height / 2),))
        return End(self.cell, self.slots.get(id, ((self.width / 2, 0),)))

    def left(self, id: str) -> End:
        """Return where a line enters the node, or what sits above it."""
        if id in self.satellites:
            x, y, _, height = self.satellites[id]
            return End(self.cell, ((x, y + height / 2),))
        return End(self.cell, ((-self.width / 2, 0),))


def make_host(
    element: Element,
    size: tuple[float, float],
    attached: Sequence[BoundaryEvent],
    satellites: Sequence[Element],
    leaving: Sequence[Leaving],
    *,
    flows: int = 0,
) -> Host:
    """Put a node and all that sits on it together.

    Parameters
    ----------
    element, size
        The node, and how large it is without boundary events.
    attached, satellites, leaving
        What sits on it, and which message flows begin or end here.
    flows
        Number of sequence flows that leave it; an activity has room for them on its right side.

    Examples
    --------
    >>> from bpmnsim.model import Gateway
    >>> make_host(Gateway(id="g"), (50, 50), (), (), ()).cell.up
    40.0
    """
    width, height = size
    is_activity = isinstance(element, FlowNode) and not isinstance(element, Event | Gateway)
    down = [one.id for one in leaving if one.inner is None and not one.up and one.node == element.id]
    if is_activity:
        width = max(width, 2 * 28 + _SLOT * (len(attached) + len(down) - 1))
        height = max(height, SPREAD * (flows + 1))
    below: dict[str, Point] = {}
    for at, id in enumerate([*(event.id for event in attached), *down]):
        x = 28 - width / 2 + _SLOT * at if is_activity else 0
        below[id] = (x, height / 2 + (_EVENT if at < len(attached) else 0))
    for one in leaving:
        if one.node != element.id:
            # A point on the circle of the boundary event, beside the one where its flow begins.
            below[one.id] = (below[one.node][0] + 9, height / 2 + 15.6)
    above: dict[str, Point] = {}
    for one in leaving:
        if one.id not in below:
            x = max(width / 2 - 20 - 15 * len(above), 30 - width / 2) if is_activity else 0
            above[one.id] = (x if one.inner is None else one.inner - width / 2, -height / 2)
    slots = _apart(below, height / 2 + (_EVENT + 12 if attached else 14), _TRACK)
    bottom = max([height / 2, *(stub[-1][1] for stub in slots.values())])
    slots |= _apart(above, -height / 2 - 14, -_TRACK)
    bus = 20 - width / 2 if is_activity else 0
    top, right = -height / 2 - (10 + _TRACK * len(above) if above else 0), width / 2
    places = {}
    for item in satellites:
        wide, high = size_of(item)
        top -= high + (_MARGIN if isinstance(item, TextAnnotation) else _NAME)
        places[item.id] = (bus + 20, top, wide, high)
        right = max(right, bus + 20 + wide)
    room = _NAME if element.name and not is_activity else 0
    cell = Cell(element.id, width / 2, right, _MARGIN - top, bottom + _MARGIN + room)
    return Host(cell, width, height, slots, places, bus)


def _apart(starts: Mapping[str, Point], first: float, step: float) -> dict[str, tuple[Point, ...]]:
    """Give each line that leaves a shape below or above a height of its own; the rightmost the nearest."""
    order = sorted(starts, key=lambda id: -starts[id][0])
    return {id: (starts[id], (starts[id][0], first + step * at)) for at, id in enumerate(order)}


def size_of(element: Element) -> tuple[float, float]:
    """Return width and height of a shape without content (style.md 1.3).

    Examples
    --------
    >>> from bpmnsim.model import StartEvent
    >>> size_of(StartEvent(id="s"))
    (36, 36)
    """
    match element:
        case Event():
            return 36, 36
        case Gateway() | DataStoreReference():
            return 50, 50
        case DataObject() | DataObjectReference():
            return 36, 50
        case TextAnnotation():
            return 100, 24 + 14 * min(6, len(element.text) // 16)
    return 100, 80
