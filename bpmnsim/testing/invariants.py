"""What holds in every run, whoever picks: the invariants of core.md section 20, checked on the facts of a trace.

The facts are folded anew, without the tables: what the tables say can be checked against this, and the other way round.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from bpmnsim.facts import NOBODY, STRIDE, Fact
from bpmnsim.model.base import SequenceFlow
from bpmnsim.model.gateways import ExclusiveGateway, ParallelGateway
from bpmnsim.trace.trace import Trace

__all__ = ["check_trace"]

_ACTS = (Fact.VISIT, Fact.BEGIN, Fact.WAIT, Fact.READY, Fact.AWAIT, Fact.MERGE, Fact.FIRE, Fact.CANCEL, Fact.STUCK)
_ENDS = (Fact.MERGE, Fact.CANCEL, Fact.FAIL)
_GONE = ("retried", "resolved", "overtaken")


def check_trace(trace: Trace) -> list[str]:
    """Return every invariant that a trace breaks, in words; nothing where all hold.

    Parameters
    ----------
    trace
        A run from its start, at its end or on the way.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> check_trace(bs.simulate(bs.load_sample("order_handling"), seed=7))
    []

    Notes
    -----
    Core.md I1 to I7, I9, I11, I17 to I20, OBS-07, OBS-08, FRK-02, SUB-04. What needs a second run (I12, I13) or a
    construct that cannot run is not among them.
    """
    fold = _Fold(trace)
    facts = trace.record.facts
    for at in range(0, len(facts), STRIDE):
        fold.take(*facts[at : at + STRIDE])
    fold.finish()
    return fold.problems


class _Fold:
    """Where every track and scope stands after each fact, and what did not fit.

    Attributes
    ----------
    live
        Track -> (place, scope) of the tracks that have not ended.
    stuck, pinned
        Tracks in an incident; those of them whose incident was given up.
    opened
        Scope -> (key that only one open scope may have, parent, process instance).
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.problems: list[str] = []
        self.live: dict[int, tuple[int, int]] = {}
        self.ended: dict[int, str] = {}
        self.stuck: dict[int, None] = {}
        self.pinned: dict[int, None] = {}
        self.opened: dict[int, tuple[tuple[Any, ...], int, int]] = {}
        self.closed: dict[int, None] = {}
        self.instances: dict[int, str] = {}
        self.queues: dict[tuple[int, int], deque[int]] = {}
        self.merging: list[tuple[int, int]] = []
        self.fired: tuple[int, int, int] | None = None
        self.visit: tuple[int, int, int] | None = None
        self.chosen: list[int] = []
        self.values: dict[tuple[int, str], Any] = {}
        self.step, self.time = 0, 0.0
        places = trace.record.places
        index = {node: place for place, node in enumerate(places) if place not in trace.record.bodies}
        self.elements = [trace.model.elements.get(node) for node in places]
        flows = {each.id: each for each in trace.model.elements.values() if isinstance(each, SequenceFlow)}
        self.target = [index[flows[flow].target] for flow in trace.record.flows]
        self.outgoing = [[each.id for each in trace.model.outgoing(node)] for node in places]
        self.incoming = [len(trace.model.incoming(node)) for node in places]

    def say(self, rule: str, text: str) -> None:
        """Note a problem."""
        self.problems.append(f"{rule}: step {self.step}: {text}")

    def node(self, place: int) -> str:
        """Return the id of a node."""
        return self.trace.record.places[place]

    def take(self, kind: int, step: int, track: int, place: int, scope: int, x: Any, y: Any) -> None:
        """Fold one fact."""
        if step < self.step:
            self.say("I11", f"a fact of step {step} comes late")
        self.step = step
        if kind in _ACTS:
            self._acts(kind, track, place, scope)
        match kind:
            case Fact.TRACK:
                self._born(track, place, scope, x, y)
            case Fact.VISIT:
                self._visited(track, place, x)
            case Fact.AWAIT:
                self.queues.setdefault((scope, x), deque()).append(track)
            case Fact.MERGE:
                self._merged(track, place, scope, x, y)
            case Fact.FIRE:
                self._fires(track, place, scope, x, y)
            case Fact.STUCK:
                self.stuck[track] = None
            case Fact.REPORT:
                self._reported(track, x, dict(y))
            case Fact.OPEN:
                self._opens(scope, place, x, y)
            case Fact.CLOSE:
                self._closes(scope)
            case Fact.INSTANCE:
                self.instances[x] = y
            case Fact.DATA:
                self._changed(scope, x, *y)
            case Fact.CLOCK:
                if y < self.time:
                    self.say("I11", f"time goes back from {self.time} to {y}")
                self.time = y
        if kind in _ENDS:
            self._ends(track, Fact(kind).name)

    def _acts(self, kind: int, track: int, place: int, scope: int) -> None:
        if track in self.ended:
            self.say("I7", f"track {track} {Fact(kind).name} after it had ended by {self.ended[track]}")
        elif track in self.stuck and kind != Fact.STUCK:
            self.say("I7", f"track {track} {Fact(kind).name} after its incident")
        elif self.live.get(track) != (place, scope):
            self.say("OBS-08", f"track {track} {Fact(kind).name} at {self.node(place)}, where it does not stand")

    def _born(self, track: int, place: int, scope: int, flow: int, parent: int) -> None:
        if track in self.live or track in self.ended:
            self.say("OBS-08", f"track {track} begins twice")
        if parent != NOBODY and not (parent < track and (parent in self.live or parent in self.ended)):
            self.say("I1", f"track {track} has the parent {parent}, which is not there")
        if flow != NOBODY and self.target[flow] != place:
            self.say("FRK-04", f"track {track} begins at {self.node(place)}, where its flow does not lead")
        instance = self.opened[scope][2] if scope in self.opened else NOBODY
        if self.instances.get(instance) != "Active":
            self.say("I17", f"track {track} begins in a process instance that is not active")
        self.live[track] = (place, scope)
        if self.visit is not None and self.visit[:2] == (self.step, parent) and flow != NOBODY:
            self.chosen.append(flow)

    def _visited(self, track: int, place: int, flow: int) -> None:
        self._chose()
        element = self.elements[place]
        if isinstance(element, ParallelGateway) and self.incoming[place] > 1:
            if self.fired != (self.step, track, place):
                self.say("I4", f"track {track} executes the join {element.id} without being its survivor")
            self.fired = None
        if flow == NOBODY:
            self._ends(track, "VISIT")
            return
        self.visit, self.chosen = (self.step, track, place), [flow]
        if track in self.live:
            self.live[track] = (self.target[flow], self.live[track][1])

    def _chose(self) -> None:
        """Check the flows over which the last visit was left (I6, FRK-02)."""
        if self.visit is None:
            return
        _, track, place = self.visit
        self.visit = None
        names = [self.trace.record.flows[flow] for flow in self.chosen]
        element, outgoing = self.elements[place], self.outgoing[place]
        declared = [flow for flow in outgoing if flow in names]
        if len(declared) != len(names):
            self.say("OBS-07", f"track {track} left {self.node(place)} over {names}, which are not all its own")
            return
        looping = [flow for flow, number in zip(names, self.chosen, strict=True) if self.target[number] == place]
        first = next((flow for flow in declared if flow in looping), declared[0])
        if names != [first, *(flow for flow in declared if flow != first)]:
            self.say("FRK-02", f"track {track} kept the wrong flow of {names}")
        if isinstance(element, ExclusiveGateway) and len(names) != 1:
            self.say("I6", f"the exclusive gateway {element.id} chose {names}")
        if isinstance(element, ParallelGateway) and names != outgoing:
            self.say("I6", f"the parallel gateway {element.id} chose only {names}")

    def _ends(self, track: int, how: str) -> None:
        if track in self.ended:
            self.say("I3", f"track {track} ends by {how} after it had ended by {self.ended[track]}")
        self.live.pop(track, None)
        self.stuck.pop(track, None)
        self.ended[track] = how

    def _merged(self, track: int, place: int, scope: int, survivor: int, flow: int) -> None:
        queue = self.queues.get((scope, flow))
        if not queue or queue[0] != track:
            self.say("I19", f"track {track} is merged at {self.node(place)}, but is not the first on its flow")
        else:
            queue.popleft()
        self.merging.append((survivor, flow))

    def _fires(self, track: int, place: int, scope: int, flow: int, absorbed: int) -> None:
        flows = [each for survivor, each in self.merging if survivor == track]
        if len(flows) != len(self.merging) or len(flows) != absorbed or len({*flows, flow}) != absorbed + 1:
            self.say("I2", f"{self.node(place)} fires for track {track}, which is not what was merged: {self.merging}")
        if isinstance(self.elements[place], ParallelGateway) and absorbed != self.incoming[place] - 1:
            self.say("I5", f"the join {self.node(place)} fires with {absorbed} of its other flows")
        if self.queues.get((scope, flow)):
            self.say("I19", f"track {track} overtakes another one on its flow into {self.node(place)}")
        self.merging.clear()
        self.fired = (self.step, track, place)

    def _reported(self, track: int, what: str, said: dict[str, Any]) -> None:
        if what == "Fault Incident" and said["action"] in _GONE and track in self.stuck:
            self._ends(track, "STUCK")
        elif what == "Fault Incident" and said["action"] == "dead-lettered":
            self.pinned[track] = None

    def _opens(self, scope: int, place: int, parent: int, frozen: tuple[Any, ...]) -> None:
        ordinal, _, k = frozen
        key = (parent, place, ordinal, k)
        if scope in self.opened or scope in self.closed or (parent != NOBODY and key in self._keys()):
            self.say("I9", f"a scope of {self.node(place)} opens a second time")
        if parent != NOBODY and parent not in self.opened:
            self.say("I9", f"a scope of {self.node(place)} opens in one that is not open")
        instance = self.opened[parent][2] if parent in self.opened else len(self.instances) - 1
        self.opened[scope] = (key, parent, instance)

    def _keys(self) -> set[tuple[Any, ...]]:
        return {key for key, _, _ in self.opened.values()}

    def _closes(self, scope: int) -> None:
        if scope not in self.opened:
            self.say("I9", f"scope {scope} closes, but is not open")
        inside = [track for track, (_, home) in self.live.items() if home == scope]
        below = [each for each, (_, parent, _) in self.opened.items() if parent == scope]
        if inside or below:
            self.say("SUB-04", f"scope {scope} closes around tracks {inside} and scopes {below}")
        self.opened.pop(scope, None)
        self.closed[scope] = None

    def _changed(self, scope: int, name: str, old: Any, new: Any) -> None:
        if scope not in self.opened:
            self.say("I10", f"{name!r} is written in a scope that is not open")
        if (scope, name) in self.values and repr(self.values[scope, name]) != repr(old):
            self.say("I10", f"{name!r} was {self.values[scope, name]!r}, not {old!r}")
        self.values[scope, name] = new

    def finish(self) -> None:
        """Check what has to hold at the end."""
        self._chose()
        outcome, stuck = self.trace.outcome, sorted(each.track for each in self.trace.stuck)
        if self.merging:
            self.say("I2", f"merged without a firing: {self.merging}")
        if outcome in ("completed", "terminated"):
            if self.live or self.opened:
                self.say("I18", f"{outcome} with tracks {sorted(self.live)} and scopes {sorted(self.opened)}")
            if stuck:
                self.say("I18", f"{outcome} with stuck tokens {stuck}")
        elif sorted(self.live) != stuck:
            self.say("I20", f"{outcome}, live are {sorted(self.live)}, reported {stuck}")
        if outcome == "deadlocked" and self.stuck:
            self.say("I20", f"deadlocked with open incidents of tracks {sorted(self.stuck)}")
        held = sorted(track for queue in self.queues.values() for track in queue if track in self.live)
        waiting = sorted(track for queue in self.queues.values() for track in queue if track not in self.ended)
        if held != waiting:
            self.say("I19", f"queued at joins are {waiting}, live of these {held}")
