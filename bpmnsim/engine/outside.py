"""The outside world as a run meets it: who completes work, which messages and signals arrive, and when.

What the scenario lists goes first; in an open scenario the rest comes by itself, one delivery per wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bpmnsim.choices.scenario import Scenario, Stimulus
from bpmnsim.choices.strategies.base import OUTSIDE, TIMER
from bpmnsim.engine import clock, values
from bpmnsim.engine.own import private
from bpmnsim.engine.requests import Offer
from bpmnsim.engine.waits import COMPLETE, DELIVER
from bpmnsim.errors import NoSuchTask, StateError
from bpmnsim.facts import NOBODY, Fact

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine
    from bpmnsim.engine.program import Operation, Program

_WORK = ("complete", "fail")


class Outside:
    """Applies a scenario to a run.

    Parameters
    ----------
    scenario
        What happens outside.
    program
        To find the places that stimuli name.
    """

    def __init__(self, scenario: Scenario, program: Program) -> None:
        self.scenario = scenario
        self.program = program
        self.stimuli = scenario.stimuli
        self.after: dict[int, list[int]] = {}
        for number, stimulus in enumerate(self.stimuli):
            if stimulus.after is not None:
                self.after.setdefault(program.index[stimulus.after], []).append(number)

    def begin(self, run: Engine) -> None:
        """Arm what happens at a given time; what has no condition is available at once."""
        for number, stimulus in enumerate(self.stimuli):
            if stimulus.after is None:
                if stimulus.at is not None or stimulus.kind in ("set", "signal"):
                    self._arm(run, number, stimulus.at or 0.0)
                elif stimulus.kind in _WORK:
                    run.waits.keep(number)
                else:
                    run.waits.post(stimulus.target, stimulus.key, _pairs(stimulus))

    def _arm(self, run: Engine, number: int, delay: float) -> None:
        timer = run.state.next_timer
        run.state.next_timer += 1
        what = f"{self.stimuli[number].kind}#{number}"
        run.state.timers[timer] = (run.state.now + delay, TIMER, NOBODY, what)
        clock.schedule(run, timer)

    def watch(self, operations: Sequence[Operation]) -> list[Operation]:
        """Return the operations with those wrapped that a stimulus waits for."""
        watched = list(operations)
        for place, numbers in self.after.items():
            watched[place] = self._watched(watched[place], place, numbers)
        return watched

    def _watched(self, operation: Operation, place: int, numbers: list[int]) -> Operation:
        def watching(run: Engine, track: int, scope: int, flow: int) -> None:
            operation(run, track, scope, flow)
            if place not in run.state.visited:
                run.state.visited[place] = 1
                for number in numbers:
                    self._arm(run, number, 0.0)

        return watching

    def target_of(self, what: str) -> str:
        """Return what a timed stimulus is aimed at."""
        return self.stimuli[int(what.partition("#")[2])].target

    def meant_for(self, number: int) -> tuple[int, int | None]:
        """Return place and member of the work that a stimulus completes."""
        stimulus = self.stimuli[number]
        return self.program.index[stimulus.target], stimulus.member

    # Waits.

    def await_(self, run: Engine, track: int, place: int, scope: int, request: Offer) -> Any:
        """Register a wait; return the reply at once where something is there already, else ``None``."""
        body_of = self.program.body_of[place]
        home = place if body_of == NOBODY else body_of
        run.waits.arm(track, home, scope, request)
        if request.verb == DELIVER:
            reply = run.waits.collect(track)
            if reply is not None:
                place, scope, _, _ = run.state.tracks[track]
                run.record((Fact.WAIT, run.state.step, track, place, scope, NOBODY, request.what))
                clock.withdraw(run, track, "delivered")
                run.record((Fact.READY, run.state.step, track, place, scope, NOBODY, DELIVER))
                return reply
        else:
            number = run.waits.take(home, run.state.waits[track][4])
            if number != NOBODY:
                clock.offer(run, track, COMPLETE, ("stimulus", number), OUTSIDE)
                return None
        if self.scenario.is_open:
            clock.offer(run, track, request.verb, ("delivered", (), None), OUTSIDE)
        return None

    def reply(self, payload: tuple[Any, ...]) -> Any:
        """Return what a track is resumed with when an offer with this payload fires."""
        if payload[0] == "stimulus":
            return _delivery(self.stimuli[payload[1]])
        return payload

    def open_delivery(self, run: Engine, track: int, reply: tuple[Any, ...]) -> None:
        """Let a message arrive for this wait, or for the lowest of those that nothing tells from it (ITER-M-02)."""
        receiver = run.waits.first_alike(track)
        deliver(run, receiver, reply)
        if receiver != track and track in run.state.waits:
            clock.offer(run, track, DELIVER, reply, OUTSIDE)

    # What happens.

    def happen(self, run: Engine, what: str) -> None:
        """Let the stimulus that a timer stands for happen now."""
        number = int(what.partition("#")[2])
        stimulus = self.stimuli[number]
        if stimulus.kind in _WORK and run.waits.worker(self.program.index[stimulus.target], stimulus.member) == NOBODY:
            run.waits.keep(number)
        elif run.state.scopes or stimulus.kind != "set":
            self.apply(run, stimulus)

    def apply(self, run: Engine, stimulus: Stimulus) -> None:
        """Apply a stimulus: change a value, complete work, deliver a message or buffer it, broadcast a signal.

        Raises
        ------
        NoSuchTask
            If the work it completes is not open (ITER-U-03).
        """
        if stimulus.kind == "set":
            for name, value in stimulus.values:
                set_value(run, name, value)
        elif stimulus.kind == "signal":
            for track in run.waits.receivers(DELIVER, stimulus.target):
                deliver(run, track, _delivery(stimulus))
        elif stimulus.kind == "message":
            track = run.waits.addressee(stimulus.target, stimulus.key, stimulus.values)
            if track == NOBODY:
                run.waits.post(stimulus.target, stimulus.key, _pairs(stimulus))
            else:
                deliver(run, track, _delivery(stimulus))
        else:
            self._complete(run, stimulus)

    def _complete(self, run: Engine, stimulus: Stimulus) -> None:
        place = self.program.index[stimulus.target]
        track = run.waits.worker(place, stimulus.member)
        if track == NOBODY:
            which = "" if stimulus.member is None else f" number {stimulus.member}"
            raise NoSuchTask(
                f"no open work{which} of this element",
                element_id=stimulus.target,
                hint="Simulation.why says what is open",
            )
        deliver(run, track, _delivery(stimulus))


def _pairs(stimulus: Stimulus) -> tuple[tuple[str, Any], ...]:
    return tuple((name, private(value, name)) for name, value in stimulus.values)


def _delivery(stimulus: Stimulus) -> tuple[Any, ...]:
    error = ("error", stimulus.error) if stimulus.kind == "fail" else None
    return ("delivered", _pairs(stimulus), error)


def deliver(run: Engine, track: int, reply: tuple[Any, ...]) -> None:
    """Resume a waiting track with what has come for it."""
    place, scope, _, _ = run.state.tracks[track]
    verb = run.state.waits[track][0]
    flag = run.waits.flag(track)
    if flag:
        run.record((Fact.REPORT, run.state.step, track, place, scope, "Wait Flagged", ((flag, True),)))
    clock.withdraw(run, track, "delivered")
    run.state.inbox[track] = reply
    run.record((Fact.READY, run.state.step, track, place, scope, NOBODY, verb))
    run.turn(track)


def set_value(run: Engine, name: str, value: Any, scope: int | None = None) -> None:
    """Change a value from outside; without a scope in the first running process instance.

    Raises
    ------
    StateError
        If no process instance is running.
    """
    if scope is None:
        scope = next((root for root, entry in run.state.scopes.items() if entry[0] == NOBODY), None)
        if scope is None:
            raise StateError("no process instance is running", hint="go back with back() or goto()")
    values.commit(run, NOBODY, run.state.scopes[scope][2], scope, ((name, private(value, name)),))
