"""Geometry for models that have none: pools below each other, message flows between them, one picture each.

What is inside a process is laid out in ``layout_content``, columns and lines in ``layout_columns``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bpmnsim.model.activities import SubProcess
from bpmnsim.model.base import FlowNode
from bpmnsim.model.collaboration import Lane, MessageFlow, Participant
from bpmnsim.model.diagram import Bounds, Diagram, Edge, Shape
from bpmnsim.model.gateways import ExclusiveGateway
from bpmnsim.model.layout_content import Box, draw
from bpmnsim.model.layout_hosts import Leaving
from bpmnsim.model.layout_parts import Point, straighten
from bpmnsim.model.layout_plan import Plan
from bpmnsim.model.process import Model, Process

_LABEL = 30
_TRACK = 10
_BETWEEN = 40
_BLACK_BOX = 60


def layout(model: Model) -> tuple[Diagram, ...]:
    """Return pictures of a model: one of each collaboration, and one of each process that is in no pool.

    Parameters
    ----------
    model
        What to draw; diagrams it has are ignored.

    Returns
    -------
    tuple of Diagram
        Empty where there is no process and no pool.

    Examples
    --------
    >>> from bpmnsim.model import ProcessBuilder
    >>> b = ProcessBuilder("p")
    >>> _ = b.start() >> b.task("A") >> b.end()
    >>> [(s.element, s.bounds.x, s.bounds.width) for s in layout(b.model())[0].shapes]
    [('start', 20.0, 36), ('A', 106.0, 100), ('end', 256.0, 36)]

    Notes
    -----
    Deterministic; never fails. Shapes do not overlap and no line crosses a foreign shape. A flow that a model draws
    across the border of a sub-process, and an association with a flow or a pool, is left out.
    """
    return _Layout(model).diagrams()


@dataclass(frozen=True, slots=True)
class _Pool:
    """A participant of one picture, or a process without one that takes part.

    ``process`` is empty for a black box; a process that is shown already is drawn as one.
    """

    id: str
    process: str


@dataclass(frozen=True, slots=True)
class _End:
    """Where a message flow meets a pool; ``exit`` is empty where it meets the border itself."""

    pool: int
    exit: str


@dataclass(frozen=True, slots=True)
class _Message:
    """A message flow between two pools, or two nodes of one; a line down leaves the upper pool at its lower border."""

    id: str
    first: _End
    last: _End

    def gaps(self) -> tuple[int, int]:
        """Numbers of the spaces between pools that it passes at both ends; 0 is above the first pool."""
        return (
            self.first.pool + (self.first.pool < self.last.pool),
            self.last.pool + (self.last.pool < self.first.pool),
        )


class _Picture:
    """Absolute places of everything in one diagram."""

    def __init__(self) -> None:
        self.places: dict[str, Bounds] = {}
        self.lines: dict[str, list[Point]] = {}
        self.exits: dict[str, list[Point]] = {}

    def add(self, boxes: Mapping[str, Box], container: str, x: float, y: float) -> None:
        """Add a container and what is inside of it, from the outside inwards."""
        stack = [(container, x, y)]
        while stack:
            id, left, top = stack.pop()
            box = boxes[id]
            for element, (dx, dy, width, height) in box.places.items():
                self.places[element] = Bounds(left + dx, top + dy, width, height)
                if element in boxes:
                    stack.append((element, left + dx, top + dy))
            for line, points in box.lines.items():
                self.lines[line] = [(px + left, py + top) for px, py in points]
            for leaving, points in box.exits.items():
                inner = [(px + left, py + top) for px, py in points]
                self.exits[leaving] = inner + self.exits.get(leaving, [])


class _Layout:
    """The steps of laying out a model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.plan = Plan(model)
        self.pools: dict[str, list[_Pool]] = {}
        self.messages: dict[str, list[_Message]] = {}
        self.leaving: dict[str, list[Leaving]] = {}
        self.goes_up: dict[str, bool] = {}
        self.containers: list[Process | SubProcess] = list(model.processes)
        self.root = {process.id: process.id for process in model.processes}
        for container in self.containers:
            for node in self.plan.nodes.get(container.id, ()):
                if isinstance(node, SubProcess):
                    self.containers.append(node)
                    self.root[node.id] = self.root[container.id]
        self._collect_pools()
        for element in model.elements.values():
            if isinstance(element, MessageFlow):
                self._collect_message(element)
        self.boxes = self._draw_insides()

    def _collect_pools(self) -> None:
        shown: dict[str, None] = {}
        for element in self.model.elements.values():
            if isinstance(element, Participant):
                is_open = isinstance(self.model.elements.get(element.process), Process) and element.process not in shown
                shown[element.process] = None
                pool = _Pool(element.id, element.process if is_open else "")
                self.pools.setdefault(element.parent, []).append(pool)

    def _collect_message(self, flow: MessageFlow) -> None:
        for named in (flow.source, flow.target):
            process = self._process_of(named)
            known = (pool.process for pools in self.pools.values() for pool in pools)
            if isinstance(self.model.elements.get(process), Process) and process not in known:
                self.pools.setdefault(flow.parent, []).append(_Pool(process, process))
        first, last = self._end(flow, 0, flow.source), self._end(flow, 1, flow.target)
        if first is None or last is None or (first.pool == last.pool and not (first.exit and last.exit)):
            return
        self.messages.setdefault(flow.parent, []).append(_Message(flow.id, first, last))
        for end, other, node in ((first, last, flow.source), (last, first, flow.target)):
            if end.exit:
                self.goes_up[end.exit] = end.pool >= other.pool
                self._leave(end.exit, node, None)

    def _leave(self, exit: str, node: str, inner: float | None) -> None:
        """Let a message flow leave the container of a node: a sub-process at its upper border."""
        container = self.plan.container(node)
        up = self.goes_up[exit] or isinstance(self.model.elements[container], SubProcess)
        self.leaving.setdefault(container, []).append(Leaving(exit, node, up, inner))

    def _process_of(self, id: str) -> str:
        """Return the process around a flow node; other ids stand for themselves."""
        return self.root.get(self.plan.container(id), "") if isinstance(self.model.elements.get(id), FlowNode) else id

    def _end(self, flow: MessageFlow, at: int, end: str) -> _End | None:
        is_node = isinstance(self.model.elements.get(end), FlowNode)
        process = self._process_of(end)
        for index, pool in enumerate(self.pools.get(flow.parent, ())):
            if pool.id == end or (pool.process and pool.process == process):
                return _End(index, f"{flow.id} {at}" if is_node else "")
        return None

    def _draw_insides(self) -> dict[str, Box]:
        """Lay out every process and sub-process, the innermost first."""
        boxes: dict[str, Box] = {}
        for container in reversed(self.containers):
            box = draw(self.plan, container, boxes, self.leaving.get(container.id, ()))
            if box.places or isinstance(container, Process):
                boxes[container.id] = box
            if isinstance(container, SubProcess):
                for exit, points in box.exits.items():
                    self._leave(exit, container.id, points[-1][0])
        return boxes

    def diagrams(self) -> tuple[Diagram, ...]:
        """Return the finished pictures."""
        made, shown = [], {pool.process for pools in self.pools.values() for pool in pools}
        for collaboration, pools in self.pools.items():
            made.append(self._diagram(collaboration, self._collaboration(collaboration, pools)))
        for process in self.model.processes:
            if process.id not in shown:
                picture = _Picture()
                picture.add(self.boxes, process.id, 0, 0)
                made.append(self._diagram(process.id, picture))
        return tuple(made)

    def _collaboration(self, collaboration: str, pools: Sequence[_Pool]) -> _Picture:
        """Stack the pools and draw the message flows between them."""
        messages = self.messages.get(collaboration, [])
        gaps: list[list[str]] = [[] for _ in range(len(pools) + 1)]
        for message in messages:
            for gap in dict.fromkeys(message.gaps()):
                gaps[gap].append(message.id)
        width = _LABEL + max([300.0, *(self.boxes[pool.process].width for pool in pools if pool.process)])
        picture, y = _Picture(), 0.0
        levels: dict[tuple[int, str], float] = {}
        for at, passing in enumerate(gaps):
            levels |= {(at, id): y + _BETWEEN / 2 + _TRACK * track for track, id in enumerate(passing)}
            y += _BETWEEN + _TRACK * len(passing) if at or passing else 0
            if at < len(pools):
                pool = pools[at]
                height = self.boxes[pool.process].height if pool.process else _BLACK_BOX
                picture.places[pool.id] = Bounds(0, y, width, height)
                if pool.process:
                    picture.add(self.boxes, pool.process, _LABEL, y)
                    self._widen_lanes(picture, pool.process, width)
                y += height
        for at, message in enumerate(messages):
            first, last = self._ends(picture, pools, message, at)
            above, below = message.gaps()
            points = [*first, (first[-1][0], levels[above, message.id])]
            if above != below:
                lane = width + _TRACK * (2 + at)
                points += [(lane, levels[above, message.id]), (lane, levels[below, message.id])]
            points += [(last[-1][0], levels[below, message.id]), *reversed(last)]
            picture.lines[message.id] = straighten(points)
        return picture

    def _widen_lanes(self, picture: _Picture, process: str, width: float) -> None:
        for id in self.boxes[process].places:
            if isinstance(self.model.elements[id], Lane):
                place = picture.places[id]
                picture.places[id] = replace(place, width=width - place.x)

    def _ends(
        self, picture: _Picture, pools: Sequence[_Pool], message: _Message, at: int
    ) -> tuple[list[Point], list[Point]]:
        """Return the points of both ends, to the border of their pools; at a black box opposite to the other end."""
        first = picture.exits.get(message.first.exit)
        last = picture.exits.get(message.last.exit)
        x = (first or last or [(_LABEL + 30 + 20 * at, 0)])[-1][0]
        found = []
        for points, end, other in ((first, message.first, message.last), (last, message.last, message.first)):
            pool = picture.places[pools[end.pool].id]
            found.append(points or [(x, pool.y if end.pool >= other.pool else pool.y + pool.height)])
        return found[0], found[1]

    def _diagram(self, element: str, picture: _Picture) -> Diagram:
        shapes, edges = [], []
        for id, drawn in self.model.elements.items():
            if id in picture.places and not isinstance(drawn, Process):
                is_frame = isinstance(drawn, Participant | Lane)
                shape = Shape(
                    element=id,
                    bounds=picture.places[id],
                    id=self._new_id(f"shape_{id}"),
                    is_horizontal=True if is_frame else None,
                    is_expanded=id in self.boxes if isinstance(drawn, SubProcess) else None,
                    is_marker_visible=True if isinstance(drawn, ExclusiveGateway) else None,
                )
                shapes.append(shape)
            if id in picture.lines:
                edges.append(Edge(element=id, waypoints=tuple(picture.lines[id]), id=self._new_id(f"edge_{id}")))
        return Diagram(
            id=self._new_id(f"diagram_{element}"),
            element=element,
            plane_id=self._new_id(f"plane_{element}"),
            shapes=tuple(shapes),
            edges=tuple(edges),
        )

    def _new_id(self, wanted: str) -> str:
        while wanted in self.model.elements:
            wanted += "_"
        return wanted
