"""Groups of scopes that are awaited together: the open set, the queue of drains, and the handshake with their host.

A member that drains is captured, closed and queued; the first drain wakes a waiting host. The host takes one drain per
action and re-arms (SRD-056.A). Members may drain between two actions of the host: they queue up behind. Where members
come one at a time, the turn of the host belongs to the step in which one drains.
"""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

from bpmnsim.engine.requests import DRAINED, OpenGroup
from bpmnsim.engine.scopes import cancel_scope, open_members, start_tracks, too_many
from bpmnsim.engine.state import WAITING, State
from bpmnsim.facts import ABSENT, Fact

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine

# A group is (place, number of members, names to capture, whether its members come one at a time).
# Its drains are queued by position, from that of its head on.
# Its tally, where the host awaits all drains at once, is (names, completed, terminated).

_GROUP, _CLOSE = Fact.GROUP, Fact.CLOSE


def open_group(run: Engine, host: int, request: OpenGroup) -> None:
    """Open every member in one step; all are registered before any can drain (ITER-P-01, ITER-P-07)."""
    state = run.state
    around = state.hosted[host]
    n = len(request.members)
    if len(state.scopes) + n > run.most:
        raise too_many(run.most)
    state.groups[host] = (request.place, n, request.capture, request.alone)
    state.heads[host] = 0
    state.drains[host] = {}
    if not request.alone:
        report(run, host, "fan_out", n)
    members = state.open[host] = open_members(run, around, host, request)
    start_tracks(run, request.seeds, members.values())
    if request.at_once:
        for scope in members.values():
            for track in state.members[scope]:
                run.follow(track)
    if not request.seeds:
        for scope in list(members.values()):
            member_drained(run, host, scope, "Completed")


def member_drained(run: Engine, host: int, scope: int, phase: str) -> None:
    """Capture the output of a member, close it as *phase*, and queue its drain (ITER-D-02, ITER-P-04).

    Drains that one action causes go by ascending member, behind all earlier ones (ITER-P-05).
    """
    state = run.state
    step, drains = state.step, state.drains[host]
    _, _, capture, alone = state.groups[host]
    parent, _, place, member, _, _, _ = state.scopes.pop(scope)
    assert member is not None, "a member of a group has a number"
    values = state.data.pop(scope)
    captured = tuple([(name, values.get(name, ABSENT)) for name in capture]) if capture else ()
    members = state.open[host]
    del state.members[scope], members[member]
    if not members and host in state.tallies:
        _forget_counts(state, host)
    if scope in state.activations:
        del state.activations[scope]
    head = state.heads[host]
    position = head + len(drains)
    while position > head and drains[position - 1][3] == step and drains[position - 1][0] > member:
        drains[position] = drains[position - 1]
        position -= 1
    drains[position] = (member, captured, phase == "Terminated", step)
    if alone:
        run.record((_CLOSE, step, host, place, scope, parent, phase))
    else:
        run.record(
            (_CLOSE, step, host, place, scope, parent, phase, _GROUP, step, host, place, parent, "drain", member)
        )
    if state.tracks[host][3] == WAITING:
        if alone:
            state.inbox[host] = DRAINED
            run.follow(host)
        else:
            run.wake(host, DRAINED)


def _forget_counts(state: State, host: int) -> None:
    """Unset the counts of a host that awaits all: without an open member nothing can read them."""
    hosted, (names, _, _) = state.hosted[host], state.tallies[host]
    state.data[hosted] = {name: value for name, value in state.data[hosted].items() if name not in names}


def await_drain(run: Engine, host: int) -> None:
    """Wake a waiting host if a drain is queued; else the next one will wake it."""
    if run.state.drains[host]:
        run.wake(host, DRAINED)


def count_drain(run: Engine, host: int) -> bool:
    """Take the next drain of a host that awaits all of them; return whether more are to come (ITER-P-04)."""
    state = run.state
    place, n, _, _ = state.groups[host]
    names, completed, terminated = state.tallies[host]
    head, drains, hosted, step = state.heads[host], state.drains[host], state.hosted[host], state.step
    member, _, is_terminated, _ = drains.pop(head)
    if is_terminated:
        terminated += 1
    else:
        completed += 1
    left = n - completed - terminated
    state.heads[host] = head + 1
    if not left:
        run.record((_GROUP, step, host, place, hosted, "deliver", member))
        del state.tallies[host]
        state.inbox[host] = (completed, terminated)
        return False
    run.record((_GROUP, step, host, place, hosted, "deliver", member, _GROUP, step, host, place, hosted, "rearm", None))
    state.tallies[host] = (names, completed, terminated)
    if state.open[host]:
        state.data[hosted] = {**state.data[hosted], **dict(zip(names, cycle((n, left, completed, terminated))))}
    here, scope, flow, _ = state.tracks[host]
    if drains:
        entry = state.next_entry
        state.next_entry = entry + 1
        state.tracks[host] = (here, scope, flow, entry)
        state.ready[entry] = host
        run.push(entry)
    else:
        del state.inbox[host]
        state.tracks[host] = (here, scope, flow, WAITING)
    return True


def take_drain(run: Engine, host: int) -> tuple[int, tuple[tuple[str, Any], ...], bool]:
    """Take the drain at the head of the queue: its member, what was captured, whether the member was terminated."""
    state = run.state
    head = state.heads[host]
    state.heads[host] = head + 1
    member, captured, terminated, _ = state.drains[host].pop(head)
    if not state.groups[host][3]:
        report(run, host, "deliver", member)
    return member, captured, terminated


def close_group(run: Engine, host: int, reason: str) -> tuple[tuple[Any, ...], ...]:
    """Cancel the open members in one step and drop the group (ITER-CC-03).

    Returns
    -------
    tuple
        The queued drains as (member, captured, terminated) in their order.
    """
    state = run.state
    alone = state.groups.pop(host)[3]
    del state.heads[host]
    late = tuple([drain[:3] for drain in state.drains.pop(host).values()])
    members = state.open.pop(host)
    for member, scope in members.items():
        cancel_scope(run, scope, "Canceled", reason)
        if not alone:
            report(run, host, "cancel", member)
    return late


def forget_group(run: Engine, host: int) -> None:
    """Drop the group of a host with its queue and its staged outputs, if it has one."""
    state = run.state
    state.staged.pop(host, None)
    state.tallies.pop(host, None)
    if state.groups.pop(host, None) is not None:
        del state.heads[host], state.drains[host], state.open[host]


def rehost(run: Engine, host: int, successor: int) -> None:
    """Hand everything that *host* hosts to *successor*: a retry goes on where the failed visit stood (ITER-IN-05)."""
    state = run.state
    if host not in state.hosted:
        return
    hosted = state.hosted[successor] = state.hosted.pop(host)
    for scope in (hosted, *state.open.get(host, {}).values()):
        parent, _, *rest = state.scopes[scope]
        state.scopes[scope] = (parent, successor, *rest)  # type: ignore[assignment]
    if host in state.groups:
        state.groups[successor] = state.groups.pop(host)
        state.heads[successor] = state.heads.pop(host)
        state.drains[successor] = state.drains.pop(host)
        state.open[successor] = state.open.pop(host)
    if host in state.staged:
        state.staged[successor] = state.staged.pop(host)


def report(run: Engine, host: int, event: str, number: int | None) -> None:
    """Record an event of the barrier of *host*: which member it is about, or how many there are."""
    state = run.state
    scope = state.hosted[host]
    run.record((Fact.GROUP, state.step, host, state.scopes[scope][2], scope, event, number))
