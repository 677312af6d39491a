"""The trace of a run, and what it tells by running its schedule again: choices, footprints, a full recording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from bpmnsim.choices.points import kind_of
from bpmnsim.choices.replay import state_digest
from bpmnsim.choices.schedule import Schedule
from bpmnsim.engine import instances
from bpmnsim.engine.footprints import Resource, difference
from bpmnsim.engine.names import action_names
from bpmnsim.engine.own import private
from bpmnsim.simulation.driver import Driver
from bpmnsim.simulation.inputs import Inputs
from bpmnsim.simulation.outcomes import outcome_of, record_of, stuck_tokens
from bpmnsim.trace.causality import Thing
from bpmnsim.trace.trace import ChoiceRow, Trace

_KINDS = {"data": "data", "mail": "message", "clock": "time"} | dict.fromkeys(
    ("members", "activations", "staged", "subscriptions"), "scope"
)
"""Table of a resource -> kind of thing that a trace shows it as; everything else belongs to a token."""


def trace_of(driver: Driver, *, replayed: str = "") -> Trace:
    """Return the run so far as a trace.

    Parameters
    ----------
    replayed
        What became of a schedule that was replayed on an edited model.
    """
    driver.complete_record()
    run = driver.run
    ended = outcome_of(run, at_limit=run.enabled_any())
    rerun = Rerun(driver.inputs, driver.schedule(), run.state.step)
    return Trace(
        driver.inputs.model,
        record_of(run),
        outcome=ended,
        stuck=() if ended in ("completed", "terminated") else stuck_tokens(run, ended),
        schedule=rerun.answers,
        seed=driver.seed,
        steps=run.state.step,
        time=run.state.now,
        values=private(instances.final_values(run), "values"),
        replay=rerun.choices,
        footprints=rerun.footprints,
        recording=rerun.recording,
        replayed=replayed,
    )


@dataclass(frozen=True, slots=True)
class Rerun:
    """Runs a schedule again.

    Attributes
    ----------
    inputs, answers
        What the run was given, and its schedule.
    steps
        Number of actions it fired.
    """

    inputs: Inputs
    answers: Schedule
    steps: int

    def choices(self) -> list[ChoiceRow]:
        """Return one row per choice."""
        return list(self._choices(Driver(self.inputs, self.answers, snapshots=True)))

    def _choices(self, driver: Driver) -> Iterator[ChoiceRow]:
        """Advance *driver* and yield every choice when it has been made."""
        run = driver.run
        while run.state.step < self.steps:
            entries = run.enabled()
            step, number, time = run.state.step + 1, run.state.marks, run.state.now
            if len(entries) < 2 or driver.acts.at(step) is not None:
                driver.advance(1)
                continue
            names = tuple(action_names(run, entries))
            kind = kind_of(run.kind_of(entry) for entry in entries)
            driver.advance(1)
            picked = names[entries.index(driver.follower.last)]
            yield ChoiceRow(number, step, time, str(kind), names, picked, driver.base)

    def footprints(self) -> list[tuple[int, list[Thing], list[Thing]]]:
        """Return step, what it reads or appends to, what it writes or cancels, for every step."""
        driver = Driver(self.inputs, self.answers, snapshots=True)
        run, rows = driver.run, []
        while run.state.step < self.steps:
            before, run.touched = run.state.copy(), {}
            driver.advance(1)
            found = difference(before, run.state, run.touched)
            rows.append((run.state.step, _things(found.reads | found.appends), _things(found.writes | found.cancels)))
        return rows

    def recording(self) -> Schedule:
        """Return the schedule in full: fifo with every other pick named, and the state at every choice."""
        driver = Driver(self.inputs, self.answers, snapshots=True)
        run, picks, states = driver.run, [], []
        while run.state.step < self.steps:
            entries, number, digest = run.enabled(), run.state.marks, state_digest(run.state)
            names = action_names(run, entries)
            driver.advance(1)
            if run.state.marks > number:
                picks.append((number, names[entries.index(driver.follower.last)]))
                states.append((number, digest))
        base = "fifo" if driver.seed is None else f"fifo@{driver.seed}"
        named = replace(self.answers, base=base, deviations=tuple(picks), constraints=())
        again = Driver(self.inputs, named, snapshots=True)
        again.advance(self.steps)
        return replace(again.schedule(), states=tuple(states))


def _things(resources: Iterable[Resource]) -> list[Thing]:
    """Return resources as traces name them, in a stable order."""
    return [(_KINDS.get(resource[0], "token"), resource) for resource in sorted(resources, key=repr)]
