"""A run being driven: picks, deviations, stimuli by hand, snapshots to go back to, the schedule that repeats it."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from bpmnsim.choices.points import kind_of
from bpmnsim.choices.replay import Replay, answers, parts_of
from bpmnsim.choices.scenario import Stimulus
from bpmnsim.choices.schedule import Schedule
from bpmnsim.engine import incidents, instances
from bpmnsim.engine.footprints import Resource, difference
from bpmnsim.engine.loop import Engine
from bpmnsim.engine.names import action_names
from bpmnsim.engine.outside import Outside, set_value
from bpmnsim.engine.own import private
from bpmnsim.engine.state import State
from bpmnsim.errors import BpmnSimError, ScheduleDivergence, SimulationError
from bpmnsim.plain import from_plain
from bpmnsim.simulation.behaviors import viewer
from bpmnsim.simulation.inputs import Inputs
from bpmnsim.simulation.outcomes import outcome_of, record_of, stuck_tokens
from bpmnsim.trace.causality import Thing
from bpmnsim.trace.trace import ChoiceRow, Trace

_EVERY = 64
"""Fewest steps between two snapshots; a large state is copied less often, so that a step always costs the same."""

_OPERATOR = {"retry": incidents.retry, "resolve": incidents.resolve, "drop": incidents.drop}


class Snapshot(NamedTuple):
    """Where a run stood: state, what the strategy remembers, number of cells of facts."""

    state: State
    strategy: Any
    facts: int


class Driver:
    """Drives one run.

    Parameters
    ----------
    inputs
        What the run is given.
    schedule
        The answers to follow: base strategy, deviations, stimuli.
    snapshots
        Whether the run may be taken back.

    Attributes
    ----------
    run
        The engine.
    deviations
        Choice number -> name picked instead of what the base would pick.
    startable
        Process id -> (place, places at which a track starts).
    stimuli
        Step -> what was done by hand at that step, as JSON text.
    """

    def __init__(self, inputs: Inputs, schedule: Schedule, *, snapshots: bool, allow_edited: bool = False) -> None:
        self.inputs = inputs
        self.base = schedule.base
        strategy, self.seed = parts_of(schedule.base)
        self.startable = {inputs.program.places[place].id: (place, seeds) for place, seeds in inputs.starts}
        self.deviations = dict(sorted(schedule.deviations))
        self.stimuli: dict[int, str] = dict(schedule.stimuli)
        self._by_hand = sorted(self.stimuli)
        self._snapshots: dict[int, Snapshot] | None = {} if snapshots else None
        self._next_snapshot = 0
        self.follower = Replay(strategy, self.deviations, action_names, allow_edited=allow_edited)
        self.run = Engine(
            inputs.program,
            self.follower if snapshots or self.deviations else strategy,
            Outside(inputs.scenario, inputs.program),
            view=viewer(self.seed or 0),
            untimed=inputs.time == "untimed",
        )
        self.run.outside.begin(self.run)
        for place, seeds in inputs.starts:
            instances.begin(self.run, place, seeds, {name: private(value, name) for name, value in inputs.data.items()})
        self._keep()

    # Forwards.

    def advance(self, steps: int) -> int:
        """Fire up to *steps* actions, with recorded stimuli at their steps; return how many were fired."""
        run, done = self.run, 0
        while done < steps:
            state = run.state
            due = self.stimuli.get(state.step + 1)
            if due is not None:
                self._apply(json.loads(due))
                done += 1
            else:
                chunk = int(min(steps - done, self._following() - 1 - state.step))
                if self._snapshots is not None:
                    chunk = min(chunk, max(self._next_snapshot - state.step, 1))
                fired = run.advance(chunk)
                done += fired
                if fired < chunk:
                    break
            self._keep()
        return done

    def _following(self) -> float:
        """Return the next step at which something was done by hand."""
        position = bisect_right(self._by_hand, self.run.state.step)
        return self._by_hand[position] if position < len(self._by_hand) else float("inf")

    def choose(self, name: str) -> None:
        """Answer the next choice with *name*; what was recorded for later is dropped."""
        self._forget_future()
        if self.run.options() > 1:
            self.deviations[self.run.state.marks] = name

    def stimulate(self, cells: dict[str, Any]) -> None:
        """Do something to the run by hand, as a step of its own; if it fails nothing has changed."""
        run = self.run
        facts = len(run.facts)
        self._forget_future()
        try:
            self._apply(cells)
        except BpmnSimError:
            run.state.step -= 1
            del run.facts[facts:]
            raise
        self.stimuli[run.state.step] = json.dumps(cells, sort_keys=True, ensure_ascii=False)
        self._by_hand.append(run.state.step)
        self._keep()

    def _apply(self, cells: dict[str, Any]) -> None:
        run = self.run
        run.enabled_any()  # whoever acts by hand may have looked at what is due, and looking must change nothing
        run.state.step += 1
        kind, target = cells["kind"], cells["target"]
        if kind in _OPERATOR:
            _OPERATOR[kind](run, int(target))
        elif kind == "cancel":
            instances.cancel(run)
        elif kind == "start":
            instances.begin(run, *self.startable[target], from_plain(cells.get("values", {"dict": []})))
        elif kind == "set":
            values = from_plain(cells["values"])
            set_value(run, target, values[target], run.scope_at(cells["scope"]) if "scope" in cells else None)
        else:
            values = tuple(from_plain(cells["values"]).items()) if "values" in cells else ()
            extra = {name: from_plain(cells[name]) for name in ("member", "key", "error") if name in cells}
            stimulus = Stimulus(kind, target, values, **extra)
            run.outside.apply(run, stimulus)

    # Backwards.

    def goto(self, step: int) -> None:
        """Go to the state after *step* actions: backwards from the nearest snapshot, forwards by going on.

        Raises
        ------
        SimulationError
            If there is no such step.
        """
        if step < 0:
            raise SimulationError(f"there is no step {step}", hint="steps are counted from 0")
        run = self.run
        if step < run.state.step:
            assert self._snapshots is not None, "an interactive run keeps snapshots"
            nearest = max((kept for kept in self._snapshots if kept <= step), default=None)
            if nearest is None:
                raise SimulationError(f"step {step} lies before the checkpoint", hint="checkpoint with facts=True")
            self._return_to(self._snapshots[nearest])
        self.advance(step - run.state.step)
        if run.state.step != step:
            raise SimulationError(f"there is no step {step}: the run ends at {run.state.step}")

    def continue_from(self, state: State, strategy: Any, facts: list[Any] | None) -> None:
        """Continue from a saved position; without its facts there is no way back beyond it."""
        run = self.run
        if facts is None:
            run.facts.clear()
            self._snapshots = {}
        else:
            run.facts[:] = facts
        self._return_to(Snapshot(state, strategy, len(run.facts)))

    def _return_to(self, snapshot: Snapshot) -> None:
        run = self.run
        run.attach(snapshot.state.copy())
        self._next_snapshot = max(self._snapshots or {}, default=run.state.step) + _EVERY
        run.strategy.load(snapshot.strategy)
        del run.facts[snapshot.facts :]

    def _keep(self) -> None:
        run = self.run
        state = run.state
        if self._snapshots is not None and state.step >= self._next_snapshot:
            self._snapshots[state.step] = Snapshot(state.copy(), run.strategy.save(), len(run.facts))
            self._next_snapshot = state.step + max(_EVERY, len(state.tracks) + len(state.scopes))

    def _forget_future(self) -> None:
        """Drop everything that was recorded for later: a new pick replaces it."""
        state = self.run.state
        while self._by_hand and self._by_hand[-1] > state.step:
            del self.stimuli[self._by_hand.pop()]
        for recorded, now in ((self.deviations, state.marks - 1), (self._snapshots or {}, state.step)):
            while recorded and next(reversed(recorded)) > now:
                recorded.popitem()

    # What it looks like.

    def schedule(self) -> Schedule:
        """Return the answers given so far."""
        state = self.run.state
        return replace(
            bound(self.inputs),
            base=self.base,
            deviations=tuple(sorted(item for item in self.deviations.items() if item[0] < state.marks)),
            stimuli=tuple(sorted(item for item in self.stimuli.items() if item[0] <= state.step)),
        )

    def trace(self) -> Trace:
        """Return the run so far as a trace."""
        run = self.run
        ended = outcome_of(run, at_limit=bool(run.enabled()))
        return Trace(
            self.inputs.model,
            record_of(run),
            outcome=ended,
            stuck=() if ended in ("completed", "terminated") else stuck_tokens(run, ended),
            schedule=self.schedule(),
            seed=self.seed,
            steps=run.state.step,
            time=run.state.now,
            values=instances.final_values(run),
            replay=Choices(self.inputs, self.schedule(), run.state.step),
            footprints=Footprints(self.inputs, self.schedule(), run.state.step),
            replayed=self._replayed(),
        )

    def _replayed(self) -> str:
        """Say in words what became of a schedule that was replayed on an edited model."""
        follower = self.follower
        if not follower.allow_edited:
            return ""
        total = len(self.deviations) + len(follower.dropped)
        followed = len(self.deviations) - len(follower.remapped)
        return (
            f"replayed {followed}/{total} choices, {len(follower.remapped)} re-mapped, {len(follower.dropped)} dropped"
        )

    def require_all_used(self) -> None:
        """Refuse a schedule that has answers left when the run has ended (scheduling.md 1.6)."""
        state = self.run.state
        left = [f"{number}:{name}" for number, name in sorted(self.deviations.items()) if number >= state.marks]
        left += [f"{step}:{text}" for step, text in sorted(self.stimuli.items()) if step > state.step]
        if left:
            raise ScheduleDivergence(
                f"the run ended after {state.marks} choices, but the schedule goes on: {', '.join(left)}",
                choice=state.marks,
                expected=left[0],
                hint="run the model the schedule was recorded with",
            )


@dataclass(frozen=True, slots=True)
class Choices:
    """Runs a schedule again and lists what was open at every choice."""

    inputs: Inputs
    answers: Schedule
    steps: int

    def __call__(self) -> list[ChoiceRow]:
        """Return one row per choice."""
        driver = Driver(self.inputs, self.answers, snapshots=True)
        rows: list[ChoiceRow] = []
        for _ in range(self.steps):
            run = driver.run
            entries = run.enabled()
            step, number, time = run.state.step + 1, run.state.marks, run.state.now
            if len(entries) < 2 or step in driver.stimuli:
                driver.advance(1)
                continue
            names = action_names(run, entries)
            kind = kind_of(run.kind_of(entry) for entry in entries)
            driver.advance(1)
            picked = names[entries.index(driver.follower.last)]
            rows.append(ChoiceRow(number, step, time, str(kind), tuple(names), picked, driver.base))
        return rows


@dataclass(frozen=True, slots=True)
class Footprints:
    """Runs a schedule again and measures what every step reads and writes."""

    inputs: Inputs
    answers: Schedule
    steps: int

    def __call__(self) -> list[tuple[int, list[Thing], list[Thing]]]:
        """Return step, what it reads or appends to, what it writes or cancels, for every step."""
        driver = Driver(self.inputs, self.answers, snapshots=True)
        run = driver.run
        rows = []
        for _ in range(self.steps):
            before, run.touched = run.state.copy(), {}
            driver.advance(1)
            found = difference(before, run.state, run.touched)
            rows.append((run.state.step, _things(found.reads | found.appends), _things(found.writes | found.cancels)))
        return rows


_KINDS = {"data": "data", "mail": "message", "clock": "time"} | dict.fromkeys(
    ("members", "activations", "drains", "staged", "subscriptions"), "scope"
)


def _things(resources: Iterable[Resource]) -> list[Thing]:
    """Return resources as traces name them, in a stable order."""
    return [(_KINDS.get(resource[0], "token"), resource) for resource in sorted(resources, key=repr)]


def bound(inputs: Inputs) -> Schedule:
    """Return an empty schedule tied to what *inputs* are."""
    model, options, given = inputs.digests
    return Schedule(model=model, options=options, inputs=given, time=inputs.time, granularity=inputs.granularity)


def drive(
    inputs: Inputs,
    seed: int | None,
    strategy: str | None,
    schedule: Schedule | str | None,
    *,
    snapshots: bool,
    allow_edited: bool = False,
) -> Driver:
    """Return a driver for a run that has not begun to move."""
    given = answers(schedule, seed, strategy, bound(inputs), allow_edited=allow_edited)
    return Driver(inputs, given, snapshots=snapshots, allow_edited=allow_edited)
