"""Work: calling behaviors, and how long work takes."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from bpmnsim.engine import values
from bpmnsim.errors import BpmnError, BpmnSimError, InternalError, SimulationError, shown

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine


Returned = TypeVar("Returned")

HIDDEN = "\x00"
"""First sign of names that a scope holds and nobody outside is shown."""

ITEM = f"{HIDDEN}item"
"""Hidden name under which a scope holds the element it works on."""


def instance_of(run: Engine, scope: int) -> tuple[int | None, int]:
    """Return member and activation of the innermost scope with an member, ``(None, 1)`` where there is none."""
    while scope in run.state.scopes:
        parent, _, _, member, activation, _, _ = run.state.scopes[scope]
        if member is not None:
            return member, activation
        scope = parent
    return None, 1


def call(run: Engine, track: int, place: int, scope: int) -> tuple[tuple[str, Any], ...]:
    """Call the behavior of a place, if it has one, and return its outputs."""
    element_id = run.program.places[place].id
    behavior = run.program.setup.behaviors.get(element_id)
    if behavior is None:
        return ()
    task = run.view(track, place, scope)
    return _given(lambda: values.outputs(behavior(task), element_id))


def _given(call_user: Callable[[], Returned]) -> Returned:
    """Call what a user gave; whatever it raises, it is the work that has failed and no defect of bpmnsim."""
    try:
        return call_user()
    except (BpmnError, BpmnSimError):
        raise
    except Exception as error:
        raise WorkFailedError(values.explain(error), "".join(traceback.format_exception(error))) from error


def call_and_commit(run: Engine, track: int, place: int, scope: int) -> None:
    """Call the behavior of a place and commit what it returns."""
    values.commit(run, track, place, scope, call(run, track, place, scope))


def call_deferred(run: Engine, track: int, place: int, scope: int) -> tuple[tuple[tuple[str, Any], ...], Any]:
    """Call the behavior now and keep an error it raises as plain data until the work ends."""
    try:
        return call(run, track, place, scope), None
    except BpmnError as error:
        return (), ("error", error.error_code)
    except InternalError:
        raise
    except WorkFailedError as error:
        return (), ("technical", str(error), error.traceback_text)
    except BpmnSimError as error:
        return (), ("technical", values.explain(error), "".join(traceback.format_exception(error)))


class WorkFailedError(Exception):
    """Work failed technically while it was under way; carries the original text and traceback."""

    def __init__(self, text: str, traceback_text: str) -> None:
        super().__init__(text)
        self.traceback_text = traceback_text


def exception_of(error: tuple[str, ...]) -> Exception:
    """Return the exception that a plain error stands for."""
    return BpmnError(error[1]) if error[0] == "error" else WorkFailedError(error[1], error[2])


def duration(run: Engine, track: int, place: int, scope: int) -> float | None:
    """Return the seconds that the work of a place takes, ``None`` where it takes no time."""
    element_id = run.program.places[place].id
    given: float | Callable[[Any], Any] | None = run.program.setup.durations.get(element_id)
    if callable(given):
        estimate, task = given, run.view(track, place, scope)
        given = _given(lambda: estimate(task))
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given < 1e300:
        raise SimulationError(
            f"the duration is {shown(given)}, not a number of seconds",
            element_id=element_id,
            hint="return a number >= 0",
        )
    return float(given)
