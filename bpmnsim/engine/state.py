"""The whole state of a run as plain data: flat dicts from ints to immutable values, copied in a few microseconds.

Nothing here acts. Scopes, tracks, nodes and flows are ints; what they mean stands in the compiled
:class:`~bpmnsim.engine.program.Program`.
"""

from __future__ import annotations

from typing import Any, Final

from bpmnsim.engine.own import frozen, refusal
from bpmnsim.facts import NOBODY
from bpmnsim.plain import from_plain, to_plain

EXECUTING: Final = -1
WAITING: Final = -2
MERGING: Final = -3
SYNCING: Final = -4
INCIDENT: Final = -5
"""Positions of a track that is not ready; a ready track carries the number of its entry (>= 0) instead."""

_COUNTERS = (
    "step",
    "now",
    "next_track",
    "next_scope",
    "next_entry",
    "next_timer",
    "next_incident",
    "released",
    "marks",
    "next_mail",
)
_TABLES = (
    "instances",
    "scopes",
    "tracks",
    "data",
    "records",
    "inbox",
    "hosted",
    "groups",
    "heads",
    "tallies",
    "first",
    "last",
    "behind",
    "filled",
    "ready",
    "offers",
    "timers",
    "holds",
    "incidents",
    "visited",
    "pending",
    "results",
    "retried",
    "waits",
    "subscriptions",
    "mail",
    "draws",
)
_NESTED = ("members", "open", "activations", "drains", "staged")


class State:
    """Where a run stands.

    Attributes
    ----------
    step, now, marks
        Number of actions fired; virtual time in seconds; number of choices made.
    instances
        process instance -> (process node, root scope, phase).
    scopes
        scope -> (parent scope, host track, node, member, activation, k, instance).
    tracks
        track -> (node, scope, flow it came by, entry number or one of the negative positions).
    members
        scope -> its live tracks.
    data
        scope -> {name: value}; a commit replaces the inner dict.
    records, inbox
        track -> what its executor remembers; track -> the reply it has not yet seen.
    hosted, groups, heads, tallies, open, drains, staged
        Scopes and groups that a track is host of, positions of their next drains, and what has been counted of
        them; host -> {member: open scope}; host -> {position: queued drain}, which is (member, captured values,
        terminated, step); host -> {slot: staged value}.
    first, last, behind, filled
        Queues of tracks held at a node, one per (scope, flow), and how many flows of (scope, node) hold one.
    activations
        scope -> {node: (entries so far, of which open)}.
    ready, offers, timers, holds
        Enabled internal actions in age order; enabled others; armed timers; what a track waits for.
    incidents
        incident -> (track, node, scope, error text, attempts, state).
    visited, pending
        What the scenario has to know: nodes seen, and which stimuli are spent.
    waits, subscriptions, mail
        track -> what it awaits from outside; (place, owner) -> waits it serves; buffered messages in order of arrival.
    retried
        track -> incident whose retry it is.
    results
        process instance -> its data when it ended.
    draws
        (process instance, place, purpose, ordinals) -> how often a random stream was opened there.

    Examples
    --------
    >>> state = State()
    >>> other = state.copy()
    >>> other.step = 5
    >>> state.step
    0

    Notes
    -----
    Design section 4; core.md CKP-01, CKP-02.
    """

    __slots__ = _COUNTERS + _TABLES + _NESTED

    step: int
    now: float
    next_track: int
    next_scope: int
    next_entry: int
    next_timer: int
    next_incident: int
    released: float
    marks: int
    instances: dict[int, tuple[int, int, str]]
    scopes: dict[int, tuple[int, int, int, int | None, int, int, int]]
    tracks: dict[int, tuple[int, int, int, int]]
    data: dict[int, dict[str, Any]]
    records: dict[int, tuple[Any, ...]]
    inbox: dict[int, Any]
    hosted: dict[int, int]
    groups: dict[int, tuple[Any, ...]]
    heads: dict[int, int]
    tallies: dict[int, tuple[tuple[str, ...], int, int]]
    first: dict[tuple[int, int], int]
    last: dict[tuple[int, int], int]
    behind: dict[int, int]
    filled: dict[tuple[int, int], int]
    ready: dict[int, int]
    offers: dict[int, tuple[Any, ...]]
    timers: dict[int, tuple[Any, ...]]
    holds: dict[int, tuple[Any, ...]]
    incidents: dict[int, tuple[Any, ...]]
    visited: dict[int, int]
    pending: dict[int, int]
    results: dict[int, dict[str, Any]]
    retried: dict[int, int]
    waits: dict[int, tuple[Any, ...]]
    subscriptions: dict[tuple[int, int], int]
    mail: dict[int, tuple[Any, ...]]
    draws: dict[tuple[Any, ...], int]
    next_mail: int
    drains: dict[int, dict[int, tuple[Any, ...]]]
    staged: dict[int, dict[Any, Any]]
    activations: dict[int, dict[int, tuple[int, int]]]
    members: dict[int, dict[int, None]]
    open: dict[int, dict[int, int]]

    def __init__(self) -> None:
        for name in _COUNTERS:
            setattr(self, name, 0)
        for name in _TABLES + _NESTED:
            setattr(self, name, {})

    def copy(self) -> State:
        """Return an independent copy; values inside are shared because they never change."""
        other = State.__new__(State)
        for name in _COUNTERS:
            setattr(other, name, getattr(self, name))
        for name in _TABLES:
            setattr(other, name, getattr(self, name).copy())
        for name in _NESTED:
            setattr(other, name, {key: value.copy() for key, value in getattr(self, name).items()})
        return other

    def key(self) -> tuple[Any, ...]:
        """Return the hashable canonical form: equal for two runs from which the same things can happen.

        It holds node, flow and position of every token by scope, data, what a token remembers and waits for, timers
        relative to now, mail, what the scenario still has in store, how process instances ended, and how often random
        numbers were drawn; it holds no run-local ids, no history and no counter that nothing reads.

        Raises
        ------
        StateError
            If a value has no canonical form; the message names it.
        """
        owned = self._owned()
        depth: dict[int, int] = {}
        levels: list[list[int]] = []
        for scope, (parent, *_) in self.scopes.items():
            depth[scope] = depth[parent] + 1 if parent in depth else 0
            if depth[scope] == len(levels):
                levels.append([])
            levels[depth[scope]].append(scope)
        inside: dict[int, list[tuple[int, int]]] = {}
        canonical = []
        for level in range(len(levels) - 1, -1, -1):
            forms = {scope: self._form(scope, inside, owned) for scope in levels[level]}
            ordered = sorted(forms.values(), key=repr) if len(forms) > 1 else list(forms.values())
            ranks = {form: rank for rank, form in reversed(list(enumerate(ordered)))}
            for scope, form in forms.items():
                inside.setdefault(self.scopes[scope][1], []).append((level, ranks[form]))
            canonical.append(tuple(ordered))
        ended = [
            (place, phase, frozen(self.results[instance]))
            for instance, (place, _, phase) in self.instances.items()
            if instance in self.results
        ]
        outside = (tuple(sorted(owned.get(NOBODY, ()))), tuple(sorted(self.pending)), tuple(sorted(self.visited)))
        letters = frozen(list(self.mail.values())) if self.mail else ""
        draws = repr(sorted(self.draws.items())) if self.draws else ""
        return (tuple(canonical), tuple(sorted(ended)), outside, letters, draws)

    def _owned(self) -> dict[int, list[str]]:
        """Return for each track what belongs to it besides its position: timers, waits, offers, drains, incidents."""
        owned: dict[int, list[str]] = {}

        def own(track: int, text: str) -> None:
            owned.setdefault(track, []).append(text)

        offered = {}
        for verb, track, payload, _ in self.offers.values():
            if payload[0] == "timer":
                offered[payload[1]] = verb
            else:
                own(track, verb + frozen(payload))
        for number, (due, rank, track, what) in self.timers.items():
            own(track, repr((due - self.now, rank, what, due == self.now and number in offered)))
        for track, (verb, _, name, key, *_) in self.waits.items():
            own(track, f"{verb} {name} {frozen(key)}")
        for host, queued in self.drains.items():
            for position, drain in enumerate(queued.values()):
                own(host, f"{position} {frozen(drain[:3])}")
        for host, slots in self.staged.items():
            own(host, frozen(slots))
        retries = {number: track for track, number in self.retried.items()}
        for number, (track, _, _, _, count, status) in self.incidents.items():
            if number in retries or track in self.tracks:
                own(retries.get(number, track), f"{count} {status}")
        return owned

    def _form(
        self, scope: int, inside: dict[int, list[tuple[int, int]]], owned: dict[int, list[str]]
    ) -> tuple[Any, ...]:
        """Return the canonical form of one scope, given the ranks of the scopes *inside* each host."""
        tokens: list[tuple[Any, ...]] = []
        remembered: tuple[dict[int, Any], ...] = (self.records, self.inbox, self.groups, self.tallies)
        for track in self.members[scope]:
            node, _, flow, position = self.tracks[track]
            if position >= 0 and track not in self.inbox and track not in owned:
                tokens.append((node, flow, 0))
                continue
            tokens.append(
                (
                    node,
                    flow,
                    min(position, 0),
                    tuple(sorted(inside.get(track, ()))),
                    frozen([table.get(track) for table in remembered]),
                    tuple(sorted(owned.get(track, ()))),
                )
            )
        tokens.sort()
        _, _, node, member, _, _, _ = self.scopes[scope]
        data = self.data[scope]
        return (node, -1 if member is None else member, frozen(data) if data else "", tuple(tokens))

    def to_json(self) -> dict[str, Any]:
        """Return the state as JSON-ready data.

        Raises
        ------
        StateError
            If a value cannot be written; the message names it.
        """
        saved: dict[str, Any] = {name: getattr(self, name) for name in _COUNTERS}
        for name in _TABLES + _NESTED:
            table = getattr(self, name)
            try:
                saved[name] = [[to_plain(key), to_plain(value)] for key, value in table.items()]
            except (TypeError, RecursionError) as error:
                raise refusal(table, to_plain, "cannot be written", error) from error
        return saved

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> State:
        """Return the state that *saved* was written from."""
        state = cls()
        for name in _COUNTERS:
            setattr(state, name, saved[name])
        for name in _TABLES + _NESTED:
            setattr(state, name, {from_plain(key): from_plain(value) for key, value in saved[name]})
        return state
