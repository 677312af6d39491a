"""Waits: who waits for what, one subscription per definition and activity, and who gets what arrives (SRD-090.B).

A wait is registered before anything can be delivered to it (core.md TRK-09). What somebody completes is addressed by
activity and member; a message goes to exactly one wait, keyed ones before others, then the lowest member; a signal goes
to all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bpmnsim.engine.own import freeze
from bpmnsim.engine.requests import Offer
from bpmnsim.engine.work import instance_of
from bpmnsim.errors import ExpressionError, SimulationError
from bpmnsim.facts import NOBODY, Fact

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine

COMPLETE, DELIVER = "complete", "deliver"

# A wait is (verb, place of the activity, name, key, member, what owns the subscription).


class Waits:
    """The waits of a run, indexed so that finding one does not depend on how many there are.

    Attributes
    ----------
    by_member
        (verb, place or name) -> {member: {track: None}}, in arming order.
    by_key
        (name, frozen key) -> {track: None} of the keyed waits for a message.
    idle
        Subscriptions that have lost a wait in this step: (track, place, scope, owner, name, verb).
    """

    def __init__(self, run: Engine) -> None:
        self.run = run
        self.by_member: dict[tuple[str, Any], dict[int | None, dict[int, None]]] = {}
        self.by_key: dict[tuple[str, Any], dict[int, None]] = {}
        self.idle: list[tuple[int, int, int, int, str, str]] = []
        for track, wait in run.state.waits.items():
            self._index(track, wait)

    def _index(self, track: int, wait: tuple[Any, ...]) -> None:
        verb, place, name, key, member, _ = wait
        self.by_member.setdefault((verb, name or place), {}).setdefault(member, {})[track] = None
        if key is not None:
            self.by_key.setdefault((name, freeze(key)), {})[track] = None

    def arm(self, track: int, place: int, scope: int, request: Offer) -> None:
        """Register the wait of a track; the first of an activity opens its subscription (ITER-W-02, ITER-W-03).

        Raises
        ------
        SimulationError
            If nothing would tell this wait from another one of the same activity (ITER-IC-06).
        """
        run = self.run
        member, _ = instance_of(run, scope)
        owner, together = self._owner(scope, track)
        wait = (request.verb, place, request.name, request.key, member, owner)
        self._refuse_ambiguous(wait, together)
        run.state.waits[track] = wait
        self._index(track, wait)
        run.state.holds[track] = (*run.state.holds.get(track, ()), ("wait", track))
        count = run.state.subscriptions.get((place, owner))
        run.state.subscriptions[place, owner] = (count or 0) + 1
        what = request.name or request.what
        if count is None:
            self._report(track, place, scope, "EventFlow Registered", (("definition", what), ("verb", request.verb)))
        details = (("definition", what), ("verb", request.verb), ("key", request.key))
        self._report(track, place, scope, "Wait Armed", details)

    def _owner(self, scope: int, track: int) -> tuple[int, bool]:
        """Return the host of the group around a scope, or the track itself; and whether its members run together."""
        state = self.run.state
        while scope in state.scopes:
            parent, host, _, member, _, _, _ = state.scopes[scope]
            if member is not None:
                return host, not state.groups[host][3]
            scope = parent
        return track, False

    def _refuse_ambiguous(self, wait: tuple[Any, ...], together: bool) -> None:
        verb, place, name, key, _, owner = wait
        run = self.run
        if verb != DELIVER or key is not None or not together or not name:
            return
        if run.program.setup.options.on_ambiguous_message == "ordinal":
            return
        if run.state.subscriptions.get((place, owner), 0):
            raise SimulationError(
                f"two waits for message {name!r} are ambiguous: nothing tells them apart (ITER-IC-06)",
                element_id=run.program.places[place].id,
                hint="declare an iteration correlation, or set on_ambiguous_message='ordinal'",
            )

    def forget(self, track: int, reason: str) -> None:
        """Withdraw the wait of a track; the last of an activity closes its subscription (ITER-W-09, ITER-W-10)."""
        run = self.run
        verb, place, name, key, member, owner = run.state.waits.pop(track)
        members = self.by_member[verb, name or place]
        del members[member][track]
        if not members[member]:
            del members[member]
        if key is not None:
            del self.by_key[name, freeze(key)][track]
        scope = run.state.tracks[track][1]
        self._report(track, place, scope, "Wait Withdrawn", (("reason", reason),))
        run.state.subscriptions[place, owner] -= 1
        self.idle.append((track, place, scope, owner, name, verb))
        if owner not in run.state.groups or not run.state.groups[owner][3]:
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
        members = self.by_member.get((verb, target), {})
        return [track for member in sorted(members, key=_first_none) for track in members[member]]

    def worker(self, target: Any, member: int | None) -> int:
        """Return the open work of a place, of one member if it is named; ``NOBODY`` where there is none."""
        members = self.by_member.get((COMPLETE, target), {})
        if member is None and members:
            member = min(members, key=_first_none)
        return next(iter(members.get(member, ())), NOBODY)

    def addressee(self, name: str, key: Any, payload: Iterable[tuple[str, Any]]) -> int:
        """Return the one wait a message goes to, ``NOBODY`` where none fits (core.md MSG-03, ITER-W-07, ITER-IC-05)."""
        if self.run.touched is not None:
            self.run.touched["mail", name] = None
        for wanted in self._keys(name, key, payload):
            keyed = self.by_key.get((name, freeze(wanted)))
            if keyed:
                return min(keyed, key=lambda track: (_first_none(self.run.state.waits[track][4]), track))
        waiting = self.by_member.get((DELIVER, name), {})
        for member in sorted(waiting, key=_first_none):
            for track in waiting[member]:
                if self.run.state.waits[track][3] is None:
                    return track
        return NOBODY

    def _keys(self, name: str, key: Any, payload: Iterable[tuple[str, Any]]) -> list[Any]:
        """Return the values a message may be known by: its own key, else what correlation properties find in it."""
        if key is not None:
            return [key]
        names = dict(payload)
        found = []
        for expression in self.run.program.retrievals.get(name, ()):
            try:
                found.append(expression.evaluate(names))
            except ExpressionError:
                continue  # COR-06: a key that cannot be derived is skipped
        return found

    def expects(self, track: int) -> tuple[str, Any]:
        """Return name and key of the message that a track waits for."""
        _, _, name, key, *_ = self.run.state.waits[track]
        return name, key

    def first_alike(self, track: int) -> int:
        """Return the wait with the lowest member among those that nothing tells from the wait of *track*."""
        if not self.is_shared(track):
            return track
        verb, place, name, _, _, owner = self.run.state.waits[track]
        alike = self.receivers(verb, name or place)
        return next(each for each in alike if self.run.state.waits[each][5] == owner)

    def is_shared(self, track: int) -> bool:
        """Return whether a message that reached this wait may belong to another member as well (ITER-M-02)."""
        verb, place, name, key, _, owner = self.run.state.waits[track]
        return verb == DELIVER and bool(name) and key is None and self.run.state.subscriptions[place, owner] > 1

    def flag(self, track: int) -> str:
        """Return why another member could have got what this wait gets (ITER-M-02, ITER-IC-05); empty where none."""
        _, _, name, key, _, owner = self.run.state.waits[track]
        if key is None:
            return "ambiguous" if self.is_shared(track) else ""
        alike = [each for each in self.by_key[name, key] if self.run.state.waits[each][5] == owner]
        return "duplicate_key" if len(alike) > 1 else ""


def _first_none(member: int | None) -> int:
    return -1 if member is None else member


def settle_mail(run: Engine, track: int) -> Any:
    """Return the reply for a wait that a buffered message fits, ``None`` where none does (core.md MSG-02)."""
    name, _ = run.waits.expects(track)
    if run.touched is not None:
        run.touched["mail", name] = None
    for number, (mailed, mail_key, payload) in run.state.mail.items():
        if mailed == name and run.waits.addressee(name, mail_key, payload) == track:
            del run.state.mail[number]
            return ("delivered", payload, None)
    return None
