"""What a strategy is, and what it may see of a run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

INTERNAL, OUTSIDE, COMPLETION, TIMER = range(4)
"""Tiers of enabled actions in the order in which fifo takes them: internal ones, those from outside, ends of work that
are due, timers that are due."""


class Run(Protocol):
    """What a strategy may see of a run."""

    state: Any
    program: Any

    @property
    def due_open(self) -> bool:
        """Whether what is due may fire."""

    def enabled(self) -> Sequence[int]:
        """Return the entries of the enabled actions in canonical order."""


class Strategy(Protocol):
    """Picks one of the enabled actions.

    An action is known by its entry number. ``push`` announces an internal action, ``push_offer`` any other one with
    its tier; what has been withdrawn meanwhile is skipped when it is met. ``pick`` takes the action out of the index,
    ``unpick`` puts the last pick back.
    """

    name: str
    push: Callable[[int], None]

    def bind(self, run: Run) -> None:
        """Follow *run* from its present state; the index is rebuilt from what is enabled."""

    def push_offer(self, entry: int, tier: int) -> None:
        """Announce an action that is not a plain turn of a track."""

    def pick(self) -> int:
        """Return one of the enabled actions and take it out of the index."""

    def unpick(self, entry: int) -> None:
        """Put the last pick back where it was."""

    def save(self) -> Any:
        """Return the index and whatever else the strategy remembers, as JSON-ready data."""

    def load(self, saved: Any) -> None:
        """Restore what :meth:`save` returned, after :meth:`bind`."""


class Index(ABC):
    """What all strategies share: they follow a run and know which of its actions are still enabled."""

    push: Callable[[int], None]

    def bind(self, run: Run) -> None:
        """Follow *run* from its present state; the index is rebuilt from what is enabled."""
        self._run = run
        self._ready: Mapping[int, int] = run.state.ready
        self._offers: Mapping[int, tuple[Any, ...]] = run.state.offers
        self._clear()
        for entry in sorted([*self._ready, *self._offers]):
            self.push_offer(entry, self._tier(entry))

    @abstractmethod
    def _clear(self) -> None:
        """Empty the index and set ``push``."""

    @abstractmethod
    def push_offer(self, entry: int, tier: int) -> None:
        """Announce an action that is not a plain turn of a track."""

    def unpick(self, entry: int) -> None:
        """Put the last pick back."""
        self.push_offer(entry, self._tier(entry))

    def _tier(self, entry: int) -> int:
        offer = self._offers.get(entry)
        return offer[3] if offer else INTERNAL

    def _is_enabled(self, entry: int) -> bool:
        return entry in self._ready or entry in self._offers

    def _track(self, entry: int) -> int:
        """Return the track an enabled action is about."""
        track: int | None = self._ready.get(entry)
        return self._offers[entry][1] if track is None else track
