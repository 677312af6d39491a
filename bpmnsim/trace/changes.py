"""What changed in a value: the smallest parts, each by its path (core.md DAT-07)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bpmnsim.facts import ABSENT
from bpmnsim.plain import is_same

Change = tuple[str, str, Any, Any]
"""Phase, path, old, new; ``ABSENT`` stands for no value."""


def changes(name: str, old: object, new: object) -> Iterator[Change]:
    """Yield the changes that turn *old* into *new*; none where they are equal.

    Parameters
    ----------
    name
        Path of the value.
    old, new
        ``ABSENT`` where there is none.

    Examples
    --------
    >>> list(changes("receipt", {"sum": 5}, {"sum": 6}))
    [('Value_Updated', 'receipt.sum', 5, 6)]
    >>> [change[:2] for change in changes("rates", {"EUR": 1, "GBP": 2}, {"EUR": 3, "JPY": 4})]
    [('Value_Updated', 'rates["EUR"]'), ('Value_Added', 'rates["JPY"]'), ('Value_Deleted', 'rates["GBP"]')]

    Notes
    -----
    A new part is one change at its root; parts of lists are known by their index. A key that looks like a field
    (an identifier that does not begin with a capital) is written ``.field``, any other key ``["key"]``. No recursion:
    values may be deep.
    """
    pending = [(name, old, new)]
    while pending:
        path, before, after = pending.pop()
        if before is ABSENT:
            yield "Value_Added", path, before, after
        elif after is ABSENT:
            yield "Value_Deleted", path, before, after
        elif type(before) is type(after) and isinstance(before, dict | list):
            pending.extend(reversed(list(_parts(path, before, after))))
        elif not is_same(before, after):
            yield "Value_Updated", path, before, after


def _parts(path: str, before: Any, after: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the parts of two records or lists: those of the new one in its order, then those that are gone."""
    if isinstance(before, list):
        for index in range(max(len(before), len(after))):
            old = before[index] if index < len(before) else ABSENT
            yield f"{path}[{index}]", old, after[index] if index < len(after) else ABSENT
        return
    for key, value in after.items():
        yield path + _step(key), before.get(key, ABSENT), value
    for key, value in before.items():
        if key not in after:
            yield path + _step(key), value, ABSENT


def _step(key: object) -> str:
    if isinstance(key, str) and key.isidentifier() and not key[0].isupper():
        return f".{key}"
    return f"[{json.dumps(key, default=repr)}]"
