"""A run being driven: picks, deviations, acts by hand, snapshots to go back to, the schedule that repeats it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from bpmnsim.choices.replay import Replay, answers
from bpmnsim.choices.schedule import Schedule
from bpmnsim.choices.strategies import parts_of
from bpmnsim.engine import instances
from bpmnsim.engine.loop import Engine
from bpmnsim.engine.names import action_names
from bpmnsim.engine.outside import Outside
from bpmnsim.engine.own import private
from bpmnsim.engine.state import State
from bpmnsim.errors import BpmnSimError, ScheduleDivergence, SimulationError
from bpmnsim.simulation import by_hand
from bpmnsim.simulation.behaviors import viewer
from bpmnsim.simulation.inputs import Inputs

_EVERY = 64
"""Fewest steps between two snapshots; a large state is copied less often, so that a step always costs the same."""


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
        The answers to follow: base strategy, deviations, what was done by hand.
    snapshots
        Whether the run may be taken back.
    allow_edited
        Names that are not enabled are replaced by the nearest, or dropped.

    Attributes
    ----------
    run
        The engine.
    follower
        What it follows; holds the deviations.
    starts
        Process id -> (place, places at which a track starts).
    stimuli
        Step -> text of what was done by hand at that step.
    """

    def __init__(self, inputs: Inputs, schedule: Schedule, *, snapshots: bool, allow_edited: bool = False) -> None:
        self.inputs = inputs
        self.base = schedule.base
        strategy, self.seed = parts_of(schedule.base)
        self.starts = {inputs.program.places[place].id: (place, seeds) for place, seeds in inputs.starts}
        self.stimuli = dict(sorted(schedule.stimuli))
        self.follower = Replay(strategy, schedule, action_names, allow_edited=allow_edited)
        self._steps_by_hand = list(self.stimuli)
        self._has_future = True
        self._snapshots: list[Snapshot] | None = [] if snapshots else None
        self._next_snapshot = 0
        follows = snapshots or schedule.deviations or schedule.constraints or schedule.states
        self.run = run = Engine(
            inputs.program,
            self.follower if follows else strategy,
            Outside(inputs.scenario, inputs.program),
            view=viewer(self.seed or 0),
            untimed=inputs.time == "untimed",
        )
        run.outside.begin(run)
        for place, seeds in inputs.starts:
            instances.begin(run, place, seeds, {name: private(value, name) for name, value in inputs.data.items()})
        run.look_ahead()
        self._keep()

    # Forwards.

    def advance(self, steps: int) -> int:
        """Fire up to *steps* actions, with what was done by hand at its steps; return how many were fired."""
        run, done = self.run, 0
        while done < steps:
            state = run.state
            recorded = self.stimuli.get(state.step + 1)
            if recorded is not None:
                self._repeat(recorded)
                done += 1
            else:
                chunk = int(min(steps - done, self._next_by_hand() - 1 - state.step))
                if self._snapshots is not None:
                    chunk = min(chunk, max(self._next_snapshot - state.step, 1))
                fired = self._fire(chunk)
                done += fired
                if fired < chunk:
                    break
            self._keep()
        return done

    def _fire(self, steps: int) -> int:
        try:
            return self.run.advance(steps)
        except ScheduleDivergence:
            self.run.state.marks = self.follower.answered + 1  # the choice that diverged is still open
            raise

    def _next_by_hand(self) -> float:
        """Return the next step at which something was done by hand."""
        position = bisect_right(self._steps_by_hand, self.run.state.step)
        return self._steps_by_hand[position] if position < len(self._steps_by_hand) else float("inf")

    def choose(self, name: str) -> None:
        """Answer the next choice with *name*; what was recorded for later is dropped."""
        state = self.run.state
        self._forget_future(state.step)
        if self.run.options() > 1:
            self.follower.deviations[state.marks] = name

    def stimulate(self, cells: Mapping[str, Any], *, keep_future: bool = False) -> None:
        """Do something to the run by hand, as a step of its own; if it fails nothing has changed.

        Parameters
        ----------
        cells
            As :func:`bpmnsim.simulation.by_hand.act` returns them.
        keep_future
            Keep what was recorded for later.
        """
        self._do(cells)
        step = self.run.state.step
        if not keep_future:
            self._forget_future(step - 1)
        self.stimuli[step] = by_hand.written(cells)
        self._steps_by_hand.append(step)
        self._keep()

    def take_stimuli(self) -> list[tuple[int, str]]:
        """Return what was done by hand, with its steps, and forget it."""
        taken = list(self.stimuli.items())
        self.stimuli.clear()
        self._steps_by_hand.clear()
        return taken

    def _repeat(self, text: str) -> None:
        """Do again what was done by hand."""
        try:
            self._do(by_hand.read(text))
        except (BpmnSimError, ValueError, LookupError, TypeError) as error:
            problem = error.message if isinstance(error, BpmnSimError) else error
            raise ScheduleDivergence(
                f"step {self.run.state.step + 1}: {text!r} does not fit: {problem}{self.follower.difference()}",
                expected=text,
                enabled=action_names(self.run, self.run.enabled()),
                hint="run the model and the inputs the schedule was recorded with",
            ) from error

    def _do(self, cells: Mapping[str, Any]) -> None:
        run = self.run
        facts = len(run.facts)
        run.state.step += 1
        try:
            by_hand.apply(run, cells, self.starts)
        except Exception:
            run.state.step -= 1
            del run.facts[facts:]
            raise
        run.look_ahead()

    # Backwards.

    def goto(self, step: int) -> None:
        """Go to the state after *step* actions: backwards from the nearest snapshot, forwards by going on.

        Raises
        ------
        SimulationError
            If there is no such step; then the run is where it was.
        """
        if isinstance(step, bool) or not isinstance(step, int) or step < 0:
            raise SimulationError(f"there is no step {step!r}", hint="steps are counted from 0")
        here = self.run.state.step
        self._go(step)
        end = self.run.state.step
        if end != step:
            self._go(here)
            raise SimulationError(f"there is no step {step}: the run ends at {end}")

    def _go(self, step: int) -> None:
        if step < self.run.state.step:
            snapshots = self._snapshots
            assert snapshots is not None, "only a run that keeps snapshots goes back"
            position = bisect_right(snapshots, step, key=lambda kept: kept.state.step)
            if position == 0:
                raise SimulationError(f"step {step} lies before the checkpoint", hint="save it with facts=True")
            self._return_to(snapshots[position - 1])
        self.advance(step - self.run.state.step)

    def continue_from(self, state: State, strategy: Any, facts: list[Any] | None) -> None:
        """Continue from a saved position; without its facts there is no way back beyond it."""
        run = self.run
        run.facts[:] = facts or []
        if facts is None:
            self._snapshots = []
        self._return_to(Snapshot(state, strategy, len(run.facts)))
        self._next_snapshot = state.step
        self._keep()

    def _return_to(self, snapshot: Snapshot) -> None:
        run = self.run
        run.attach(snapshot.state.copy())
        run.strategy.load(snapshot.strategy)
        del run.facts[snapshot.facts :]
        self._has_future = True

    def _keep(self) -> None:
        """Keep a snapshot if it is time for one."""
        run, state = self.run, self.run.state
        if self._snapshots is not None and state.step >= self._next_snapshot:
            self._snapshots.append(Snapshot(state.copy(), run.strategy.save(), len(run.facts)))
            self._next_snapshot = state.step + max(_EVERY, len(state.tracks) + len(state.scopes))

    def _forget_future(self, step: int) -> None:
        """Drop everything that was recorded after *step*: something new replaces it."""
        if not self._has_future:
            return
        self._has_future = False
        self.follower.forget(self.run.state.marks)
        while self._steps_by_hand and self._steps_by_hand[-1] > step:
            del self.stimuli[self._steps_by_hand.pop()]
        snapshots = self._snapshots or []
        while snapshots and snapshots[-1].state.step > step:
            snapshots.pop()
        self._next_snapshot = min(self._next_snapshot, step + _EVERY)

    # What is left of it.

    def schedule(self) -> Schedule:
        """Return the answers given so far."""
        state = self.run.state
        deviations = self.follower.deviations.items()
        return replace(
            bound(self.inputs),
            base=self.base,
            deviations=tuple(sorted(item for item in deviations if item[0] < state.marks)),
            stimuli=tuple(sorted(item for item in self.stimuli.items() if item[0] <= state.step)),
            constraints=self.follower.held,
        )

    def require_all_used(self) -> None:
        """Refuse a schedule that has answers left when the run has ended (scheduling.md 1.6).

        Raises
        ------
        ScheduleDivergence
            If it has, or if the state was not always the recorded one.
        """
        state, follower = self.run.state, self.follower
        left = [f"{number}:{name}" for number, name in sorted(follower.deviations.items()) if number >= state.marks]
        left += [f"{step}:{text}" for step, text in sorted(self.stimuli.items()) if step > state.step]
        left += [f"{first} before {then}" for first, then in follower.held]
        if not left and follower.differed is None:
            return
        problem = f"but the schedule goes on: {', '.join(left)}" if left else "all as recorded"
        raise ScheduleDivergence(
            f"the run ended after {state.marks} choices, {problem}{follower.difference()}",
            choice=state.marks,
            expected=left[0] if left else None,
            hint="run the model and the inputs the schedule was recorded with",
        )


def bound(inputs: Inputs) -> Schedule:
    """Return an empty schedule tied to what *inputs* are."""
    model, options, given = inputs.digests
    return Schedule(model=model, options=options, inputs=given, time=inputs.time, granularity=inputs.granularity)


def drive(
    inputs: Inputs,
    seed: int | None,
    strategy: str | None,
    schedule: Schedule | Mapping[str, Any] | str | None,
    *,
    snapshots: bool,
    allow_edited: bool = False,
) -> Driver:
    """Return a driver for a run that has not begun to move."""
    given = answers(schedule, seed, strategy, bound(inputs), allow_edited=allow_edited)
    return Driver(inputs, given, snapshots=snapshots, allow_edited=allow_edited)
