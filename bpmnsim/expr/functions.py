"""The functions of Python-style expressions, and the check of a call in any dialect.

Each takes the work of the evaluation first. Not here: operators and limits (``operations``), the functions of
FEEL (``feel``) and the methods of JUEL (``juel``).
"""

from __future__ import annotations

import datetime
import decimal
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from bpmnsim.errors import ExpressionError, did_you_mean
from bpmnsim.expr import operations as ops
from bpmnsim.expr.limits import Work, require_bits

__all__ = ["FUNCTIONS", "require_call", "text_of"]

_NOTHING = object()
_MAX_DIGITS = 400


def require_call(
    kind: str, name: str, known: Mapping[str, Callable[..., Any]], count: int, keywords: Sequence[str] = ()
) -> Callable[..., Any]:
    """Return the function *name*; refuse an unknown one and a wrong number of values.

    Examples
    --------
    >>> require_call("function", "lenn", {"len": lambda work, values: len(values)}, 1)
    Traceback (most recent call last):
    bpmnsim.errors.ExpressionError: EXPRESSION: unknown function 'lenn'
      hint: did you mean 'len'?
    """
    if name not in known:
        raise ExpressionError(f"unknown {kind} {name!r}", hint=did_you_mean(name, known))
    try:
        inspect.signature(known[name]).bind(None, *[None] * count, **dict.fromkeys(keywords))
    except TypeError:
        raise ExpressionError(f"{kind} {name!r} does not take the values given to it") from None
    return known[name]


def text_of(work: Work, value: Any, /) -> str:
    """Return *value* as text; only texts, numbers, booleans, None and dates have one.

    Examples
    --------
    >>> text_of(Work(), 1.5)
    '1.5'
    """
    if not isinstance(value, str | bool | int | float | decimal.Decimal | datetime.date | datetime.timedelta | None):
        raise TypeError(f"a value of type {type(value).__name__} has no text")
    text = str(value)
    work.make(len(text))
    return text


def _len(_work: Work, values: Any, /) -> int:
    return len(values)


def _min(work: Work, value: Any, /, *values: Any, default: Any = _NOTHING) -> Any:
    return _extreme(min, work, value, values, default)


def _max(work: Work, value: Any, /, *values: Any, default: Any = _NOTHING) -> Any:
    return _extreme(max, work, value, values, default)


def _extreme(choose: Callable[[Any], Any], work: Work, value: Any, values: Sequence[Any], default: Any) -> Any:
    candidates = ops.flat([value, *values] if values else ops.iterate(value, work))
    if not candidates and default is _NOTHING:
        raise ExpressionError("an empty list has no smallest and no largest element")
    return choose(candidates) if candidates else default


def _sum(work: Work, values: Any, /, start: Any = 0) -> Any:
    for value in ops.iterate(values, work):  # the builtin rounds differently from Python 3.12 on
        start = ops.add(start, value, work)
    return start


def _abs(_work: Work, value: Any, /) -> Any:
    return abs(value)


def _round(_work: Work, number: Any, /, ndigits: Any = None) -> Any:
    if ndigits is not None and abs(ndigits) > _MAX_DIGITS:
        raise ExpressionError(f"a number is rounded to at most {_MAX_DIGITS} digits")
    return round(number, ndigits)


def _int(_work: Work, value: Any, /) -> int:
    number = int(value)
    require_bits(number.bit_length())
    return number


def _float(_work: Work, value: Any, /) -> float:
    return float(value)


def _bool(_work: Work, value: Any, /) -> bool:
    return bool(value)


def _any(work: Work, values: Any, /) -> bool:
    return any(ops.iterate(values, work))


def _all(work: Work, values: Any, /) -> bool:
    return all(ops.iterate(values, work))


def _sorted(work: Work, values: Any, /, *, reverse: Any = False) -> list[Any]:
    found = ops.flat(ops.iterate(values, work))
    work.make(len(found))
    return sorted(found, reverse=bool(reverse))


FUNCTIONS: MappingProxyType[str, Callable[..., Any]] = MappingProxyType(
    {
        "len": _len,
        "min": _min,
        "max": _max,
        "sum": _sum,
        "abs": _abs,
        "round": _round,
        "str": text_of,
        "int": _int,
        "float": _float,
        "bool": _bool,
        "any": _any,
        "all": _all,
        "sorted": _sorted,
    }
)
"""Function by name."""
