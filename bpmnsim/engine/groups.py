"""Groups of scopes that are awaited together: the open set, the queue of drains, and the handshake with their host.

A member that drains is captured, closed and queued; the first drain wakes a waiting host. The host takes one drain per
action and re-arms (SRD-056.A). Members may drain between two actions of the host: they queue up behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bpmnsim.engine.requests import DRAINED, OpenGroup
from bpmnsim.engine.scopes import cancel_scope, close_scope, open_scope, start_track, too_many
from bpmnsim.facts import ABSENT, Fact

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine

# A group is (place, number of members, position of the next drain to take, position of the next drain to queue,
# whether the host waits for a drain, names to capture, whether its members come one at a time).


def open_group(run: Engine, host: int, request: OpenGroup) -> None:
    """Open every member in one step; all are registered before any can drain (ITER-P-01, ITER-P-07)."""
    state = run.state
    around = state.hosted[host]
    n = len(request.members)
    if len(state.scopes) + n > run.most:
        raise too_many(run.most)
    state.groups[host] = (request.place, n, 0, 0, False, request.capture, request.alone)
    members = state.open[host] = {}
    if not request.alone:
        report(run, host, "fan_out", n)
    for member, bindings in enumerate(request.members, request.first):
        members[member] = open_scope(run, around, host, request.place, bindings, member, counted=False)
    for scope in members.values():
        for seed in request.seeds:
            start_track(run, seed, scope)
    if not request.seeds:
        for scope in list(members.values()):
            member_drained(run, host, scope, terminated=False)


def member_drained(run: Engine, host: int, scope: int, *, terminated: bool) -> None:
    """Capture the output of a member, close it, and queue its drain (ITER-D-02, ITER-P-04)."""
    state = run.state
    member = state.scopes[scope][3]
    assert member is not None, "a member of a group has a number"
    place, n, head, tail, waiting, capture, alone = state.groups[host]
    values = state.data[scope]
    captured = tuple([(name, values.get(name, ABSENT)) for name in capture])
    close_scope(run, scope, "Terminated" if terminated else "Completed")
    del state.open[host][member]
    state.groups[host] = (place, n, head, tail + 1, False, capture, alone)
    position = _place_in_queue(run, host, member, head, tail)
    state.drains[host, position] = (member, captured, terminated, state.step)
    if not alone:
        report(run, host, "drain", member)
    if waiting:
        run.wake(host, DRAINED)


def _place_in_queue(run: Engine, host: int, member: int, head: int, tail: int) -> int:
    """Make room behind all earlier drains; those that one action causes go by ascending member (ITER-P-05)."""
    drains, step = run.state.drains, run.state.step
    while tail > head and drains[host, tail - 1][3] == step and drains[host, tail - 1][0] > member:
        drains[host, tail] = drains[host, tail - 1]
        tail -= 1
    return tail


def await_drain(run: Engine, host: int) -> None:
    """Wake the host if a drain is queued, else let the next one wake it."""
    state = run.state
    place, n, head, tail, _, capture, alone = state.groups[host]
    if head < tail:
        run.wake(host, DRAINED)
    else:
        state.groups[host] = (place, n, head, tail, True, capture, alone)


def take_drain(run: Engine, host: int) -> tuple[int, tuple[tuple[str, Any], ...], bool]:
    """Take the drain at the head of the queue: its member, what was captured, whether the member was terminated."""
    state = run.state
    place, n, head, tail, _, capture, alone = state.groups[host]
    member, captured, terminated, _ = state.drains.pop((host, head))
    state.groups[host] = (place, n, head + 1, tail, False, capture, alone)
    if not alone:
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
    _, _, head, tail, _, _, alone = state.groups[host]
    late = tuple(state.drains.pop((host, position))[:3] for position in range(head, tail))
    members = state.open.pop(host)
    del state.groups[host]
    for member, scope in members.items():
        cancel_scope(run, scope, "Canceled", reason)
        if not alone:
            report(run, host, "cancel", member)
    return late


def forget_group(run: Engine, host: int) -> None:
    """Drop the group of a host with its queue and its staged outputs, if it has one."""
    state = run.state
    state.staged.pop(host, None)
    group = state.groups.pop(host, None)
    if group is None:
        return
    _, _, head, tail, _, _, _ = group
    for position in range(head, tail):
        del state.drains[host, position]
    del state.open[host]


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
        group = state.groups[successor] = state.groups.pop(host)
        state.open[successor] = state.open.pop(host)
        for position in range(group[2], group[3]):
            state.drains[successor, position] = state.drains.pop((host, position))
    if host in state.staged:
        state.staged[successor] = state.staged.pop(host)


def report(run: Engine, host: int, event: str, number: int | None) -> None:
    """Record an event of the barrier of *host*: which member it is about, or how many there are."""
    state = run.state
    scope = state.hosted[host]
    run.record((Fact.GROUP, state.step, host, state.scopes[scope][2], scope, event, number))
