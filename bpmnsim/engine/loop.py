"""The single writer: fires one action, applies every request it raises, and records what happened.

Nothing else changes a :class:`~bpmnsim.engine.state.State`. The loop knows tracks, scopes, groups, waits and the
clock; it knows no construct by name.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify
from typing import Any

from bpmnsim.choices.strategies import Fifo, Strategy
from bpmnsim.choices.strategies.base import INTERNAL
from bpmnsim.engine import clock, enabling, groups, incidents, instances, names, scopes, values, work
from bpmnsim.engine.answers import ANSWERS, PARKED, TURN_ENDS
from bpmnsim.engine.outside import Outside
from bpmnsim.engine.program import Program
from bpmnsim.engine.requests import DRAINED, Fault, Resume
from bpmnsim.engine.state import INCIDENT, WAITING, State
from bpmnsim.engine.waits import DELIVER, Waits
from bpmnsim.facts import NOBODY, Fact


class Engine:
    """A run: a program, a state, a strategy that picks, and the list of facts.

    Parameters
    ----------
    program
        What runs.
    strategy
        Picks one of the enabled actions whenever there are several.
    outside
        What users, workers and partners do.
    view
        ``view(run, track, place, scope)`` makes what a behavior is handed.
    untimed
        Timers and ends of work may happen at any moment.

    Attributes
    ----------
    facts
        The record so far (see :mod:`bpmnsim.facts`).
    most
        Most tokens, and most scopes, that there may be at once.
    touched
        Where what an action reads is noted, ``None`` where nobody asks.
    tracebacks
        Incident -> traceback text; no part of the facts because it differs between machines.

    Notes
    -----
    Design section 4: one step fires one action.
    """

    def __init__(
        self,
        program: Program,
        strategy: Strategy,
        outside: Outside,
        *,
        view: Callable[[Engine, int, int, int], Any],
        untimed: bool = False,
    ) -> None:
        self.program = program
        self.strategy = strategy
        self.outside = outside
        self._view = view
        self.untimed = untimed
        self.most = max(scopes.MOST, program.setup.options.max_parallel_width)
        self.facts: list[Any] = []
        self.record = self.facts.extend
        self.tracebacks: dict[int, str] = {}
        self.touched: dict[tuple[Any, ...], None] | None = None
        self.operations = outside.watch(program.operations)
        self.attach(State())

    def attach(self, state: State) -> None:
        """Continue from *state*; what can be derived from it is derived again."""
        self.state = state
        self.due = {payload[1]: entry for entry, (_, _, payload, _) in state.offers.items() if payload[0] == "timer"}
        waiting = (item for item in state.timers.items() if item[0] not in self.due)
        self.calendar = [(due, rank, number) for number, (due, rank, _, _) in waiting]
        heapify(self.calendar)
        self.inner_offers = sum(offered[3] == INTERNAL for offered in state.offers.values())
        self.strategy.bind(self)
        self.push = self.strategy.push
        self.push_offer = self.strategy.push_offer
        self.waits = Waits(self)
        self.following: list[int] = []

    def twin(self) -> Engine:
        """Return a run that stands where this one stands and may be tried out without changing it."""
        other = Engine(self.program, Fifo(), self.outside, view=self._view, untimed=self.untimed)
        other.attach(self.state.copy())
        return other

    # Firing what is enabled.

    @property
    def due_open(self) -> bool:
        """Whether what is due may fire: its time has come, or nothing internal is left to do before."""
        state = self.state
        return self.untimed or state.now >= state.released or not (state.ready or self.inner_offers)

    def advance(self, steps: int) -> int:
        """Fire up to *steps* actions, each picked by the strategy; return how many were fired."""
        state, pick = self.state, self.strategy.pick
        ready, offers, operations, tracks = state.ready, state.offers, self.operations, state.tracks
        following, idle = self.following, self.waits.idle
        for done in range(steps):
            if not ready and not self.inner_offers and not clock.release(self) and not offers:
                return done
            if len(ready) > 1 or (offers and self.options() > 1):
                state.marks += 1
            entry = pick()
            track = ready.pop(entry, None)
            state.step += 1
            if track is None:
                self.fire_offer(entry)
            else:
                place, scope, flow, _ = tracks[track]
                try:
                    operations[place](self, track, scope, flow)
                except Exception as error:
                    self.fail(track, error)
            if following or idle:
                self.settle()
        self.look_ahead()
        return steps

    def fire(self, entry: int) -> None:
        """Fire one enabled action."""
        state = self.state
        state.step += 1
        track = state.ready.pop(entry, None)
        if track is None:
            self.fire_offer(entry)
        else:
            self.turn(track)
        self.settle()
        self.look_ahead()

    def settle(self) -> None:
        """Finish the step that is under way: the turns that follow within it, then subscriptions nobody needs."""
        for track in self.following:
            if track in self.state.tracks:
                self.turn(track)
        self.following.clear()
        self.waits.close_idle()

    def follow(self, track: int) -> None:
        """Let a track take its turn within this step instead of in an action of its own (ITER-SQ-02, ITER-W-03)."""
        self.state.ready.pop(self.state.tracks[track][3], None)
        self.following.append(track)

    def look_ahead(self) -> None:
        """Enable what is due next where nothing internal is left to do, so that looking at a run changes nothing."""
        if not self.state.ready and not self.inner_offers:
            clock.release(self)

    def turn(self, track: int) -> None:
        """Let a track take its turn on the node it stands on."""
        place, scope, flow, _ = self.state.tracks[track]
        try:
            self.operations[place](self, track, scope, flow)
        except Exception as error:
            self.fail(track, error)

    def fire_offer(self, entry: int) -> None:
        """Fire an action that is not a plain turn of a track."""
        verb, track, payload, tier = self.state.offers.pop(entry)
        if tier == INTERNAL:
            self.inner_offers -= 1
        reply = clock.reply_of(self, payload)
        if track == NOBODY:
            self.outside.happen(self, reply)
            return
        place, scope, _, position = self.state.tracks[track]
        if position == INCIDENT:
            incidents.retry(self, next(number for kind, number in self.state.holds[track] if kind == "incident"))
            return
        if verb == DELIVER:
            self.outside.open_delivery(self, track, payload)
            return
        clock.withdraw(self, track, "delivered")
        if verb == "take":
            try:
                self.take(track, place, scope, payload[1])
            except Exception as error:
                self.fail(track, error)
            return
        self.state.inbox[track] = reply
        if position == WAITING:
            self.record((Fact.READY, self.state.step, track, place, scope, NOBODY, verb))
        self.turn(track)

    # Moving tracks.

    def move(self, track: int, place: int, scope: int, flow: int, target: int) -> None:
        """Complete a visit and move over *flow* to *target*."""
        state = self.state
        self.record((0, state.step, track, place, scope, flow, None))
        if state.retried:
            incidents.succeeded(self, track)
        entry = state.next_entry
        state.next_entry = entry + 1
        state.tracks[track] = (target, scope, flow, entry)
        state.ready[entry] = track
        self.push(entry)

    def leave(self, track: int, place: int, scope: int) -> None:
        """Complete a visit and follow the exits of the node."""
        exits = self.program.exits[place]
        flows = exits(self, track, scope) if callable(exits) else exits
        if flows is not None:
            self.take(track, place, scope, flows)

    def take(self, track: int, place: int, scope: int, flows: tuple[int, ...]) -> None:
        """Complete a visit over *flows*: none ends the track, several fork it (core.md FRK-01, FRK-02)."""
        if not flows:
            self.end(track, place, scope)
            return
        if len(flows) > 1 and len(self.state.tracks) > self.most:
            raise scopes.too_many(self.most)
        target = self.program.target
        kept = next((flow for flow in flows if target[flow] == place), flows[0]) if len(flows) > 1 else flows[0]
        self.move(track, place, scope, kept, target[kept])
        for flow in flows:
            if flow != kept:
                scopes.start_track(self, target[flow], scope, flow, track)

    def end(self, track: int, place: int, scope: int) -> None:
        """Complete a visit; the track ends here."""
        state = self.state
        self.record((0, state.step, track, place, scope, NOBODY, None))
        if state.retried:
            incidents.succeeded(self, track)
        if track in state.holds:
            clock.withdraw(self, track)
        inside = state.members[scope]
        del state.tracks[track], inside[track]
        if not inside:
            scopes.leave_scope(self, scope)

    def wake(self, track: int, reply: Any) -> None:
        """Queue a resting track; its executor will be resumed with *reply*."""
        state = self.state
        place, scope, flow, _ = state.tracks[track]
        entry = state.next_entry
        state.next_entry += 1
        state.inbox[track] = reply
        state.tracks[track] = (place, scope, flow, entry)
        state.ready[entry] = track
        self.push(entry)

    def perform(self, track: int, place: int, scope: int, resume: Resume) -> None:
        """Resume an executor and answer its requests until its turn ends."""
        state = self.state
        records, inbox = state.records, state.inbox
        record, reply = records.pop(track, None), inbox.pop(track, None)
        if reply == DRAINED and track in state.groups:
            reply = groups.take_drain(self, track)
        while True:
            before, had = record, reply
            record, request = resume(before, had)
            try:
                reply = ANSWERS[type(request)](self, track, place, scope, request)
            except Exception:
                kept = record if type(request) is Fault else before
                if kept is not None:
                    records[track] = kept
                    inbox[track] = had
                raise
            if reply is PARKED:
                assert record is not None, "an executor that rests has something to remember"
                records[track] = record
                return
            if reply is TURN_ENDS:
                return

    # What may happen next.

    enabled = enabling.enabled
    enabled_any = enabling.enabled_any
    options = enabling.options
    node_of = enabling.node_of
    kind_of = enabling.kind_of
    next_time = enabling.next_time
    scope_at = names.scope_at

    # What operations and the other modules of the engine call.

    evaluate = values.evaluate
    work = work.call_and_commit
    hold = scopes.hold
    fire_join = scopes.fire_join
    decide = clock.decide
    withdraw = clock.withdraw
    fail = incidents.fail
    close_incident = incidents.close_incident
    forget_group = groups.forget_group
    finish = instances.finish
    terminate = instances.terminate
    member_drained = groups.member_drained
    count_drain = groups.count_drain

    def view(self, track: int, place: int, scope: int) -> Any:
        """Return what the behavior of a place is handed."""
        return self._view(self, track, place, scope)

    def end_terminating(self, track: int, place: int, scope: int) -> None:
        """Complete a visit that ends its whole scope."""
        self.record((0, self.state.step, track, place, scope, NOBODY, None))
        self.terminate(scope, spare=track)
