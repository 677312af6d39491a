"""BPMN DI: the diagrams of a file, read and written. Geometry itself is in ``bpmnsim.model.diagram``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lxml import etree

from bpmnsim.model import Bounds, Diagram, Edge, Shape
from bpmnsim.xml.codecs import FLAG
from bpmnsim.xml.names import BPMNDI, DC, DI

if TYPE_CHECKING:
    from lxml.etree import _Element as Xml

    from bpmnsim.xml.places import Survey

_FLAGS = {
    "is_horizontal": "isHorizontal",
    "is_expanded": "isExpanded",
    "is_marker_visible": "isMarkerVisible",
}


def read_diagrams(root: Xml, survey: Survey) -> tuple[Diagram, ...]:
    """Return the diagrams of a file; what shows nothing of the model or has no place is noted and left out.

    Examples
    --------
    >>> from bpmnsim.xml.names import MODEL
    >>> from bpmnsim.xml.places import Survey
    >>> root = etree.fromstring(f"<definitions xmlns='{MODEL}'><BPMNDiagram xmlns='{BPMNDI}' id='d'/></definitions>")
    >>> read_diagrams(root, Survey(root))[0].id
    'd'
    """
    diagrams = []
    for node in root.iterchildren(f"{{{BPMNDI}}}BPMNDiagram"):
        plane = node.find(f"{{{BPMNDI}}}BPMNPlane")
        inside = () if plane is None else plane
        shapes = (_shape(child, survey) for child in inside if child.tag == f"{{{BPMNDI}}}BPMNShape")
        edges = (_edge(child, survey) for child in inside if child.tag == f"{{{BPMNDI}}}BPMNEdge")
        diagrams.append(
            Diagram(
                id=node.get("id", ""),
                name=node.get("name", ""),
                element="" if plane is None else _element(plane, survey),
                plane_id="" if plane is None else plane.get("id", ""),
                shapes=tuple(shape for shape in shapes if shape is not None),
                edges=tuple(edge for edge in edges if edge is not None),
            )
        )
    return tuple(diagrams)


def write_diagrams(root: Xml, diagrams: Iterable[Diagram]) -> None:
    """Append the diagrams to a file.

    Examples
    --------
    >>> root = etree.Element("definitions")
    >>> write_diagrams(root, [Diagram(id="d", shapes=(Shape(element="a", bounds=Bounds(0, 0.5, 100, 80)),))])
    >>> root[0][0][0][0].get("y"), root[0][0][0][0].get("width")
    ('0.5', '100')
    """
    for diagram in diagrams:
        node = _add(root, BPMNDI, "BPMNDiagram", id=diagram.id, name=diagram.name)
        plane = _add(node, BPMNDI, "BPMNPlane", id=diagram.plane_id, bpmnElement=diagram.element)
        for shape in diagram.shapes:
            flags = {
                xml: str(value).lower() for name, xml in _FLAGS.items() if (value := getattr(shape, name)) is not None
            }
            drawn = _add(plane, BPMNDI, "BPMNShape", id=shape.id, bpmnElement=shape.element, **flags)
            _add_bounds(drawn, shape.bounds)
            _add_label(drawn, shape.label)
        for edge in diagram.edges:
            drawn = _add(plane, BPMNDI, "BPMNEdge", id=edge.id, bpmnElement=edge.element)
            for x, y in edge.waypoints:
                _add(drawn, DI, "waypoint", x=_text(x), y=_text(y))
            _add_label(drawn, edge.label)


def _element(node: Xml, survey: Survey) -> str:
    """Return the id of what a shape, edge or plane shows; a note where it is not in the model."""
    text = node.get("bpmnElement", "")
    place = survey.find(text, node)
    if place is not None and not place.nested:  # a part of another element is drawn with it, if at all
        return place.id
    survey.note(node, f"<{etree.QName(node).localname}> shows '{text[:80]}', which is not in the model")
    return ""


def _shape(node: Xml, survey: Survey) -> Shape | None:
    element, bounds = _element(node, survey), _bounds(node)
    if bounds is None and element:
        survey.note(node, f"the shape of '{element}' has no usable bounds and was passed over")
    if bounds is None or not element:
        return None
    flags = {name: FLAG.get(node.get(xml, "").lower()) for name, xml in _FLAGS.items()}
    return Shape(element=element, bounds=bounds, id=node.get("id", ""), label=_label(node), **flags)


def _edge(node: Xml, survey: Survey) -> Edge | None:
    element = _element(node, survey)
    points = [_numbers(point, "x", "y") for point in node.iterchildren(f"{{{DI}}}waypoint")]
    waypoints = tuple((point[0], point[1]) for point in points if point is not None)
    if len(waypoints) < 2 and element:
        survey.note(node, f"the edge of '{element}' has fewer than two usable points and was passed over")
    if len(waypoints) < 2 or not element:
        return None
    return Edge(element=element, waypoints=waypoints, id=node.get("id", ""), label=_label(node))


def _label(node: Xml) -> Bounds | None:
    label = node.find(f"{{{BPMNDI}}}BPMNLabel")
    return None if label is None else _bounds(label)


def _bounds(node: Xml) -> Bounds | None:
    bounds = node.find(f"{{{DC}}}Bounds")
    numbers = None if bounds is None else _numbers(bounds, "x", "y", "width", "height")
    return None if numbers is None else Bounds(*numbers)


def _numbers(node: Xml, *names: str) -> list[float] | None:
    try:
        numbers = [float(node.get(name, "")) for name in names]
    except ValueError:
        return None
    return numbers if all(map(math.isfinite, numbers)) else None


def _add(parent: Xml, namespace: str, tag: str, **attributes: str) -> Xml:
    given = {key: value for key, value in attributes.items() if value}
    return etree.SubElement(parent, f"{{{namespace}}}{tag}", given)


def _add_bounds(parent: Xml, bounds: Bounds) -> None:
    sides = ("x", "y", "width", "height")
    _add(parent, DC, "Bounds", **{side: _text(getattr(bounds, side)) for side in sides})


def _add_label(parent: Xml, bounds: Bounds | None) -> None:
    if bounds is not None:
        _add_bounds(_add(parent, BPMNDI, "BPMNLabel"), bounds)


def _text(number: float) -> str:
    return str(number).removesuffix(".0")
