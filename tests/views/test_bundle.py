"""What a notebook shows by itself: text and picture, bounded, never an exception (style 5.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.etree import ElementTree

import pytest

import bpmnsim as bs
from bpmnsim import model as m
from bpmnsim.errors import ModelError
from bpmnsim.views.bundle import marks_of, model_bundle, render_trace, trace_bundle
from bpmnsim.views.marks import Mark

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Token:
    node: str
    track_state: str = "ready"
    token_state: str = "alive"


@dataclass(frozen=True)
class Snapshot:
    step: int
    tokens: tuple[Token, ...]


@dataclass(frozen=True)
class Trace:
    """A trace with one snapshot a step, the first before any."""

    model: m.Model
    tokens: list[tuple[Token, ...]] = field(repr=False)
    outcome: str = "waiting"

    @property
    def steps(self) -> int:
        return len(self.tokens) - 1

    def snapshot(self, step: int) -> Snapshot:
        return Snapshot(step, self.tokens[step])


def join_model(*, diagrams: int = 1) -> m.Model:
    nodes = [m.Task(id="a", name="Ship"), m.ParallelGateway(id="j", name="Join"), m.Task(id="b"), m.Task(id="c")]
    flows = [m.SequenceFlow(id=f"f{at}", source=at, target="j") for at in "abc"]
    shapes = [m.Shape(element=node.id, bounds=m.Bounds(150.0 * at, 0, 50, 50)) for at, node in enumerate(nodes)]
    return m.Model([*nodes, *flows], diagrams=[m.Diagram(shapes=tuple(shapes))] * diagrams)


def desc(picture: str) -> str:
    found = ElementTree.fromstring(picture).find(f"{SVG}desc")
    assert found is not None
    return found.text or ""


@pytest.mark.parametrize(
    ("track_state", "token_state", "state"),
    [
        ("ready", "alive", "alive"),
        ("wait_for_event", "waiting", "waiting"),
        ("awaiting_merge", "alive", "awaiting_merge"),
        ("await_sync", "alive", "awaiting_merge"),
        ("ended", "consumed", "consumed"),
        ("canceled", "consumed", "canceled"),
        ("incident", "incident", "incident"),
    ],
)
def test_a_mark_shows_the_token_state_or_the_wait_at_a_join(track_state: str, token_state: str, state: str) -> None:
    """TRK-02: pictures that tell a token at a join apart take awaiting_merge from the track state."""
    snapshot = Snapshot(1, (Token("j", track_state, token_state), Token("a")))
    assert marks_of(snapshot) == (Mark("j", state), Mark("a", "alive"))


def test_words_say_how_many_arrived_at_a_join() -> None:
    """Style 5.4: the description says what the picture shows, and the text the same."""
    held = Token("j", "awaiting_merge")
    trace = Trace(join_model(), [(), (Token("a"),), (held, held, Token("a"))])
    words = "After step 2 of 2, waiting: 2 of 3 arrived at Join; alive at Ship."
    assert desc(render_trace(trace)) == words
    assert trace_bundle(trace)["text/plain"].splitlines()[-1] == words
    assert desc(render_trace(trace, 1)) == "After step 1 of 2: alive at Ship."
    assert desc(render_trace(trace, step=0)) == "After step 0 of 2: no tokens."


def test_where_nothing_is_left_the_picture_shows_where_it_ended() -> None:
    """Design 7: the end state on the diagram, also of a run that is over; not before its last step."""
    b = bs.ProcessBuilder("p")
    fork, last = b.parallel("fork"), b.end("last", kind="terminate")
    b.start() >> fork >> [b.task("A"), b.task("B")] >> last
    trace = bs.simulate(b.model(), strategy="priority(A,last)")
    words = "After step 4 of 4, terminated: canceled at B; consumed at last."
    assert desc(render_trace(trace)) == words
    assert trace_bundle(trace)["text/plain"].splitlines()[-1] == words
    assert "consumed" not in desc(render_trace(trace, 3))


def test_the_diagram_that_shows_most_tokens_is_drawn() -> None:
    """Lessons A 37: one picture per diagram; a trace shows the one its tokens are in."""
    nodes = [m.Task(id="a"), m.Task(id="b")]
    diagrams = [m.Diagram(shapes=(m.Shape(element=node.id, bounds=m.Bounds(0, 0, 100, 80)),)) for node in nodes]
    picture = render_trace(Trace(m.Model(nodes, diagrams=diagrams), [(Token("b"),)]))
    assert 'class="token alive" data-element="b"' in picture


def test_a_model_shows_text_and_one_picture() -> None:
    """Style 5.1: the bundle always has text that makes sense alone, and one copy of the picture."""
    model = join_model()
    shown = model._repr_mimebundle_()
    assert sorted(shown) == ["image/svg+xml", "text/plain"]
    assert shown["text/plain"] == repr(model)


def test_a_big_model_shows_a_summary_that_names_the_call() -> None:
    """Style 5.1: bounded above 300 nodes."""
    tasks = [m.Task(id=f"t{at}") for at in range(301)]
    shape = m.Shape(element="t0", bounds=m.Bounds(0, 0, 100, 80))
    big = m.Model(tasks, diagrams=[m.Diagram(shapes=(shape,))])
    assert model_bundle(big) == {
        "text/plain": "Model(no process; 301 nodes)\n"
        "301 nodes are not drawn unasked: bpmnsim.render_svg(model) draws them"
    }
    assert sorted(model_bundle(m.Model(tasks[:300], diagrams=big.diagrams))) == ["image/svg+xml", "text/plain"]
    assert list(trace_bundle(Trace(big, [()]))) == ["text/plain"]


@pytest.mark.parametrize("error", [ModelError("bad"), KeyError("bad"), RecursionError("bad")])
def test_a_bundle_never_raises(error: Exception) -> None:
    """Style 5.1: a repr never raises."""

    class Broken(Trace):
        def snapshot(self, step: int) -> Snapshot:
            del step
            raise error

    shown = trace_bundle(Broken(join_model(), [()]))
    assert list(shown) == ["text/plain"]
    assert shown["text/plain"].splitlines()[1].startswith("no picture: ")
    assert "bad" in shown["text/plain"]
