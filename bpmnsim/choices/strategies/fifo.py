"""Strategies without a dice that follow the age of actions: fifo and depth."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from bpmnsim.choices.strategies.base import INTERNAL, TIMER, Index
from bpmnsim.errors import InternalError

_SPARE = 64
"""Most withdrawn actions that a queue keeps without looking."""


class Fifo(Index):
    """Oldest internal action first; then outside, completions due, timers due, each in order of appearance."""

    name = "fifo"

    def _clear(self) -> None:
        self._inner: deque[int] = deque()
        self._outer: list[deque[int]] = [deque() for _ in range(TIMER)]
        self.push = self._inner.append

    def push_offer(self, entry: int, tier: int) -> None:
        """Announce an action that is not a plain turn of a track."""
        (self._inner if tier == INTERNAL else self._outer[tier - 1]).append(entry)

    def pick(self) -> int:
        """Return the oldest action of the lowest tier."""
        inner, ready = self._inner, self._ready
        while inner:
            entry = inner.popleft()
            if entry in ready or entry in self._offers:
                return entry
        for queue in self._outer:
            while queue:
                entry = queue.popleft()
                if entry in self._offers:
                    return entry
        raise InternalError("a strategy is asked although nothing is enabled")

    def unpick(self, entry: int) -> None:
        """Put the last pick back where it was."""
        tier = self._tier(entry)
        (self._inner if tier == INTERNAL else self._outer[tier - 1]).appendleft(entry)

    def save(self) -> Any:
        """Return the queues."""
        return [list(self._inner), *map(list, self._outer)]

    def load(self, saved: Any) -> None:
        """Restore the queues."""
        self._inner.clear()
        self._inner.extend(saved[0])
        self._outer = [deque(queue) for queue in saved[1:]]


class Depth(Fifo):
    """One track until it rests or ends, then the oldest action."""

    name = "depth"

    def _clear(self) -> None:
        super()._clear()
        self._tracks: Mapping[int, tuple[int, ...]] = self._run.state.tracks
        self._last = -1

    def pick(self) -> int:
        """Return the action of the track that acted last, if it is ready."""
        at = self._tracks.get(self._last)
        if at is not None and at[3] >= 0:
            self._take_out(at[3])
            return at[3]
        entry = super().pick()
        self._last = self._ready.get(entry, -1)
        return entry

    def _take_out(self, entry: int) -> None:
        """Take an action out of the queue: it is the youngest as a rule; what stays behind is cleared now and then."""
        inner = self._inner
        if inner and inner[-1] == entry:
            inner.pop()
        elif len(inner) > 2 * (len(self._ready) + len(self._offers)) + _SPARE:
            live = [each for each in inner if each != entry and self._is_enabled(each)]
            inner.clear()
            inner.extend(live)

    def save(self) -> Any:
        """Return the last track and the queues."""
        return [self._last, super().save()]

    def load(self, saved: Any) -> None:
        """Restore last track and queues."""
        self._last = saved[0]
        super().load(saved[1])
