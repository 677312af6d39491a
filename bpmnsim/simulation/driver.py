"""A run being driven: picks, deviations, acts by hand, snapshots to go back to, the schedule that repeats it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bpmnsim.choices.replay import Replay, answers
from bpmnsim.choices.schedule import Schedule
from bpmnsim.choices.strategies import Priority, parts_of
from bpmnsim.engine import instances
from bpmnsim.engine.loop import Engine
from bpmnsim.engine.names import action_names
from bpmnsim.engine.outside import Outside
from bpmnsim.engine.own import private
from bpmnsim.engine.state import State
from bpmnsim.errors import BpmnSimError, ScheduleDivergence, SimulationError, StateError, shown
from bpmnsim.facts import STRIDE
from bpmnsim.simulation import by_hand
from bpmnsim.simulation.behaviors import viewer
from bpmnsim.simulation.inputs import Inputs
from bpmnsim.simulation.snapshots import Snapshot, Snapshots


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
    acts
        What was done by hand.
    """

    def __init__(self, inputs: Inputs, schedule: Schedule, *, snapshots: bool, allow_edited: bool = False) -> None:
        self.inputs = inputs
        self.base = schedule.base
        strategy, self.seed = parts_of(schedule.base)
        if isinstance(strategy, Priority) and not allow_edited:
            strategy.require_known(name for place in inputs.program.places for name in (place.id, place.name))
        self.starts = {inputs.program.places[place].id: (place, seeds) for place, seeds in inputs.starts}
        self.acts = by_hand.Acts(schedule.stimuli)
        self.follower = Replay(strategy, schedule, action_names, allow_edited=allow_edited)
        self._has_future = True
        self._missing = 0
        self._snapshots = Snapshots(is_kept=snapshots)
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
        self._snapshots.keep(run)

    # Forwards.

    def advance(self, steps: int) -> int:
        """Fire up to *steps* actions, with what was done by hand at its steps; return how many were fired."""
        run, done = self.run, 0
        while done < steps:
            state = run.state
            recorded = self.acts.at(state.step + 1)
            if recorded is not None:
                self._repeat(recorded)
                done += 1
            else:
                until_act = self.acts.next(state.step) - 1 - state.step
                chunk = int(min(steps - done, until_act, self._snapshots.room(state.step)))
                fired = self._fire(chunk)
                done += fired
                if fired < chunk:
                    break
            self._snapshots.keep(run)
        return done

    def _fire(self, steps: int) -> int:
        try:
            return self.run.advance(steps)
        except ScheduleDivergence:
            self.run.state.marks = self.follower.answered + 1  # the choice that diverged is still open
            raise
        except BaseException:
            self._undo_half_a_step()
            raise

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
        self.acts.add(step, by_hand.written(cells))
        self._snapshots.keep(self.run)

    def _repeat(self, text: str) -> None:
        """Do again what was done by hand."""
        try:
            self._do(by_hand.read(text))
        except (BpmnSimError, AttributeError, LookupError, TypeError, ValueError) as error:
            problem = error.message if isinstance(error, BpmnSimError) else repr(error)
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
            run.settle()
        except Exception:
            run.state.step -= 1
            del run.facts[facts:]
            raise
        except BaseException:
            self._undo_half_a_step()
            raise
        run.look_ahead()

    def _undo_half_a_step(self) -> None:
        """Return to the nearest snapshot: an interrupt, such as Ctrl-C, may have come in the middle of a step."""
        snapshot = self._snapshots.nearest(self.run.state.step - 1)
        if snapshot is not None:
            self._return_to(snapshot)

    # Backwards.

    def goto(self, step: int) -> None:
        """Go to the state after *step* actions: backwards from the nearest snapshot, forwards by going on.

        Raises
        ------
        SimulationError
            If there is no such step; then the run is where it was.
        """
        if isinstance(step, bool) or not isinstance(step, int) or step < 0:
            raise SimulationError(f"there is no step {shown(step)}", hint="steps are counted from 0")
        here = self.run.state.step
        self._go(step)
        end = self.run.state.step
        if end != step:
            self._go(here)
            raise SimulationError(f"there is no step {step}: the run ends at {end}")

    def _go(self, step: int) -> None:
        if step < self.run.state.step:
            if self._snapshots.nearest(step) is None:
                self.complete_record()  # the run began at a checkpoint without facts
            snapshot = self._snapshots.nearest(step)
            assert snapshot is not None, "a run that can be taken back keeps its first state"
            self._return_to(snapshot)
        self.advance(step - self.run.state.step)

    @property
    def fact_count(self) -> int:
        """Number of facts so far, also of those that the record lacks."""
        return self._missing + len(self.run.facts) // STRIDE

    def continue_from(
        self, state: State, strategy: Any, facts: list[Any] | None, count: int, tracebacks: dict[int, str]
    ) -> None:
        """Continue from a saved position.

        Parameters
        ----------
        state, strategy, tracebacks
            As they were there.
        facts, count
            The record up to there, and how many facts it has; without it the record begins there until it is completed.
        """
        run = self.run
        run.facts[:] = facts or []
        self._return_to(Snapshot(state, strategy, len(run.facts), tracebacks))
        if facts is None:
            self._missing = count
            self._snapshots.begin_at(run)
        else:
            self._snapshots.begin_again(run)

    def complete_record(self) -> None:
        """Where the record begins at a checkpoint, make what came before by running the schedule again.

        Raises
        ------
        StateError
            If that leads to another state than the saved one.
        """
        first = self._snapshots.first()
        if not self._missing or first is None:
            return
        before = Driver(self.inputs, self.schedule(), snapshots=True)
        before.advance(first.state.step)
        if before.fact_count != self._missing or before.run.state.to_json() != first.state.to_json():
            raise StateError(
                "running the schedule again does not lead to the checkpoint",
                hint="save it with facts=True, or let behaviors return the same for the same task",
            )
        self._missing, known = 0, len(before.run.facts)
        self.run.facts[:0] = before.run.facts
        self._snapshots.put_before(before._snapshots, known)

    def _return_to(self, snapshot: Snapshot) -> None:
        run = self.run
        run.attach(snapshot.state.copy())
        run.strategy.load(snapshot.strategy)
        del run.facts[snapshot.facts :]
        run.tracebacks = snapshot.tracebacks.copy()
        self._has_future = True

    def _forget_future(self, step: int) -> None:
        """Drop everything that was recorded after *step*: something new replaces it."""
        if not self._has_future:
            return
        self._has_future = False
        self.follower.forget(self.run.state.marks)
        self.acts.forget_after(step)
        self._snapshots.forget_after(step)

    # What is left of it.

    def schedule(self) -> Schedule:
        """Return the answers given so far."""
        state = self.run.state
        deviations = self.follower.deviations.items()
        return replace(
            self.inputs.bound,
            base=self.base,
            deviations=tuple(sorted(item for item in deviations if item[0] < state.marks)),
            stimuli=tuple(item for item in self.acts.items() if item[0] <= state.step),
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
        left += [f"{step}:{text}" for step, text in self.acts.items() if step > state.step]
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
    given = answers(schedule, seed, strategy, inputs.bound, allow_edited=allow_edited)
    return Driver(inputs, given, snapshots=snapshots, allow_edited=allow_edited)
