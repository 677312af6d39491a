"""Strategies: each keeps its own index of the enabled actions and picks one of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Any, Protocol

from bpmnsim.choices.streams import stream
from bpmnsim.errors import SimulationError, did_you_mean

OUTSIDE_TIERS = 3
"""Tiers of actions besides internal ones: outside, completions due, timers due."""


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
    its tier; what has been
    withdrawn meanwhile is skipped when it is met. ``pick`` takes the action out of the index, ``unpick`` puts the
    last pick back.
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


class Fifo:
    """Oldest internal action first; then outside, completions due, timers due, each in order of appearance."""

    name = "fifo"

    def bind(self, run: Run) -> None:
        """Follow *run*."""
        self._ready: Mapping[int, int] = run.state.ready
        self._offers: Mapping[int, tuple[Any, ...]] = run.state.offers
        self._run = run
        self._inner: deque[int] = deque()
        self._outer: list[deque[int]] = [deque() for _ in range(OUTSIDE_TIERS)]
        self.push: Callable[[int], None] = self._inner.append
        for entry in sorted([*self._ready, *self._offers]):
            offer = self._offers.get(entry)
            self.push_offer(entry, offer[3] if offer else 0)

    def push_offer(self, entry: int, tier: int) -> None:
        """Announce an action that is not a plain turn of a track."""
        if tier == 0:
            self._inner.append(entry)
        else:
            self._outer[tier - 1].append(entry)

    def pick(self) -> int:
        """Return the oldest action of the lowest tier."""
        inner, ready, offers = self._inner, self._ready, self._offers
        while inner:
            entry = inner.popleft()
            if entry in ready or entry in offers:
                return entry
        for queue in self._outer:
            while queue:
                entry = queue.popleft()
                if entry in offers:
                    return entry
        raise SimulationError("nothing is enabled")

    def unpick(self, entry: int) -> None:
        """Put the last pick back where it was."""
        offer = self._offers.get(entry)
        (self._outer[offer[3] - 1] if offer and offer[3] else self._inner).appendleft(entry)

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

    def bind(self, run: Run) -> None:
        """Follow *run*."""
        super().bind(run)
        self._tracks: Mapping[int, tuple[int, ...]] = run.state.tracks
        self._last = -1

    def pick(self) -> int:
        """Return the action of the track that acted last, if it is ready."""
        at = self._tracks.get(self._last)
        entry = at[3] if at is not None and at[3] >= 0 else super().pick()
        self._last = self._ready.get(entry, -1)
        return entry

    def save(self) -> Any:
        """Return the queues and the last track."""
        return [self._last, super().save()]

    def load(self, saved: Any) -> None:
        """Restore queues and last track."""
        self._last = saved[0]
        super().load(saved[1])


class Uniform:
    """A random walk: every enabled action is equally likely (scheduling.md 1.9)."""

    def __init__(self, seed: int) -> None:
        self.name = str(seed)
        self._seed = seed

    def bind(self, run: Run) -> None:
        """Follow *run*; the random stream starts anew."""
        self._run = run
        self._ready: Mapping[int, int] = run.state.ready
        self._offers: Mapping[int, tuple[Any, ...]] = run.state.offers
        self._random = stream(self._seed, 0, "schedule").random
        self._draws = 0
        self._bag: list[int] = []
        self._due: list[int] = []
        self.push: Callable[[int], None] = self._bag.append
        for entry in sorted([*self._ready, *self._offers]):
            offer = self._offers.get(entry)
            self.push_offer(entry, offer[3] if offer else 0)

    def push_offer(self, entry: int, tier: int) -> None:
        """Announce an action that is not a plain turn of a track."""
        (self._bag if tier < 2 else self._due).append(entry)

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
        raise SimulationError("nothing is enabled")

    def unpick(self, entry: int) -> None:
        """Put the last pick back."""
        offer = self._offers.get(entry)
        self.push_offer(entry, offer[3] if offer else 0)

    def save(self) -> Any:
        """Return the bags and the number of draws."""
        return [self._bag.copy(), self._due.copy(), self._draws]

    def load(self, saved: Any) -> None:
        """Restore the bags and draw up to the saved position."""
        self._bag[:] = saved[0]
        self._due[:] = saved[1]
        self._random = stream(self._seed, 0, "schedule").random
        self._draws = saved[2]
        for _ in range(self._draws):
            self._random()


class RoundRobin(Fifo):
    """Tracks take turns in order of creation."""

    name = "round-robin"

    def bind(self, run: Run) -> None:
        """Follow *run*."""
        self._now: list[tuple[int, int]] = []
        self._next: list[tuple[int, int]] = []
        self._last = -1
        super().bind(run)
        queued, self._inner = self._inner, deque()
        self.push = self._queue
        for entry in queued:
            self._queue(entry)

    def _queue(self, entry: int) -> None:
        track = self._track(entry)
        heappush(self._now if track > self._last else self._next, (track, entry))

    def _track(self, entry: int) -> int:
        track = self._ready.get(entry)
        return self._offers[entry][1] if track is None else track

    def push_offer(self, entry: int, tier: int) -> None:
        """Announce an action that is not a plain turn of a track."""
        if tier == 0 and self.push == self._queue:
            self._queue(entry)
        else:
            super().push_offer(entry, tier)

    def pick(self) -> int:
        """Return an action of the next track after the one that acted last."""
        while self._now or self._next:
            if not self._now:
                self._now, self._next = self._next, self._now
            track, entry = heappop(self._now)
            if entry in self._ready or entry in self._offers:
                self._last = track
                return entry
        return super().pick()

    def unpick(self, entry: int) -> None:
        """Put the last pick back."""
        offer = self._offers.get(entry)
        if offer and offer[3]:
            super().unpick(entry)
        else:
            heappush(self._now, (self._track(entry), entry))

    def save(self) -> Any:
        """Return both rounds, the last track and the queues."""
        return [self._now.copy(), self._next.copy(), self._last, super().save()]

    def load(self, saved: Any) -> None:
        """Restore what :meth:`save` returned."""
        self._now = [(track, entry) for track, entry in saved[0]]
        self._next = [(track, entry) for track, entry in saved[1]]
        self._last = saved[2]
        super().load(saved[3])


class Priority(Fifo):
    """Actions on the listed elements first, in the order of the list; the rest as fifo."""

    def __init__(self, elements: Sequence[str]) -> None:
        self.name = f"priority({','.join(elements)})"
        self._ranks = {element: rank for rank, element in enumerate(elements)}

    def bind(self, run: Run) -> None:
        """Follow *run*."""
        self._heap: list[tuple[int, int]] = []
        self._places = run.program.places
        self._tracks = run.state.tracks
        super().bind(run)
        self.push = self._announce

    def _announce(self, entry: int) -> None:
        track = self._ready.get(entry)
        if track is None:
            track = self._offers[entry][1]
        place = self._tracks[track][0] if track in self._tracks else -1
        rank = self._ranks.get(self._places[place].id) if place >= 0 else None
        if rank is None:
            super().push_offer(entry, 0)
        else:
            heappush(self._heap, (rank, entry))

    def push_offer(self, entry: int, tier: int) -> None:
        """Announce an action that is not a plain turn of a track."""
        if tier == 0:
            self._announce(entry)
        else:
            super().push_offer(entry, tier)

    def pick(self) -> int:
        """Return the action with the best rank."""
        while self._heap:
            _, entry = heappop(self._heap)
            if entry in self._ready or entry in self._offers:
                return entry
        return super().pick()

    def unpick(self, entry: int) -> None:
        """Put the last pick back."""
        offer = self._offers.get(entry)
        if offer and offer[3]:
            super().unpick(entry)
        else:
            self._announce(entry)

    def save(self) -> Any:
        """Return the heap and the queues."""
        return [self._heap.copy(), super().save()]

    def load(self, saved: Any) -> None:
        """Restore what :meth:`save` returned."""
        self._heap = [(rank, entry) for rank, entry in saved[0]]
        super().load(saved[1])


def strategy_of(spec: str) -> Strategy:
    """Return the strategy that *spec* names: fifo, depth, round-robin, priority(a,b), or a seed as text.

    Raises
    ------
    SimulationError
        If no strategy has this name.

    Examples
    --------
    >>> strategy_of("depth").name
    'depth'
    >>> strategy_of("7").name
    '7'
    """
    simple: dict[str, Callable[[], Strategy]] = {"fifo": Fifo, "depth": Depth, "round-robin": RoundRobin}
    if spec in simple:
        return simple[spec]()
    if spec.startswith("priority(") and spec.endswith(")"):
        return Priority([part for part in spec[9:-1].split(",") if part])
    if spec.removeprefix("-").isdecimal():
        return Uniform(int(spec))
    known = [*simple, "priority(first,second)", "uniform"]
    raise SimulationError(
        f"there is no strategy {spec!r}", hint=did_you_mean(spec, known) or f"use one of {', '.join(known)}"
    )
