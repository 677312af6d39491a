"""Names that stand outside of their shape: at the place the file gives, else where no line runs."""

from __future__ import annotations

from xml.etree import ElementTree

from bpmnsim import model as m
from bpmnsim.model.diagram import Bounds
from bpmnsim.views.labels import Label, place_labels
from bpmnsim.views.scene import build_scene
from bpmnsim.views.svg import render_svg


def labels(
    element: m.Element,
    *,
    given: Bounds | None = None,
    down: bool = False,
    up: bool = False,
    more: tuple[m.Element, ...] = (),
) -> list[Label]:
    """Labels of an element at (100, 100), 50 by 50, with flows that leave it downward or upward."""
    shape = m.Shape(element=element.id, bounds=Bounds(100, 100, 50, 50), label=given)
    flows = [m.SequenceFlow(id=at, source=element.id, target="") for at in ("down", "up")]
    edges = [m.Edge(element="down", waypoints=((125, 150), (125, 300)))] if down else []
    edges += [m.Edge(element="up", waypoints=((125, 100), (125, 0)))] if up else []
    model = m.Model([element, *flows, *more])
    return list(place_labels(build_scene(model, m.Diagram(shapes=(shape,), edges=tuple(edges)))))


GATEWAY = m.ExclusiveGateway(id="x", name="paid?")


def test_a_name_stands_centered_below() -> None:
    [label] = labels(GATEWAY)
    assert (label.lines, label.bounds.center[0], label.bounds.y) == (("paid?",), 125, 152)


def test_a_name_gives_way_to_a_line() -> None:
    """Below, else above, else to the right."""
    [above] = labels(GATEWAY, down=True)
    assert (above.bounds.center[0], above.bounds.y + above.bounds.height) == (125, 98)
    [beside] = labels(GATEWAY, down=True, up=True)
    assert (beside.bounds.x, beside.bounds.y) == (129, 150)


def test_a_name_of_a_boundary_event_never_covers_its_host() -> None:
    [beside] = labels(m.BoundaryEvent(id="b", attached_to="t", name="late"), down=True)
    assert (beside.bounds.x, beside.bounds.y) == (129, 150)


def test_a_given_place_is_kept() -> None:
    """BPMN DI: the bounds of a label."""
    [label] = labels(GATEWAY, given=Bounds(300, 20, 60, 14))
    assert label.bounds.center[0] == 330
    assert 20 <= label.bounds.y < 21


def test_a_name_larger_than_its_place_grows_away_from_its_shape() -> None:
    long = m.ExclusiveGateway(id="x", name="Is the invoice complete and was it paid in time?")
    [above] = labels(long, given=Bounds(90, 80, 70, 14))
    [below] = labels(long, given=Bounds(90, 155, 70, 14))
    assert len(above.lines) > 1
    assert above.bounds.y + above.bounds.height == 94
    assert below.bounds.y == 155


def test_data_shows_its_state_once() -> None:
    """A reference without a name takes that of its data object."""
    order = m.DataObject(id="o", name="Order")
    [label] = labels(m.DataObjectReference(id="r", target="o", state="paid"), more=(order,))
    assert label.lines == ("Order", "[paid]")
    [label] = labels(m.DataObjectReference(id="r", name="Order [paid]", state="paid"))
    assert label.lines == ("Order [paid]",)


def test_a_flow_is_named_at_its_longest_stretch() -> None:
    flow = m.SequenceFlow(id="f", name="yes", source="", target="")

    def at(*points: tuple[float, float]) -> Bounds:
        scene = build_scene(m.Model([flow]), m.Diagram(edges=(m.Edge(element="f", waypoints=points),)))
        [label] = place_labels(scene)
        return label.bounds

    across = at((0, 0), (0, 20), (200, 20))
    assert (across.center[0], across.y + across.height) == (100, 17)
    down = at((0, 0), (20, 0), (20, 200))
    assert (down.x, down.center[1]) == (24, 100)


def test_a_task_has_no_name_outside() -> None:
    assert labels(m.Task(id="t", name="work")) == []


def test_labels_enlarge_the_picture() -> None:
    shape = m.Shape(element="x", bounds=Bounds(0, 0, 50, 50), label=Bounds(500, 20, 60, 14))
    picture = render_svg(m.Model([GATEWAY], diagrams=[m.Diagram(shapes=(shape,))]))
    _, _, width, _ = map(float, ElementTree.fromstring(picture).get("viewBox", "").split())
    assert width > 550
