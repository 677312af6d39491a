"""Drawing what surrounds the flow nodes: pools, lanes, data and artifacts."""

from __future__ import annotations

from bpmnsim.model.collaboration import Group, Lane, Participant, TextAnnotation
from bpmnsim.model.data import DataElement, DataInput, DataObjectReference, DataOutput
from bpmnsim.model.diagram import Bounds, Shape
from bpmnsim.views.markup import LINE, fit, number, path, tag, text_block
from bpmnsim.views.palette import INK, PAPER
from bpmnsim.views.parts import FOOT, Drawn, feet, inside, move, rect
from bpmnsim.views.scene import Scene, is_open, name_of

__all__ = ["draw_annotation", "draw_data", "draw_group", "draw_lane", "draw_pool", "draw_store"]

_BAND = 30.0


def draw_pool(element: Participant, shape: Shape, scene: Scene) -> Drawn:
    """Draw a pool: a black box, or its title along the left or upper side.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Model, Participant
    >>> from bpmnsim.views.scene import build_scene
    >>> item = Participant(id="a")
    >>> diagram = Diagram(shapes=(Shape(element="a", bounds=Bounds(0, 0, 100, 80)),))
    >>> draw_pool(item, diagram.shapes[0], build_scene(Model([item]), diagram))[0]
    ('pool', 'black-box')
    """
    b = shape.bounds
    body = rect(b, rx=0)
    name = name_of(scene.model, element)
    kinds = ["parallel-multi-instance"] if element.maximum is not None and element.maximum > 1 else []
    if not is_open(scene, element):
        return ("pool", "black-box"), body + inside(name, b, bottom=FOOT if kinds else 4) + feet(kinds, b)
    across = shape.is_horizontal is not False
    band = _band(b, across=across)
    if across:
        body += path("M", band.x + band.width, b.y, "V", b.y + b.height)
    else:
        body += path("M", b.x, band.y + band.height, "H", b.x + b.width)
    return ("pool", "horizontal" if across else "vertical"), body + _title(name, band, across=across) + feet(kinds, b)


def draw_lane(element: Lane, shape: Shape, scene: Scene) -> Drawn:
    """Draw a lane.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Model, Lane
    >>> from bpmnsim.views.scene import build_scene
    >>> item = Lane(id="a")
    >>> diagram = Diagram(shapes=(Shape(element="a", bounds=Bounds(0, 0, 100, 80)),))
    >>> draw_lane(item, diagram.shapes[0], build_scene(Model([item]), diagram))[0]
    ('horizontal',)
    """
    b, across = shape.bounds, shape.is_horizontal is not False
    title = _title(name_of(scene.model, element), _band(b, across=across), across=across)
    return ("horizontal" if across else "vertical",), rect(b, rx=0) + title


def _band(b: Bounds, *, across: bool) -> Bounds:
    """Where the title of a pool or lane stands."""
    if across:
        return Bounds(b.x, b.y, min(_BAND, b.width), b.height)
    return Bounds(b.x, b.y, b.width, min(_BAND, b.height))


def _title(name: str, band: Bounds, *, across: bool) -> str:
    if not across:
        return inside(name, band, top=1, bottom=1)
    x, y = band.center
    lines, size = fit(name, band.height - 8, band.width)
    return text_block(
        lines, x, y - len(lines) * LINE * size / 2, size=size, transform=f"rotate(-90 {number(x)} {number(y)})"
    )


def draw_data(element: DataElement, shape: Shape, scene: Scene) -> Drawn:
    """Draw a data object, input or output.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Model, DataObject
    >>> from bpmnsim.views.scene import build_scene
    >>> item = DataObject(id="a")
    >>> diagram = Diagram(shapes=(Shape(element="a", bounds=Bounds(0, 0, 100, 80)),))
    >>> draw_data(item, diagram.shapes[0], build_scene(Model([item]), diagram))[0]
    ('data',)
    """
    b = shape.bounds
    fold = min(12, b.width / 3, b.height / 3)
    right, bottom = b.x + b.width, b.y + b.height
    body = path("M", b.x, b.y, "H", right - fold, "L", right, b.y + fold, "V", bottom, "H", b.x, "Z", fill=PAPER)
    body += path("M", right - fold, b.y, "V", b.y + fold, "H", right)
    if isinstance(element, DataInput | DataOutput):
        arrow = "M 0 3.5 H 8 V 0 L 14 6 L 8 12 V 8.5 H 0 Z"
        fill = INK if isinstance(element, DataOutput) else PAPER
        body += tag("g", path(arrow, fill=fill), class_="icon", transform=move(b.x + 4, b.y + 4))
    target = scene.model.elements.get(element.target) if isinstance(element, DataObjectReference) else None
    many = any(isinstance(item, DataElement) and item.is_collection for item in (element, target))
    kinds = ["parallel-multi-instance"] if many else []
    return ("data", *(("collection",) if many else ())), body + feet(kinds, b)


def draw_store(element: DataElement, shape: Shape, scene: Scene) -> Drawn:
    """Draw a data store.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Model, DataStore
    >>> from bpmnsim.views.scene import build_scene
    >>> item = DataStore(id="a")
    >>> diagram = Diagram(shapes=(Shape(element="a", bounds=Bounds(0, 0, 100, 80)),))
    >>> draw_store(item, diagram.shapes[0], build_scene(Model([item]), diagram))[0]
    ('data',)
    """
    del element, scene
    b = shape.bounds
    rx, ry = b.width / 2, min(b.height / 8, 10)
    right, top, bottom = b.x + b.width, b.y + ry, b.y + b.height - ry
    arc = (rx, ry, 0, 0)
    body = path(
        "M", b.x, top, "V", bottom, "A", *arc, 0, right, bottom, "V", top, "A", *arc, 0, b.x, top, "Z", fill=PAPER
    )
    for ring in range(3):
        y = top + ring * ry * 0.7
        body += path("M", b.x, y, "A", *arc, 0, right, y)
    return ("data",), body


def draw_annotation(element: TextAnnotation, shape: Shape, scene: Scene) -> Drawn:
    """Draw a note.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Model, TextAnnotation
    >>> from bpmnsim.views.scene import build_scene
    >>> item = TextAnnotation(id="a")
    >>> diagram = Diagram(shapes=(Shape(element="a", bounds=Bounds(0, 0, 100, 80)),))
    >>> draw_annotation(item, diagram.shapes[0], build_scene(Model([item]), diagram))[0]
    ()
    """
    del scene
    b = shape.bounds
    arm = min(12, b.width / 3)
    bracket = path("M", b.x + arm, b.y, "H", b.x, "V", b.y + b.height, "H", b.x + arm)
    lines, size = fit(element.text or element.name, b.width - 8, b.height - 2)
    top = b.y + max(1, (b.height - len(lines) * LINE * size) / 2)
    return (), bracket + text_block(lines, b.x + 6, top, size=size, anchor="start")


def draw_group(element: Group, shape: Shape, scene: Scene) -> Drawn:
    """Draw the frame of a group; its name is a label.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Model, Group
    >>> from bpmnsim.views.scene import build_scene
    >>> item = Group(id="a")
    >>> diagram = Diagram(shapes=(Shape(element="a", bounds=Bounds(0, 0, 100, 80)),))
    >>> draw_group(item, diagram.shapes[0], build_scene(Model([item]), diagram))[0]
    ()
    """
    del element, scene
    return (), rect(shape.bounds, fill="none", stroke_dasharray="8 3 1.5 3")
