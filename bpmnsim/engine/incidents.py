"""Failures inside a run: what becomes an incident, and what an operator may do about it (core.md section 10)."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from bpmnsim.engine import clock, groups, scopes, values
from bpmnsim.engine.state import INCIDENT
from bpmnsim.engine.work import WorkFailedError
from bpmnsim.errors import BpmnError, BpmnSimError, InternalError, NoSuchTask, StateError
from bpmnsim.facts import Fact

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine

# An incident is (track, place, scope, error text, attempts, state); its state is one of open, retry-scheduled,
# resolved,
# dead-lettered, overtaken (INC-09).


def fail(run: Engine, track: int, error: Exception) -> None:
    """Turn the failure of a visit into an incident; everything else goes on (core.md INC-01, INC-02)."""
    state = run.state
    if isinstance(error, InternalError):
        raise error
    if not isinstance(error, BpmnError | BpmnSimError | WorkFailedError):
        raise InternalError(f"a turn of track {track} raised {values.explain(error)}") from error
    if track not in state.tracks:
        raise InternalError(f"track {track} failed after it had ended") from error
    place, scope, flow, _ = state.tracks[track]
    text = str(error) if isinstance(error, WorkFailedError) else values.explain(error)
    if isinstance(error, BpmnError):
        report(run, track, "Fault Thrown", (("error", error.error_code),))
        report(run, track, "Fault Uncaught", (("error", error.error_code),))
    else:
        report(run, track, "Fault Uncaught", ())
    clock.withdraw(run, track)
    number, attempts = _incident_of(run, track)
    state.tracks[track] = (place, scope, flow, INCIDENT)
    state.holds[track] = (("incident", number),)
    lines = error.traceback_text if isinstance(error, WorkFailedError) else "".join(traceback.format_exception(error))
    run.tracebacks[number] = lines
    state.incidents[number] = (track, place, scope, text, attempts, "open")
    run.record((Fact.STUCK, state.step, track, place, scope, number, text))
    element = run.program.places[place].id
    most, delay = run.program.setup.retries.get(element, (0, 0.0))
    if attempts <= most:
        state.incidents[number] = (track, place, scope, text, attempts, "retry-scheduled")
        details = (("action", "retry-scheduled"), ("incident_id", number), ("retry_at", state.now + delay))
        report(run, track, "Fault Incident", details)
        clock.arm(run, track, delay, completion=False)


def _incident_of(run: Engine, track: int) -> tuple[int, int]:
    """Return the number and the attempts of the incident that the failure of a track belongs to (INC-02, INC-10)."""
    state = run.state
    known = state.retried.pop(track, None)
    if known is not None:
        return known, state.incidents[known][4] + 1
    number = state.next_incident
    state.next_incident += 1
    return number, 1


def report(run: Engine, track: int, what: str, details: tuple[tuple[str, object], ...]) -> None:
    """Record a report about a track."""
    place, scope, _, _ = run.state.tracks[track]
    run.record((Fact.REPORT, run.state.step, track, place, scope, what, details))


def _open(run: Engine, number: int) -> tuple[int, int, int]:
    if number not in run.state.incidents:
        known = ", ".join(str(each) for each in run.state.incidents) or "none"
        raise NoSuchTask(f"there is no incident {number}", hint=f"the incidents are: {known}")
    track, place, scope, _, _, status = run.state.incidents[number]
    if status not in ("open", "retry-scheduled"):
        raise StateError(f"incident {number} is {status} already")
    if track not in run.state.tracks:
        raise StateError(f"incident {number} is being retried", hint="let the retry end, or act on what it does")
    return track, place, scope


def close_incident(run: Engine, number: int, status: str) -> None:
    """Set the final status of an incident."""
    track, place, scope, text, attempts, _ = run.state.incidents[number]
    run.state.incidents[number] = (track, place, scope, text, attempts, status)
    details = (("action", status), ("incident_id", number))
    run.record((Fact.REPORT, run.state.step, track, place, scope, "Fault Incident", details))


def retry(run: Engine, number: int) -> None:
    """Run the visit again on a new track (core.md INC-04, INC-06)."""
    state = run.state
    track, place, scope = _open(run, number)
    _, _, flow, _ = state.tracks[track]
    details = (("action", "retried"), ("incident_id", number), ("prev_track", track))
    report(run, track, "Fault Incident", details)
    record, reply = state.records.get(track), state.inbox.get(track)
    successor = scopes.start_track(run, place, scope, flow, track)
    state.retried[successor] = number
    groups.rehost(run, track, successor)
    _replace(run, track, scope)
    if record is not None:
        state.records[successor], state.inbox[successor] = record, reply


def succeeded(run: Engine, track: int) -> None:
    """Resolve the incident of a visit that was retried and is now complete (core.md INC-05)."""
    number = run.state.retried.pop(track, None)
    if number is not None:
        close_incident(run, number, "resolved")


def resolve(run: Engine, number: int) -> None:
    """Go on over all outgoing flows without running the node again (core.md INC-06)."""
    track, place, scope = _open(run, number)
    close_incident(run, number, "resolved")
    if track in run.state.hosted:
        scopes.cancel_scope(run, run.state.hosted[track], "Canceled", "resolved")
    groups.forget_group(run, track)
    flows = run.program.outgoing[place]
    for flow in flows:
        scopes.start_track(run, run.program.target[flow], scope, flow, track)
    _replace(run, track, scope)
    if not run.state.members[scope]:
        scopes.leave_scope(run, scope)


def drop(run: Engine, number: int) -> None:
    """Give up: the token stays dead where it is and its scope stays open (core.md INC-06)."""
    track, _, _ = _open(run, number)
    close_incident(run, number, "dead-lettered")
    _unschedule(run, track)


def _replace(run: Engine, track: int, scope: int) -> None:
    """Forget the track of an incident; its terminal fact is the incident itself."""
    state = run.state
    _unschedule(run, track)
    del state.tracks[track], state.members[scope][track]
    state.records.pop(track, None)
    state.inbox.pop(track, None)


def _unschedule(run: Engine, track: int) -> None:
    """Forget the automatic retry that an incident may still have coming."""
    holds = run.state.holds.get(track, ())
    run.state.holds[track] = tuple(hold for hold in holds if hold[0] != "incident")
    clock.withdraw(run, track)
