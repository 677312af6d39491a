"""Where a run stood, kept now and then so that it can be taken back at a cost that does not grow with its length."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, NamedTuple

from bpmnsim.engine.loop import Engine
from bpmnsim.engine.state import State

_EVERY = 64
"""Fewest steps between two snapshots; a large state is copied less often, so that a step always costs the same."""


class Snapshot(NamedTuple):
    """Where a run stood: state, what the strategy remembers, number of cells of facts, tracebacks of incidents."""

    state: State
    strategy: Any
    facts: int
    tracebacks: dict[int, str]


class Snapshots:
    """The snapshots of one run, by step.

    Parameters
    ----------
    is_kept
        Whether there are any; a run that is never taken back needs none.
    """

    def __init__(self, *, is_kept: bool) -> None:
        self._kept: list[Snapshot] | None = [] if is_kept else None
        self._next = 0

    def room(self, step: int) -> float:
        """Return how many steps may follow *step* until the next snapshot is due, at least one."""
        return float("inf") if self._kept is None else max(self._next - step, 1)

    def keep(self, run: Engine) -> None:
        """Keep a snapshot if it is time for one."""
        state = run.state
        if self._kept is not None and state.step >= self._next:
            self._kept.append(Snapshot(state.copy(), run.strategy.save(), len(run.facts), run.tracebacks.copy()))
            self._next = state.step + max(_EVERY, len(state.tracks) + len(state.scopes))

    def first(self) -> Snapshot | None:
        """Return the earliest snapshot."""
        return self._kept[0] if self._kept else None

    def nearest(self, step: int) -> Snapshot | None:
        """Return the last snapshot at or before *step*."""
        position = bisect_right(self._kept or [], step, key=lambda kept: kept.state.step)
        return self._kept[position - 1] if self._kept and position else None

    def forget_after(self, step: int) -> None:
        """Drop what was kept after *step*."""
        while self._kept and self._kept[-1].state.step > step:
            self._kept.pop()
        self._next = min(self._next, step + _EVERY)

    def begin_at(self, run: Engine) -> None:
        """Drop everything; keep where *run* stands now."""
        self._kept = []
        self.begin_again(run)

    def begin_again(self, run: Engine) -> None:
        """Keep where *run* stands now, whenever the last snapshot was."""
        self._next = run.state.step
        self.keep(run)

    def put_before(self, earlier: Snapshots, cells: int) -> None:
        """Put the snapshots of an earlier part of the run before these, whose facts move up by *cells*."""
        later = [kept._replace(facts=kept.facts + cells) for kept in self._kept or []]
        self._kept = [*(earlier._kept or []), *later]
