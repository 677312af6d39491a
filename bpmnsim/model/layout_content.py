"""Layout of what is inside one process or sub-process: which shapes sit together, and what is drawn below each other.

Columns and lines are placed in ``layout_columns``; pools and diagrams are put together in ``layout``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bpmnsim.model.activities import SubProcess
from bpmnsim.model.base import Element, FlowNode
from bpmnsim.model.collaboration import Lane, TextAnnotation
from bpmnsim.model.data import DataObject, DataObjectReference, DataStoreReference
from bpmnsim.model.events import BoundaryEvent, Event, StartEvent
from bpmnsim.model.gateways import Gateway
from bpmnsim.model.layout_columns import Block, arrange
from bpmnsim.model.layout_parts import Cell, End, Exit, Point, Wire, straighten
from bpmnsim.model.layout_plan import Plan, leaf_lanes
from bpmnsim.model.process import Model, Process

_GAP = 20
_TRACK = 10
_SLOT = 44
_SHELF = 900
_PADDING = {True: (20, 20, 20), False: (50, 30, 30)}
"""Space above, beside and below the content of a process (true) and of a sub-process."""


@dataclass(slots=True)
class Box:
    """A finished inside, relative to its own upper left corner.

    Parameters
    ----------
    width, height
        Outer size.
    places
        Left, top, width and height by element.
    lines
        Points by flow or association.
    exits
        Points by exit, from the node to the border.

    Examples
    --------
    >>> Box(100, 80).places
    {}
    """

    width: float
    height: float
    places: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)
    lines: dict[str, list[Point]] = field(default_factory=dict)
    exits: dict[str, list[Point]] = field(default_factory=dict)


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


@dataclass(slots=True)
class _Host:
    """A node with what sits on it: boundary events below, data and notes above."""

    cell: Cell
    width: float
    height: float
    slots: dict[str, tuple[Point, ...]]
    satellites: dict[str, tuple[float, float, float, float]]
    bus: float


def draw(plan: Plan, container: Process | SubProcess, boxes: Mapping[str, Box], leaving: Sequence[Leaving]) -> Box:
    """Lay out the inside of one container.

    Parameters
    ----------
    plan
        Of the model.
    container
        What to draw.
    boxes
        The finished insides of the sub-processes in it.
    leaving
        Message flows that leave it.

    Examples
    --------
    >>> from bpmnsim.model import ProcessBuilder
    >>> b = ProcessBuilder("p")
    >>> _ = b.start() >> b.end()
    >>> box = draw(Plan(b.model()), b.model().process("p"), {}, ())
    >>> box.places["start"], box.lines
    ((20.0, 35.0, 36, 36), {'f_start_end': [(56.0, 53.0), (106.0, 53.0)]})
    """
    drawing = _Drawing(plan, container, boxes, leaving)
    return drawing.compose(drawing.blocks())


class _Drawing:
    """The steps of laying out one container."""

    def __init__(
        self, plan: Plan, container: Process | SubProcess, boxes: Mapping[str, Box], leaving: Sequence[Leaving]
    ) -> None:
        self.plan = plan
        self.container = container
        self.boxes = boxes
        self.lanes = leaf_lanes(plan.model, container.id)
        self.lane_of = {member: at for at, (_, _, members) in enumerate(self.lanes) for member in members}
        nodes = sorted(plan.nodes.get(container.id, ()), key=lambda node: not isinstance(node, StartEvent))
        self.leaving: dict[str, list[Leaving]] = {}
        for one in leaving:
            self.leaving.setdefault(plan.home[one.node], []).append(one)
        self.hosts = {node.id: self._host(node) for node in nodes}
        self.hosts |= {item.id: self._host(item) for item in plan.loose.get(container.id, ())}
        self.reversed: dict[str, None] = {}
        self.wires = [wire for line in plan.lines.get(container.id, ()) if (wire := self._wire(*line)) is not None]

    def _host(self, element: Element) -> _Host:
        width, height = _size(element, self.boxes)
        is_activity = isinstance(element, FlowNode) and not isinstance(element, Event | Gateway)
        attached = self.plan.attached.get(element.id, ())
        leaving = self.leaving.get(element.id, ())
        down = [one for one in leaving if one.inner is None and not one.up and one.node == element.id]
        if is_activity:
            width = max(width, 56 + _SLOT * (len(attached) + len(down) - 1))
        below = {}
        for at, id in enumerate([event.id for event in attached] + [one.id for one in down]):
            below[id] = (
                -width / 2 + 28 + _SLOT * at if is_activity else 0,
                height / 2 + (18 if at < len(attached) else 0),
            )
        for one in leaving:
            if one.node != element.id:
                below[one.id] = (below[one.node][0] + 9, height / 2 + 15.6)
        above = {}
        for at, one in enumerate(one for one in leaving if one.id not in below):
            x = max(width / 2 - 20 - 15 * at, 30 - width / 2) if is_activity else 0
            above[one.id] = (x if one.inner is None else one.inner - width / 2, -height / 2)
        slots = _with_lanes(below, height / 2 + (30 if attached else 14), _TRACK)
        slots |= _with_lanes(above, -height / 2 - 14, -_TRACK)
        bus = 20 - width / 2 if is_activity else 0
        top, right, satellites = -height / 2 - (10 + _TRACK * len(above) if above else 0), width / 2, {}
        for item in self.plan.satellites.get(element.id, ()):
            wide, high = _size(item, {})
            top -= high + (14 if isinstance(item, TextAnnotation) else 30)
            satellites[item.id] = (bus + 20, top, wide, high)
            right = max(right, bus + 20 + wide)
        bottom = max([height / 2, *(stub[-1][1] for id, stub in slots.items() if id in below)])
        room = 30 if element.name and not is_activity else 0
        cell = Cell(element.id, width / 2, right, 15 - top, bottom + 15 + room)
        cell.lane = self.lane_of.get(element.id, len(self.lanes))
        return _Host(cell, width, height, slots, satellites, bus)

    def _wire(self, id: str, source: str, target: str, is_flow: bool) -> Wire | None:
        if isinstance(self.plan.model.elements[target], BoundaryEvent) and not is_flow:
            self.reversed[id] = None
            source, target = target, source
        ends = [self.plan.model.elements[end] for end in (source, target)]
        if not is_flow and self.plan.home[source] == self.plan.home[target] and not isinstance(ends[0], BoundaryEvent):
            return None
        both = all(isinstance(end, FlowNode) for end in ends)
        return Wire(id, self._start(source), self._stop(target), ranks=both)

    def _start(self, id: str) -> End:
        host = self.hosts[self.plan.home[id]]
        if id in host.satellites:
            x, y, width, height = host.satellites[id]
            return End(host.cell, ((x + width, y + height / 2),))
        return End(host.cell, host.slots.get(id, ((host.width / 2, 0),)))

    def _stop(self, id: str) -> End:
        host = self.hosts[self.plan.home[id]]
        if id in host.satellites:
            x, y, _, height = host.satellites[id]
            return End(host.cell, ((x, y + height / 2),))
        return End(host.cell, ((-host.width / 2, 0),))

    def _exits(self, ids: Iterable[str]) -> list[Exit]:
        return [
            Exit(one.id, End(self.hosts[id].cell, self.hosts[id].slots[one.id]), one.up)
            for id in ids
            for one in self.leaving.get(id, ())
        ]

    def blocks(self) -> list[tuple[Block, list[str]]]:
        """Lay out what is connected together, and what is connected to nothing in rows."""
        if not self.hosts:
            return []
        groups, alone = self._components()
        if self.lanes:
            for at, id in enumerate(alone):
                self.hosts[id].cell.column = at % 8
            return [self._block(list(self.hosts), 1 + max(host.cell.lane for host in self.hosts.values()))]
        blocks = [self._block(group) for group in groups]
        widest = max([_SHELF, *(block.width for block, _ in blocks)])
        row: list[str] = []
        used = 0.0
        for id in alone:
            cell = self.hosts[id].cell
            used += cell.left + cell.right + 50
            if row and used > widest:
                blocks.append(self._block(row))
                row, used = [], cell.left + cell.right
            cell.column = len(row)
            row.append(id)
        return [*blocks, self._block(row)] if row else blocks

    def _components(self) -> tuple[list[list[str]], list[str]]:
        near: dict[str, list[str]] = {}
        for wire in self.wires:
            near.setdefault(wire.start.cell.key, []).append(wire.stop.cell.key)
            near.setdefault(wire.stop.cell.key, []).append(wire.start.cell.key)
        group_of: dict[str, int] = {}
        groups: list[list[str]] = []
        for id in self.hosts:
            stack = [id] if id in near and id not in group_of else []
            if stack:
                groups.append([])
            while stack:
                other = stack.pop()
                if other not in group_of:
                    group_of[other] = len(groups) - 1
                    stack += near[other]
        for id in self.hosts:
            if id in group_of:
                groups[group_of[id]].append(id)
        return groups, [id for id in self.hosts if id not in group_of]

    def _block(self, ids: list[str], lanes: int = 1) -> tuple[Block, list[str]]:
        cells = [self.hosts[id].cell for id in ids]
        keys = dict.fromkeys(ids)
        wires = [wire for wire in self.wires if wire.start.cell.key in keys]
        return arrange(cells, wires, self._exits(ids), lanes=lanes), ids

    def compose(self, blocks: Sequence[tuple[Block, list[str]]]) -> Box:
        """Stack the blocks and lead what leaves an inner one around the others."""
        above, beside, under = _PADDING[isinstance(self.container, Process)]
        indent = 30 * max((depth for _, depth, _ in self.lanes), default=0)
        gaps = [0] * (len(blocks) + 1)
        for at, (_, ids) in enumerate(blocks):
            for leaving in self._exits(ids):
                gaps[at + (not leaving.up)] += 1
        led = sum(gaps[1:-1])
        content = max((block.width for block, _ in blocks), default=0)
        width = indent + 2 * beside + content + (_TRACK * (led + 1) if led else 0)
        tops, y = [], float(above)
        for at, (block, _) in enumerate(blocks):
            y += _GAP + _TRACK * gaps[at] if at else 0
            tops.append(y)
            y += block.height
        box = Box(max(width, 100), max(y + under, 80))
        tracks = [0] * (len(blocks) + 1)
        lane_x = indent + beside + content + _TRACK
        for at, ((block, ids), top) in enumerate(zip(blocks, tops, strict=True)):
            shift = (indent + beside, top)
            for id in ids:
                self._place(box, self.hosts[id], shift)
            for leaving in self._exits(ids):
                points = _moved(block.lines.pop(leaving.id), shift)
                gap, border = at + (not leaving.up), 0 if leaving.up else box.height
                if 0 < gap < len(blocks):
                    tracks[gap] += 1
                    track = tops[gap] - _GAP / 2 - _TRACK * tracks[gap] + _TRACK / 2
                    points += [(points[-1][0], track), (lane_x, track)]
                    lane_x += _TRACK
                box.exits[leaving.id] = straighten([*points, (points[-1][0], border)])
            for id, line in block.lines.items():
                points = _moved(line, shift)
                box.lines[id] = points[::-1] if id in self.reversed else points
        for id, source, target, is_flow in self.plan.lines.get(self.container.id, ()):
            if id not in box.lines and not is_flow:
                self._draw_bus(box, id, source, target)
        if self.lanes and blocks:
            bands = [(top + tops[0], bottom + tops[0]) for top, bottom in blocks[0][0].lanes]
            _place_lanes(self.plan.model, box, self.lanes, bands)
        return box

    def _place(self, box: Box, host: _Host, shift: Point) -> None:
        x, y = host.cell.x + shift[0], host.cell.y + shift[1]
        box.places[host.cell.key] = (x - host.width / 2, y - host.height / 2, host.width, host.height)
        for event in self.plan.attached.get(host.cell.key, ()):
            box.places[event.id] = (x + host.slots[event.id][0][0] - 18, y + host.height / 2 - 18, 36, 36)
        for id, (left, top, width, height) in host.satellites.items():
            box.places[id] = (x + left, y + top, width, height)

    def _draw_bus(self, box: Box, id: str, source: str, target: str) -> None:
        """Draw the line between a node and what sits above it."""
        host = self.hosts[self.plan.home[source]]
        left, top, width, _ = box.places[host.cell.key]
        item = source if source in host.satellites else target
        if item not in host.satellites:
            return
        x, y = left + width / 2 + host.bus, box.places[item][1] + box.places[item][3] / 2
        points = straighten([(box.places[item][0], y), (x, y), (x, top)])
        box.lines[id] = points if item == source else points[::-1]


def _with_lanes(starts: Mapping[str, Point], first: float, step: float) -> dict[str, tuple[Point, ...]]:
    """Give each line that leaves a shape below or above a height of its own; the rightmost the nearest."""
    order = sorted(starts, key=lambda id: -starts[id][0])
    return {id: (starts[id], (starts[id][0], first + step * at)) for at, id in enumerate(order)}


def _size(element: Element, boxes: Mapping[str, Box]) -> tuple[float, float]:
    match element:
        case SubProcess():
            box = boxes.get(element.id)
            return (box.width, box.height) if box is not None and box.places else (100, 80)
        case Event():
            return 36, 36
        case Gateway() | DataStoreReference():
            return 50, 50
        case DataObject() | DataObjectReference():
            return 36, 50
        case TextAnnotation():
            return 100, 24 + 14 * min(6, len(element.text) // 16)
    return 100, 80


def _moved(points: Iterable[Point], shift: Point) -> list[Point]:
    return [(x + shift[0], y + shift[1]) for x, y in points]


def _place_lanes(
    model: Model, box: Box, lanes: Sequence[tuple[str, int, tuple[str, ...]]], bands: Sequence[tuple[float, float]]
) -> None:
    """Draw every lane around the lanes in it; the first and the last reach the border."""
    for at, ((id, depth, _), (top, bottom)) in enumerate(zip(lanes, bands, strict=False)):
        top, bottom = top if at else 0, bottom if at < len(bands) - 1 else box.height
        lane: Element | None = model.elements[id]
        while isinstance(lane, Lane):
            left = 30.0 * (depth - 1)
            if lane.id in box.places:
                _, above, _, high = box.places[lane.id]
                top, bottom = min(top, above), max(bottom, above + high)
            box.places[lane.id] = (left, top, box.width - left, bottom - top)
            lane, depth = model.elements.get(lane.parent), depth - 1
