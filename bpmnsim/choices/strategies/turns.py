"""The strategy in which tracks take turns."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

from bpmnsim.choices.strategies.base import INTERNAL
from bpmnsim.choices.strategies.fifo import Fifo


class RoundRobin(Fifo):
    """Tracks take turns in order of creation; what is not internal follows as in fifo."""

    name = "round-robin"

    def _clear(self) -> None:
        super()._clear()
        self._now: list[tuple[int, int]] = []
        self._next: list[tuple[int, int]] = []
        self._last = -1
        self.push = self._queue

    def _queue(self, entry: int) -> None:
        """Let the track of an action have its turn in this round, or in the next where it has had it."""
        track = self._track(entry)
        heappush(self._now if track > self._last else self._next, (track, entry))

    def push_offer(self, entry: int, tier: int) -> None:
        """Announce an action that is not a plain turn of a track."""
        if tier == INTERNAL:
            self._queue(entry)
        else:
            super().push_offer(entry, tier)

    def pick(self) -> int:
        """Return an action of the next track after the one that acted last."""
        while self._now or self._next:
            if not self._now:
                self._now, self._next = self._next, self._now
            track, entry = heappop(self._now)
            if self._is_enabled(entry):
                self._last = track
                return entry
        return super().pick()

    def unpick(self, entry: int) -> None:
        """Put the last pick back."""
        if self._tier(entry) == INTERNAL:
            heappush(self._now, (self._track(entry), entry))
        else:
            super().unpick(entry)

    def save(self) -> Any:
        """Return both rounds, the last track and the queues."""
        return [self._now.copy(), self._next.copy(), self._last, super().save()]

    def load(self, saved: Any) -> None:
        """Restore what :meth:`save` returned."""
        self._now = [(track, entry) for track, entry in saved[0]]
        self._next = [(track, entry) for track, entry in saved[1]]
        self._last = saved[2]
        super().load(saved[3])
