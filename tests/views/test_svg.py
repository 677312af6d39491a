"""The picture as a whole: always XML, always the same, safe, bounded, with words (style 5.1, 5.4)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpmnsim import model as m
from bpmnsim.errors import ModelError
from bpmnsim.views.svg import Mark, render_svg

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><b>&amp;&",
    "a\x00b\x1f\ud800\uffff",
    "]]>",
    "\n\r\t",
    "\u202eabc",
    "漢字" * 400,
]


def shape(element: str, x: float = 0, y: float = 0, width: float = 100, height: float = 80) -> m.Shape:
    return m.Shape(element=element, bounds=m.Bounds(x, y, width, height))


def two_tasks(*, name: str = "A") -> m.Model:
    return m.Model(
        [
            m.Process(id="p", name="Order"),
            m.Task(id="a", name=name, parent="p"),
            m.Task(id="b", name="B", parent="p"),
            m.SequenceFlow(id="f", name=name, source="a", target="b", parent="p"),
        ],
        diagrams=[
            m.Diagram(
                element="p",
                shapes=(shape("a"), shape("b", 200)),
                edges=(m.Edge(element="f", waypoints=((100, 40), (200, 40))),),
            )
        ],
    )


def drawn(picture: str) -> dict[str, ElementTree.Element]:
    """Group of every drawn element by its id."""
    root = ElementTree.fromstring(picture)
    return {g.get("data-element", ""): g for g in root.iter(f"{SVG}g") if "bpmn" in g.get("class", "").split()}


def test_every_element_is_one_group_with_its_id_and_kind() -> None:
    """Brief: elements carry ``data-element`` and class names."""
    groups = drawn(render_svg(two_tasks()))
    assert {element: g.get("class") for element, g in groups.items()} == {
        "f": "bpmn sequence-flow",
        "a": "bpmn task activity",
        "b": "bpmn task activity",
    }


def test_no_style_no_script_no_reference_leaves_the_picture() -> None:
    """Style 5.1: presentation attributes rather than style elements and scripts."""
    picture = render_svg(two_tasks(name=HOSTILE[0]), marks=[Mark("a", "alive")], legend=True)
    names = {element.tag for element in ElementTree.fromstring(picture).iter()}
    assert names <= {f"{SVG}{n}" for n in ["svg", "title", "desc", "g", "rect", "circle", "path", "text", "tspan"]}
    assert "style=" not in picture
    assert "href" not in picture


def test_background_view_box_role_and_words() -> None:
    """Style 5.1, 5.4: view box, white background, role, title, desc, and ids nobody else has."""
    root = ElementTree.fromstring(render_svg(two_tasks(), marks=[Mark("a", "waiting", 2)]))
    title, desc, background = root[0], root[1], root[2]
    assert root.get("role") == "img"
    assert root.get("viewBox") == "-12 -23 324 115"
    assert (title.tag, title.text) == (f"{SVG}title", "Order")
    assert desc.text == "BPMN diagram with 2 nodes and 1 sequence flows. Tokens: waiting at A (2)."
    assert background.get("fill") == "#FFFFFF"
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert re.fullmatch(r"bpmn-[0-9a-f]{12}-title", title.get("id", ""))


def test_ids_differ_between_pictures_and_equal_input_gives_equal_text() -> None:
    """Style 5.1: ids are prefixed with a content hash; the picture is deterministic."""
    first, second = render_svg(two_tasks()), render_svg(two_tasks(name="other"))
    assert first == render_svg(two_tasks())
    assert set(re.findall(r' id="([^"]+)"', first)).isdisjoint(re.findall(r' id="([^"]+)"', second))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(name: str, grid: Callable[..., m.Model]) -> None:
    """Style 5.1: every model string is escaped; the result always parses."""
    kinds = (m.UserTask, m.SubProcess, m.StartEvent, m.ExclusiveGateway, m.DataObject, m.Participant)
    elements = [kind(id=f"{name}{at}", name=name) for at, kind in enumerate(kinds)]
    elements += [m.TextAnnotation(id="t", text=name), m.Lane(id="l", name=name)]
    model = grid(elements)
    picture = render_svg(model, marks=[Mark(f"{name}0", "alive", 1, name)], title=name, desc=name)
    ElementTree.fromstring(picture)
    assert "<script" not in picture
    assert "<b>" not in picture
    ElementTree.fromstring(render_svg(two_tasks(name=name)))


@given(name=st.text(st.characters(), max_size=60), element=st.text(st.characters(), min_size=1, max_size=20))
@settings(max_examples=60, deadline=None)
def test_any_text_makes_a_picture_that_parses(name: str, element: str) -> None:
    """Brief: the result must always parse as XML, whatever a name or an id holds."""
    nodes = [m.Task(id=element, name=name), m.StartEvent(id=f"{element} ", name=name)]
    model = m.Model(nodes, diagrams=[m.Diagram(shapes=tuple(shape(node.id) for node in nodes))])
    root = ElementTree.fromstring(render_svg(model, marks=[Mark(element, "alive", 1, name)], title=name))
    assert len([g for g in root.iter(f"{SVG}g") if g.get("class", "").startswith("bpmn ")]) == 2


def test_shapes_of_unknown_elements_are_left_out_and_counted() -> None:
    """Brief, robust: a shape that names nothing known does not stop the picture."""
    lost = (shape("ghost"), shape("p"))
    model = m.Model([m.Task(id="a")], diagrams=[m.Diagram(shapes=(shape("a"), *lost))])
    picture = render_svg(model)
    assert list(drawn(picture)) == ["a"]
    assert "2 shapes or edges of the file have no usable place or element." in picture


@pytest.mark.parametrize(
    "bounds",
    [
        m.Bounds(math.nan, 0, 10, 10),
        m.Bounds(0, math.inf, 10, 10),
        m.Bounds(1e300, 0, 10, 10),
        m.Bounds(0, 0, 0, 0),
        m.Bounds(0, 0, -5, 10),
        m.Bounds(0, 0, 1e12, 10),
    ],
)
def test_a_place_that_is_none_is_left_out(bounds: m.Bounds) -> None:
    """Brief, robust: NaN, infinite, huge and empty bounds."""
    shapes = (shape("a"), m.Shape(element="b", bounds=bounds))
    picture = render_svg(m.Model([m.Task(id="a"), m.Task(id="b")], diagrams=[m.Diagram(shapes=shapes)]))
    assert list(drawn(picture)) == ["a"]
    assert ElementTree.fromstring(picture).get("viewBox") == "-12 -12 124 104"


@pytest.mark.parametrize("label", [m.Bounds(math.nan, 0, 1, 1), m.Bounds(0, math.inf, 1, 1), m.Bounds(0, 0, 0, 0)])
def test_a_label_without_a_place_stands_near_its_event(label: m.Bounds) -> None:
    """Brief: labels at their DI bounds, else sensible places."""
    model = m.Model(
        [m.StartEvent(id="s", name="go")],
        diagrams=[m.Diagram(shapes=(m.Shape(element="s", bounds=m.Bounds(500, 500, 36, 36), label=label),))],
    )
    root = ElementTree.fromstring(render_svg(model))
    [ground] = [rect for g in root.iter(f"{SVG}g") if g.get("class") == "label" for rect in g.iter(f"{SVG}rect")]
    assert float(ground.get("y", "")) == 538


@pytest.mark.parametrize("points", [(), ((5.0, 5.0),), ((math.nan, 0.0), (math.inf, 0.0))])
def test_an_edge_without_points_joins_its_ends(points: tuple[tuple[float, float], ...]) -> None:
    """Brief, robust: edges with fewer than two waypoints."""
    flow = m.SequenceFlow(id="f", source="a", target="b")
    diagram = m.Diagram(shapes=(shape("a"), shape("b", 200)), edges=(m.Edge(element="f", waypoints=points),))
    groups = drawn(render_svg(m.Model([m.Task(id="a"), m.Task(id="b"), flow], diagrams=[diagram])))
    line = groups["f"].find(f"{SVG}path")
    assert line is not None
    assert line.get("d") == "M 100 40 L 200 40"


def test_wild_coordinates_do_not_make_a_giant_picture() -> None:
    """Lessons A 47: the view box shows everything, the size on the page stays bounded."""
    diagram = m.Diagram(shapes=(shape("a"), shape("b", 900_000, -900_000)))
    root = ElementTree.fromstring(render_svg(m.Model([m.Task(id="a"), m.Task(id="b")], diagrams=[diagram])))
    assert root.get("viewBox") == "-12 -900012 900124 900104"
    assert float(root.get("width", "")) <= 4000


def test_one_picture_per_diagram() -> None:
    """Lessons A 37: several diagrams are never drawn over each other."""
    model = m.Model(
        [m.Task(id="a"), m.Task(id="b")],
        diagrams=[m.Diagram(name="one", shapes=(shape("a"),)), m.Diagram(name="two", shapes=(shape("b"),))],
    )
    assert [list(drawn(render_svg(model, diagram=at))) for at in (0, 1)] == [["a"], ["b"]]


@pytest.mark.parametrize("index", [2, -1])
def test_a_diagram_that_is_not_there_is_an_error_that_lists_them(index: int) -> None:
    """Design 8: the error names the remedy."""
    model = m.Model([m.Task(id="a")], diagrams=[m.Diagram(name="one", shapes=(shape("a"),)), m.Diagram(id="two")])
    with pytest.raises(ModelError, match=f"no diagram {index}") as caught:
        render_svg(model, diagram=index)
    assert caught.value.hint == "the diagrams are 0 (one), 1 (two)"


def chain(*processes: str) -> list[m.Element]:
    """Return processes of a start and an end."""
    elements: list[m.Element] = []
    for process in processes:
        start, end = f"{process}-s", f"{process}-e"
        elements += [m.Process(id=process), m.StartEvent(id=start, parent=process), m.EndEvent(id=end, parent=process)]
        elements.append(m.SequenceFlow(id=f"{process}-f", parent=process, source=start, target=end))
    return elements


@pytest.mark.parametrize("diagrams", [[], [m.Diagram(element="p")], [m.Diagram(element="p", shapes=(shape("ghost"),))]])
def test_what_the_file_does_not_draw_is_laid_out(diagrams: list[m.Diagram]) -> None:
    """Lessons A 38: an empty plane, or none, is no reason to show nothing."""
    assert sorted(drawn(render_svg(m.Model(chain("p"), diagrams=diagrams)))) == ["p-e", "p-f", "p-s"]


def test_an_empty_plane_never_replaces_one_that_is_drawn() -> None:
    """Lessons A 38: layout only for what lacks it."""
    full = m.Diagram(name="drawn", element="p", shapes=(shape("p-s"),))
    model = m.Model(chain("p"), diagrams=[full, m.Diagram(element="p")])
    assert sorted(drawn(render_svg(model))) == ["p-s"]
    assert sorted(drawn(render_svg(model, diagram=1))) == ["p-e", "p-f", "p-s"]


def test_a_model_without_anything_says_so() -> None:
    """Brief, robust: no elements, no diagrams."""
    picture = render_svg(m.Model([]))
    assert ">nothing to draw</text>" in picture
    assert ElementTree.fromstring(picture).get("viewBox") == "-12 -12 264 64"
    with pytest.raises(ModelError, match="no diagram 3"):
        render_svg(m.Model([]), diagram=3)


def test_names_are_broken_to_fit_their_task() -> None:
    """Brief: text wrapped to the shape."""
    group = drawn(render_svg(two_tasks(name="Check whether the order is complete")))["a"]
    [text] = group.iter(f"{SVG}text")
    assert [text.text, *(span.text for span in text)] == ["Check whether", "the order is", "complete"]
