"""Drawing one shape: the table from the type of an element to the function that draws it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from bpmnsim.model.activities import Activity, CallActivity, SubProcess
from bpmnsim.model.base import Element
from bpmnsim.model.collaboration import Group, Lane, Participant, TextAnnotation
from bpmnsim.model.data import DataElement, DataStore, DataStoreReference
from bpmnsim.model.diagram import Shape
from bpmnsim.model.events import Event
from bpmnsim.model.gateways import Gateway
from bpmnsim.views.markup import escape, tag
from bpmnsim.views.nodes import draw_activity, draw_call_activity, draw_event, draw_gateway, draw_sub_process
from bpmnsim.views.parts import Drawn, inside, kind_of, rect
from bpmnsim.views.scene import Scene, name_of
from bpmnsim.views.surroundings import (
    draw_annotation,
    draw_data,
    draw_group,
    draw_lane,
    draw_pool,
    draw_store,
)

__all__ = ["draw_shape"]


def _draw_other(element: Element, shape: Shape, scene: Scene) -> Drawn:
    """Draw something that has no sign of its own as a dotted box."""
    return (), rect(shape.bounds, rx=0, stroke_dasharray="2 2") + inside(name_of(scene.model, element), shape.bounds)


_TABLE: Mapping[type, Callable[[Any, Shape, Scene], Drawn]] = MappingProxyType(
    {
        Activity: draw_activity,
        CallActivity: draw_call_activity,
        SubProcess: draw_sub_process,
        Event: draw_event,
        Gateway: draw_gateway,
        Participant: draw_pool,
        Lane: draw_lane,
        DataElement: draw_data,
        DataStore: draw_store,
        DataStoreReference: draw_store,
        TextAnnotation: draw_annotation,
        Group: draw_group,
        Element: _draw_other,
    }
)


def draw_shape(scene: Scene, shape: Shape) -> str:
    """Draw one shape as a group that names its element and kind.

    Examples
    --------
    >>> from bpmnsim.model import Bounds, Diagram, Model, Task
    >>> from bpmnsim.views.scene import build_scene
    >>> diagram = Diagram(shapes=(Shape(element="a", bounds=Bounds(0, 0, 100, 80)),))
    >>> draw_shape(build_scene(Model([Task(id="a")]), diagram), diagram.shapes[0])[:48]
    '<g class="bpmn task activity" data-element="a"><'
    """
    element = scene.model.elements[shape.element]
    draw = next(_TABLE[kind] for kind in type(element).__mro__ if kind in _TABLE)
    extra, body = draw(element, shape, scene)
    name = " ".join(name_of(scene.model, element).split())[:200]
    kind = kind_of(element)
    tip = tag("title", escape(f"{name or element.id} ({kind.replace('-', ' ')})"))
    return tag("g", tip, body, class_=" ".join(("bpmn", kind, *extra)), data_element=element.id)
