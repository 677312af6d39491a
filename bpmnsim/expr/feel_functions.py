"""The functions of FEEL-lite, under their FEEL names; each takes the work of the evaluation first.

An operation on null is null. Not here: ``not()`` and ``is defined()``, which the grammar (``feel``) builds.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

from bpmnsim.expr import operations as ops
from bpmnsim.expr.limits import Work

__all__ = ["FUNCTIONS", "as_list", "null_aware"]

_LISTS = (list, tuple)


def null_aware(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return *function*, made to answer null where one of its values is null.

    Examples
    --------
    >>> null_aware(lambda a, b: a + b)(1, None) is None
    True
    """

    @functools.wraps(function)
    def call(*values: Any) -> Any:
        for value in values:
            if value is None:
                return None
        return function(*values)

    return call


def as_list(value: Any) -> Sequence[Any]:
    """Return *value*, or the list that holds it alone: FEEL makes no difference between them.

    Examples
    --------
    >>> as_list([1, 2]), as_list(5)
    ([1, 2], [5])
    """
    return value if isinstance(value, _LISTS) else [value]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{ops.kind(value)} is no text")
    return value


def _number(value: Any) -> Any:
    if isinstance(value, str | bool):
        raise TypeError(f"{ops.kind(value)} is no number")
    return value


def _elements(work: Work, values: Sequence[Any]) -> Sequence[Any]:
    """Return the elements of the only list among *values*, or *values* themselves."""
    return ops.iterate(as_list(values[0]) if len(values) == 1 else values, work)


def _count(work: Work, values: Any, /) -> int:
    return len(ops.iterate(as_list(values), work))


def _sum(work: Work, value: Any, /, *values: Any) -> Any:
    numbers = _elements(work, (value, *values))
    if not numbers or any(number is None for number in numbers):
        return None
    total: Any = 0
    for number in numbers:
        total = total + _number(number)
    return total


def _mean(work: Work, value: Any, /, *values: Any) -> Any:
    total = _sum(work, value, *values)
    return None if total is None else total / len(_elements(work, (value, *values)))


def _min(work: Work, value: Any, /, *values: Any) -> Any:
    return min(ops.flat(_elements(work, (value, *values))), default=None)


def _max(work: Work, value: Any, /, *values: Any) -> Any:
    return max(ops.flat(_elements(work, (value, *values))), default=None)


def _upper(work: Work, text: Any, /) -> str:
    work.make(len(_text(text)))
    return _text(text).upper()


def _lower(work: Work, text: Any, /) -> str:
    work.make(len(_text(text)))
    return _text(text).lower()


def _append(work: Work, values: Any, /, *more: Any) -> list[Any]:
    return _concatenate(work, values, list(more))


def _concatenate(work: Work, /, *lists: Any) -> list[Any]:
    joined: list[Any] = []
    for values in lists:
        work.make(len(as_list(values)))
        joined.extend(as_list(values))
    return joined


FUNCTIONS: MappingProxyType[str, Callable[..., Any]] = MappingProxyType(
    {
        "count": null_aware(_count),
        "sum": null_aware(_sum),
        "min": null_aware(_min),
        "max": null_aware(_max),
        "mean": null_aware(_mean),
        "contains": null_aware(lambda work, text, part: ops.contains(_text(text), part, work)),
        "starts with": null_aware(lambda _work, text, start: _text(text).startswith(start)),
        "ends with": null_aware(lambda _work, text, end: _text(text).endswith(end)),
        "string length": null_aware(lambda _work, text: len(_text(text))),
        "upper case": null_aware(_upper),
        "lower case": null_aware(_lower),
        "floor": null_aware(lambda _work, number: math.floor(_number(number))),
        "ceiling": null_aware(lambda _work, number: math.ceil(_number(number))),
        "abs": null_aware(lambda _work, number: abs(_number(number))),
        "modulo": null_aware(lambda work, left, right: ops.modulo(left, right, work)),
        "append": _append,
        "concatenate": null_aware(_concatenate),
        "list contains": lambda work, values, value: (
            None if values is None else ops.contains(as_list(values), value, work)
        ),
    }
)
"""Function by name."""
