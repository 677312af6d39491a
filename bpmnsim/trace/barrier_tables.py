"""Rows of ``barriers()``: the wait of a parallel iterated activity for its inner instances, event by event."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bpmnsim.facts import ABSENT, Fact
from bpmnsim.trace.story import Row, Story

_MOST_NAMED = 1000
_COUNTED = ("queued", "pending", "delivered", "completed", "terminated")


@dataclass(slots=True)
class _Barrier:
    """What can be counted along while reading."""

    scope: int
    place: int
    n: int
    open: dict[int, None]
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_COUNTED, 0))

    def count(self, event: str, ordinal: int | None, *, terminated: bool) -> None:
        """Count along: a delivered drain is one completion, or one termination (ITER-P-06, ITER-TM-02)."""
        if ordinal is not None:
            self.open.pop(ordinal, None)
        if event == "cancel":
            self.counts["terminated"] += 1
        elif event == "drain":
            self.counts["queued"] += 1
        elif event == "deliver":
            self.counts["queued"] -= 1
            self.counts["delivered"] += 1
            self.counts["terminated" if terminated else "completed"] += 1

    def named(self) -> str:
        """Return the open ordinals, or how many there are where nobody would read them all."""
        return " ".join(map(str, self.open)) if self.n <= _MOST_NAMED else f"{len(self.open)} open"


def barrier_rows(story: Story) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of ``barriers()``.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.task("A", multi_instance=bs.parallel(cardinality="2")) >> b.end()
    >>> [row[6] for row in barrier_rows(bs.simulate(b.model()).story)][:4]
    ['fan_out', 'drain', 'drain', 'queue']

    Notes
    -----
    Iteration.md section 0.2, ITER-P-04, ITER-R-03. A drain is queued where another one is not delivered yet. That the
    condition was tested, the output published and the activity completed is read from what the host did.
    """
    barriers: dict[int, _Barrier] = {}
    leaving: dict[int, _Barrier] = {}
    phases = {(info.parent, info.own_ordinal): info.phase for info in story.scopes.values()}
    for row in story.rows():
        kind, _, _, track, place, scope, x, y = row
        if kind == Fact.GROUP and x == "fan_out":
            barriers[scope] = _Barrier(scope, place, y, dict.fromkeys(range(y)))
            yield _cells(story, barriers[scope], row, x, {})
        elif kind == Fact.GROUP:
            barrier = barriers[scope]
            barrier.count(x, y, terminated=phases.get((scope, y)) == "Terminated")
            yield _cells(story, barrier, row, x, {"ordinal": y})
            if x == "drain" and barrier.counts["queued"] > 1:
                yield _cells(story, barrier, row, "queue", {"ordinal": y})
        elif kind == Fact.EVAL and x == "completion" and scope in barriers:
            verdict = y[2] if isinstance(y[2], bool) else None
            yield _cells(story, barriers[scope], row, "condition", {"ordinal": y[4], "condition": verdict})
        elif kind == Fact.CLOSE and scope in barriers:
            leaving[track] = barriers[scope]
        elif track in leaving:
            barrier = leaving[track]
            if kind == Fact.DATA:
                yield _cells(story, barrier, row, "publish", {"output": y[1]})
            elif kind == Fact.REPORT and x == "Iteration Exited":
                del leaving[track]
                yield _cells(story, barrier, row, "complete", {"queued": 0, **dict(y)})


def _cells(story: Story, barrier: _Barrier, row: Row, event: str, said: dict[str, Any]) -> tuple[Any, ...]:
    counts = barrier.counts
    counts.update((name, said[name]) for name in _COUNTED if name in said)
    output = said.get("output")
    instance, path, _, _ = story.where(barrier.scope)
    return (
        row[1],
        row[2],
        instance,
        story.nodes[barrier.place],
        path,
        story.scopes[barrier.scope].entry,
        event,
        said.get("ordinal"),
        barrier.n,
        barrier.named(),
        counts["queued"],
        counts["pending"],
        counts["delivered"],
        counts["completed"],
        said.get("active", barrier.n - counts["completed"] - counts["terminated"] - counts["pending"]),
        counts["terminated"],
        said.get("condition"),
        None if output is ABSENT else output,
    )
