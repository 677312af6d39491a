"""Drawing flow nodes: activities, events and gateways."""

from __future__ import annotations

from bpmnsim.model.activities import Activity, AdHocSubProcess, CallActivity, SubProcess, Task, Transaction
from bpmnsim.model.diagram import Bounds, Shape
from bpmnsim.model.events import EndEvent, Event, IntermediateThrowEvent, StartEvent
from bpmnsim.model.gateways import (
    ComplexGateway,
    EventBasedGateway,
    ExclusiveGateway,
    Gateway,
    InclusiveGateway,
    ParallelGateway,
)
from bpmnsim.model.loops import MultiInstanceLoopCharacteristics, StandardLoopCharacteristics
from bpmnsim.views.icons import event_symbol, gateway_symbol, task_icon
from bpmnsim.views.markup import LINE, fit, path, tag, text_block
from bpmnsim.views.palette import PAPER
from bpmnsim.views.parts import FOOT, ICON, Drawn, feet, inside, kind_of, move, rect
from bpmnsim.views.scene import Scene

__all__ = ["draw_activity", "draw_call_activity", "draw_event", "draw_gateway", "draw_sub_process"]

_DASHES = "5 3"


def _attached(scene: Scene, element: Activity, b: Bounds) -> float:
    """Return how far boundary events reach in over the lower edge."""
    places = (scene.places.get(event.id) for event in scene.model.boundaries(element.id))
    low = [place.bounds.y for place in places if place is not None and place.bounds.center[1] > b.y + b.height * 0.75]
    return min(b.y + b.height - min(low) + 1, b.height / 2) if low else 0


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


def draw_activity(element: Activity, shape: Shape, scene: Scene) -> Drawn:
    """Draw a task, or an activity of no further kind.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Model, Task
    >>> from bpmnsim.views.scene import build_scene
    >>> node = Task(id="a")
    >>> diagram = Diagram(shapes=(Shape(element="a", bounds=Bounds(0, 0, 100, 80)),))
    >>> draw_activity(node, diagram.shapes[0], build_scene(Model([node]), diagram))[0]
    ('activity',)
    """
    b, kinds = shape.bounds, _markers(element)
    text, style = _title(element)
    bottom = max(FOOT if kinds else 4, _attached(scene, element, b))
    icon = task_icon(element) if isinstance(element, Task) else ""
    if icon:
        icon = tag("g", icon, class_="icon", stroke_width=1.2, transform=move(b.x + 5, b.y + 4))
    is_low = b.height < 2 * ICON
    room = Bounds(b.x + ICON, b.y, max(b.width - 2 * ICON, 1), b.height) if icon and is_low else b
    body = rect(b) + icon
    body += inside(text, room, top=ICON + 1 if icon and not is_low else 4, bottom=bottom, font_style=style)
    return ("activity",), body + feet(kinds, b)


def draw_call_activity(element: CallActivity, shape: Shape, scene: Scene) -> Drawn:
    """Draw a call activity: thick border.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Model, CallActivity
    >>> from bpmnsim.views.scene import build_scene
    >>> node = CallActivity(id="a")
    >>> diagram = Diagram(shapes=(Shape(element="a", bounds=Bounds(0, 0, 100, 80)),))
    >>> draw_call_activity(node, diagram.shapes[0], build_scene(Model([node]), diagram))[0]
    ('activity', 'collapsed')
    """
    b, closed, kinds = shape.bounds, element.id in scene.collapsed, _markers(element)
    text, style = _title(element)
    body = rect(b, stroke_width=4)
    if closed:
        kinds.append("collapsed")
        body += inside(text, b, bottom=max(FOOT + 2, _attached(scene, element, b)), font_style=style)
    else:
        body += _heading(text, b, style)
    return ("activity", "collapsed" if closed else "expanded"), body + feet(kinds, b)


def _title(element: Activity) -> tuple[str, str | None]:
    """Return what stands in an activity, and the style of its font: without a name the id, in italics."""
    return (element.name, None) if element.name.strip() else (element.id, "italic")


def _heading(text: str, b: Bounds, style: str | None) -> str:
    """Write the name of an open activity along its upper edge."""
    lines, size = fit(text, b.width - 16, 2 * LINE * 12, (12, 11))
    return text_block(lines, b.center[0], b.y + 5, size=size, font_style=style)


def draw_sub_process(element: SubProcess, shape: Shape, scene: Scene) -> Drawn:
    """Draw a sub-process: open or closed, double for a transaction, dotted where an event triggers it.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Model, SubProcess
    >>> from bpmnsim.views.scene import build_scene
    >>> node = SubProcess(id="a")
    >>> diagram = Diagram(shapes=(Shape(element="a", bounds=Bounds(0, 0, 100, 80)),))
    >>> draw_sub_process(node, diagram.shapes[0], build_scene(Model([node]), diagram))[0]
    ('activity', 'collapsed')
    """
    b, closed = shape.bounds, element.id in scene.collapsed
    kinds = [*_markers(element), "collapsed"] if closed else _markers(element)
    by_event = element.triggered_by_event
    body = rect(b, stroke_dasharray="1.5 3" if by_event else None, stroke_linecap="round" if by_event else None)
    if isinstance(element, Transaction):
        body += rect(b, 3)
    text, style = _title(element)
    if closed:
        starts = (node for node in scene.model.nodes(element.id) if isinstance(node, StartEvent)) if by_event else ()
        for start in [*starts][:1]:
            body += tag("g", _event(start, 9), class_="icon", transform=move(b.x + 15, b.y + 15))
        bottom = max(FOOT, _attached(scene, element, b))
        body += inside(text, b, top=26 if by_event else 4, bottom=bottom, font_style=style)
    else:
        body += _heading(text, b, style)
    extra = ("activity", "collapsed" if closed else "expanded", *(("event-sub-process",) if by_event else ()))
    return extra, body + feet(kinds, b)


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


def draw_event(element: Event, shape: Shape, scene: Scene) -> Drawn:
    """Draw an event: its border says the position, its symbol what it catches or throws.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Model, StartEvent
    >>> from bpmnsim.views.scene import build_scene
    >>> node = StartEvent(id="a")
    >>> diagram = Diagram(shapes=(Shape(element="a", bounds=Bounds(0, 0, 36, 36)),))
    >>> draw_event(node, diagram.shapes[0], build_scene(Model([node]), diagram))[0]
    ('event', 'none')
    """
    del scene
    b = shape.bounds
    words = [kind_of(definition).removesuffix("-event-definition") for definition in element.definitions] or ["none"]
    if len(words) > 1:
        words = ["parallel-multiple" if getattr(element, "parallel_multiple", False) else "multiple"]
    if not getattr(element, "interrupting", True):
        words.append("non-interrupting")
    circle = _event(element, min(b.width, b.height) / 2)
    return ("event", *words), tag("g", circle, transform=move(*b.center))


def draw_gateway(element: Gateway, shape: Shape, scene: Scene) -> Drawn:
    """Draw a gateway.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Model, ParallelGateway
    >>> from bpmnsim.views.scene import build_scene
    >>> node = ParallelGateway(id="a")
    >>> diagram = Diagram(shapes=(Shape(element="a", bounds=Bounds(0, 0, 50, 50)),))
    >>> draw_gateway(node, diagram.shapes[0], build_scene(Model([node]), diagram))[0]
    ('gateway',)
    """
    del scene
    b = shape.bounds
    (x, y), right, bottom = b.center, b.x + b.width, b.y + b.height
    body = path("M", x, b.y, "L", right, y, "L", x, bottom, "L", b.x, y, "Z", fill=PAPER)
    kind = _gateway_kind(element, shape)
    if kind:
        sign = gateway_symbol(kind)
        body += tag("g", sign, class_=f"symbol {kind}", transform=move(x, y, min(b.width, b.height) / 50))
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
