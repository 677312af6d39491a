"""Replay: a base strategy with named deviations, and a loud failure at the first one that does not fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from bpmnsim.choices.schedule import Schedule
from bpmnsim.choices.strategies import Run, Strategy, strategy_of
from bpmnsim.errors import ScheduleDivergence, SimulationError, shown

Names = Callable[[Any, Sequence[int]], list[str]]


class Replay:
    """Follows a base strategy except at the choices that have a deviation.

    Parameters
    ----------
    base
        Picks at every other choice.
    deviations
        Choice number -> name of the action picked instead; more may be added while the run goes on.
    names
        Gives the names of enabled entries.
    allow_edited
        A name that is not enabled is replaced by the nearest one, or dropped, instead of failing.

    Attributes
    ----------
    last
        Entry picked last.
    remapped, dropped
        Choice number -> name as recorded, of what was replaced and of what had no counterpart.

    Examples
    --------
    >>> from bpmnsim.choices.strategies import strategy_of
    >>> Replay(strategy_of("fifo"), {}, lambda run, entries: []).name
    'fifo'
    """

    def __init__(self, base: Strategy, deviations: dict[int, str], names: Names, *, allow_edited: bool = False) -> None:
        self.base = base
        self.allow_edited = allow_edited
        self.remapped: dict[int, str] = {}
        self.dropped: dict[int, str] = {}
        self.name = base.name
        self.deviations = deviations
        self._names = names
        self.last = -1

    def bind(self, run: Run) -> None:
        """Follow *run*."""
        self._run = run
        self._answered = run.state.marks - 1
        self.base.bind(run)
        self.push = self.base.push
        self.push_offer = self.base.push_offer

    def pick(self) -> int:
        """Return the named action where there is a deviation, else what the base picks."""
        entry = self.base.pick()
        number = self._run.state.marks - 1
        wanted = self.deviations.get(number) if number > self._answered else None
        self._answered = number
        self.last = entry
        if wanted is None:
            return entry
        self.base.unpick(entry)
        entries = self._run.enabled()
        names = self._names(self._run, entries)
        if len(entries) > 1 and wanted in names:
            self.last = entries[names.index(wanted)]
            return self.last
        near = get_close_matches(wanted, names, n=1)
        if self.allow_edited:
            return self._nearest(number, wanted, near, entry, entries, names)
        raise ScheduleDivergence(
            f"choice {number}: {wanted!r} is not enabled; enabled are {', '.join(names)}",
            choice=number,
            expected=wanted,
            enabled=names,
            nearest=near[0] if near else None,
            hint=f"the nearest is {near[0]!r}" if near else None,
        )

    def _nearest(
        self, number: int, wanted: str, near: list[str], entry: int, entries: Sequence[int], names: Sequence[str]
    ) -> int:
        """Take the action most like the one recorded, else what the base picks: the model has been edited."""
        if not near:
            self.dropped[number] = wanted
            del self.deviations[number]
            return entry
        self.remapped[number] = wanted
        self.deviations[number] = near[0]
        self.last = entries[names.index(near[0])]
        return self.last

    def unpick(self, entry: int) -> None:
        """Put the last pick back."""
        self.base.unpick(entry)

    def save(self) -> Any:
        """Return what the base remembers."""
        return self.base.save()

    def load(self, saved: Any) -> None:
        """Restore what the base remembers."""
        self.base.load(saved)


def base_of(seed: int | None, strategy: str | None) -> str:
    """Return the text that names a strategy with its seed: ``"fifo"``, ``"7"``, ``"depth@7"``.

    Raises
    ------
    SimulationError
        If the seed is no whole number, or a strategy needs one and has none.

    Examples
    --------
    >>> base_of(None, None), base_of(7, None), base_of(7, "uniform"), base_of(7, "depth")
    ('fifo', '7', '7', 'depth@7')
    """
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed.bit_length() > 10_000):
        raise SimulationError(f"seed={shown(seed)} is no whole number", hint="give an int, such as seed=7")
    if strategy is not None and not isinstance(strategy, str):
        raise SimulationError(f"strategy={shown(strategy)} is no name", hint='give one, such as strategy="depth"')
    if strategy == "uniform" and seed is None:
        raise SimulationError("the uniform walk needs a seed", hint="give seed=7 as well")
    if strategy is None or strategy == "uniform":
        return "fifo" if seed is None else str(seed)
    strategy_of(strategy)
    return strategy if seed is None else f"{strategy}@{seed}"


def parts_of(base: str) -> tuple[Strategy, int | None]:
    """Return the strategy and the seed that a base names.

    Examples
    --------
    >>> parts_of("depth@7")[1], parts_of("7")[1], parts_of("fifo")[1]
    (7, 7, None)
    """
    name, _, seed = base.partition("@")
    try:
        if name.removeprefix("-").isdecimal():
            return strategy_of(name), int(name)
        return strategy_of(name), int(seed) if seed.removeprefix("-").isdecimal() else None
    except ValueError as error:  # more digits than Python reads
        raise ScheduleDivergence("the seed of the schedule is too long") from error


def answers(
    schedule: Schedule | str | None,
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
        If a schedule comes together with a seed or strategy.
    """
    if schedule is None:
        return replace(bound, base=base_of(seed, strategy))
    if seed is not None or strategy is not None:
        raise SimulationError("a schedule answers every choice", hint="leave out seed and strategy")
    given = schedule if isinstance(schedule, Schedule) else Schedule.parse(schedule)
    for name in ("model", "options", "inputs", "time", "granularity"):
        recorded, here = getattr(given, name), getattr(bound, name)
        if recorded and recorded != here and not (allow_edited and name in ("model", "inputs")):
            raise ScheduleDivergence(
                f"the schedule was recorded with another {_WORDS[name]}: {recorded}, here it is {here}",
                expected=recorded,
                hint=f"run it with the same {_WORDS[name]}",
            )
    return given


_WORDS = {
    "model": "model",
    "options": "set of options",
    "inputs": "data, scenario, behaviors or durations",
    "time": "time mode",
    "granularity": "granularity",
}
