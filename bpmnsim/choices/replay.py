"""Replay: a base strategy with named deviations, and a loud failure at the first one that does not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from hashlib import blake2b
from typing import Any

from bpmnsim.choices.schedule import Schedule
from bpmnsim.choices.strategies import Run, Strategy, base_of
from bpmnsim.errors import ScheduleDivergence, SimulationError

Names = Callable[[Any, Sequence[int]], list[str]]
_SHOWN = 12
"""Most enabled names that a message lists."""


class Replay:
    """Follows a base strategy except where a schedule says otherwise.

    Parameters
    ----------
    base
        Picks at every other choice.
    schedule
        Its deviations, constraints and states are followed, held and compared.
    names
        Gives the names of enabled entries.
    allow_edited
        A name that is not enabled is replaced by the nearest one, or dropped, instead of failing.

    Attributes
    ----------
    deviations
        Choice number -> name of the action picked instead of the base's; more may be added while the run goes on, and
        one that the base picks by itself is forgotten.
    held
        Constraints still open: pairs of a name that has not happened yet, and a name that is held back until then.
    differed
        First choice at which the state was not the recorded one, ``None`` where all were.
    states
        Choice number -> digest of the recorded state there.
    answered
        Number of the last choice that has been answered.
    last
        Entry picked last.
    followed, remapped
        How many deviations were followed as recorded, and how many by the nearest name.

    Notes
    -----
    ``scheduling.md`` 1.2 and 1.6.
    """

    def __init__(self, base: Strategy, schedule: Schedule, names: Names, *, allow_edited: bool = False) -> None:
        self.base = base
        self.name = base.name
        self.deviations = dict(sorted(schedule.deviations))
        self.held = schedule.constraints
        self.differed: int | None = None
        self.last = -1
        self.followed = self.remapped = 0
        self.states = dict(schedule.states)
        self._names = names
        self._allow_edited = allow_edited

    def bind(self, run: Run) -> None:
        """Follow *run*."""
        self._run = run
        self.answered = run.state.marks - 1
        self.base.bind(run)
        self.push = self.base.push
        self.push_offer = self.base.push_offer

    def pick(self) -> int:
        """Return the named action where there is a deviation, else what the base picks and no constraint holds back."""
        entry = self.base.pick()
        number = self._run.state.marks - 1
        is_choice = number > self.answered
        wanted = self.deviations.get(number) if is_choice else None
        if is_choice and number in self.states:
            self._compare(number)
        if wanted is None and not self.held:
            self.answered, self.last = number, entry
            return entry
        entries = self._run.enabled()
        names = self._names(self._run, entries)
        usual = names[entries.index(entry)]
        try:
            name = self._unheld(number, usual, names) if wanted is None else self._named(number, wanted, usual, names)
        except ScheduleDivergence:
            self.base.unpick(entry)
            raise
        self.answered = number
        self.held = tuple(pair for pair in self.held if _plain(pair[0]) != _plain(name))
        if name == usual:
            self.deviations.pop(number, None)
            self.last = entry
        else:
            self.base.unpick(entry)
            self.deviations[number] = name
            self.last = entries[names.index(name)]
        return self.last

    def forget(self, number: int) -> None:
        """Forget what was recorded for the choices from *number* on."""
        for recorded in (self.deviations, self.states):
            for later in [each for each in recorded if each >= number]:
                del recorded[later]

    def _compare(self, number: int) -> None:
        if self.differed is None and state_digest(self._run.state) != self.states[number]:
            self.differed = number

    def _named(self, number: int, wanted: str, usual: str, names: Sequence[str]) -> str:
        """Return the name to follow for a deviation."""
        if wanted in names:
            self.followed += 1
            return wanted
        near = get_close_matches(wanted, names, n=1)
        if not self._allow_edited:
            raise self._divergence(f"{wanted!r} is not enabled", number, wanted, names, near)
        self.remapped += bool(near)
        return near[0] if near else usual

    def _unheld(self, number: int, usual: str, names: Sequence[str]) -> str:
        """Return what the base picks, or the oldest action, if no constraint holds it back."""
        back = {_plain(then): first for first, then in self.held}
        for name in (usual, *names):
            if _plain(name) not in back:
                return name
        first = back[_plain(usual)]
        raise self._divergence(f"everything is held back, {usual!r} until {first!r}", number, first, names, near=[])

    def _divergence(
        self, problem: str, number: int, wanted: str, names: Sequence[str], near: Sequence[str]
    ) -> ScheduleDivergence:
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        return ScheduleDivergence(
            f"choice {number}: {problem}; enabled are {', '.join(names[:_SHOWN])}{more}{self.difference()}",
            choice=number,
            expected=wanted,
            enabled=names,
            nearest=near[0] if near else None,
            hint=f"the nearest is {near[0]!r}" if near else None,
        )

    def difference(self) -> str:
        """Return in words where the state first differed from the recorded one; empty where that is not known."""
        return "" if self.differed is None else f"; the state differed first at choice {self.differed}"

    def unpick(self, entry: int) -> None:
        """Put the last pick back."""
        self.base.unpick(entry)

    def save(self) -> Any:
        """Return what the base remembers, and what is still held back."""
        return [self.base.save(), [list(pair) for pair in self.held]]

    def load(self, saved: Any) -> None:
        """Restore what :meth:`save` returned."""
        self.base.load(saved[0])
        self.held = tuple((first, then) for first, then in saved[1])


def _plain(name: str) -> str:
    """Return the name of an action without the number that tells equal ones apart."""
    return name.partition("#")[0]


def state_digest(state: Any) -> str:
    """Return four hex digits that tell most states apart, the same on every machine."""
    return blake2b(repr(state.key()).encode(), digest_size=2).hexdigest()


def answers(
    schedule: Schedule | Mapping[str, Any] | str | None,
    seed: int | None,
    strategy: str | None,
    bound: Schedule,
    *,
    allow_edited: bool = False,
) -> Schedule:
    """Return the schedule to follow, checked against what it is *bound* to.

    Raises
    ------
    ScheduleDivergence
        If it was recorded for another model, other options or inputs.
    SimulationError
        If a schedule comes together with a seed or strategy, or is none.
    """
    if schedule is None:
        base = base_of(seed, strategy)
        return bound if base == bound.base else replace(bound, base=base)
    if seed is not None or strategy is not None:
        raise SimulationError("a schedule answers every choice", hint="leave out seed and strategy")
    given = _read(schedule)
    for name, words in _WORDS.items():
        recorded, here = getattr(given, name), getattr(bound, name)
        if recorded and recorded != here and not (allow_edited and name in ("model", "inputs")):
            more = "; allow_edited=True replays what still fits" if name in ("model", "inputs") else ""
            raise ScheduleDivergence(
                f"the schedule was recorded with another {words}: {recorded}, here it is {here}",
                expected=recorded,
                hint=f"run it with the same {words}{more}",
            )
    return given


def _read(schedule: Schedule | Mapping[str, Any] | str) -> Schedule:
    if isinstance(schedule, Schedule):
        return schedule
    if isinstance(schedule, str):
        return Schedule.parse(schedule)
    if isinstance(schedule, Mapping):
        return Schedule.from_json(schedule)
    raise SimulationError(
        f"schedule= takes a schedule, not {type(schedule).__name__}", hint="such as trace.schedule, or its text"
    )


_WORDS = {
    "model": "model",
    "options": "set of options",
    "inputs": "data, scenario, behaviors or durations",
    "time": "time mode",
    "granularity": "granularity",
}
