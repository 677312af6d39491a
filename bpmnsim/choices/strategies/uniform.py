"""The random walk."""

from __future__ import annotations

from typing import Any

from bpmnsim.choices.strategies.base import COMPLETION, Index
from bpmnsim.choices.streams import stream
from bpmnsim.errors import InternalError


class Uniform(Index):
    """A random walk: every enabled action is equally likely (scheduling.md 1.9)."""

    def __init__(self, seed: int) -> None:
        self.name = str(seed)
        self._seed = seed

    def _clear(self) -> None:
        self._bag: list[int] = []
        self._due: list[int] = []
        self.push = self._bag.append
        self._rewind(0)

    def _rewind(self, draws: int) -> None:
        """Start the random stream anew and skip what has been drawn."""
        self._random = stream(self._seed, 0, "schedule").random
        self._draws = draws
        for _ in range(draws):
            self._random()

    def push_offer(self, entry: int, tier: int) -> None:
        """Announce an action that is not a plain turn of a track."""
        (self._due if tier >= COMPLETION else self._bag).append(entry)

    def pick(self) -> int:
        """Draw until the drawn action is still enabled; withdrawn ones leave the bag."""
        bag, due, ready, offers = self._bag, self._due, self._ready, self._offers
        count = len(bag)
        total = count + (len(due) if due and self._run.due_open else 0)
        while total:
            position = 0
            if total > 1:
                position = int(self._random() * total)
                self._draws += 1
            source = bag
            if position >= count:
                source, position = due, position - count
            entry = source[position]
            last = source.pop()
            if position < len(source):
                source[position] = last
            if entry in ready or entry in offers:
                return entry
            count = len(bag)
            total -= 1
        raise InternalError("a strategy is asked although nothing is enabled")

    def save(self) -> Any:
        """Return the bags and the number of draws."""
        return [self._bag.copy(), self._due.copy(), self._draws]

    def load(self, saved: Any) -> None:
        """Restore the bags and draw up to the saved position."""
        self._bag[:] = saved[0]
        self._due[:] = saved[1]
        self._rewind(saved[2])
