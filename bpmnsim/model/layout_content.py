"""Layout of what is inside one process or sub-process: which shapes sit together, and what is drawn below each other.

Columns and lines are placed in ``layout_columns``; pools and diagrams are put together in ``layout``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bpmnsim.model.activities import Activity, SubProcess
from bpmnsim.model.base import Element, FlowNode
from bpmnsim.model.collaboration import Lane
from bpmnsim.model.events import BoundaryEvent, StartEvent
from bpmnsim.model.layout_columns import Block, arrange
from bpmnsim.model.layout_hosts import Host, Leaving, make_host, size_of
from bpmnsim.model.layout_parts import End, Exit, Point, Wire, straighten
from bpmnsim.model.layout_plan import Plan, leaf_lanes
from bpmnsim.model.process import Model, Process

_GAP = 20
_TRACK = 10
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
        self.hosts = {element.id: self._host(element) for element in [*nodes, *plan.loose.get(container.id, ())]}
        self.reversed: dict[str, None] = {}
        self.wires = [wire for line in plan.lines.get(container.id, ()) if (wire := self._wire(*line)) is not None]

    def _host(self, element: Element) -> Host:
        box = self.boxes.get(element.id)
        size = (box.width, box.height) if box is not None else size_of(element)
        plan, id = self.plan, element.id
        attached, satellites = plan.attached.get(id, ()), plan.satellites.get(id, ())
        flows = len(plan.model.outgoing(id))
        host = make_host(element, size, attached, satellites, self.leaving.get(id, ()), flows=flows)
        host.cell.lane = self.lane_of.get(element.id, len(self.lanes))
        return host

    def _wire(self, id: str, source: str, target: str, is_flow: bool) -> Wire | None:
        if isinstance(self.plan.model.elements[target], BoundaryEvent) and not is_flow:
            self.reversed[id] = None
            source, target = target, source
        ends = [self.plan.model.elements[end] for end in (source, target)]
        if not is_flow and self.plan.home[source] == self.plan.home[target] and not isinstance(ends[0], BoundaryEvent):
            return None
        both = all(isinstance(end, FlowNode) for end in ends)
        start, stop = (self.hosts[self.plan.home[end]] for end in (source, target))
        fans = is_flow and isinstance(ends[0], Activity)
        return Wire(id, start.right(source), stop.left(target), ranks=both, fans=fans)

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
            return [
                self._block(
                    list(self.hosts), max(len(self.lanes), *(1 + host.cell.lane for host in self.hosts.values()))
                )
            ]
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

    def _place(self, box: Box, host: Host, shift: Point) -> None:
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
