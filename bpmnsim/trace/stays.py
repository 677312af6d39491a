"""Where every token was, and when: the fold behind ``tokens()``, ``visits()`` and snapshots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bpmnsim.facts import NOBODY, Fact
from bpmnsim.trace.column import TOKEN_OF
from bpmnsim.trace.progress import held_state
from bpmnsim.trace.story import Story

_CLOSED = {"retried", "resolved", "dead-lettered", "overtaken"}
_ENDS = {
    Fact.MERGE: "merged",
    Fact.CANCEL: "canceled",
    Fact.FAIL: "failed",
}
_RESTS = {
    Fact.BEGIN: "executing_step",
    Fact.WAIT: "wait_for_event",
    Fact.READY: "ready",
    Fact.STUCK: "incident",
}


@dataclass(slots=True)
class Stay:
    """One stay of a token at a node.

    Parameters
    ----------
    place, flow
        Numbers of the node and of the flow it came by.
    state
        Last track state in this stay.
    left
        Step in which it left, ``None`` while it is there.

    Examples
    --------
    >>> Stay(track=0, place=1, scope=0, flow=-1, entered=0, entered_time=0.0).state
    'ready'
    """

    track: int
    place: int
    scope: int
    flow: int
    entered: int
    entered_time: float
    state: str = "ready"
    left: int | None = None
    left_time: float | None = None


def stays(story: Story, until: int | None = None) -> list[Stay]:
    """Return every stay of a token, in the order in which they began.

    Parameters
    ----------
    until
        Last step to look at; all of them if not given.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start("s") >> b.end("e")
    >>> [(stay.entered, stay.left) for stay in stays(bs.simulate(b.model()).story)]
    [(0, 1), (1, 2)]

    Notes
    -----
    Core.md TRK-02, TRK-05. The inner work of an iterated activity is no token of its own, only its incidents are
    (iteration.md ITER-R-10).
    """
    found: list[Stay] = []
    here: dict[int, Stay] = {}

    for kind, step, time, track, place, scope, x, y in story.rows():
        if until is not None and step > until:
            break
        stay = here.get(track)
        inner = story.inner(track)
        begun = None
        if kind == Fact.VISIT:
            _leave(here, stay, step, time, "process_step_results" if x != NOBODY else "ended")
            if x != NOBODY:
                begun = Stay(track, story.target(x), scope, x, step, time)
        elif kind == Fact.TRACK and not inner:
            begun = Stay(track, place, scope, x, step, time)
        elif kind == Fact.STUCK and inner:
            begun = Stay(track, place, scope, NOBODY, step, time, "incident")
        elif stay is None:
            continue
        elif kind == Fact.AWAIT:
            stay.state = held_state(story, place)
        elif kind in _RESTS:
            stay.state = _RESTS[Fact(kind)]
        elif kind in _ENDS:
            _leave(here, stay, step, time, _ENDS[Fact(kind)])
        elif kind == Fact.CLOSE and stay.state == "wait_for_event" and story.scopes[scope].role == "sub-process":
            stay.state = "ready"
        elif stay.state == "incident" and x == "Fault Incident" and dict(y)["action"] in _CLOSED:
            _leave(here, stay, step, time, "incident")
        if begun is not None:
            here[track] = begun
            found.append(begun)
    return found


def _leave(here: dict[int, Stay], stay: Stay | None, step: int, time: float, state: str) -> None:
    """End a stay; the inner work of an iterated activity has none."""
    if stay is not None:
        stay.state, stay.left, stay.left_time = state, step, time
        del here[stay.track]


def token_rows(story: Story) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of ``tokens()``, by step entered and track.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start("s") >> b.end("e")
    >>> [row[5] for row in token_rows(bs.simulate(b.model()).story)]
    ['s', 'e']
    """
    for stay in sorted(stays(story), key=lambda each: (each.entered, each.track)):
        info = story.tracks[stay.track]
        instance, path, ordinal, _ = story.where(stay.scope)
        yield (
            instance,
            stay.track,
            info.parent,
            info.host,
            info.merged_into if stay.state == "merged" else None,
            *story.node(stay.place),
            path,
            ordinal,
            stay.state,
            TOKEN_OF[stay.state],
            story.flow(stay.flow),
            stay.entered,
            stay.left,
            stay.entered_time,
            stay.left_time,
        )


def visit_rows(story: Story) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of ``visits()``: how each stay ended (core.md OBS-04).

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start("s") >> b.end("e")
    >>> [row[-1] for row in visit_rows(bs.simulate(b.model()).story)]
    ['completed', 'completed']
    """
    for stay in sorted(stays(story), key=lambda each: (each.entered, each.track)):
        instance, path, ordinal, _ = story.where(stay.scope)
        if stay.state in ("merged", "canceled", "failed", "incident"):
            outcome = stay.state
        else:
            outcome = "completed" if stay.left is not None else "open"
        yield (instance, *story.node(stay.place), path, stay.track, ordinal, stay.entered, stay.left, outcome)
