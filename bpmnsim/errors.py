"""Every exception that bpmnsim raises on purpose.

A file, an expression or a schedule from outside can only ever raise one of these. What goes wrong *inside*
a run is not an exception but an incident or an outcome of the trace (core.md INC-01, DLK-05).
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "BpmnError",
    "BpmnSimError",
    "ConditionTypeError",
    "ExpressionError",
    "InternalError",
    "LimitReached",
    "ModelError",
    "NoSuchTask",
    "ScheduleDivergence",
    "SimulationError",
    "StateError",
    "UnsupportedError",
    "did_you_mean",
    "shown",
]


class BpmnSimError(Exception):
    """Base of everything bpmnsim raises on purpose.

    Parameters
    ----------
    message
        What is wrong, in one sentence.
    element_id
        The BPMN element concerned, if there is one.
    line
        Line of that element in its file, counted from 1.
    hint
        What to change.

    Examples
    --------
    >>> print(BpmnSimError("no such flow", element_id="f1", line=12, hint="draw it"))
    BPMNSIM [f1, line 12]: no such flow
      hint: draw it

    Notes
    -----
    Design section 8.
    """

    code = "BPMNSIM"

    def __init__(
        self,
        message: str,
        *,
        element_id: str | None = None,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.element_id = element_id
        self.line = line
        self.hint = hint

    def __str__(self) -> str:
        places = [str(self.element_id)] if self.element_id else []
        if self.line is not None:
            places.append(f"line {self.line}")
        where = f" [{', '.join(places)}]" if places else ""
        tip = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{self.code}{where}: {self.message}{tip}"


class ModelError(BpmnSimError, ValueError):
    """The file or the drawing is wrong; ``problems`` lists every finding, not only the first.

    Examples
    --------
    >>> ModelError("two problems", problems=("a", "b")).problems
    ('a', 'b')
    """

    code = "MODEL"

    def __init__(
        self,
        message: str,
        *,
        element_id: str | None = None,
        line: int | None = None,
        hint: str | None = None,
        problems: Iterable[str] = (),
    ) -> None:
        super().__init__(message, element_id=element_id, line=line, hint=hint)
        self.problems = tuple(problems)


class UnsupportedError(BpmnSimError, ValueError):
    """A construct is understood, but refused because it would run wrongly.

    Parameters
    ----------
    rule
        Id of the rule that refuses it, such as ``"ITER-M-02"``.

    Examples
    --------
    >>> print(UnsupportedError("quantities other than 1", element_id="A", rule="FLW-07"))
    UNSUPPORTED [A]: quantities other than 1 (FLW-07)
    """

    code = "UNSUPPORTED"

    def __init__(
        self,
        message: str,
        *,
        element_id: str | None = None,
        line: int | None = None,
        hint: str | None = None,
        rule: str = "",
    ) -> None:
        super().__init__(f"{message} ({rule})" if rule else message, element_id=element_id, line=line, hint=hint)
        self.rule = rule


class ExpressionError(BpmnSimError, ValueError):
    """An expression cannot be evaluated; inside a run an incident carries it.

    Parameters
    ----------
    text
        The expression as written.
    missing
        The name that has no value, if that is the reason.

    Examples
    --------
    >>> error = ExpressionError("'x' has no value", text="x > 1", missing="x", element_id="f1")
    >>> print(error)
    EXPRESSION [f1]: 'x' has no value, in "x > 1"
    """

    code = "EXPRESSION"

    def __init__(
        self,
        message: str,
        *,
        text: str = "",
        missing: str | None = None,
        element_id: str | None = None,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(f'{message}, in "{text}"' if text else message, element_id=element_id, line=line, hint=hint)
        self.text = text
        self.missing = missing


class ConditionTypeError(ExpressionError, TypeError):
    """A condition returned something other than a boolean (core.md FLW-04).

    Examples
    --------
    >>> raise ConditionTypeError("returned 1, not a boolean", text="1", element_id="f1")
    Traceback (most recent call last):
    bpmnsim.errors.ConditionTypeError: EXPRESSION [f1]: returned 1, not a boolean, in "1"
    """


class SimulationError(BpmnSimError, RuntimeError):
    """A run is misused: an action that is not enabled, an option that does not exist.

    Examples
    --------
    >>> print(SimulationError("the run has ended"))
    SIMULATION: the run has ended
    """

    code = "SIMULATION"


class StateError(SimulationError):
    """The run is in a state in which the call makes no sense (core.md EXE-10).

    Examples
    --------
    >>> issubclass(StateError, SimulationError)
    True
    """


class NoSuchTask(SimulationError, LookupError):  # noqa: N818 - the promised name
    """No open task, job or wait fits the call (core.md HUM-07, iteration.md ITER-U-03).

    Examples
    --------
    >>> print(NoSuchTask("no open task", element_id="review"))
    SIMULATION [review]: no open task
    """


class ScheduleDivergence(BpmnSimError, ValueError):  # noqa: N818 - the promised name
    """A schedule does not fit the run that replays it.

    Parameters
    ----------
    choice
        Number of the choice at which the run diverged, counted from 0; ``None`` for the header.
    expected
        The action the schedule names.
    enabled
        The actions that were enabled instead.
    nearest
        The enabled name most like the expected one.

    Examples
    --------
    >>> error = ScheduleDivergence("not enabled", choice=3, expected="run(p/B)", enabled=("run(p/A)",))
    >>> error.choice, error.expected, error.enabled
    (3, 'run(p/B)', ('run(p/A)',))
    """

    code = "SCHEDULE"

    def __init__(
        self,
        message: str,
        *,
        choice: int | None = None,
        expected: str | None = None,
        enabled: Iterable[str] = (),
        nearest: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.choice = choice
        self.expected = expected
        self.enabled = tuple(enabled)
        self.nearest = nearest


class LimitReached(BpmnSimError, RuntimeError):  # noqa: N818 - the promised name
    """A limit was reached where the caller asked for an error; ``partial`` holds what there is.

    Examples
    --------
    >>> LimitReached("too many states", partial=[1, 2]).partial
    [1, 2]
    """

    code = "LIMIT"

    def __init__(self, message: str, *, partial: object = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.partial = partial


class InternalError(BpmnSimError, AssertionError):
    """A defect of bpmnsim itself; please report it with the schedule of the run.

    Examples
    --------
    >>> print(InternalError("a scope drained twice"))
    INTERNAL: a scope drained twice
    """

    code = "INTERNAL"


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return a hint that names the known spelling most like *name*.

    Parameters
    ----------
    name
        What was written.
    known
        Every accepted spelling.

    Returns
    -------
    str or None
        ``"did you mean 'x'?"``, or ``None`` where nothing is close.

    Examples
    --------
    >>> did_you_mean("Revew", ["Review", "Ship"])
    "did you mean 'Review'?"
    >>> did_you_mean("zzz", ["Review"]) is None
    True
    """
    if not isinstance(name, str):
        return None
    close = get_close_matches(name, sorted(set(known)), n=1)
    return f"did you mean {close[0]!r}?" if close else None


def shown(value: object) -> str:
    """Return a value as an error shows it: never long, and its type where it cannot be written.

    Parameters
    ----------
    value
        Anything; what a caller or a behavior handed in.

    Returns
    -------
    str
        At most 81 characters.

    Examples
    --------
    >>> shown("a" * 1000)[-3:], shown(10**5000)
    ('aa…', 'a value of type int')
    """
    try:
        text = repr(value)
    except Exception:
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:80]}…"


class BpmnError(Exception):
    """Raised by a behavior to say that its activity failed with a business error of this code.

    It is not a :class:`BpmnSimError`: inside a process it is data that an error event catches (core.md ERR-01).

    Parameters
    ----------
    error_code
        Code that error events match.
    message
        Free text for the tables.

    Examples
    --------
    >>> BpmnError("CARD_DECLINED").error_code
    'CARD_DECLINED'
    """

    def __init__(self, error_code: str, message: str = "") -> None:
        self.error_code = error_code if isinstance(error_code, str) else shown(error_code)
        super().__init__(message or self.error_code)
