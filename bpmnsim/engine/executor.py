"""What a node is to the loop: an operation; and the executor, a pure function that the loop resumes.

Arrival resolves a node to its operation once. A node that is done in one go acts through the methods of the run; one
that must remember
something between two steps is an executor, made an operation by :func:`operation_of`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from bpmnsim.engine.program import Operation, Options, Program, Setup
from bpmnsim.engine.requests import Record, Step

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine as Run
else:
    Run = Any

__all__ = ["Executor", "Operation", "Options", "Program", "Run", "Setup", "hosting", "operation_of", "passing"]


class Executor(Protocol):
    """Runs one node over several steps.

    Its record is a tuple of plain data, ``None`` on arrival; its reply is what the loop answered to the last request.
    """

    def resume(self, record: Record | None, reply: Any) -> Step:
        """Return what to remember and what to ask next."""


def operation_of(executor: Executor, place: int) -> Operation:
    """Make an operation of an executor."""
    resume = executor.resume

    def operation(run: Run, track: int, scope: int, _flow: int) -> None:
        run.perform(track, place, scope, resume)

    return operation


def hosting(executor: Executor, place: int) -> Operation:
    """Make an operation of an executor that may leave the counting of drains to the loop."""
    resume = executor.resume

    def operation(run: Run, track: int, scope: int, _flow: int) -> None:
        if track in run.state.tallies and run.count_drain(track):
            return
        run.perform(track, place, scope, resume)

    return operation


def passing(program: Program, place: int, before: Callable[[Run, int, int], None] | None = None) -> Operation:
    """Return the operation of a node that is done in one go: do *before*, then follow the exits.

    Parameters
    ----------
    before
        Called with (run, track, scope); ``None`` for nothing.
    """
    exits = program.exits[place]
    if before is None and not callable(exits) and len(exits) == 1:
        only = exits[0]
        target = program.target[only]

        def move(run: Run, track: int, scope: int, _flow: int) -> None:
            run.move(track, place, scope, only, target)

        return move

    if before is None and not exits:

        def end(run: Run, track: int, scope: int, _flow: int) -> None:
            run.end(track, place, scope)

        return end

    if before is None:

        def leave(run: Run, track: int, scope: int, _flow: int) -> None:
            run.leave(track, place, scope)

        return leave

    def act_and_leave(run: Run, track: int, scope: int, _flow: int) -> None:
        before(run, track, scope)
        run.leave(track, place, scope)

    return act_and_leave
