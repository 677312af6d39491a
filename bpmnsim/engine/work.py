"""Work: calling behaviors, what a behavior sees, and how long work takes."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bpmnsim.engine import values
from bpmnsim.engine.plain import private
from bpmnsim.errors import BpmnError, ExpressionError, InternalError, SimulationError, did_you_mean
from bpmnsim.facts import ABSENT, Fact

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine


class Task:
    """What a behavior is handed: the activity it stands for, and read access to data.

    Attributes
    ----------
    id, name
        Of the activity.
    member
        Number of the inner instance or pass, from 0; ``None`` outside iterations.
    time
        Virtual time in seconds.
    rng
        ``random.Random`` of this inner instance alone: the interleaving never changes what it yields.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.service("double") >> b.end()
    >>> bs.simulate(b.model(), data={"x": 4}, behaviors={"double": lambda task: {"y": 2 * task["x"]}}).values["y"]
    8

    Notes
    -----
    Design section 4, Behaviors.
    """

    def __init__(self, run: Engine, track: int, place: int, scope: int) -> None:
        element = run.program.places[place]
        self._run = run
        self._track = track
        self._place = place
        self._scope = scope
        self.id = element.id
        self.name = element.name
        self.member, self._activation = instance_of(run, scope)
        self.time = run.state.now
        self._rng: Any = None

    @property
    def rng(self) -> Any:
        """Random stream that belongs to (seed, activity, activation, member)."""
        if self._rng is None:
            self._rng = self._run.stream(self.id, self._activation, self.member or 0)
        return self._rng

    @property
    def data(self) -> dict[str, Any]:
        """Copy of everything that can be read by name."""
        names = values.Names(self._run, self._scope, {})
        return {name: private(names[name], name) for name in names}

    @property
    def item(self) -> Any:
        """The element of the collection this inner instance works on, ``None`` outside collections."""
        found = values.read(self._run, self._scope, ITEM)
        return None if found is ABSENT else private(found, "item")

    def __getitem__(self, name: str) -> Any:
        found = values.read(self._run, self._scope, name)
        if found is ABSENT:
            known = list(values.Names(self._run, self._scope, {}))
            raise ExpressionError(
                f"{name!r} has no value", missing=name, element_id=self.id, hint=did_you_mean(name, known)
            )
        return private(found, name)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and values.read(self._run, self._scope, name) is not ABSENT

    def escalate(self, code: str) -> None:
        """Throw the escalation *code* from this activity; the activity goes on (core.md ESC-01)."""
        run = self._run
        details = (("escalation", code), ("caught_by", ""))
        run.record((Fact.REPORT, run.state.step, self._track, self._place, self._scope, "Escalation Thrown", details))


ITEM = "\x00item"
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
    return values.outputs(behavior(Task(run, track, place, scope)), element_id)


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
    except Exception as error:
        return (), ("technical", values.explain(error), "".join(traceback.format_exception(error)))


class WorkFailed(Exception):
    """Work failed technically while it was under way; carries the original text and traceback."""

    def __init__(self, text: str, traceback_text: str) -> None:
        super().__init__(text)
        self.traceback_text = traceback_text


def exception_of(error: tuple[str, ...]) -> Exception:
    """Return the exception that a plain error stands for."""
    return BpmnError(error[1]) if error[0] == "error" else WorkFailed(error[1], error[2])


def duration(run: Engine, track: int, place: int, scope: int) -> float | None:
    """Return the seconds that the work of a place takes, ``None`` where it takes no time."""
    element_id = run.program.places[place].id
    given: float | Callable[..., Any] | None = run.program.setup.durations.get(element_id)
    if callable(given):
        task = Task(run, track, place, scope)
        given = given(task.rng, task)
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given < float("inf"):
        raise SimulationError(
            f"the duration is {given!r}, not a number of seconds", element_id=element_id, hint="return a number >= 0"
        )
    return float(given)
