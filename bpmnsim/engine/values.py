"""Data of a run: names resolve from the inside out, commits are atomic and replace what they change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from bpmnsim.engine.own import private
from bpmnsim.errors import BpmnSimError, ConditionTypeError, ExpressionError, SimulationError
from bpmnsim.expr.language import Expression
from bpmnsim.facts import ABSENT, NOBODY, Fact

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine


class Names(Mapping[str, Any]):
    """What an expression sees from a scope: its own names, then those of the scopes around it (core.md DAT-03)."""

    __slots__ = ("_inner", "_run", "_scope")

    def __init__(self, run: Engine, scope: int, inner: Mapping[str, Any]) -> None:
        self._run = run
        self._scope = scope
        self._inner = inner

    def __getitem__(self, name: str) -> Any:
        if name in self._inner:
            return self._inner[name]
        found = read(self._run, self._scope, name)
        if found is ABSENT:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        seen = dict.fromkeys(self._inner)
        state, scope = self._run.state, self._scope
        while scope != NOBODY:
            seen.update(dict.fromkeys(state.data[scope]))
            if self._run.touched is not None:
                self._run.touched.update(dict.fromkeys(("data", scope, name) for name in state.data[scope]))
            scope = state.scopes[scope][0]
        return iter(seen)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def read(run: Engine, scope: int, name: str) -> Any:
    """Return the value of *name* seen from *scope*, ``ABSENT`` where there is none."""
    state = run.state
    while scope != NOBODY:
        values = state.data[scope]
        if run.touched is not None:
            run.touched["data", scope, name] = None
        if name in values:
            return values[name]
        scope = state.scopes[scope][0]
    return ABSENT


def home_of(run: Engine, scope: int, name: str) -> int:
    """Return the scope a write of *name* goes to (core.md DAT-04)."""
    state, program = run.state, run.program
    inner = NOBODY
    while True:
        parent, _, place, _, _, _, _ = state.scopes[scope]
        if run.touched is not None:
            run.touched["data", scope, name] = None
        if name in state.data[scope] or name in program.declares[place]:
            return scope
        if inner == NOBODY and place not in program.shallow:
            inner = scope
        if parent == NOBODY:
            return scope if program.outward else inner
        scope = parent


def commit(run: Engine, track: int, place: int, scope: int, values: Iterable[tuple[str, Any]]) -> None:
    """Write *values* at once, each where it belongs; what does not change leaves no fact (core.md EXE-04, DAT-07)."""
    state = run.state
    changed: dict[int, dict[str, Any]] = {}
    written = [(name, value, home_of(run, scope, name)) for name, value in values]
    for name, _, home in written:
        if name in run.program.fixed.get(state.scopes[home][2], ()):
            raise SimulationError(f"{name!r} is read-only here", hint="write to another name")
        if "/" in name:
            raise SimulationError(f"{name!r} is no plain name (DAT-05)", hint="use a name without '/'")
    for name, value, home in written:
        target = changed.get(home)
        if target is None:
            target = changed[home] = state.data[home].copy()
        old = target.get(name, ABSENT)
        if type(old) is type(value) and old == value and repr(old) == repr(value):
            continue
        target[name] = value
        run.record((Fact.DATA, state.step, track, place, home, name, (old, value)))
    state.data.update(changed)


def evaluate(
    run: Engine,
    track: int,
    place: int,
    scope: int,
    expression: Expression,
    role: str | int,
    *,
    boolean: bool = True,
    bindings: Iterable[tuple[str, Any]] = (),
    member: int | None = None,
) -> Any:
    """Evaluate an expression from *scope*; the evaluation is a fact, also when it raises (core.md FLW-04, FLW-05).

    Raises
    ------
    ExpressionError
        If it cannot be evaluated, or is no boolean where one is needed.
    """
    names = Names(run, scope, dict(bindings))
    verdict: Any = ABSENT
    error = ""
    try:
        verdict = expression.condition(names) if boolean else expression.evaluate(names)
    except ExpressionError as problem:
        error = str(problem)
        if isinstance(problem, ConditionTypeError):
            raise
        hint = 'set the name in data, or let the caller decide with decisions="free"' if isinstance(role, int) else None
        problem.hint = problem.hint or hint
        raise
    finally:
        shown = tuple((name, names[name]) for name in expression.reads if name in names)
        run.record(
            (Fact.EVAL, run.state.step, track, place, scope, role, (expression.text, shown, verdict, error, member))
        )
    return verdict


def outputs(result: Any, place_id: str) -> tuple[tuple[str, Any], ...]:
    """Return what a behavior returned as private (name, value) pairs.

    Raises
    ------
    SimulationError
        If it is neither ``None`` nor a dict with text keys.
    """
    if result is None:
        return ()
    if not isinstance(result, Mapping) or not all(isinstance(name, str) for name in result):
        raise SimulationError(
            f"the behavior returned {type(result).__name__}, not a dict of outputs",
            element_id=place_id,
            hint="return None or a dict whose keys are names",
        )
    return tuple((name, private(value, name)) for name, value in result.items())


def explain(error: BaseException) -> str:
    """Return the text of an error as facts show it: stable on every machine."""
    if isinstance(error, BpmnSimError):
        return str(error)
    return f"{type(error).__name__}: {error}"
