"""Tokens on the picture: where, how many, and told apart without color (style 5.4)."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree

import pytest

from bpmnsim import model as m
from bpmnsim.errors import ModelError
from bpmnsim.views.marks import Mark, place_marks
from bpmnsim.views.palette import PALETTE, shown_state
from bpmnsim.views.scene import build_scene
from bpmnsim.views.svg import render_svg

SVG = "{http://www.w3.org/2000/svg}"


def model() -> m.Model:
    """Return a pool with a task, a closed sub-process, and a boundary event that is not drawn."""
    elements = [
        m.Participant(id="pool", process="p"),
        m.Process(id="p"),
        m.Task(id="a", parent="p", name="Review"),
        m.SubProcess(id="s", parent="p"),
        m.SubProcess(id="inner", parent="s"),
        m.Task(id="deep", parent="inner"),
        m.BoundaryEvent(id="late", attached_to="a", parent="p"),
        m.Task(id="undrawn", parent="p"),
        m.SequenceFlow(id="f", source="a", target="s", parent="p"),
    ]
    shapes = [
        m.Shape(element="pool", bounds=m.Bounds(0, 0, 600, 250), is_horizontal=True),
        m.Shape(element="a", bounds=m.Bounds(100, 100, 100, 80)),
        m.Shape(element="s", bounds=m.Bounds(300, 100, 100, 80), is_expanded=False),
    ]
    edge = m.Edge(element="f", waypoints=((200, 140), (300, 140)))
    return m.Model(elements, diagrams=[m.Diagram(shapes=tuple(shapes), edges=(edge,))])


def tokens(picture: str) -> list[tuple[str, str, str]]:
    """Element, state and count of every badge."""
    groups = ElementTree.fromstring(picture).iter(f"{SVG}g")
    badges = [g for g in groups if g.get("class", "").split()[:1] == ["token"]]
    return [(g.get("data-element", ""), g.get("class", "").split()[1], g.get("data-count", "")) for g in badges]


@pytest.mark.parametrize(
    ("element", "place"),
    [("a", "a"), ("deep", "s"), ("inner", "s"), ("late", "a"), ("undrawn", "pool"), ("p", "pool"), ("f", "f")],
)
def test_a_mark_shows_at_the_nearest_drawn_element(element: str, place: str) -> None:
    """Brief: inside a closed sub-process, at the nearest drawn ancestor."""
    assert tokens(render_svg(model(), marks=[Mark(element, "alive")])) == [(place, "alive", "1")]


def test_a_mark_without_a_place_is_said_in_words() -> None:
    picture = render_svg(model(), marks=[Mark("elsewhere", "waiting", 2)])
    assert tokens(picture) == []
    assert "Not in this picture: waiting at elsewhere (2)." in picture


def test_marks_of_one_element_state_and_label_are_added_up() -> None:
    marks = [Mark("deep", "alive"), Mark("s", "alive", 2), Mark("s", "waiting"), Mark("s", "alive", 1, "[2]")]
    picture = render_svg(model(), marks=marks)
    assert tokens(picture) == [("s", "alive", "3"), ("s", "alive", "1"), ("s", "waiting", "1")]
    assert ">×3</text>" in picture
    assert ">[2]</text>" in picture


@pytest.mark.parametrize("element", ["a", "f"])
def test_badges_of_one_element_never_overlap(element: str) -> None:
    """Brief: stacked without overlap."""
    marks = [
        Mark(element, state, count, label) for state in PALETTE for count, label in [(1, ""), (2, "x"), (1, "[10]")]
    ]
    badges, _ = place_marks(build_scene(model(), model().diagrams[0]), marks)
    assert len(badges) == 24
    for one, other in itertools.combinations([badge.bounds for badge in badges], 2):
        apart = one.x + one.width <= other.x or other.x + other.width <= one.x
        assert apart or one.y + one.height <= other.y or other.y + other.height <= one.y


def test_every_state_has_a_sign_of_its_own() -> None:
    """Style 5.4: never color alone; without colors the badges still differ."""
    colors = {tone.color for tone in PALETTE.values()} | {tone.outline for tone in PALETTE.values()}
    signs = []
    for state in PALETTE:
        root = ElementTree.fromstring(render_svg(model(), marks=[Mark("a", state, 1, "x")]))
        [badge] = [g for g in root.iter(f"{SVG}g") if g.get("class", "").startswith("token")]
        text = ElementTree.tostring(badge[-1], encoding="unicode")
        for color in sorted(colors - {"#000000"}):
            text = text.replace(f'stroke="{color}"', "").replace(f'fill="{color}"', 'fill="full"')
        signs.append(text)
    assert len(set(signs)) == len(PALETTE)


def test_a_highlight_is_a_frame_behind_its_element() -> None:
    """Style 5.4: fill only, with a thick dark outline."""
    picture = render_svg(model(), marks=[Mark("a", "highlight"), Mark("f", "highlight")])
    root = ElementTree.fromstring(picture)
    frames = [element for element in root.iter() if element.get("class") == "frame"]
    assert [(frame.tag, frame.get("data-element")) for frame in frames] == [(f"{SVG}rect", "a"), (f"{SVG}g", "f")]
    assert frames[0].get("fill") == PALETTE["highlight"].color
    assert picture.index('class="frame"') < picture.index('class="bpmn task')
    assert tokens(picture) == []
    assert "highlight at Review; highlight at f." in picture


def test_a_legend_explains_the_states_present() -> None:
    marks = [Mark("a", "waiting"), Mark("s", "alive"), Mark("elsewhere", "incident")]
    root = ElementTree.fromstring(render_svg(model(), marks=marks, legend=True))
    [legend] = [g for g in root.iter(f"{SVG}g") if g.get("class") == "legend"]
    assert [text.text for text in legend.iter(f"{SVG}text")] == ["alive", "waiting"]
    assert 'class="legend"' not in render_svg(model(), marks=marks)
    assert 'class="legend"' not in render_svg(model(), legend=True)


def test_long_lists_are_told_in_short() -> None:
    """Style 5.1: bounded."""
    picture = render_svg(model(), marks=[Mark("a", "alive", 1, str(at)) for at in range(25)])
    assert "; 5 more." in picture


def test_an_unknown_state_is_refused_with_a_hint() -> None:
    with pytest.raises(ModelError, match="'waitin' is no state") as caught:
        Mark("a", "waitin")
    assert caught.value.hint == "did you mean 'waiting'?"


def luminance(color: str) -> float:
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("tone", PALETTE.values(), ids=lambda tone: tone.state)
def test_contrasts(tone: object) -> None:
    """Style 5.4: graphics at least 3 on white, text at least 4.5."""
    assert isinstance(tone, type(PALETTE["alive"]))
    assert contrast(tone.outline, "#FFFFFF") >= 3
    assert contrast(tone.text, tone.color) >= 4.5


def test_the_palette_is_that_of_okabe_and_ito() -> None:
    """Style 5.4: several web copies of these colors are corrupted."""
    assert [(tone.state, tone.color) for tone in PALETTE.values()] == [
        ("alive", "#0072B2"),
        ("waiting", "#E69F00"),
        ("awaiting_merge", "#CC79A7"),
        ("consumed", "#595959"),
        ("completed", "#009E73"),
        ("incident", "#F0E442"),
        ("canceled", "#D55E00"),
        ("highlight", "#56B4E9"),
    ]
    for field in ("cue", "letter", "marker"):
        assert len({getattr(tone, field) for tone in PALETTE.values()}) == len(PALETTE)


def test_a_token_at_an_or_join_awaits_its_merge_too() -> None:
    """TRK-01: await_sync is the wait at an OR or complex join."""
    assert shown_state("await_sync", "alive") == "awaiting_merge"
    assert shown_state("dehydrated", "waiting") == "waiting"
