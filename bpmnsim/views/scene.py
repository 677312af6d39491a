"""What one picture shows: the shapes and lines of a diagram that can be drawn, back to front. Draws nothing itself."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bpmnsim.model.activities import CallActivity, SubProcess
from bpmnsim.model.base import Element, SequenceFlow
from bpmnsim.model.collaboration import Association, Category, Group, Lane, MessageFlow, Participant
from bpmnsim.model.data import AssociationKind, DataAssociation, DataObjectReference, DataStoreReference
from bpmnsim.model.diagram import Bounds, Diagram, Edge, Shape
from bpmnsim.model.events import BoundaryEvent, Event
from bpmnsim.model.gateways import Gateway
from bpmnsim.model.process import Model

__all__ = ["Line", "Point", "Scene", "ancestors", "build_scene", "ends", "is_open", "name_of"]

Point = tuple[float, float]

_FARTHEST = 1e8
_ROOMY = 30_000
"""Area above which a box that calls itself collapsed, but has its content drawn inside, is no collapsed one."""


@dataclass(frozen=True, slots=True)
class Line:
    """A connection with the points between the outlines of what it connects.

    Examples
    --------
    >>> Line("f", ((0, 0), (5, 0)), None).element
    'f'
    """

    element: str
    points: tuple[Point, ...]
    label: Bounds | None


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything of a diagram that can be drawn.

    Parameters
    ----------
    model, diagram
        Where it comes from.
    shapes
        Back to front; :attr:`base` of them lie behind the lines.
    base
        Number of shapes that lie behind the lines: pools, lanes and open sub-processes.
    lines
        In drawing order.
    places
        The shape of each drawn element; the first where it is drawn twice.
    collapsed
        Ids of drawn sub-processes and call activities that hide their content.
    unplaced
        Number of shapes and edges without a usable position or element.

    Examples
    --------
    >>> build_scene(Model([]), Diagram()).shapes
    ()
    """

    model: Model
    diagram: Diagram
    shapes: tuple[Shape, ...]
    base: int
    lines: tuple[Line, ...]
    places: dict[str, Shape]
    collapsed: frozenset[str]
    unplaced: int


def build_scene(model: Model, diagram: Diagram) -> Scene:
    """Sort out what of a diagram can be drawn, and in which order.

    Examples
    --------
    >>> from bpmnsim.model import Task
    >>> shape = Shape(element="a", bounds=Bounds(0, 0, 100, 80))
    >>> lost = Shape(element="?", bounds=Bounds(0, 0, 100, 80))
    >>> scene = build_scene(Model([Task(id="a")]), Diagram(shapes=(shape, lost)))
    >>> [shape.element for shape in scene.shapes], scene.unplaced
    (['a'], 1)
    """
    known = model.elements
    usable = [shape for shape in diagram.shapes if shape.element in known and _is_usable(shape.bounds)]
    content: dict[str, list[Point]] = {}
    for shape in usable:
        content.setdefault(known[shape.element].parent, []).append(shape.bounds.center)
    collapsed = frozenset(
        shape.element
        for shape in usable
        if isinstance(known[shape.element], SubProcess | CallActivity)
        and not _shows_inside(model, shape, content.get(shape.element, []))
    )
    hidden = _hidden(model, collapsed)
    shown = [shape for shape in usable if shape.element not in hidden]
    places: dict[str, Shape] = {}
    for shape in shown:
        places.setdefault(shape.element, shape)
    ranked = sorted(shown, key=lambda shape: _depth(known[shape.element], shape, collapsed))
    lines, bad = [], len(diagram.shapes) - len(usable)
    for edge in diagram.edges:
        if edge.element in hidden:
            continue
        points = _points(model, edge, places)
        if points:
            lines.append(Line(edge.element, points, edge.label))
        else:
            bad += 1
    base = sum(_depth(known[shape.element], shape, collapsed)[0] < _CONTENT for shape in ranked)
    return Scene(model, diagram, tuple(ranked), base, tuple(lines), places, collapsed, bad)


_CONTENT = 3


def _depth(element: Element, shape: Shape, collapsed: frozenset[str]) -> tuple[int, float]:
    """Sort key, back to front; frames by falling size, so that what is inside lies above."""
    area = shape.bounds.width * shape.bounds.height
    match element:
        case Participant():
            return 0, -area
        case Lane():
            return 1, -area
        case SubProcess() | CallActivity() if element.id not in collapsed:
            return 2, -area
        case BoundaryEvent() | Group():
            return _CONTENT + 1, 0
    return _CONTENT, 0


def _is_usable(bounds: Bounds) -> bool:
    corners = (bounds.x, bounds.y, bounds.width, bounds.height)
    return all(_is_near(value) for value in corners) and bounds.width > 0 and bounds.height > 0


def _is_near(value: float) -> bool:
    # Not a number is not less than anything.
    return abs(value) <= _FARTHEST


def _shows_inside(model: Model, shape: Shape, content: list[Point]) -> bool:
    """Whether an activity is drawn open; a file that says nothing, or the wrong thing, is judged by what it draws."""
    outer = shape.bounds
    is_roomy = outer.width * outer.height > _ROOMY
    if isinstance(model.elements[shape.element], CallActivity):
        return is_roomy and bool(shape.is_expanded)
    if shape.is_expanded is None:
        return bool(content)
    return shape.is_expanded or (is_roomy and any(_holds(outer, point) for point in content))


def _holds(outer: Bounds, point: Point) -> bool:
    return outer.x <= point[0] <= outer.x + outer.width and outer.y <= point[1] <= outer.y + outer.height


def _hidden(model: Model, collapsed: frozenset[str]) -> set[str]:
    """Return the ids of what lies in a collapsed activity, at any depth: containers come before what they contain."""
    hidden: set[str] = set()
    for element in model.elements.values():
        # A data association lies in the activity in the file, but beside it in the picture.
        inside = element.parent in collapsed and not isinstance(element, DataAssociation)
        if inside or element.parent in hidden:
            hidden.add(element.id)
    return hidden


def ancestors(model: Model, element_id: str) -> list[Element]:
    """Return what an element lies in, innermost first.

    Examples
    --------
    >>> from bpmnsim.model import Process, Task
    >>> [a.id for a in ancestors(Model([Process(id="p"), Task(id="a", parent="p")]), "a")]
    ['p']
    """
    chain: list[Element] = []
    seen = {element_id}
    element = model.elements.get(element_id)
    while element is not None and element.parent not in seen:
        seen.add(element.parent)
        element = model.elements.get(element.parent)
        if element is not None:
            chain.append(element)
    return chain


def ends(element: Element | None) -> tuple[str, str]:
    """Return the ids of what a connection starts and ends at; empty where it is none.

    Examples
    --------
    >>> ends(SequenceFlow(id="f", source="a", target="b"))
    ('a', 'b')
    """
    match element:
        case SequenceFlow() | MessageFlow() | Association():
            return element.source, element.target
        case DataAssociation(kind=AssociationKind.INPUT):
            return (element.sources or ("",))[0], element.parent
        case DataAssociation():
            return element.parent, element.target
    return "", ""


def _points(model: Model, edge: Edge, places: dict[str, Shape]) -> tuple[Point, ...]:
    element = model.elements.get(edge.element)
    if not isinstance(element, SequenceFlow | MessageFlow | Association | DataAssociation):
        return ()
    first, last = (places.get(end) for end in ends(element))
    points: list[Point] = []
    for point in edge.waypoints:
        # A step shorter than a pixel is rounding of the tool, and would turn the arrow head.
        if _is_near(point[0]) and _is_near(point[1]) and not (points and math.dist(points[-1], point) < 1):
            points.append(point)
    if len(points) < 2:
        if first is None or last is None or first == last:
            return ()
        points = [first.bounds.center, last.bounds.center]
    if first is not None:
        points = _trim(points, model.elements[first.element], first.bounds)
    if last is not None:
        points = _trim(points[::-1], model.elements[last.element], last.bounds)[::-1]
    return tuple(points)


def _trim(points: list[Point], element: Element, bounds: Bounds) -> list[Point]:
    """Cut off what of the beginning of a line lies under the shape it starts at."""
    half = min(bounds.width, bounds.height) / 2

    def covers(point: Point) -> bool:
        return (1 - _reach(point, element, bounds)) * half > 1

    if not covers(points[0]):
        return points
    outside = next((at for at, point in enumerate(points) if not covers(point)), None)
    if outside is None:
        return points
    inner, outer = points[outside - 1], points[outside]
    for _ in range(24):
        middle = ((inner[0] + outer[0]) / 2, (inner[1] + outer[1]) / 2)
        if _reach(middle, element, bounds) < 1:
            inner = middle
        else:
            outer = middle
    return [outer, *points[outside:]]


def _reach(point: Point, element: Element, bounds: Bounds) -> float:
    """How far a point is from the center of a shape; 1 on its outline."""
    x = abs(point[0] - bounds.center[0]) / (bounds.width / 2)
    y = abs(point[1] - bounds.center[1]) / (bounds.height / 2)
    match element:
        case Event():
            return math.hypot(x, y)
        case Gateway():
            return x + y
    return max(x, y)


def name_of(model: Model, element: Element) -> str:
    r"""Return the text a picture shows for an element.

    Examples
    --------
    >>> from bpmnsim.model import DataObject
    >>> order = DataObject(id="o", name="Order")
    >>> ref = DataObjectReference(id="r", target="o", state="paid")
    >>> name_of(Model([order, ref]), ref)
    'Order\n[paid]'
    """
    match element:
        case DataObjectReference() | DataStoreReference():
            target = model.elements.get(element.target)
            name = element.name or (target.name if target is not None else "")
            return f"{name}\n[{element.state}]" if element.state and element.state not in name else name
        case Group():
            values = (pair for item in model.elements.values() if isinstance(item, Category) for pair in item.values)
            return next((text for value, text in values if value == element.category_value), element.name)
    return element.name


def is_open(scene: Scene, pool: Participant) -> bool:
    """Whether a pool shows its process rather than being a black box.

    Examples
    --------
    >>> is_open(build_scene(Model([]), Diagram()), Participant(id="p"))
    False
    """
    return bool(pool.process) and bool(scene.model.children(pool.process))
