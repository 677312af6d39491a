"""Values inside a state: private copies on the way in, hashable forms for keys."""

from __future__ import annotations

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
        return tuple(freeze(item) for item in value)
    if kind is list:
        return ("list", tuple(freeze(item) for item in value))
    if kind is dict:
        return ("dict", tuple(sorted(((key, freeze(item)) for key, item in value.items()), key=repr)))
    if kind.__module__ not in ("datetime", "decimal", "fractions", "uuid", "builtins") or kind.__hash__ is None:
        raise TypeError(f"a {kind.__name__} has no canonical form")
    return value
