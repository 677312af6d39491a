"""Flows and associations: dashes, ends, arrow heads, and where they meet the outline of a shape."""

from __future__ import annotations

import math
import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest

from bpmnsim import model as m
from bpmnsim.views.svg import render_svg

SVG = "{http://www.w3.org/2000/svg}"
CONDITION = m.Formal(text="x > 1")


def line(connection: m.Element, *, source: m.FlowNode | None = None) -> tuple[str, str | None, list[str]]:
    """Class names beyond the kind, dashes and signs of a line from a to b; a sign is the place and path it has."""
    nodes = [source or m.Task(id="a"), m.Task(id="b"), m.DataObject(id="d")]
    edge = m.Edge(element="f", waypoints=((100.0, 40.0), (200.0, 40.0)))
    far = m.Shape(element="b", bounds=m.Bounds(500, 500, 100, 80))
    model = m.Model([*nodes, connection], diagrams=[m.Diagram(shapes=(far,), edges=(edge,))])
    root = ElementTree.fromstring(render_svg(model))
    [group] = [g for g in root.iter(f"{SVG}g") if g.get("data-element") == "f"]
    kind, *extra = group.get("class", "").split()[1:]
    [path] = group.findall(f"{SVG}path")
    signs = []
    for sign in group.findall(f"{SVG}g"):
        at = "end" if sign.get("transform", "").startswith("translate(200 40)") else "start"
        assert sign.get("transform", "").endswith("rotate(0)")
        shape = sign[0].get("d") or "ring"
        signs.append(f"{at} {'filled' if sign[0].get('fill') == '#000000' else 'open'} {shape}")
    return " ".join([kind, *extra]), path.get("stroke-dasharray"), signs


FILLED, HOLLOW = "end filled M 0 0 L -11 -5 V 5 Z", "end open M 0 0 L -11 -5.5 V 5.5 Z"
TIP, BACK = "end open M -9 -5 L 0 0 L -9 5", "start open M 9 -5 L 0 0 L 9 5"
SLASH, DIAMOND = "start open M -3 6 L 3 -6", "start open M -8 0 L 0 -5 L 8 0 L 0 5 Z"
DOTS = "1.5 3.5"


def test_a_sequence_flow_is_solid_with_a_filled_head() -> None:
    assert line(m.SequenceFlow(id="f", source="a", target="b")) == ("sequence-flow", None, [FILLED])


@pytest.mark.parametrize("source", [m.ExclusiveGateway(id="a", default="f"), m.Task(id="a", default="f")])
def test_a_default_flow_has_a_slash_even_with_a_condition(source: m.FlowNode) -> None:
    """Lessons A 39: the default attribute decides."""
    flow = m.SequenceFlow(id="f", source="a", target="b", condition=CONDITION)
    assert line(flow, source=source) == ("sequence-flow default", None, [SLASH, FILLED])


def test_a_conditional_flow_has_a_diamond_at_an_activity_only() -> None:
    """BPMN 2.0.2, 7.3: the mini-diamond is not used at gateways."""
    flow = m.SequenceFlow(id="f", source="a", target="b", condition=CONDITION)
    assert line(flow) == ("sequence-flow conditional", None, [DIAMOND, FILLED])
    assert line(flow, source=m.ExclusiveGateway(id="a")) == ("sequence-flow", None, [FILLED])


Points = list[tuple[float, float]]


def marks_and_lines(picture: str) -> tuple[dict[str, tuple[float, float]], dict[str, Points]]:
    """Middle of the slash or diamond of each flow that has one, and the points of all flows."""
    marks, lines = {}, {}
    for group in ElementTree.fromstring(picture).iter(f"{SVG}g"):
        kind = group.get("class", "").split()
        if "sequence-flow" in kind:
            flow = group.get("data-element", "")
            xs, ys = (re.findall(r"-?[\d.]+", group.findall(f"{SVG}path")[0].get("d", ""))[at::2] for at in (0, 1))
            lines[flow] = [(float(x), float(y)) for x, y in zip(xs, ys, strict=True)]
            if "default" in kind or "conditional" in kind:
                x, y = re.findall(r"-?[\d.]+", group.findall(f"{SVG}g")[0].get("transform", ""))[:2]
                marks[flow] = (float(x), float(y))
    return marks, lines


def away(point: tuple[float, float], line: Points) -> float:
    """Distance of a point from a line of level and upright pieces."""
    pieces = [(sorted((ax, bx)), sorted((ay, by))) for (ax, ay), (bx, by) in pairwise(line)]
    x, y = point
    return min(
        math.dist(point, (min(max(x, left), right), min(max(y, top), bottom)))
        for (left, right), (top, bottom) in pieces
    )


@pytest.mark.parametrize("kind", ["task", "exclusive"])
@pytest.mark.parametrize("count", [2, 3, 4, 7])
def test_every_mark_stands_on_its_own_flow_only(kind: str, count: int) -> None:
    """BPMN 2.0.2, 7.3: the slash tells which flow is the default, so it must not lie on a part that flows share."""
    for default in range(count):
        b = m.ProcessBuilder("p")
        before, source = b.task("before"), getattr(b, kind)("source")
        b.start() >> before >> source
        targets = [b.task(f"to{at}") for at in range(count - 1)]
        targets[0] >> b.task("late") >> targets[-1]
        for at, target in enumerate([*targets, before]):
            source.flow(target, default=at == default, when="" if at == default else "a > 1", id=f"f{at}")
        marks, lines = marks_and_lines(render_svg(b.model()))
        assert list(marks) == [f"f{at}" for at in range(count) if kind == "task" or at == default]
        for flow, mark in marks.items():
            assert away(mark, lines[flow]) == 0
            assert min(away(mark, lines[f"f{at}"]) for at in range(count) if f"f{at}" != flow) >= 8
        assert all(abs(ax - bx) >= 16 or abs(ay - by) >= 16 for (ax, ay), (bx, by) in combinations(marks.values(), 2))


@pytest.mark.parametrize(
    ("default", "other", "mark"),
    [
        # Straight on where the other turns, which the file says by one point more; turning where the other goes on.
        ([(50, 25), (75, 25), (200, 25)], [(50, 25), (100, 25), (100, 90), (200, 90)], (108, 25)),
        ([(50, 25), (100, 25), (100, 90), (200, 90)], [(50, 25), (200, 25)], (100, 33)),
        # Nothing is shared, or everything.
        ([(25, 50), (25, 90), (200, 90)], [(50, 25), (200, 25)], (25, 58)),
        ([(50, 25), (200, 25)], [(50, 26), (200, 26)], (58, 25)),
    ],
)
def test_a_mark_stands_beyond_what_the_lines_of_a_file_share(
    default: Points, other: Points, mark: tuple[float, float]
) -> None:
    flows = [m.SequenceFlow(id=id, source="g", target=target) for id, target in (("f", "a"), ("o", "b"))]
    edges = (m.Edge(element="f", waypoints=tuple(default)), m.Edge(element="o", waypoints=tuple(other)))
    shape = m.Shape(element="g", bounds=m.Bounds(0, 0, 50, 50))
    nodes = [m.ExclusiveGateway(id="g", default="f"), m.Task(id="a"), m.Task(id="b")]
    model = m.Model([*nodes, *flows], diagrams=[m.Diagram(shapes=(shape,), edges=edges)])
    assert marks_and_lines(render_svg(model))[0] == {"f": mark}


def test_a_message_flow_is_dashed_from_ring_to_hollow_head() -> None:
    assert line(m.MessageFlow(id="f", source="a", target="b")) == ("message-flow", "7 4", ["start open ring", HOLLOW])


@pytest.mark.parametrize(("direction", "signs"), [("None", []), ("One", [TIP]), ("Both", [BACK, TIP])])
def test_an_association_is_dotted_with_the_heads_of_its_direction(direction: str, signs: list[str]) -> None:
    association = m.Association(id="f", source="a", target="b", direction=direction)
    assert line(association) == ("association", DOTS, signs)


def test_a_data_association_is_dotted_with_an_open_head() -> None:
    association = m.DataAssociation(id="f", parent="b", kind=m.AssociationKind.INPUT, sources=("d",), target="i")
    assert line(association) == ("data-association", DOTS, [TIP])


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (m.Task(id="b"), "M 0 50 L 100 50"),
        (m.EndEvent(id="b"), "M 0 50 L 100 50"),
        (m.ParallelGateway(id="b"), "M 0 50 L 100 50"),
    ],
)
def test_a_line_that_goes_on_to_the_center_ends_at_the_outline(target: m.FlowNode, expected: str) -> None:
    """Seen in real files: way points in the middle of a shape would hide the arrow head behind it."""
    assert path_to(target, (0.0, 50.0), (150.0, 50.0)) == expected


def test_outlines_are_round_square_and_pointed() -> None:
    """From the corner, a circle is met later than its box, a diamond in the middle between."""
    corner, center = (90.0, -10.0), (150.0, 50.0)
    assert path_to(m.Task(id="b"), corner, center) == "M 90 -10 L 100 0"
    assert path_to(m.ParallelGateway(id="b"), corner, center) == "M 90 -10 L 125 25"
    assert path_to(m.EndEvent(id="b"), corner, center) == "M 90 -10 L 114.64 14.64"


def test_rounding_does_not_turn_the_arrow_head() -> None:
    """Seen in a real file: a last step of a hundredth of a pixel, upward."""
    assert path_to(m.Task(id="b"), (0.0, 50.0), (100.0, 50.0), (100.0, 49.99)) == "M 0 50 L 100 50"


def test_a_line_that_ends_at_the_outline_stays() -> None:
    assert path_to(m.Task(id="b"), (0.0, 10.0), (100.0, 10.0)) == "M 0 10 L 100 10"
    assert path_to(m.Task(id="b"), (110.0, 10.0), (150.0, 50.0)) == "M 110 10 L 150 50"


def path_to(target: m.FlowNode, *points: tuple[float, float]) -> str | None:
    """Path of a flow to a shape of 100 by 100 at (100, 0)."""
    shape = m.Shape(element="b", bounds=m.Bounds(100, 0, 100, 100))
    edge = m.Edge(element="f", waypoints=points)
    flow = m.SequenceFlow(id="f", source="a", target="b")
    picture = render_svg(m.Model([target, flow], diagrams=[m.Diagram(shapes=(shape,), edges=(edge,))]))
    [group] = [g for g in ElementTree.fromstring(picture).iter(f"{SVG}g") if g.get("data-element") == "f"]
    return group.findall(f"{SVG}path")[0].get("d")
