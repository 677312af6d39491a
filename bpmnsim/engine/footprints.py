"""Footprints: what an action reads, writes, appends to and cancels; and which pairs of actions are independent.

A footprint is measured, not declared: the action is fired on a copy of the state. What it writes is the difference it
makes; what it reads the engine notes on the way. Resources are tuples of a table and run-local numbers, such as
``("data", scope, name)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bpmnsim.choices.strategies.base import COMPLETION
from bpmnsim.engine.state import State
from bpmnsim.plain import is_same

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine

Resource = tuple[Any, ...]
_BY_TRACK = ("tracks", "records", "inbox", "hosted", "groups", "heads", "drains", "tallies", "holds", "waits", "open")
_BY_KEY = ("staged", "first", "last", "filled", "subscriptions", "retried", "incidents", "pending", "visited")


@dataclass(frozen=True, slots=True)
class Footprint:
    """What one action touches.

    Attributes
    ----------
    reads, writes
        Resources whose value it depends on, or changes.
    appends
        Resources it only adds to or takes from, so that two such actions commute.
    cancels
        Tracks it cancels.

    Notes
    -----
    ``scheduling.md`` 1.7.
    """

    reads: frozenset[Resource]
    writes: frozenset[Resource]
    appends: frozenset[Resource]
    cancels: frozenset[Resource]

    def conflicts(self, other: Footprint) -> bool:
        """Return whether the order of the two actions may matter."""
        mine, theirs = self.writes | self.cancels, other.writes | other.cancels
        return bool(
            mine & (theirs | other.reads | other.appends)
            or theirs & (self.reads | self.appends)
            or self.reads & other.appends
            or self.appends & other.reads
        )


def footprint(run: Engine, entry: int) -> Footprint:
    """Return the footprint of an enabled action; the run itself is left as it was.

    What the action would create is no part of it, because no other enabled action can know it.
    """
    state = run.state
    track = state.ready.get(entry)
    actor = state.offers[entry][1] if track is None else track
    trial = run.twin()
    reads = trial.touched = {}
    trial.fire(entry)
    found = difference(state, trial.state, reads)
    there: dict[str, Mapping[int, Any]] = {"tracks": state.tracks, "members": state.members}
    known = frozenset(item for item in found.writes if item[0] not in there or item[1] in there[item[0]])
    return Footprint(found.reads, known | {("tracks", actor)}, found.appends, found.cancels - {("tracks", actor)})


def difference(before: State, after: State, reads: Mapping[Resource, None]) -> Footprint:
    """Return the footprint of what leads from one state to another.

    Parameters
    ----------
    reads
        What the engine has noted on the way.
    """
    gone = [track for track in before.tracks if track not in after.tracks]
    members = [
        scope for scope in before.members if scope in after.members and before.members[scope] != after.members[scope]
    ]
    return Footprint(
        reads=frozenset(reads),
        writes=frozenset(_changes(before, after)),
        appends=frozenset(("members", scope) for scope in members),
        cancels=frozenset(("tracks", track) for track in gone),
    )


def independent(run: Engine, first: int, second: int) -> bool:
    """Return whether two enabled actions commute: neither touches what the order of the two could change.

    Letting time pass depends on everything: it needs that nothing else is left to do.
    """
    state = run.state
    if state.released > state.now:
        for entry in (first, second):
            if entry in state.offers and state.offers[entry][3] >= COMPLETION:
                return False
    return not footprint(run, first).conflicts(footprint(run, second))


def _changes(before: State, after: State) -> Iterator[Resource]:
    """Yield what differs between two states, as far as the earlier one knows it."""
    for table in _BY_TRACK:
        old, new = getattr(before, table), getattr(after, table)
        for track in _differing(old, new):
            yield ("tracks", track)
    for table in _BY_KEY:
        for key in _differing(getattr(before, table), getattr(after, table)):
            yield (table, key)
    for scope in after.scopes:
        if scope not in before.scopes:
            yield ("members", scope)
    for scope in before.scopes:
        if scope not in after.scopes:
            yield ("members", scope)
            continue
        for name in _differing(before.data[scope], after.data[scope]):
            yield ("data", scope, name)
        for place in _differing(before.activations.get(scope, {}), after.activations.get(scope, {})):
            yield ("activations", scope, place)
    for letter in (*before.mail.values(), *after.mail.values()):
        if before.mail != after.mail:
            yield ("mail", letter[0])
    if before.now != after.now:
        yield ("clock",)


def _differing(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> list[Any]:
    stay = {key for key in old if key in new and (new[key] is old[key] or is_same(new[key], old[key]))}
    return [*(key for key in old if key not in stay), *(key for key in new if key not in old)]
