"""What a notebook shows for a model or a trace by itself: bounded, in words and as a picture; it never raises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol

from bpmnsim.model.base import FlowNode
from bpmnsim.model.gateways import Gateway
from bpmnsim.model.process import Model
from bpmnsim.views.marks import Mark, describe_marks, place_marks
from bpmnsim.views.palette import shown_state
from bpmnsim.views.scene import build_scene, name_of
from bpmnsim.views.svg import render_svg

__all__ = ["marks_of", "model_bundle", "render_trace", "trace_bundle"]

_MOST_NODES = 300
_MOST_STEPS = 100_000
_OVER = {"ended": "consumed", "failed": "consumed", "canceled": "canceled"}


class _Token(Protocol):
    @property
    def node(self) -> str: ...
    @property
    def track_state(self) -> str: ...
    @property
    def token_state(self) -> str: ...


class _Snapshot(Protocol):
    @property
    def step(self) -> int: ...
    @property
    def tokens(self) -> Sequence[_Token]: ...


class _Frame(Protocol):
    def to_dict(self, orient: Literal["records"]) -> list[dict[Any, Any]]: ...


class _Trace(Protocol):
    @property
    def model(self) -> Model: ...
    @property
    def outcome(self) -> str: ...
    @property
    def steps(self) -> int: ...
    def snapshot(self, step: int, /) -> _Snapshot: ...
    def tokens(self) -> _Frame: ...


def marks_of(snapshot: _Snapshot) -> tuple[Mark, ...]:
    """Return one mark for each node and state of the tokens of a snapshot.

    Parameters
    ----------
    snapshot
        The tokens at one step of a trace.

    Returns
    -------
    tuple of Mark
        In the order in which the tokens first name a node and state.

    Examples
    --------
    >>> from types import SimpleNamespace as Some
    >>> token = Some(node="join", track_state="awaiting_merge", token_state="alive")
    >>> marks_of(Some(step=3, tokens=(token, token)))
    (Mark(element='join', state='awaiting_merge', count=2, label=''),)

    """
    counts: dict[tuple[str, str], int] = {}
    for token in snapshot.tokens:
        key = (token.node, shown_state(token.track_state, token.token_state))
        counts[key] = counts.get(key, 0) + 1
    return tuple(Mark(node, state, count) for (node, state), count in counts.items())


def render_trace(trace: _Trace, step: int | None = None) -> str:
    """Draw the tokens of a trace after one of its steps.

    Parameters
    ----------
    trace
        What happened.
    step
        After which step; the last one if not given. Where no token is left at the end, it shows where they ended.

    Returns
    -------
    str
        A complete SVG element, whose description says in words what is where.

    Examples
    --------
    >>> from types import SimpleNamespace as Some
    >>> from bpmnsim.model import Bounds, Diagram, Shape, Task
    >>> shape = Shape(element="a", bounds=Bounds(0, 0, 100, 80))
    >>> model = Model([Task(id="a", name="Review")], diagrams=[Diagram(shapes=(shape,))])
    >>> token = Some(node="a", track_state="wait_for_event", token_state="waiting")
    >>> trace = Some(model=model, outcome="waiting", steps=3, snapshot=lambda step: Some(step=3, tokens=(token,)))
    >>> "After step 3 of 3, waiting: waiting at Review." in render_trace(trace)
    True
    """
    snapshot = trace.snapshot(trace.steps if step is None else step)
    marks = _marks(trace, snapshot)
    return render_svg(
        trace.model,
        marks=marks,
        diagram=_best_diagram(trace.model, marks),
        desc=_said(trace, snapshot, marks),
        legend=True,
    )


def _marks(trace: _Trace, snapshot: _Snapshot) -> tuple[Mark, ...]:
    """Return the marks of a snapshot; where no token is left at the end, of where they ended."""
    if snapshot.tokens or snapshot.step < trace.steps:
        return marks_of(snapshot)
    ends = [
        (row["node"], _OVER[row["track_state"]])
        for row in trace.tokens().to_dict("records")
        if row["track_state"] in _OVER
    ]
    return tuple(Mark(node, state, ends.count((node, state))) for node, state in dict.fromkeys(ends))


def _best_diagram(model: Model, marks: Sequence[Mark]) -> int:
    """Return the number of the diagram in which most marks have a place; the first of equals."""
    homeless = [len(place_marks(build_scene(model, diagram), marks)[1]) for diagram in model.diagrams]
    return homeless.index(min(homeless)) if homeless else 0


def _said(trace: _Trace, snapshot: _Snapshot, marks: Sequence[Mark]) -> str:
    model = trace.model
    ended = f", {trace.outcome}" if snapshot.step == trace.steps else ""
    words, others = [], []
    for mark in marks:
        node = model.elements.get(mark.element)
        if mark.state == "awaiting_merge" and isinstance(node, Gateway):
            name = " ".join(name_of(model, node).split()) or node.id
            words.append(f"{mark.count} of {len(model.incoming(node.id))} arrived at {name}")
        else:
            others.append(mark)
    if others:
        words.append(describe_marks(model, others))
    return f"After step {snapshot.step} of {trace.steps}{ended}: {'; '.join(words) or 'no tokens'}."


def model_bundle(model: Model) -> dict[str, str]:
    """Return what a notebook shows for a model.

    Parameters
    ----------
    model
        What to show.

    Returns
    -------
    dict
        Text and picture by MIME type; only text where the model has more than 300 nodes or cannot be drawn.

    Examples
    --------
    >>> from bpmnsim.model import Bounds, Diagram, Process, Shape, Task
    >>> shape = Shape(element="a", bounds=Bounds(0, 0, 100, 80))
    >>> sorted(model_bundle(Model([Process(id="p"), Task(id="a", parent="p")], diagrams=[Diagram(shapes=(shape,))])))
    ['image/svg+xml', 'text/plain']
    """
    return _bundle(repr(model), model, "render_svg(model)", lambda: ("", render_svg(model)))


def trace_bundle(trace: _Trace) -> dict[str, str]:
    """Return what a notebook shows for a trace: its last state on the diagram, and the same in words.

    Parameters
    ----------
    trace
        What to show.

    Returns
    -------
    dict
        Text and picture by MIME type; only text where the model has more than 300 nodes or cannot be drawn.

    Examples
    --------
    >>> from types import SimpleNamespace as Some
    >>> trace = Some(model=Model([]), outcome="completed", steps=200_000)
    >>> trace_bundle(trace)["text/plain"].splitlines()[1]
    '200000 steps are not drawn unasked: bpmnsim.render_trace(trace) draws them'
    """

    def draw() -> tuple[str, str]:
        snapshot = trace.snapshot(trace.steps)
        return _said(trace, snapshot, _marks(trace, snapshot)), render_trace(trace)

    return _bundle(repr(trace), trace.model, "render_trace(trace)", draw, steps=trace.steps)


def _bundle(
    summary: str, model: Model, call: str, draw: Callable[[], tuple[str, str]], *, steps: int = 0
) -> dict[str, str]:
    nodes = sum(isinstance(element, FlowNode) for element in model.elements.values())
    if nodes > _MOST_NODES or steps > _MOST_STEPS:
        much = f"{nodes} nodes" if nodes > _MOST_NODES else f"{steps} steps"
        return {"text/plain": f"{summary}\n{much} are not drawn unasked: bpmnsim.{call} draws them"}
    try:
        words, picture = draw()
    except Exception as error:
        # A display hook must not raise: the notebook would show a traceback instead of the object.
        return {"text/plain": f"{summary}\nno picture: {error}"}
    return {"text/plain": f"{summary}\n{words}".strip(), "image/svg+xml": picture}
