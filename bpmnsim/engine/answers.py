"""What the loop does when an executor asks: one function per request."""

# ruff: noqa: ARG001 - every answer is called alike

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from bpmnsim.engine import clock, groups, requests, scopes, values, work
from bpmnsim.engine.state import EXECUTING, WAITING
from bpmnsim.facts import ABSENT, Fact

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine

TURN_ENDS: Final = object()
"""The answer that ends the turn of a track for good: its executor is done."""

PARKED: Final = object()
"""The answer that ends the turn of a track; its executor will be resumed."""


def _where(run: Engine, track: int, scope: int, where: str) -> int:
    return run.state.hosted[track] if where == "hosted" else scope


def _work(run: Engine, track: int, place: int, scope: int, request: requests.Work) -> Any:
    called = work.call_deferred if request.deferred else work.call
    return called(run, track, place, scope)


def _duration(run: Engine, track: int, place: int, scope: int, _: requests.Duration) -> Any:
    return work.duration(run, track, place, scope)


def _read(run: Engine, track: int, place: int, scope: int, request: requests.Read) -> Any:
    return values.read(run, _where(run, track, scope, request.where), request.name)


def _evaluate(run: Engine, track: int, place: int, scope: int, request: requests.Evaluate) -> Any:
    return values.evaluate(
        run,
        track,
        place,
        _where(run, track, scope, request.where),
        request.expression,
        request.role,
        boolean=request.boolean,
        bindings=request.bindings,
        member=request.member,
    )


def _commit(run: Engine, track: int, place: int, scope: int, request: requests.Commit) -> Any:
    values.commit(run, track, place, _where(run, track, scope, request.where), request.values)


def _bind(run: Engine, track: int, place: int, scope: int, request: requests.Bind | requests.ReArm) -> Any:
    hosted = run.state.hosted[track]
    run.state.data[hosted] = {**run.state.data[hosted], **dict(request.values)}


def _arm(run: Engine, track: int, place: int, scope: int, request: requests.Arm) -> Any:
    clock.arm(run, track, request.delay, completion=request.completion)


def _offer(run: Engine, track: int, place: int, scope: int, request: requests.Offer) -> Any:
    return run.outside.await_(run, track, place, scope, request)


def _open_scope(run: Engine, track: int, place: int, scope: int, request: requests.OpenScope) -> Any:
    if not request.keep:
        scopes.rest(run, track, WAITING, "scope")
    inner = scopes.open_scope(run, scope, track, request.place, request.bindings, request.member)
    run.state.hosted[track] = inner
    if request.keep:
        return run.state.scopes[inner][4]
    scopes.start_tracks(run, request.seeds, (inner,))
    if not request.seeds:
        scopes.leave_scope(run, inner)
    return PARKED


def _open_group(run: Engine, track: int, place: int, scope: int, request: requests.OpenGroup) -> Any:
    groups.open_group(run, track, request)


def _await_drain(run: Engine, track: int, place: int, scope: int, request: requests.Awaiting) -> Any:
    if run.state.tracks[track][3] != WAITING:
        scopes.rest(run, track, WAITING, "inner instances")
    groups.await_drain(run, track)
    return PARKED


def _await_all(run: Engine, track: int, place: int, scope: int, request: requests.AwaitAll) -> Any:
    run.state.tallies[track] = (request.names, 0, 0)
    return _await_drain(run, track, place, scope, request)


def _rearm(run: Engine, track: int, place: int, scope: int, request: requests.ReArm) -> Any:
    _bind(run, track, place, scope, request)
    groups.report(run, track, "rearm", None)
    _, _, flow, _ = run.state.tracks[track]
    run.state.tracks[track] = (place, scope, flow, WAITING)
    groups.await_drain(run, track)
    return PARKED


def _close_group(run: Engine, track: int, place: int, scope: int, request: requests.CloseGroup) -> Any:
    return groups.close_group(run, track, request.reason)


def _stage(run: Engine, track: int, place: int, scope: int, request: requests.Stage) -> Any:
    staged = run.state.staged.setdefault(track, {})
    held = tuple(staged.get(slot, ABSENT) for slot, _ in request.outputs)
    if all(each is ABSENT for each in held):
        staged.update(request.outputs)
    return held


def _assemble(run: Engine, track: int, place: int, scope: int, request: requests.Assemble) -> Any:
    staged = run.state.staged.pop(track, {})
    return [staged.get(slot) for slot in range(request.total)]


def _close_scope(run: Engine, track: int, place: int, scope: int, request: requests.CloseScope) -> Any:
    groups.forget_group(run, track)
    scopes.close_scope(run, run.state.hosted[track], "Completed")


def _emit(run: Engine, track: int, place: int, scope: int, request: requests.Emit) -> Any:
    run.record((Fact.REPORT, run.state.step, track, place, scope, request.what, request.details))


def _again(run: Engine, track: int, place: int, scope: int, request: requests.Again) -> Any:
    run.record((Fact.BEGIN, run.state.step, track, place, scope, -1, "work"))
    run.wake(track, requests.FIRED)
    return PARKED


def _park(run: Engine, track: int, place: int, scope: int, request: requests.Park) -> Any:
    scopes.rest(run, track, EXECUTING if request.executing else WAITING, request.what)
    return PARKED


def _leave(run: Engine, track: int, place: int, scope: int, request: requests.Leave) -> Any:
    run.leave(track, place, scope)
    return TURN_ENDS


def _finish(run: Engine, track: int, place: int, scope: int, request: requests.Finish) -> Any:
    run.end(track, place, scope)
    return TURN_ENDS


def _fault(run: Engine, track: int, place: int, scope: int, request: requests.Fault) -> Any:
    raise work.exception_of(request.error)


ANSWERS: Final[dict[type, Callable[..., Any]]] = {
    requests.Work: _work,
    requests.Duration: _duration,
    requests.Read: _read,
    requests.Evaluate: _evaluate,
    requests.Commit: _commit,
    requests.Bind: _bind,
    requests.Arm: _arm,
    requests.Offer: _offer,
    requests.OpenScope: _open_scope,
    requests.OpenGroup: _open_group,
    requests.AwaitDrain: _await_drain,
    requests.AwaitAll: _await_all,
    requests.ReArm: _rearm,
    requests.CloseGroup: _close_group,
    requests.Stage: _stage,
    requests.Assemble: _assemble,
    requests.CloseScope: _close_scope,
    requests.Emit: _emit,
    requests.Again: _again,
    requests.Park: _park,
    requests.Leave: _leave,
    requests.Finish: _finish,
    requests.Fault: _fault,
}
