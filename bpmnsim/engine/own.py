"""Values inside a state: private copies on the way in, canonical forms for keys, and who is to blame for a bad one."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from bpmnsim.errors import StateError
from bpmnsim.facts import ABSENT

_ATOMS = (type(None), bool, int, float, str)
_MOST_BITS = 10_000
"""Length of the longest whole number in data: Python refuses to write out one of a little more than 14,000 bits."""
_MOST_LEVELS = 100
"""How deep values in data may nest, so that each can be copied, compared and written out."""


def private(value: Any, name: str, level: int = 1) -> Any:
    """Return a copy of *value* that nobody outside holds.

    Parameters
    ----------
    value
        What a behavior, a scenario or a caller hands in.
    name
        Name it will have in data, for the error.
    level
        How deep it lies in the value of this name, from 1.

    Raises
    ------
    StateError
        If it cannot be copied, nests too deep (also in itself), or is too large a number.

    Examples
    --------
    >>> given = {"a": [1]}
    >>> kept = private(given, "order")
    >>> given["a"].append(2)
    >>> kept
    {'a': [1]}

    Notes
    -----
    Design section 4: a value that cannot be copied is reported by name.
    """
    kind = type(value)
    if kind in _ATOMS:
        if kind is int and value.bit_length() > _MOST_BITS:
            raise StateError(f"the value of {name!r} is a number of more than {_MOST_BITS} bits", hint="use a text")
        return value
    if level > _MOST_LEVELS:
        raise StateError(f"the value of {name!r} nests deeper than {_MOST_LEVELS} levels", hint="hand in flat values")
    if kind is list:
        return [private(item, name, level + 1) for item in value]
    if kind is tuple:
        return tuple(private(item, name, level + 1) for item in value)
    if kind is dict:
        return {key: private(item, name, level + 1) for key, item in value.items()}
    try:
        return deepcopy(value)
    except Exception as error:
        raise StateError(
            f"the value of {name!r} cannot be copied: {error}", hint="hand in plain values: numbers, text, lists, dicts"
        ) from error


def freeze(value: Any) -> Any:
    """Return a hashable form of *value* that is equal for equal values.

    Raises
    ------
    TypeError
        If there is none.

    Examples
    --------
    >>> freeze({"b": [1, 2], "a": None})
    ('dict', (('a', None), ('b', ('list', (1, 2)))))
    """
    kind = type(value)
    if kind in _ATOMS or value is ABSENT:
        return value
    if kind is tuple:
        return tuple([freeze(item) for item in value])
    if kind is list:
        return ("list", tuple([freeze(item) for item in value]))
    if kind is dict:
        return ("dict", tuple(sorted(((key, freeze(item)) for key, item in value.items()), key=repr)))
    if kind is set or kind is frozenset:
        return ("set", tuple(sorted((freeze(item) for item in value), key=repr)))
    if kind.__module__ in ("datetime", "decimal", "fractions", "uuid") or kind in (bytes, complex):
        return value
    raise TypeError(f"a {kind.__name__} has no canonical form")


def frozen(value: Any) -> str:
    """Return a text that is equal for equal values.

    Raises
    ------
    StateError
        If a value inside has no canonical form; the message names it.

    Examples
    --------
    >>> frozen({"b": 1, "a": 2}) == frozen({"a": 2, "b": 1})
    True
    """
    if type(value) in _ATOMS:
        return repr(value)
    try:
        return repr(freeze(value))
    except (TypeError, RecursionError) as error:
        raise refusal(value, freeze, "has no canonical form", error) from error


def refusal(value: Any, write: Callable[[Any], Any], problem: str, error: Exception) -> StateError:
    """Return the error about the part of *value* that *write* refuses, with the name under which it is kept.

    Examples
    --------
    >>> print(refusal({0: {"x": [1, print]}}, freeze, "is odd", TypeError("no")))
    SIMULATION: the value of 'x' is odd: no
      hint: keep plain values in data: numbers, text, lists, dicts
    """
    name, inner = "", value
    while True:
        bad = next(((key, part) for key, part in _parts(inner) if not _accepts(write, part)), None)
        if bad is None:
            break
        name, inner = name or (bad[0] if isinstance(bad[0], str) else ""), bad[1]
    shown = repr(name.lstrip("\x00")) if name else "a token"
    return StateError(
        f"the value of {shown} {problem}: {error}", hint="keep plain values in data: numbers, text, lists, dicts"
    )


def _parts(value: Any) -> list[tuple[Any, Any]]:
    """Return the parts of a value, each with the key or name it has."""
    if isinstance(value, dict):
        return list(value.items())
    if not isinstance(value, tuple | list):
        return []
    if len(value) == 2 and isinstance(value[0], str):
        return [(value[0], value[1])]
    return [(None, part) for part in value]


def _accepts(write: Callable[[Any], Any], value: Any) -> bool:
    try:
        write(value)
    except (TypeError, RecursionError):
        return False
    return True
