"""Expressions of every dialect behind one class, and the choice of the dialect.

Here: :class:`Expression`, :func:`compile_expression`, and what a caller may pass as an expression. The dialects
themselves (``pythonic``, ``juel``, ``feel``) are imported when an expression needs them, so that this module
and the engine above it need the standard library alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bpmnsim.errors import ConditionTypeError, ExpressionError, ModelError, did_you_mean

__all__ = ["MAX_TEXT", "Expression", "compile_expression"]

MAX_TEXT = 10_000
"""How many characters the text of an expression may have."""

_LANGUAGES = {
    "python": "python",
    "python3": "python",
    "juel": "juel",
    "uel": "juel",
    "245": "juel",  # http://www.jcp.org/en/jsr/detail?id=245
    "feel": "feel",
    "java": "java",
    "mvel": "java",
    "groovy": "java",
    "javascript": "java",
    "js": "java",
    "ecmascript": "java",
    "xpath": "",  # what BPMN takes when nothing is written, and modelers write without meaning it
}
_DIALECTS = {
    "bpmn": "python",
    "camunda": "juel",
    "operaton": "juel",
    "flowable": "juel",
    "activiti": "juel",
    "zeebe": "feel",
    "jbpm": "java",
}
_Function = Callable[[Mapping[str, object]], object]
_SHOWN = 500


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression, parsed once; made by :func:`compile_expression`.

    Two expressions are equal if they have the same text, language and element. All but those made of a
    callable can be pickled.

    Parameters
    ----------
    text
        The expression as written; the name of a callable.
    language
        ``"python"``, ``"juel"``, ``"feel"``, ``"java"`` or ``"callable"``; an unknown language as written.
    element_id
        The BPMN element it belongs to, named in errors.
    problem
        Why it can never be evaluated, or None.
    reads
        The names, and dotted paths such as ``order.total``, that it may read, sorted.
    reads_all
        Whether it may read anything.

    Examples
    --------
    >>> expression = compile_expression("${order.total > 100 && approved}", element_id="f1")
    >>> expression.language, expression.reads, expression.problem
    ('juel', ('approved', 'order.total'), None)
    >>> expression.evaluate({"order": {"total": 150}, "approved": True})
    True

    Notes
    -----
    CND-03: ``reads`` are the declared read paths.
    """

    text: str
    language: str
    element_id: str | None = None
    problem: str | None = field(default=None, compare=False)
    reads: tuple[str, ...] = field(default=(), compare=False)
    reads_all: bool = field(default=False, compare=False)
    _run: _Function | None = field(default=None, compare=False, repr=False)
    _function: _Function | None = field(default=None, repr=False)

    def evaluate(self, names: Mapping[str, object]) -> object:
        """Return the value of the expression; *names* are only read.

        Parameters
        ----------
        names
            The values of names: numbers, texts, booleans, None, lists and records (mappings).

        Raises
        ------
        ExpressionError
            If it has a problem, a name has no value (``missing``), or an operation does not apply.

        Examples
        --------
        >>> compile_expression("x + 1").evaluate({"x": 1})
        2
        >>> compile_expression("x + 1", element_id="f1").evaluate({})
        Traceback (most recent call last):
        bpmnsim.errors.ExpressionError: EXPRESSION [f1]: 'x' has no value, in "x + 1"

        Notes
        -----
        ITER-CC-12: an attempted write is an error.
        """
        if self._run is None:
            raise ExpressionError(str(self.problem), text=self._shown(), element_id=self.element_id)
        try:
            return self._run(names)
        except ExpressionError as error:
            message, missing, hint, cause = error.message, error.missing, error.hint, error.__cause__
        except Exception as error:  # whatever an operation or a callable raises is one kind of error to the caller
            message, missing, hint, cause = _reason(error), None, None, error
        raise ExpressionError(
            message, text=self._shown(), missing=missing, element_id=self.element_id, hint=hint
        ) from cause

    def condition(self, names: Mapping[str, object]) -> bool:
        """Return the value of the expression, which must be a boolean.

        Parameters
        ----------
        names
            As in :meth:`evaluate`.

        Raises
        ------
        ConditionTypeError
            If the value is anything but True or False: 1, "true" and None are errors.
        ExpressionError
            As in :meth:`evaluate`.

        Examples
        --------
        >>> compile_expression("x > 10").condition({"x": 11})
        True
        >>> compile_expression("x").condition({"x": 1})
        Traceback (most recent call last):
        bpmnsim.errors.ConditionTypeError: EXPRESSION: returned 1, not a boolean, in "x"

        Notes
        -----
        FLW-04.
        """
        value = self.evaluate(names)
        if value is True or value is False:
            return bool(value)
        shown = repr(value)[:80] if isinstance(value, int | float | str | None) else f"a {type(value).__name__}"
        raise ConditionTypeError(f"returned {shown}, not a boolean", text=self._shown(), element_id=self.element_id)

    def _shown(self) -> str:
        return self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}…"

    def __reduce__(self) -> tuple[Callable[..., Expression], tuple[object, ...]]:
        return _restore, (self.text if self._function is None else self._function, self.language, self.element_id)


def compile_expression(
    text: str | _Function,
    *,
    language: str | None = None,
    dialect: str | None = None,
    element_id: str | None = None,
) -> Expression:
    """Parse an expression; whatever is wrong with its text becomes its ``problem``.

    The language is the one given; else what the text shows: ``${…}`` and ``#{…}`` are JUEL, a leading ``=``
    is FEEL, ``return …;`` is Java; else that of the dialect; else Python.

    Parameters
    ----------
    text
        The expression, or a function that takes the names and returns its value.
    language
        A name, MIME type or URI of a language. XPath counts as not given; an unknown one is a problem.
    dialect
        Whose file it is: bpmn, camunda, operaton, flowable, activiti, zeebe or jbpm.
    element_id
        The BPMN element it belongs to.

    Raises
    ------
    ModelError
        If there is no such dialect.

    Examples
    --------
    >>> compile_expression('=if x > 1 then "a" else "b"').evaluate({"x": 2})
    'a'
    >>> compile_expression("lenn(items) > 2").problem
    "unknown function 'lenn'; did you mean 'len'?"
    >>> compile_expression(lambda names: names["x"] > 1).condition({"x": 2})
    True

    Notes
    -----
    DAT-12: expressions are routed by language; an unclaimed language fails.
    """
    if callable(text):
        return _of_function(text, element_id)
    source = text.strip()
    chosen = _choose(source, language, dialect)
    try:
        run, reads = _parse(source, chosen)
    except ExpressionError as error:
        problem = f"{error.message}; {error.hint}" if error.hint else error.message
        return Expression(text, chosen, element_id, problem=problem)
    return Expression(text, chosen, element_id, reads=tuple(sorted(reads)), _run=run)


def _restore(text: str | _Function, language: str, element_id: str | None) -> Expression:
    return compile_expression(text, language=language, element_id=element_id)


def _of_function(function: _Function, element_id: str | None) -> Expression:
    from bpmnsim.expr.readonly import guard

    label = getattr(function, "__name__", type(function).__name__)
    return Expression(label, "callable", element_id, reads_all=True, _run=guard(function), _function=function)


def _choose(source: str, language: str | None, dialect: str | None) -> str:
    """Return the short name of the language, or *language* itself where it is unknown."""
    if dialect is not None and dialect not in _DIALECTS:
        raise ModelError(f"there is no dialect {dialect!r}", hint=did_you_mean(dialect, _DIALECTS))
    if language and language.strip():
        words = re.findall(r"[a-z0-9]+", language.lower())
        known = next((_LANGUAGES[word] for word in words if word in _LANGUAGES), language)
        if known:
            return known
    if source.startswith("=") and not source.startswith("=="):
        return "feel"
    if "${" in source or "#{" in source:
        return "juel"
    if re.match(r"return\b", source):
        return "java"
    return _DIALECTS[dialect or "bpmn"]


def _parse(source: str, language: str) -> tuple[_Function, frozenset[str]]:
    """Return the function that evaluates *source*, and what it reads; raise ExpressionError."""
    if not source:
        raise ExpressionError("empty expression")
    if len(source) > MAX_TEXT:
        raise ExpressionError(f"it has {len(source)} characters, more than {MAX_TEXT}")
    if language == "python":
        from bpmnsim.expr.pythonic import parse

        return parse(source)
    if language == "feel":
        from bpmnsim.expr import feel

        return feel.parse(source)
    if language in ("juel", "java"):
        from bpmnsim.expr import juel

        return juel.parse(source) if language == "juel" else juel.parse_java(source)
    raise ExpressionError(f"unknown language {language!r}", hint=did_you_mean(language, _LANGUAGES))


def _reason(error: Exception) -> str:
    match error:
        case ZeroDivisionError():
            return "division by zero"
        case OverflowError():
            return "a number is too large"
        case RecursionError():
            return "a value nests too deep"
        case MemoryError():
            return "not enough memory"
    return f"{type(error).__name__}: {error}" if not isinstance(error, TypeError) else str(error)
