"""The outside world as a run meets it: who completes work, which messages and signals arrive, and when.

A wait is registered before anything can be delivered to it (core.md TRK-09). What the scenario lists goes first; in
an open scenario the rest comes
by itself, one delivery per wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bpmnsim.choices.scenario import Scenario, Stimulus
from bpmnsim.engine import clock, values
from bpmnsim.engine.plain import private
from bpmnsim.engine.requests import Offer
from bpmnsim.engine.work import instance_of
from bpmnsim.errors import NoSuchTask, StateError
from bpmnsim.facts import NOBODY, Fact

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine
    from bpmnsim.engine.program import Operation, Program

_DELIVERS = {"complete": "complete", "fail": "complete", "message": "deliver", "signal": "deliver"}


class Outside:
    """Applies a scenario to a run.

    Parameters
    ----------
    scenario
        What happens outside.
    program
        To find the places that stimuli name.

    Attributes
    ----------
    waiting
        (verb, place or name) -> {track: member} of the tracks that wait, in arming order.
    """

    def __init__(self, scenario: Scenario, program: Program) -> None:
        self.scenario = scenario
        self.program = program
        self.stimuli = scenario.stimuli
        self.targets = [self._target(stimulus) for stimulus in self.stimuli]
        self.after = {
            program.index[stimulus.after]: None for stimulus in self.stimuli if stimulus.after in program.index
        }

    def _target(self, stimulus: Stimulus) -> Any:
        if stimulus.kind in ("complete", "fail"):
            return self.program.index[stimulus.target]
        return stimulus.target

    def attach(self, run: Engine) -> None:
        """Follow *run*, whose waits are known already."""
        self.run = run
        self.waiting: dict[tuple[str, Any], dict[int, int | None]] = {}
        for track, (verb, place, name, _) in run.state.waits.items():
            scope = run.state.tracks[track][1]
            self._index(track, verb, place, name, instance_of(run, scope)[0])

    def begin(self) -> None:
        """Arm what happens at a given time; what has no condition is available at once."""
        run = self.run
        for number, stimulus in enumerate(self.stimuli):
            if stimulus.after is None and (stimulus.at is not None or stimulus.kind in ("set", "signal")):
                self._arm(number, stimulus.at or 0.0)
            elif stimulus.after is None:
                run.state.pending[number] = 1

    def _arm(self, number: int, delay: float) -> None:
        run = self.run
        kind = self.stimuli[number].kind
        timer = run.state.next_timer
        run.state.next_timer += 1
        run.state.timers[timer] = (run.state.now + delay, clock.TIMER, NOBODY, f"{kind}#{number}")
        clock.schedule(run, timer)

    def watch(self, operations: Sequence[Operation]) -> list[Operation]:
        """Return the operations with those wrapped that a stimulus waits for."""
        watched = list(operations)
        for place in self.after:
            watched[place] = self._watched(watched[place], place)
        return watched

    def _watched(self, operation: Operation, place: int) -> Operation:
        def watching(run: Engine, track: int, scope: int, flow: int) -> None:
            operation(run, track, scope, flow)
            if place not in run.state.visited:
                run.state.visited[place] = 1
                self._seen(place)

        return watching

    def _seen(self, place: int) -> None:
        for number, stimulus in enumerate(self.stimuli):
            if stimulus.after is not None and self.program.index[stimulus.after] == place:
                self._arm(number, 0.0)

    # Waits.

    def await_(self, track: int, place: int, scope: int, request: Offer) -> None:
        """Register a wait and let what is meant for it be delivered."""
        run = self.run
        body_of = run.program.body_of[place]
        place = place if body_of == NOBODY else body_of
        run.state.waits[track] = (request.verb, place, request.name, request.key)
        member = instance_of(run, scope)[0]
        self._index(track, request.verb, place, request.name, member)
        run.state.holds[track] = (*run.state.holds.get(track, ()), ("wait", track))
        details = (("definition", request.name or request.what), ("verb", request.verb))
        run.record((Fact.REPORT, run.state.step, track, place, scope, "EventFlow Registered", details))
        number = self._listed(track)
        if number is not None:
            del run.state.pending[number]
            clock.offer(run, track, request.verb, self._payload(self.stimuli[number]), clock.OUTSIDE)
        elif self.scenario.is_open:
            clock.offer(run, track, request.verb, ("delivered", (), None), clock.OUTSIDE)

    def _index(self, track: int, verb: str, place: int, name: str, member: int | None) -> None:
        self.waiting.setdefault((verb, name or place), {})[track] = member

    def forget(self, track: int) -> None:
        """Remove the wait of a track."""
        run = self.run
        verb, place, name, _ = run.state.waits.pop(track)
        del self.waiting[verb, name or place][track]
        scope = run.state.tracks[track][1]
        run.record((Fact.REPORT, run.state.step, track, place, scope, "EventFlow Unregistered", ()))

    def _listed(self, track: int) -> int | None:
        """Return the first available stimulus that fits the wait of *track*."""
        for number in self.run.state.pending:
            if self._fits(self.stimuli[number], self.targets[number], track):
                return number
        return None

    def _fits(self, stimulus: Stimulus, target: Any, track: int) -> bool:
        verb, place, name, key = self.run.state.waits[track]
        if _DELIVERS.get(stimulus.kind) != verb or (name or place) != target:
            return False
        if stimulus.kind == "message":
            return stimulus.key is None or key is None or bool(stimulus.key == key)
        member = self.waiting[verb, name or place][track]
        return stimulus.member is None or stimulus.member == member

    def _payload(self, stimulus: Stimulus) -> tuple[Any, ...]:
        pairs = tuple((name, private(value, name)) for name, value in stimulus.values)
        error = ("error", stimulus.error) if stimulus.kind == "fail" else None
        return ("delivered", pairs, error)

    # Stimuli that happen.

    def target_of(self, what: str) -> str:
        """Return what a timed stimulus is aimed at."""
        return self.stimuli[int(what.partition("#")[2])].target

    def happen(self, what: str) -> None:
        """Let the stimulus that a timer stands for happen now."""
        number = int(what.partition("#")[2])
        self.apply(self.stimuli[number], self.targets[number], number)

    def apply(self, stimulus: Stimulus, target: Any, number: int | None = None) -> None:
        """Apply a stimulus: deliver it, keep it until somebody waits, or change a value."""
        run = self.run
        if stimulus.kind == "set":
            for name, value in stimulus.values:
                self.set(name, value)
            return
        verb = _DELIVERS[stimulus.kind]
        waiting = self.waiting.get((verb, target), {})
        found = [track for track in waiting if self._fits(stimulus, target, track)]
        if stimulus.kind == "signal":
            for track in found:
                self.deliver(track, stimulus)
        elif found:
            self.deliver(found[0], stimulus)
        elif number is not None:
            run.state.pending[number] = 1
        elif stimulus.kind != "message":
            element = self.program.places[target]
            raise NoSuchTask("no open work fits", element_id=element.id, hint="see Simulation.why and .enabled")

    def deliver(self, track: int, stimulus: Stimulus) -> None:
        """Resume a waiting track with what came for it."""
        run = self.run
        place, scope, _, _ = run.state.tracks[track]
        verb = run.state.waits[track][0]
        clock.withdraw(run, track)
        run.state.inbox[track] = self._payload(stimulus)
        run.record((Fact.READY, run.state.step, track, place, scope, NOBODY, verb))
        run.turn(track)

    def set(self, name: str, value: Any, scope: int | None = None) -> None:
        """Change a value from outside; without a scope in the first running process instance."""
        run = self.run
        if scope is None:
            roots = [root for root, entry in run.state.scopes.items() if entry[0] == NOBODY]
            if not roots:
                raise StateError("no process instance is running")
            scope = roots[0]
        values.commit(run, NOBODY, run.state.scopes[scope][2], scope, ((name, private(value, name)),))
