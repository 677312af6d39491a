"""Drawing one line: flows and associations with their ends, marks and arrow heads."""

from __future__ import annotations

import math
from itertools import pairwise

from bpmnsim.model.activities import Activity
from bpmnsim.model.base import Element, SequenceFlow
from bpmnsim.model.collaboration import Association, MessageFlow
from bpmnsim.model.data import DataAssociation
from bpmnsim.views.markup import escape, number, path, tag
from bpmnsim.views.palette import INK, PAPER
from bpmnsim.views.parts import kind_of
from bpmnsim.views.scene import Line, Point, Scene, ends, name_of

__all__ = ["along", "draw_line", "length"]


def length(points: tuple[Point, ...]) -> float:
    """Return the length of a line.

    Examples
    --------
    >>> length(((0, 0), (3, 0), (3, 4)))
    7.0
    """
    return sum(math.dist(a, b) for a, b in pairwise(points))


def along(points: tuple[Point, ...], distance: float) -> tuple[Point, float]:
    """Return the point of a line at a distance from its beginning, and its direction there in degrees.

    Examples
    --------
    >>> along(((0, 0), (3, 0), (3, 4)), 5)
    ((3.0, 2.0), 90.0)
    """
    angle = 0.0
    for a, b in pairwise(points):
        step = math.dist(a, b)
        if step == 0:
            continue
        angle = math.degrees(math.atan2(b[1] - a[1], b[0] - a[0]))
        if distance <= step:
            share = distance / step
            return (a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share), angle
        distance -= step
    return points[-1], angle


def draw_line(scene: Scene, line: Line) -> str:
    """Draw one connection as a group that names its element and kind.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Edge, Model
    >>> from bpmnsim.views.scene import build_scene
    >>> flow = SequenceFlow(id="f", source="a", target="b")
    >>> scene = build_scene(Model([flow]), Diagram(edges=(Edge(element="f", waypoints=((0, 0), (50, 0))),)))
    >>> draw_line(scene, scene.lines[0])[:48]
    '<g class="bpmn sequence-flow" data-element="f"><'
    """
    element = scene.model.elements[line.element]
    extra, dashes, start, end = _style(scene, element)
    kind = kind_of(element)
    name = " ".join(name_of(scene.model, element).split())[:200]
    tip = tag("title", escape(f"{name or element.id} ({kind.replace('-', ' ')})"))
    steps: list[str | float] = []
    for point in line.points:
        steps += ["L" if steps else "M", *point]
    body = path(*steps, stroke_dasharray=dashes)
    first, angle = along(line.points, _mark_place(scene, line) if isinstance(element, SequenceFlow) else 0)
    last, final = along(line.points, math.inf)
    signs = (start and _turned(start, first, angle)) + (end and _turned(end, last, final))
    return tag("g", tip, body, signs, class_=" ".join(("bpmn", kind, *extra)), data_element=element.id)


def _turned(sign: str, point: Point, angle: float) -> str:
    return tag("g", sign, transform=f"translate({number(point[0])} {number(point[1])}) rotate({number(angle)})")


_ARROW = path("M 0 0 L -11 -5 V 5 Z", fill=INK, stroke_width=1)
_HOLLOW = path("M 0 0 L -11 -5.5 V 5.5 Z", fill=PAPER)
_OPEN = path("M -9 -5 L 0 0 L -9 5")
_OPEN_BACK = path("M 9 -5 L 0 0 L 9 5")
_RING = tag("circle", cx=4, r=4, fill=PAPER)
_SLASH = path("M -3 6 L 3 -6")
_DIAMOND = path("M -8 0 L 0 -5 L 8 0 L 0 5 Z", fill=PAPER)
_MARK = 16.0
"""Length of a flow that its slash or diamond takes; both are drawn around its middle."""
_NEAR = 3.0
"""Two lines nearer to each other than this look like one."""


def _style(scene: Scene, element: Element) -> tuple[tuple[str, ...], str | None, str, str]:
    """Return class names, dashes, sign at the start (pointing along the line) and sign at the end."""
    match element:
        case SequenceFlow(source=source):
            origin = scene.model.elements.get(source)
            if getattr(origin, "default", "") == element.id:
                return ("default",), None, _SLASH, _ARROW
            if element.condition is not None and isinstance(origin, Activity):
                return ("conditional",), None, _DIAMOND, _ARROW
            return (), None, "", _ARROW
        case MessageFlow():
            return (), "7 4", _RING, _HOLLOW
        case DataAssociation():
            return (), "1.5 3.5", "", _OPEN
        case Association(direction="One"):
            return (), "1.5 3.5", "", _OPEN
        case Association(direction="Both"):
            return (), "1.5 3.5", _OPEN_BACK, _OPEN
    return (), "1.5 3.5", "", ""


def _mark_place(scene: Scene, line: Line) -> float:
    """Return how far along a flow its mark stands: at the beginning, but beyond what other lines from there share."""
    elements = scene.model.elements
    source, _ = ends(elements[line.element])
    shared = [
        _together(line.points, other.points)
        for other in scene.lines
        if other.element != line.element and ends(elements[other.element])[0] == source
    ]
    room = length(line.points) - _MARK
    return max((distance for distance in shared if distance <= room), default=0.0) + _MARK / 2


def _together(points: tuple[Point, ...], others: tuple[Point, ...]) -> float:
    """Return how far two lines run as one from their beginning."""
    corners = [length(line[: at + 1]) for line in (points, others) for at in range(len(line))]
    shared = 0.0
    for distance in sorted(corners):
        if math.dist(along(points, distance)[0], along(others, distance)[0]) >= _NEAR:
            break
        shared = distance
    return shared
