"""What every dialect may do with values: guarded operations.

Here: arithmetic that cannot grow without bound, equality across types, access to records and lists. Not here:
the limits (``limits``), grammars (``pythonic``, ``juel``, ``feel``) and the choice among them (``language``).
Nothing in this module changes a value it is given.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bpmnsim.errors import ExpressionError
from bpmnsim.expr.limits import ATOMS, Work, require_bits

__all__ = [
    "add",
    "contains",
    "divide",
    "equal",
    "flat",
    "floor_divide",
    "iterate",
    "kind",
    "member",
    "modulo",
    "multiply",
    "order",
    "pick",
    "power",
    "repeat",
    "subtract",
]

_NUMBERS = frozenset({int, float})
_LISTS = (list, tuple)  # a tuple: isinstance builds a union anew each time
_RECORDS = (dict, Mapping)
_COMPARISON = 5  # units of work to compare two elements
_KEYED = (Mapping, set, frozenset)


def order(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any, Work], bool]:
    """Return ``compare`` (one of ``<``, ``<=``, ``>``, ``>=``) for values that have an order; lists have none.

    Examples
    --------
    >>> order(operator.lt)(1, 2.5, Work())
    True
    """

    def ordered(left: Any, right: Any, _work: Work) -> bool:
        if isinstance(left, _LISTS):
            raise TypeError("lists have no order")
        return compare(left, right)

    return ordered


def equal(left: Any, right: Any, work: Work) -> bool:
    """Tell whether two values are equal; values of different types are not, a boolean equals no number.

    Examples
    --------
    >>> [equal(*pair, Work()) for pair in [(1, 1.0), (1, "1"), (1, True), ([1], (1,)), ({"a": 1}, {"a": 1})]]
    [True, False, False, True, True]
    """
    pending = [(left, right)]
    while pending:
        left, right = pending.pop()
        left_type, right_type = type(left), type(right)
        if left_type in ATOMS and right_type in ATOMS:
            alike = left_type is right_type or (left_type in _NUMBERS and right_type in _NUMBERS)
            if not alike or left != right:
                return False
        elif isinstance(left, _RECORDS) and isinstance(right, _RECORDS):
            work.spend(_COMPARISON * (1 + len(left)))
            if left.keys() != right.keys():
                return False
            pending += [(left[key], right[key]) for key in left]
        elif isinstance(left, _LISTS) and isinstance(right, _LISTS):
            work.spend(_COMPARISON * (1 + len(left)))
            if len(left) != len(right):
                return False
            pending += zip(left, right, strict=True)
        elif left != right:
            return False
    return True


def add(left: Any, right: Any, work: Work) -> Any:
    """Add numbers, join two texts or two lists.

    Examples
    --------
    >>> add(1, 0.5, Work()), add("a", "b", Work()), add([1], (2,), Work())
    (1.5, 'ab', [1, 2])
    """
    if isinstance(left, str) and isinstance(right, str):
        work.make(len(left) + len(right))
    elif isinstance(left, _LISTS) and isinstance(right, _LISTS):
        work.make(len(left) + len(right))
        return [*left, *right]
    else:
        _require_plain(left, right, "+")
    return left + right


def multiply(left: Any, right: Any, _work: Work) -> Any:
    """Multiply numbers.

    Examples
    --------
    >>> multiply(2, 1.5, Work())
    3.0
    """
    if isinstance(left, int) and isinstance(right, int):
        require_bits(left.bit_length() + right.bit_length())
    _require_plain(left, right, "*")
    return left * right


def repeat(left: Any, right: Any, work: Work) -> Any:
    """Repeat a text or list, as ``*`` does in Python, or multiply numbers.

    Examples
    --------
    >>> repeat("ab", 2, Work()), repeat(2, [0], Work()), repeat(2, 3, Work())
    ('abab', [0, 0], 6)
    """
    if isinstance(right, (str, *_LISTS)):
        left, right = right, left
    if not isinstance(left, (str, *_LISTS)) or not isinstance(right, int):
        return multiply(left, right, work)
    work.make(len(left) * max(right, 0))
    return left * right


def power(base: Any, exponent: Any, _work: Work) -> Any:
    """Raise *base* to *exponent*, within :data:`MAX_BITS` and the real numbers.

    Examples
    --------
    >>> power(2, 10, Work()), power(2, -1, Work())
    (1024, 0.5)
    """
    if not isinstance(base, int | float) or not isinstance(exponent, int | float):
        raise TypeError(f"'**' does not apply to {kind(base)} and {kind(exponent)}")
    if isinstance(base, int) and isinstance(exponent, int):
        require_bits(base.bit_length() * abs(exponent))
    result: object = base**exponent
    if isinstance(result, complex):
        raise ExpressionError("a root of a negative number has no value")
    return result


def _plain(sign: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any, Work], Any]:
    def operate(left: Any, right: Any, _work: Work) -> Any:
        _require_plain(left, right, sign)
        return function(left, right)

    return operate


subtract = _plain("-", operator.sub)
"""Subtract numbers."""
divide = _plain("/", operator.truediv)
"""Divide numbers: true division in every dialect."""
floor_divide = _plain("//", operator.floordiv)
"""Divide numbers, rounding down."""
modulo = _plain("%", operator.mod)
"""Return the remainder of a division, with the sign of the divisor; never formats text."""


def contains(container: Any, value: Any, work: Work) -> bool:
    """Tell whether a list holds *value*, a record has the key *value*, or a text contains it.

    Examples
    --------
    >>> contains([1, 2], 1.0, Work()), contains({"a": 1}, "a", Work()), contains("team", "ea", Work())
    (True, True, True)
    """
    if isinstance(container, str):
        work.spend(len(container))
        return value in container
    if isinstance(container, _KEYED):
        return _key(value) in container
    if isinstance(container, _LISTS):
        work.spend(len(container))
        return any(equal(item, value, work) for item in container)
    raise TypeError(f"{kind(container)} contains nothing")


def iterate(values: Any, work: Work) -> Sequence[Any]:
    """Return the elements of a list or text, the keys of a record or the elements of a set in sorted order.

    Examples
    --------
    >>> iterate({"b": 1, "a": 2}, Work())
    ['a', 'b']

    Notes
    -----
    DAT-06: keys are sorted on enumeration.
    """
    if isinstance(values, _KEYED):
        work.make(len(values))
        return sorted(flat(list(values)))
    if not isinstance(values, (*_LISTS, str)):
        raise TypeError(f"{kind(values)} has no elements")
    work.spend(len(values))
    return values


def flat(values: Sequence[Any]) -> Sequence[Any]:
    """Return *values*, which are to be ordered; refuse lists among them, which have no order.

    Examples
    --------
    >>> flat([2, 1])
    [2, 1]
    """
    if any(isinstance(value, _LISTS) for value in values):
        raise TypeError("lists have no order")
    return values


def member(record: Any, key: str, path: Callable[[], str]) -> Any:
    """Return the value of *key* in *record*; *path* names both in an error.

    Examples
    --------
    >>> member({"total": 5}, "total", lambda: "order.total")
    5
    >>> member({}, "total", lambda: "order.total")
    Traceback (most recent call last):
    bpmnsim.errors.ExpressionError: EXPRESSION: 'order.total' has no value

    Notes
    -----
    DAT-06. Only keys of records are read, never attributes of Python objects.
    """
    if isinstance(record, _RECORDS):
        if key in record:
            return record[key]
    elif record is not None:
        raise ExpressionError(f"{path()!r}: {kind(record)} has no named parts")
    raise ExpressionError(f"{path()!r} has no value", missing=path())


def pick(values: Any, key: Any, path: Callable[[], str]) -> Any:
    """Return element number *key* of a list or text, counted from 0, or the value of *key* in a record.

    Examples
    --------
    >>> pick([10, 20], -1, lambda: "prices"), pick({"EUR": 1.1}, "EUR", lambda: "rates")
    (20, 1.1)
    >>> pick([], 3, lambda: "prices")
    Traceback (most recent call last):
    bpmnsim.errors.ExpressionError: EXPRESSION: 'prices[3]' is out of range: 0 elements
    """
    if not isinstance(values, (*_LISTS, str)):
        return member(values, _key(key), lambda: f"{path()}[{_quoted(key)}]")
    if isinstance(key, float) and key.is_integer():
        key = int(key)
    if isinstance(key, bool) or not isinstance(key, int):
        raise TypeError(f"{kind(key)} is not the number of an element")
    if not -len(values) <= key < len(values):
        raise ExpressionError(f"'{path()}[{key}]' is out of range: {len(values)} elements")
    return values[key]


def _key(key: Any) -> Any:
    if type(key) not in ATOMS:
        raise TypeError(f"{kind(key)} cannot be a key")
    return key


def _quoted(key: Any) -> str:
    return f'"{key}"' if isinstance(key, str) else str(key)


def kind(value: Any) -> str:
    """Return how an error calls *value*.

    Examples
    --------
    >>> kind(None), kind(5)
    ('null', 'a value of type int')
    """
    return "null" if value is None else f"a value of type {type(value).__name__}"


def _require_plain(left: Any, right: Any, sign: str) -> None:
    if hasattr(left, "__len__") or hasattr(right, "__len__"):
        raise TypeError(f"'{sign}' does not apply to {kind(left)} and {kind(right)}")
