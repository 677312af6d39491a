"""Scopes: open, seed, drain, close, cancel; and the tracks that live in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from bpmnsim.engine.requests import DRAINED, OpenGroup
from bpmnsim.engine.state import INCIDENT, MERGING, WAITING
from bpmnsim.errors import SimulationError
from bpmnsim.facts import NOBODY, Fact

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine


def open_scope(
    run: Engine,
    parent: int,
    host: int,
    place: int,
    bindings: Iterable[tuple[str, Any]] = (),
    member: int | None = None,
    *,
    instance: int | None = None,
) -> int:
    """Open a scope below *parent* for the track *host* and return its number (core.md SUB-02, SUB-06)."""
    state = run.state
    scope = state.next_scope
    state.next_scope += 1
    activation, k = 1, 0
    if parent != NOBODY:
        counts = state.activations.setdefault(parent, {})
        entries, still_open = counts.get(place, (0, 0))
        activation = entries + 1
        k = activation if still_open else 0
        counts[place] = (activation, still_open + 1)
    owner = state.scopes[parent][6] if instance is None else instance
    state.scopes[scope] = (parent, host, place, member, activation, k, owner)
    state.members[scope] = {}
    state.data[scope] = dict(bindings)
    run.record((_OPEN, state.step, host, place, scope, parent, (member, activation, k)))
    return scope


def open_members(run: Engine, parent: int, host: int, request: OpenGroup) -> dict[int, int]:
    """Open the scope of each member, as many as there may be; return {member: scope}."""
    state, record = run.state, run.record
    scopes, members, data, step = state.scopes, state.members, state.data, state.step
    _, _, _, _, activation, _, owner = scopes[parent]
    scope, place, opened = state.next_scope, request.place, {}
    for member, known in enumerate(request.members, request.first):
        opened[member] = scope
        scopes[scope] = (parent, host, place, member, activation, 0, owner)
        members[scope] = {}
        data[scope] = known
        record((_OPEN, step, host, place, scope, parent, (member, activation, 0)))
        scope += 1
    state.next_scope = scope
    return opened


def close_scope(run: Engine, scope: int, phase: str) -> None:
    """Close an empty scope and forget it; the fact carries how it ended (core.md SUB-10)."""
    state = run.state
    parent, host, place, _, _, _, _ = state.scopes.pop(scope)
    del state.members[scope], state.data[scope]
    if scope in state.activations:
        del state.activations[scope]
    if state.hosted.get(host) == scope:
        del state.hosted[host]
        entries, still_open = state.activations[parent][place]
        state.activations[parent][place] = (entries, still_open - 1)
    run.record((_CLOSE, state.step, host, place, scope, parent, phase))


_OPEN, _CLOSE, _TRACK = Fact.OPEN, Fact.CLOSE, Fact.TRACK

MOST: Final = 500_000
"""Most tokens, and most scopes, that a run may hold at once, unless a wider activity is allowed: flows may multiply."""


def too_many(most: int) -> SimulationError:
    """Return the error of a run that forks without end."""
    return SimulationError(
        f"the run would have more than {most:,} tokens or scopes at once",
        hint="look for flows or inner instances that multiply without end",
    )


def start_track(run: Engine, place: int, scope: int, flow: int = NOBODY, parent: int = NOBODY) -> int:
    """Create a ready track at *place* and return its number (core.md HIS-05, FRK-04)."""
    state = run.state
    track = state.next_track
    state.next_track += 1
    entry = state.next_entry
    state.next_entry += 1
    state.members[scope][track] = None
    state.tracks[track] = (place, scope, flow, entry)
    state.ready[entry] = track
    run.record((_TRACK, state.step, track, place, scope, flow, parent))
    run.push(entry)
    return track


def start_tracks(run: Engine, places: Sequence[int], scopes: Iterable[int]) -> None:
    """Create a ready track at each of the *places* in each of the *scopes*, as many as there may be."""
    state, record, push = run.state, run.record, run.push
    members, tracks, ready, step = state.members, state.tracks, state.ready, state.step
    track, entry = state.next_track, state.next_entry
    for scope in scopes:
        for place in places:
            members[scope][track] = None
            tracks[track] = (place, scope, NOBODY, entry)
            ready[entry] = track
            record((_TRACK, step, track, place, scope, NOBODY, NOBODY))
            push(entry)
            track += 1
            entry += 1
    state.next_track, state.next_entry = track, entry


def drop_track(run: Engine, track: int) -> int:
    """Take a track out of the state with everything that belongs to it and return its scope."""
    state = run.state
    if track in state.holds:
        run.withdraw(track)
    place, scope, flow, position = state.tracks.pop(track)
    del state.members[scope][track]
    if position >= 0:
        state.ready.pop(position, None)
    elif position == MERGING:
        state.behind.pop(track, None)
        state.first.pop((scope, flow), None)
        state.last.pop((scope, flow), None)
        state.filled.pop((scope, place), None)
    state.records.pop(track, None)
    state.inbox.pop(track, None)
    return scope


def leave_scope(run: Engine, scope: int, phase: str = "Completed") -> None:
    """Close a scope whose last track has just left it; its host is queued, nothing leaves a scope inline."""
    host = run.state.scopes[scope][1]
    if host == NOBODY:
        run.finish(scope, phase)
    elif host in run.state.groups:
        run.member_drained(host, scope, phase)
    else:
        close_scope(run, scope, phase)
        run.wake(host, DRAINED)


def below(run: Engine, scope: int) -> list[int]:
    """Return *scope* and every scope below it, level by level."""
    state = run.state
    found = [scope]
    for current in found:
        host = state.scopes[current][1]
        if state.hosted.get(host) == current and host in state.open:
            found.extend(state.open[host].values())
        found.extend(state.hosted[track] for track in state.members[current] if track in state.hosted)
    return found


def cancel_inside(run: Engine, scope: int, phase: str, reason: str, spare: int = NOBODY) -> None:
    """Cancel every track in and below *scope* and close the scopes below it, deepest first (core.md SUB-07, SUB-08).

    Parameters
    ----------
    phase
        Canceled or Terminated, for the scope facts.
    spare
        A track that has just ended by itself: the one that terminates the scope.
    """
    found = below(run, scope)
    depth = {scope: 0}
    for current in found:
        depth.setdefault(current, depth.get(run.state.scopes[current][0], 0) + 1)
        for track in list(run.state.members[current]):
            if track != spare:
                cancel_track(run, track, reason)
    for current in sorted(found[1:], key=lambda each: -depth[each]):
        close_scope(run, current, phase)


def cancel_scope(run: Engine, scope: int, phase: str, reason: str) -> None:
    """Cancel a scope as a unit; its host is left alone."""
    cancel_inside(run, scope, phase, reason)
    close_scope(run, scope, phase)


def cancel_track(run: Engine, track: int, reason: str) -> None:
    """End one track as canceled, unless an incident has ended it; what it hosts must be cancelled by the caller."""
    state = run.state
    place, scope, _, position = state.tracks[track]
    if position != INCIDENT:
        run.record((Fact.CANCEL, state.step, track, place, scope, NOBODY, reason))
    retried = state.retried.pop(track, None)
    if retried is not None:
        run.close_incident(retried, "overtaken")
    run.forget_group(track)
    drop_track(run, track)


def hold(run: Engine, track: int, place: int, scope: int, flow: int) -> None:
    """Queue a track at a node by the flow it came by; queues are first in, first out (core.md AND-03, AND-08)."""
    state = run.state
    last = state.last.get((scope, flow))
    if last is None:
        state.first[scope, flow] = track
        state.filled[scope, place] = state.filled.get((scope, place), 0) + 1
    else:
        state.behind[last] = track
    state.last[scope, flow] = track
    state.tracks[track] = (place, scope, flow, MERGING)
    run.record((Fact.AWAIT, state.step, track, place, scope, flow, None))


def absorb(run: Engine, survivor: int, place: int, scope: int, flow: int) -> None:
    """Consume the track that was queued first on *flow*; it is merged into *survivor* (core.md AND-05, HIS-04)."""
    state = run.state
    track = state.first[scope, flow]
    following = state.behind.pop(track, None)
    if following is None:
        del state.first[scope, flow], state.last[scope, flow]
        state.filled[scope, place] -= 1
    else:
        state.first[scope, flow] = following
    del state.tracks[track], state.members[scope][track]
    run.record((Fact.MERGE, state.step, track, place, scope, survivor, flow))


def fire_join(run: Engine, survivor: int, place: int, scope: int, flow: int, others: Iterable[int]) -> None:
    """Fire a join: one queued track of each of the *others* is absorbed by the survivor (core.md AND-05, AND-07)."""
    filled = [other for other in others if (scope, other) in run.state.first]
    for other in filled:
        absorb(run, survivor, place, scope, other)
    run.record((Fact.FIRE, run.state.step, survivor, place, scope, flow, len(filled)))


def rest(run: Engine, track: int, position: int, what: str) -> None:
    """Let a track rest: it executes or waits for *what*."""
    place, scope, flow, _ = run.state.tracks[track]
    run.state.tracks[track] = (place, scope, flow, position)
    kind = Fact.WAIT if position == WAITING else Fact.BEGIN
    run.record((kind, run.state.step, track, place, scope, NOBODY, what))
