"""Events: none starts, throws and ends, and the terminate end event."""

from __future__ import annotations

from bpmnsim.engine.executor import Operation, Run


def terminate(place: int) -> Operation:
    """Return the operation of a terminate end event: all else in its scope is canceled (core.md TRM-01 to TRM-04)."""

    def operation(run: Run, track: int, scope: int, _flow: int) -> None:
        run.end_terminating(track, place, scope)

    return operation
