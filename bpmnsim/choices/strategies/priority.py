"""The strategy that prefers some elements to others."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

from bpmnsim.choices.strategies.base import COMPLETION, INTERNAL, Run
from bpmnsim.choices.strategies.fifo import Fifo
from bpmnsim.errors import SimulationError, did_you_mean


class Priority(Fifo):
    """Actions on the listed elements first, in the order of the list; the rest as fifo.

    Parameters
    ----------
    elements
        Ids or names.
    """

    def __init__(self, elements: Sequence[str]) -> None:
        self.name = f"priority({','.join(elements)})"
        self._elements = elements

    def bind(self, run: Run) -> None:
        """Follow *run*.

        Raises
        ------
        SimulationError
            If the run has no such element.
        """
        places = run.program.places
        self._places = places
        for element in self._elements:
            if not any(element in (place.id, place.name) for place in places):
                hint = did_you_mean(element, [name for place in places for name in (place.id, place.name)])
                raise SimulationError(f"strategy {self.name!r}: the run has no element {element!r}", hint=hint)
        super().bind(run)

    def _clear(self) -> None:
        super()._clear()
        self._open: list[tuple[int, int]] = []
        self._due: list[tuple[int, int]] = []
        self.push = self._announce

    def _announce(self, entry: int) -> None:
        self.push_offer(entry, INTERNAL)

    def push_offer(self, entry: int, tier: int) -> None:
        """Announce an action: by its rank if it is about a listed element, else as fifo does."""
        rank = self._rank(entry)
        if rank is None:
            super().push_offer(entry, tier)
        else:
            heappush(self._due if tier >= COMPLETION else self._open, (rank, entry))

    def _rank(self, entry: int) -> int | None:
        at = self._run.state.tracks.get(self._track(entry))
        if at is None:
            return None
        place = self._places[at[0]]
        return next((rank for rank, element in enumerate(self._elements) if element in (place.id, place.name)), None)

    def pick(self) -> int:
        """Return the action with the best rank; what is due has none before its time."""
        ranked = [self._open, self._due] if self._run.due_open else [self._open]
        while any(ranked):
            _, entry = heappop(min((heap for heap in ranked if heap), key=lambda heap: heap[0]))
            if self._is_enabled(entry):
                return entry
        return super().pick()

    def unpick(self, entry: int) -> None:
        """Put the last pick back."""
        if self._rank(entry) is None:
            super().unpick(entry)
        else:
            self.push_offer(entry, self._tier(entry))

    def save(self) -> Any:
        """Return the ranked actions and the queues."""
        return [self._open.copy(), self._due.copy(), super().save()]

    def load(self, saved: Any) -> None:
        """Restore what :meth:`save` returned."""
        self._open = [(rank, entry) for rank, entry in saved[0]]
        self._due = [(rank, entry) for rank, entry in saved[1]]
        super().load(saved[2])
