"""Values as JSON and back, exactly, and the flat list of facts with them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from datetime import time as clock_time
from decimal import Decimal
from hashlib import blake2b
from typing import Any

from bpmnsim.errors import StateError
from bpmnsim.facts import ABSENT, STRIDE, Fact

_ATOMS = (type(None), bool, int, str)
_TEXTS: dict[type, tuple[str, Callable[[Any], str], Callable[[str], Any]]] = {
    datetime: ("datetime", datetime.isoformat, datetime.fromisoformat),
    date: ("date", date.isoformat, date.fromisoformat),
    clock_time: ("time", clock_time.isoformat, clock_time.fromisoformat),
    Decimal: ("decimal", str, Decimal),
}
_READERS = {tag: read for tag, _, read in _TEXTS.values()}


def to_plain(value: Any, *, canonical: bool = False) -> Any:
    """Return *value* as JSON-ready data from which :func:`from_plain` restores it.

    Parameters
    ----------
    value
        Numbers, text, lists, tuples, dicts, sets, dates, durations, decimals, in any depth the interpreter allows.
    canonical
        Sort dicts and sets by their keys, so that equal values give equal data.

    Raises
    ------
    TypeError
        If it is something else; the message names its type.

    Examples
    --------
    >>> to_plain((1, {2: "x"}))
    {'tuple': [1, {'dict': [[2, 'x']]}]}
    """
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if kind is list:
        return [to_plain(item, canonical=canonical) for item in value]
    if kind is tuple:
        return {"tuple": [to_plain(item, canonical=canonical) for item in value]}
    if kind is dict:
        items = [
            [to_plain(key, canonical=canonical), to_plain(item, canonical=canonical)] for key, item in value.items()
        ]
        return {"dict": sorted(items, key=lambda item: json.dumps(item[0])) if canonical else items}
    if kind is set or kind is frozenset:
        members = [to_plain(item, canonical=canonical) for item in value]
        return {kind.__name__: sorted(members, key=json.dumps)}
    if kind is timedelta:
        return {"timedelta": [value.days, value.seconds, value.microseconds]}
    if kind in _TEXTS:
        tag, write, _ = _TEXTS[kind]
        return {tag: write(value)}
    if value is ABSENT:
        return {"absent": True}
    raise TypeError(f"a value of type {kind.__name__} is not plain data")


def from_plain(saved: Any) -> Any:
    """Return the value that :func:`to_plain` wrote.

    Examples
    --------
    >>> from_plain({"tuple": [1, {"dict": [[2, "x"]]}]})
    (1, {2: 'x'})
    """
    if isinstance(saved, list):
        return [from_plain(item) for item in saved]
    if not isinstance(saved, dict):
        return saved
    ((tag, inner),) = saved.items()
    match tag:
        case "tuple":
            return tuple(from_plain(item) for item in inner)
        case "dict":
            return {from_plain(key): from_plain(item) for key, item in inner}
        case "set":
            return {from_plain(item) for item in inner}
        case "frozenset":
            return frozenset(from_plain(item) for item in inner)
        case "float":
            return float(inner)
        case "timedelta":
            return timedelta(*inner)
        case "absent":
            return ABSENT
    return _READERS[tag](inner)


def is_same(one: object, other: object) -> bool:
    """Tell whether two values are the same, with the same types inside; what cannot be compared is another value.

    Examples
    --------
    >>> is_same([1], [1]), is_same([1], [1.0]), is_same([1], [True])
    (True, False, False)
    """
    try:
        return type(one) is type(other) and bool(one == other) and repr(one) == repr(other)
    except Exception:  # a frame or an array says neither yes nor no
        return False


def digest(cells: Mapping[str, Any]) -> str:
    """Return the hash (32 hex digits) of JSON-ready data: a file that was changed or cut has another one.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    return blake2b(json.dumps(cells, sort_keys=True).encode(), digest_size=16).hexdigest()


def plain_facts(facts: Sequence[Any], *, canonical: bool = False) -> list[Any]:
    """Return the flat list of facts as JSON-ready data.

    Raises
    ------
    StateError
        If a value cannot be written; the message names its variable.

    Examples
    --------
    >>> plain_facts([Fact.DATA, 1, 0, 2, 0, "x", (ABSENT, 5)])
    [13, 1, 0, 2, 0, 'x', {'tuple': [{'absent': True}, 5]}]
    """
    written = list(facts)
    written[::STRIDE] = map(int, facts[::STRIDE])
    for at in range(STRIDE - 1, len(written), STRIDE):
        value = written[at]
        if type(value) not in _ATOMS:
            try:
                written[at] = to_plain(value, canonical=canonical)
            except (TypeError, RecursionError) as error:
                named = _culprit(written[at - 6], written[at - 1], value)
                raise StateError(
                    f"{named} cannot be written: {error}", hint="keep plain values in data: numbers, text, lists, dicts"
                ) from error
    return written


def _culprit(kind: int, x: Any, y: Any) -> str:
    """Return which variable or detail of a fact holds a value that is not plain."""
    details = [(x, cell) for cell in y] if kind == Fact.DATA else y[1] if kind == Fact.EVAL else y
    for name, value in details:
        try:
            to_plain(value)
        except (TypeError, RecursionError):
            return f"the value of {name!r}"
    return f"a value of {x!r}"


def read_facts(saved: Sequence[Any]) -> list[Any]:
    """Return the facts that :func:`plain_facts` wrote.

    Examples
    --------
    >>> read_facts([13, 1, 0, 2, 0, "x", {"tuple": [{"absent": True}, 5]}])[-1]
    (ABSENT, 5)
    """
    facts = list(saved)
    for at in range(STRIDE - 1, len(facts), STRIDE):
        if isinstance(facts[at], list | dict):
            facts[at] = from_plain(facts[at])
    return facts
