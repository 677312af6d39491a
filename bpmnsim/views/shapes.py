"""Drawing one shape: a function for each family of BPMN elements, chosen by the type of the element."""

from __future__ import annotations

import re
from functools import singledispatch

from bpmnsim.model.activities import Activity, AdHocSubProcess, CallActivity, SubProcess, Task, Transaction
from bpmnsim.model.base import Element
from bpmnsim.model.collaboration import Group, Lane, Participant, TextAnnotation
from bpmnsim.model.data import DataElement, DataInput, DataObjectReference, DataOutput, DataStore, DataStoreReference
from bpmnsim.model.diagram import Bounds, Shape
from bpmnsim.model.events import (
    EndEvent,
    Event,
    IntermediateThrowEvent,
    StartEvent,
)
from bpmnsim.model.gateways import (
    ComplexGateway,
    EventBasedGateway,
    ExclusiveGateway,
    Gateway,
    InclusiveGateway,
    ParallelGateway,
)
from bpmnsim.model.loops import MultiInstanceLoopCharacteristics, StandardLoopCharacteristics
from bpmnsim.views.icons import event_symbol, foot_marker, gateway_symbol, task_icon
from bpmnsim.views.markup import LINE, escape, fit, number, path, tag, text_block
from bpmnsim.views.palette import INK, PAPER
from bpmnsim.views.scene import Scene, is_open, name_of

__all__ = ["draw_shape", "kind_of"]

_BAND = 30.0
_FOOT = 18.0
_ICON = 23.0
_DASHES = "5 3"


def kind_of(element: Element) -> str:
    """Return the kind of an element as class name.

    Examples
    --------
    >>> kind_of(IntermediateThrowEvent(id="t"))
    'intermediate-throw-event'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "-", type(element).__name__).lower()


def draw_shape(scene: Scene, shape: Shape) -> str:
    """Draw one shape as a group that names its element and kind.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Model, Task
    >>> from bpmnsim.views.scene import build_scene
    >>> diagram = Diagram(shapes=(Shape(element="a", bounds=Bounds(0, 0, 100, 80)),))
    >>> draw_shape(build_scene(Model([Task(id="a")]), diagram), diagram.shapes[0])[:48]
    '<g class="bpmn task activity" data-element="a"><'
    """
    element = scene.model.elements[shape.element]
    extra, body = _draw(element, shape, scene)
    name = " ".join(name_of(scene.model, element).split())[:200]
    kind = kind_of(element)
    tip = tag("title", escape(f"{name or element.id} ({kind.replace('-', ' ')})"))
    return tag("g", tip, body, class_=" ".join(("bpmn", kind, *extra)), data_element=element.id)


Drawn = tuple[tuple[str, ...], str]
"""Class names beyond the kind, and the markup."""


@singledispatch
def _draw(element: Element, shape: Shape, scene: Scene) -> Drawn:
    b = shape.bounds
    frame = tag("rect", x=b.x, y=b.y, width=b.width, height=b.height, fill=PAPER, stroke_dasharray="2 2")
    return (), frame + _inside(name_of(scene.model, element), b)


def _inside(text: str, b: Bounds, *, top: float = 4, bottom: float = 4) -> str:
    """Write text into the middle of a box, or into what *top* and *bottom* leave where it needs that much."""
    lines, size = fit(text, b.width - 8, b.height - top - bottom)
    if size < 12 and top > _ICON:
        # Beside the icon instead of below it, if that leaves the text larger.
        beside = fit(text, b.width - 2 * _ICON, b.height - 4 - bottom)
        if beside[1] > size:
            (lines, size), top = beside, 4
    height = len(lines) * LINE * size
    y = b.y + (b.height - height) / 2
    y = max(b.y + top, min(y, b.y + b.height - bottom - height))
    return text_block(lines, b.center[0], y, size=size)


def _rect(b: Bounds, inset: float = 0, **attributes: str | float | None) -> str:
    style: dict[str, str | float | None] = {"rx": 10 - inset, "fill": PAPER}
    style.update(attributes)
    return tag(
        "rect",
        x=b.x + inset,
        y=b.y + inset,
        width=max(b.width - 2 * inset, 1),
        height=max(b.height - 2 * inset, 1),
        **style,
    )


def _feet(kinds: list[str], b: Bounds) -> str:
    """Draw a row of markers at the middle of the lower edge."""
    left = b.center[0] - (len(kinds) * _FOOT - 4) / 2
    return "".join(
        tag("g", foot_marker(kind), class_=f"marker {kind}", transform=_move(left + at * _FOOT, b.y + b.height - 17))
        for at, kind in enumerate(kinds)
    )


def _attached(scene: Scene, element: Activity, b: Bounds) -> float:
    """Return how far boundary events reach in over the lower edge."""
    places = (scene.places.get(event.id) for event in scene.model.boundaries(element.id))
    low = [place.bounds.y for place in places if place is not None and place.bounds.center[1] > b.y + b.height * 0.75]
    return min(b.y + b.height - min(low) + 1, b.height / 2) if low else 0


def _move(x: float, y: float, scale: float = 1) -> str:
    grown = f" scale({scale:.4g})" if scale != 1 else ""
    return f"translate({number(x)} {number(y)}){grown}"


def _markers(element: Activity) -> list[str]:
    kinds = []
    match element.loop:
        case StandardLoopCharacteristics():
            kinds.append("loop")
        case MultiInstanceLoopCharacteristics(is_sequential=sequential):
            kinds.append("sequential-multi-instance" if sequential else "parallel-multi-instance")
    if element.is_for_compensation:
        kinds.append("compensation")
    if isinstance(element, AdHocSubProcess):
        kinds.append("ad-hoc")
    return kinds


@_draw.register
def _(element: Activity, shape: Shape, scene: Scene) -> Drawn:
    b, kinds = shape.bounds, _markers(element)
    name = name_of(scene.model, element)
    bottom = max(_FOOT if kinds else 4, _attached(scene, element, b))
    icon = task_icon(element) if isinstance(element, Task) else ""
    if icon:
        icon = tag("g", icon, class_="icon", stroke_width=1.2, transform=_move(b.x + 5, b.y + 4))
    body = _rect(b) + icon + _inside(name, b, top=_ICON + 1 if icon and b.height > 50 else 4, bottom=bottom)
    return ("activity",), body + _feet(kinds, b)


@_draw.register
def _(element: CallActivity, shape: Shape, scene: Scene) -> Drawn:
    b, closed, kinds = shape.bounds, element.id in scene.collapsed, _markers(element)
    name = name_of(scene.model, element)
    body = _rect(b, stroke_width=4)
    if closed:
        kinds.append("collapsed")
        body += _inside(name, b, bottom=max(_FOOT + 2, _attached(scene, element, b)))
    else:
        body += _heading(name, b)
    return ("activity", "collapsed" if closed else "expanded"), body + _feet(kinds, b)


def _heading(name: str, b: Bounds) -> str:
    """Write the name of an open activity along its upper edge."""
    lines, size = fit(name, b.width - 16, 2 * LINE * 12, (12, 11))
    return text_block(lines, b.center[0], b.y + 5, size=size)


@_draw.register
def _(element: SubProcess, shape: Shape, scene: Scene) -> Drawn:
    b, closed = shape.bounds, element.id in scene.collapsed
    kinds = [*_markers(element), "collapsed"] if closed else _markers(element)
    by_event = element.triggered_by_event
    body = _rect(b, stroke_dasharray="1.5 3" if by_event else None, stroke_linecap="round" if by_event else None)
    if isinstance(element, Transaction):
        body += _rect(b, 3)
    name = name_of(scene.model, element)
    if closed:
        starts = (node for node in scene.model.nodes(element.id) if isinstance(node, StartEvent)) if by_event else ()
        for start in [*starts][:1]:
            body += tag("g", _event(start, 9), class_="icon", transform=_move(b.x + 15, b.y + 15))
        bottom = max(_FOOT, _attached(scene, element, b))
        body += _inside(name, b, top=26 if by_event else 4, bottom=bottom)
    else:
        body += _heading(name, b)
    extra = ("activity", "collapsed" if closed else "expanded", *(("event-sub-process",) if by_event else ()))
    return extra, body + _feet(kinds, b)


def _event(element: Event, radius: float) -> str:
    """Circle and symbol of an event around the origin."""
    throws = isinstance(element, EndEvent | IntermediateThrowEvent)
    dashes = None if getattr(element, "interrupting", True) else _DASHES
    scale = radius / 18
    body = tag(
        "circle",
        r=radius,
        fill=PAPER,
        stroke_dasharray=dashes,
        stroke_width=4 * scale if isinstance(element, EndEvent) else None,
    )
    if not isinstance(element, StartEvent | EndEvent):
        body += tag("circle", r=radius - max(3.5 * scale, 2), stroke_dasharray=dashes)
    symbol = event_symbol(
        tuple(type(definition) for definition in element.definitions),
        filled=throws,
        all_needed=getattr(element, "parallel_multiple", False),
    )
    return body + (tag("g", symbol, class_="symbol", transform=f"scale({scale:.4g})") if symbol else "")


@_draw.register
def _(element: Event, shape: Shape, scene: Scene) -> Drawn:
    del scene
    b = shape.bounds
    words = [kind_of(definition).removesuffix("-event-definition") for definition in element.definitions] or ["none"]
    if len(words) > 1:
        words = ["parallel-multiple" if getattr(element, "parallel_multiple", False) else "multiple"]
    if not getattr(element, "interrupting", True):
        words.append("non-interrupting")
    circle = _event(element, min(b.width, b.height) / 2)
    return ("event", *words), tag("g", circle, transform=_move(*b.center))


@_draw.register
def _(element: Gateway, shape: Shape, scene: Scene) -> Drawn:
    del scene
    b = shape.bounds
    (x, y), right, bottom = b.center, b.x + b.width, b.y + b.height
    body = path("M", x, b.y, "L", right, y, "L", x, bottom, "L", b.x, y, "Z", fill=PAPER)
    kind = _gateway_kind(element, shape)
    if kind:
        sign = gateway_symbol(kind)
        body += tag("g", sign, class_=f"symbol {kind}", transform=_move(x, y, min(b.width, b.height) / 50))
    return ("gateway",), body


def _gateway_kind(element: Gateway, shape: Shape) -> str:
    match element:
        case ExclusiveGateway():
            return "" if shape.is_marker_visible is False else "exclusive"
        case ParallelGateway():
            return "parallel"
        case InclusiveGateway():
            return "inclusive"
        case ComplexGateway():
            return "complex"
        case EventBasedGateway(instantiate=False):
            return "event"
        case EventBasedGateway(is_parallel=True):
            return "event-start-parallel"
        case EventBasedGateway():
            return "event-start"
    return ""


@_draw.register
def _(element: Participant, shape: Shape, scene: Scene) -> Drawn:
    b = shape.bounds
    body = _rect(b, rx=0)
    name = name_of(scene.model, element)
    kinds = ["parallel-multi-instance"] if element.maximum is not None and element.maximum > 1 else []
    if not is_open(scene, element):
        return ("pool", "black-box"), body + _inside(name, b, bottom=_FOOT if kinds else 4) + _feet(kinds, b)
    across = shape.is_horizontal is not False
    band = _band(b, across=across)
    if across:
        body += path("M", band.x + band.width, b.y, "V", b.y + b.height)
    else:
        body += path("M", b.x, band.y + band.height, "H", b.x + b.width)
    return ("pool", "horizontal" if across else "vertical"), body + _title(name, band, across=across) + _feet(kinds, b)


@_draw.register
def _(element: Lane, shape: Shape, scene: Scene) -> Drawn:
    b, across = shape.bounds, shape.is_horizontal is not False
    title = _title(name_of(scene.model, element), _band(b, across=across), across=across)
    return ("horizontal" if across else "vertical",), _rect(b, rx=0) + title


def _band(b: Bounds, *, across: bool) -> Bounds:
    """Where the title of a pool or lane stands."""
    if across:
        return Bounds(b.x, b.y, min(_BAND, b.width), b.height)
    return Bounds(b.x, b.y, b.width, min(_BAND, b.height))


def _title(name: str, band: Bounds, *, across: bool) -> str:
    if not across:
        return _inside(name, band, top=1, bottom=1)
    x, y = band.center
    lines, size = fit(name, band.height - 8, band.width)
    return text_block(
        lines, x, y - len(lines) * LINE * size / 2, size=size, transform=f"rotate(-90 {number(x)} {number(y)})"
    )


@_draw.register
def _(element: DataElement, shape: Shape, scene: Scene) -> Drawn:
    b = shape.bounds
    fold = min(12, b.width / 3, b.height / 3)
    right, bottom = b.x + b.width, b.y + b.height
    body = path("M", b.x, b.y, "H", right - fold, "L", right, b.y + fold, "V", bottom, "H", b.x, "Z", fill=PAPER)
    body += path("M", right - fold, b.y, "V", b.y + fold, "H", right)
    if isinstance(element, DataInput | DataOutput):
        arrow = "M 0 3.5 H 8 V 0 L 14 6 L 8 12 V 8.5 H 0 Z"
        fill = INK if isinstance(element, DataOutput) else PAPER
        body += tag("g", path(arrow, fill=fill), class_="icon", transform=_move(b.x + 4, b.y + 4))
    target = scene.model.elements.get(element.target) if isinstance(element, DataObjectReference) else None
    many = any(isinstance(item, DataElement) and item.is_collection for item in (element, target))
    kinds = ["parallel-multi-instance"] if many else []
    return ("data", *(("collection",) if many else ())), body + _feet(kinds, b)


@_draw.register(DataStore)
@_draw.register(DataStoreReference)
def _(element: DataElement, shape: Shape, scene: Scene) -> Drawn:
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


@_draw.register
def _(element: TextAnnotation, shape: Shape, scene: Scene) -> Drawn:
    del scene
    b = shape.bounds
    arm = min(12, b.width / 3)
    bracket = path("M", b.x + arm, b.y, "H", b.x, "V", b.y + b.height, "H", b.x + arm)
    lines, size = fit(element.text or element.name, b.width - 8, b.height - 2)
    top = b.y + max(1, (b.height - len(lines) * LINE * size) / 2)
    return (), bracket + text_block(lines, b.x + 6, top, size=size, anchor="start")


@_draw.register
def _(element: Group, shape: Shape, scene: Scene) -> Drawn:
    del element, scene
    return (), _rect(shape.bounds, fill="none", stroke_dasharray="8 3 1.5 3")
