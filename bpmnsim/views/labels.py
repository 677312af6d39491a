"""Where the names of events, gateways, data, groups and flows stand: at the place the file gives, else near by."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from bpmnsim.model.base import SequenceFlow
from bpmnsim.model.collaboration import Group, MessageFlow
from bpmnsim.model.data import DataElement
from bpmnsim.model.diagram import Bounds, Shape
from bpmnsim.model.events import BoundaryEvent, Event
from bpmnsim.model.gateways import Gateway
from bpmnsim.views.markup import LINE, fit, tag, text_block, text_width
from bpmnsim.views.palette import PAPER
from bpmnsim.views.scene import Line, Scene, ends, name_of

__all__ = ["Label", "draw_label", "place_labels"]

_SIZE = 11.0
_WIDEST = 90.0
_MOST_LINES = 6


@dataclass(frozen=True, slots=True)
class Label:
    """Lines of text outside of a shape.

    Examples
    --------
    >>> Label("f", ("yes",), Bounds(0, 0, 20, 14)).lines
    ('yes',)
    """

    element: str
    lines: tuple[str, ...]
    bounds: Bounds


def place_labels(scene: Scene) -> tuple[Label, ...]:
    """Return the labels of everything whose name stands outside of it.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Model, StartEvent
    >>> from bpmnsim.views.scene import build_scene
    >>> diagram = Diagram(shapes=(Shape(element="s", bounds=Bounds(0, 0, 36, 36)),))
    >>> place_labels(build_scene(Model([StartEvent(id="s", name="go")]), diagram))[0].bounds.y
    38
    """
    busy = _busy_sides(scene)
    found = [_of_shape(scene, shape, busy) for shape in scene.shapes] + [_of_line(scene, line) for line in scene.lines]
    return tuple(label for label in found if label is not None)


def draw_label(label: Label) -> str:
    """Draw a label over a pale ground, so that lines below do not cross the text.

    Examples
    --------
    >>> draw_label(Label("f", ("yes",), Bounds(0, 0, 20, 14)))[:35]
    '<g class="label" data-label="f"><re'
    """
    b = label.bounds
    ground = tag("rect", x=b.x, y=b.y, width=b.width, height=b.height, fill=PAPER, fill_opacity=0.7, stroke="none")
    text = text_block(list(label.lines), b.center[0], b.y, size=_SIZE)
    return tag("g", ground, text, class_="label", data_label=label.element)


def _block(name: str, given: Bounds | None) -> tuple[tuple[str, ...], float, float]:
    """Return lines, width and height of a label."""
    widest = max(_WIDEST, given.width * 1.05) if given is not None else _WIDEST
    lines, _ = fit(name, widest, _MOST_LINES * LINE * _SIZE, (_SIZE,))
    width = max((text_width(line, _SIZE) for line in lines), default=0)
    return tuple(lines), width, len(lines) * LINE * _SIZE


def _at(element: str, lines: tuple[str, ...], x: float, y: float, width: float, height: float) -> Label:
    return Label(element, lines, Bounds(x - width / 2, y, width, height))


def _given(element: str, name: str, given: Bounds, middle: float) -> Label:
    """Center a label in its place; one that is too high grows away from *middle*, the height of what it names."""
    lines, width, height = _block(name, given)
    y = given.y + (given.height - height) / 2
    if height > given.height:
        y = given.y if given.center[1] > middle else given.y + given.height - height
    return _at(element, lines, given.center[0], y, width, height)


def _of_shape(scene: Scene, shape: Shape, busy: frozenset[tuple[str, str]]) -> Label | None:
    element = scene.model.elements[shape.element]
    name = name_of(scene.model, element).strip()
    if not name or not isinstance(element, Event | Gateway | DataElement | Group):
        return None
    given, b = shape.label, shape.bounds
    if given is not None and _is_place(given):
        return _given(element.id, name, given, b.center[1])
    lines, width, height = _block(name, None)
    x, below = b.center[0], b.y + b.height + 2
    if isinstance(element, Group):
        return _at(element.id, lines, x, b.y + 4, width, height)
    if isinstance(element, Event | Gateway) and (element.id, "below") in busy:
        # Above a boundary event stands what it is attached to.
        if not isinstance(element, BoundaryEvent) and (element.id, "above") not in busy:
            return _at(element.id, lines, x, b.y - 2 - height, width, height)
        return _at(element.id, lines, x + 4 + width / 2, below - 2, width, height)
    return _at(element.id, lines, x, below, width, height)


def _is_place(given: Bounds) -> bool:
    """Whether a label has a usable place; some tools write one without a size, which says nothing."""
    values = (given.x, given.y, given.width, given.height)
    return all(abs(value) <= 1e8 for value in values) and given.width > 0 and given.height > 0


def _busy_sides(scene: Scene) -> frozenset[tuple[str, str]]:
    """Find the upper and lower sides of shapes at which a line starts or ends."""
    busy = []
    for line in scene.lines:
        meets = zip(ends(scene.model.elements[line.element]), (line.points[0], line.points[-1]), strict=True)
        for element, (x, y) in meets:
            b = scene.places[element].bounds if element in scene.places else None
            if b is not None and b.x - 1 <= x <= b.x + b.width + 1:
                sides = (("above", b.y), ("below", b.y + b.height))
                busy += [(element, side) for side, edge in sides if abs(y - edge) < b.height / 6]
    return frozenset(busy)


def _of_line(scene: Scene, line: Line) -> Label | None:
    element = scene.model.elements[line.element]
    name = name_of(scene.model, element).strip()
    if not name or not isinstance(element, SequenceFlow | MessageFlow):
        return None
    if line.label is not None and _is_place(line.label):
        return _given(element.id, name, line.label, line.label.y)
    lines, width, height = _block(name, None)
    (ax, ay), (bx, by) = max(
        pairwise(line.points),
        key=lambda pair: abs(pair[0][0] - pair[1][0]) + abs(pair[0][1] - pair[1][1]),
    )
    x, y = (ax + bx) / 2, (ay + by) / 2
    if abs(ax - bx) >= abs(ay - by):
        return _at(element.id, lines, x, y - height - 3, width, height)
    return _at(element.id, lines, x + 4 + width / 2, y - height / 2, width, height)
