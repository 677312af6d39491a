"""Waits: who waits for what, one subscription per definition and activity, and who gets what arrives (SRD-090.B).

A wait is registered before anything can be delivered to it (core.md TRK-09). What somebody completes is addressed by
activity and member; a message goes to exactly one wait, keyed ones before others, then the lowest member; a signal goes
to all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bpmnsim.engine.own import frozen
from bpmnsim.engine.queues import Queue
from bpmnsim.engine.requests import Offer
from bpmnsim.engine.work import instance_of
from bpmnsim.errors import ExpressionError, SimulationError, StateError
from bpmnsim.facts import ABSENT, NOBODY, Fact

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine

COMPLETE, DELIVER = "complete", "deliver"

# A wait is (verb, place of the activity, name, key, member, what owns the subscription, crowd). Its key is ABSENT where
# none is declared; its crowd is the scope around all members among which a message could choose, NOBODY without such.

Address = tuple[Any, ...]


class Waits:
    """The waits of a run, indexed so that finding one does not depend on how many there are.

    Attributes
    ----------
    queues
        Address -> tracks that wait there, by ascending member, then in arming order.
    early
        (place, member) -> numbers of the stimuli that came before the work they are meant for.
    letters
        (name,) and (name, key) -> numbers of the buffered messages that a wait without and with this key may take.
    idle
        Subscriptions that have lost a wait in this step: (track, place, scope, owner, name, verb).
    """

    def __init__(self, run: Engine) -> None:
        self.run = run
        self.queues: defaultdict[Address, Queue] = defaultdict(Queue)
        self.early: defaultdict[Address, Queue] = defaultdict(Queue)
        self.letters: defaultdict[Address, Queue] = defaultdict(Queue)
        self.idle: list[tuple[int, int, int, int, str, str]] = []
        for track, wait in run.state.waits.items():
            self._enter(track, wait)
        for number in run.state.pending:
            self.early[run.outside.meant_for(number)].add(number, number)
        for number, letter in run.state.mail.items():
            for address in self._pigeonholes(*letter):
                self.letters[address].add(number, number)

    def _enter(self, track: int, wait: tuple[Any, ...]) -> None:
        member = wait[4]
        for address in _addresses(wait):
            self.queues[address].add(NOBODY if member is None else member, track)

    def _first(self, address: Address) -> int:
        queue = self.queues.get(address)
        return NOBODY if queue is None else queue.first()

    def arm(self, track: int, place: int, scope: int, request: Offer) -> None:
        """Register the wait of a track; the first of an activity opens its subscription (ITER-W-02, ITER-W-03).

        Raises
        ------
        SimulationError
            If nothing would tell this wait from another one of the same activity (ITER-IC-06).
        """
        run = self.run
        member, _ = instance_of(run, scope)
        owner, crowd = self._around(scope, track)
        wait = (request.verb, place, request.name, request.key, member, owner, crowd if request.name else NOBODY)
        self._refuse_ambiguous(wait)
        run.state.waits[track] = wait
        self._enter(track, wait)
        run.state.holds[track] = (*run.state.holds.get(track, ()), ("wait", track))
        count = run.state.subscriptions.get((place, owner))
        run.state.subscriptions[place, owner] = (count or 0) + 1
        what = request.name or request.what
        if count is None:
            self._report(track, place, scope, "EventFlow Registered", (("definition", what), ("verb", request.verb)))
        key = None if request.key is ABSENT else request.key
        details = (("definition", what), ("verb", request.verb), ("key", key))
        self._report(track, place, scope, "Wait Armed", details)

    def _around(self, scope: int, track: int) -> tuple[int, int]:
        """Return the scopes of two activities around a scope: the innermost one, and the crowd.

        The innermost owns the subscription, or the track itself where there is none; the crowd is the outermost one
        whose members run together, however many that come one at a time lie between. A scope outlives the retry of its
        host, so that what it owns stays together (ITER-W-02).
        """
        state = self.run.state
        owner, crowd = NOBODY, NOBODY
        while scope != NOBODY:
            parent, host, _, member, _, _, _ = state.scopes[scope]
            if member is not None:
                owner = parent if owner == NOBODY else owner
                crowd = crowd if state.groups[host][3] else parent
            scope = parent
        return (track if owner == NOBODY else owner), crowd

    def _refuse_ambiguous(self, wait: tuple[Any, ...]) -> None:
        _, place, name, key, _, _, crowd = wait
        run = self.run
        if crowd == NOBODY or key is not ABSENT or run.program.setup.options.on_ambiguous_message == "ordinal":
            return
        if _alike(wait) in self.queues:
            raise SimulationError(
                f"two waits for message {name!r} are ambiguous: nothing tells them apart (ITER-IC-06)",
                element_id=run.program.places[place].id,
                hint="declare an iteration correlation, or set on_ambiguous_message='ordinal'",
            )

    def forget(self, track: int, reason: str) -> None:
        """Withdraw the wait of a track; the last of an activity closes its subscription (ITER-W-09, ITER-W-10)."""
        run = self.run
        wait = run.state.waits.pop(track)
        verb, place, name, _, member, owner, _ = wait
        for address in _addresses(wait):
            self.queues[address].remove(track)
            if not self.queues[address]:
                del self.queues[address]
        scope = run.state.tracks[track][1]
        self._report(track, place, scope, "Wait Withdrawn", (("reason", reason),))
        run.state.subscriptions[place, owner] -= 1
        self.idle.append((track, place, scope, owner, name, verb))
        around = None if member is None else run.state.groups.get(run.state.scopes[owner][1])
        if around is None or not around[3]:
            self.close_idle()

    def close_idle(self) -> None:
        """Close the subscriptions that nobody needs any more (ITER-W-03).

        Where one at a time waits this happens at the end of a step, because the next one may have taken over.
        """
        for track, place, scope, owner, name, verb in self.idle:
            if self.run.state.subscriptions.get((place, owner)) == 0:
                del self.run.state.subscriptions[place, owner]
                self._report(track, place, scope, "EventFlow Unregistered", (("definition", name), ("verb", verb)))
        self.idle.clear()

    def _report(self, track: int, place: int, scope: int, what: str, details: tuple[tuple[str, Any], ...]) -> None:
        self.run.record((Fact.REPORT, self.run.state.step, track, place, scope, what, details))

    # Who gets what arrives.

    def receivers(self, verb: str, target: Any) -> list[int]:
        """Return every wait for *target*, by ascending member, then in arming order (ITER-W-06)."""
        queue = self.queues.get((verb, target))
        return [] if queue is None else queue.items()

    def worker(self, target: Any, member: int | None) -> int:
        """Return the open work of a place, of one member if it is named; ``NOBODY`` where there is none."""
        return self._first((COMPLETE, target) if member is None else (COMPLETE, target, member))

    def addressee(self, name: str, key: Any, payload: Iterable[tuple[str, Any]]) -> int:
        """Return the one wait a message goes to, ``NOBODY`` where none fits (core.md MSG-03, ITER-W-07, ITER-IC-05)."""
        if self.run.touched is not None:
            self.run.touched["mail", name] = None
        for wanted in (*self._keys(name, key, payload), frozen(ABSENT)):
            track = self._first((DELIVER, name, wanted))
            if track != NOBODY:
                return track
        return NOBODY

    def _keys(self, name: str, key: Any, payload: Iterable[tuple[str, Any]]) -> list[str]:
        """Return the values a message may be known by: its own key, else what correlation properties find in it."""
        if key is not None:
            return [frozen(key)]
        names = dict(payload)
        found = []
        for expression in self.run.program.retrievals.get(name, ()):
            try:
                found.append(frozen(expression.evaluate(names)))
            except (ExpressionError, StateError):
                continue  # COR-06: a key that cannot be derived is skipped
        return found

    def first_alike(self, track: int) -> int:
        """Return the wait with the lowest member among those that nothing tells from the wait of *track*."""
        wait = self.run.state.waits[track]
        return track if wait[6] == NOBODY else self._first(_alike(wait))

    def flag(self, track: int) -> str:
        """Return why another member could have got what this wait gets (ITER-M-02, ITER-IC-05); empty where none."""
        wait = self.run.state.waits[track]
        if wait[6] == NOBODY or len(self.queues[_alike(wait)]) == 1:
            return ""
        return "ambiguous" if wait[3] is ABSENT else "duplicate_key"

    # What came before somebody waited for it.

    def post(self, name: str, key: Any, payload: tuple[tuple[str, Any], ...]) -> None:
        """Buffer a message that nobody waits for yet (core.md MSG-02)."""
        state = self.run.state
        number, state.mail[state.next_mail] = state.next_mail, (name, key, payload)
        state.next_mail += 1
        for address in self._pigeonholes(name, key, payload):
            self.letters[address].add(number, number)

    def collect(self, track: int) -> Any:
        """Return the reply for a new wait that a buffered message fits, ``None`` where none does (core.md MSG-02).

        No other wait fits it: it would have been delivered to that one.
        """
        state = self.run.state
        _, _, name, key, *_ = state.waits[track]
        if self.run.touched is not None:
            self.run.touched["mail", name] = None
        queue = self.letters.get((name,) if key is ABSENT else (name, frozen(key)))
        number = NOBODY if queue is None else queue.first()
        if number == NOBODY:
            return None
        letter = state.mail.pop(number)
        for address in self._pigeonholes(*letter):
            self.letters[address].remove(number)
        return ("delivered", letter[2], None)

    def _pigeonholes(self, name: str, key: Any, payload: tuple[tuple[str, Any], ...]) -> set[Address]:
        return {(name,), *((name, each) for each in self._keys(name, key, payload))}

    def keep(self, number: int) -> None:
        """Keep a stimulus until the work it is meant for is open."""
        self.run.state.pending[number] = 1
        self.early[self.run.outside.meant_for(number)].add(number, number)

    def take(self, place: int, member: int | None) -> int:
        """Return the first stimulus kept for the work of a member and forget it, ``NOBODY`` where there is none."""
        queues = (self.early[address] for address in ((place, None), (place, member)) if address in self.early)
        queue = min((each for each in queues if each), key=Queue.first, default=None)
        if queue is None:
            return NOBODY
        number = queue.first()
        queue.remove(number)
        del self.run.state.pending[number]
        return number


def _addresses(wait: tuple[Any, ...]) -> list[Address]:
    """Return where a wait can be found: work by its member, a message by its key, and among those alike."""
    verb, place, name, key, member, _, crowd = wait
    target = name or place
    found: list[Address] = [(verb, target), (verb, target, member if verb == COMPLETE else frozen(key))]
    return found if crowd == NOBODY else [*found, _alike(wait)]


def _alike(wait: tuple[Any, ...]) -> Address:
    """Return the address that a wait shares with those of its crowd that nothing tells from it."""
    _, place, _, key, _, _, crowd = wait
    return (place, crowd, frozen(key))
