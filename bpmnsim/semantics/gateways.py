"""Gateways: how they split is decided by their exits; how they join is decided here."""

from __future__ import annotations

from bpmnsim.engine.executor import Operation, Program, Run, passing


def parallel(program: Program, place: int) -> Operation:
    """Return the operation of a parallel gateway: it waits for a token on every incoming flow (AND-01 to AND-09)."""
    incoming = program.incoming[place]
    if len(incoming) <= 1:
        return passing(program, place)
    exits = program.exits[place]
    assert not callable(exits), "a parallel gateway takes every flow"
    needed = len(incoming)

    def join(run: Run, track: int, scope: int, flow: int) -> None:
        state = run.state
        if run.touched is not None:
            run.touched["filled", (scope, place)] = None
            run.touched.update(dict.fromkeys(("first", (scope, other)) for other in incoming))
        missing = needed - state.filled.get((scope, place), 0)
        if missing > 1 or (missing == 1 and (scope, flow) in state.first):
            run.hold(track, place, scope, flow)
            return
        run.fire_join(track, place, scope, flow, [other for other in incoming if other != flow])
        run.take(track, place, scope, exits)

    return join
