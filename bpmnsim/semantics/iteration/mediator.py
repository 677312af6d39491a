"""The data mediator: outputs are staged by ordinal and published once, as a list or a keyed map (section 6)."""

from __future__ import annotations

from typing import Any

from bpmnsim.errors import shown
from bpmnsim.facts import ABSENT
from bpmnsim.semantics.iteration.marker import Marker
from bpmnsim.semantics.iteration.position import At


def slots(marker: Marker, at: At) -> tuple[tuple[Any, Any], ...]:
    """Return what an inner instance stages: its slot is its ordinal, never its place in an order (ITER-D-03).

    A key that must be unique is staged as well, with the ordinal that brought it.
    """
    assert at.seen, "the output of an inner instance is the last of what it has left"
    output = at.seen[-1][1]
    if marker.result_key is None:
        return ((at.number, output),)
    entry = (at.number, (at.key, output))
    return (entry, (("key", at.key), at.number)) if marker.unique_keys else (entry,)


def bad_key(marker: Marker, at: At) -> str:
    """Return what is wrong with the key of an output, or nothing (ITER-E-17)."""
    if marker.result_key is None or (isinstance(at.key, str | int | float) and at.key != ""):
        return ""
    what = "an empty key" if at.key in (None, "") else f"the key {shown(at.key)}, which is no text or number"
    return f"inner instance {at.number} has {what}"


def repeated_key(at: At, held: tuple[Any, ...]) -> str:
    """Return what is wrong if another inner instance has staged the same unique key before, or nothing (ITER-E-18)."""
    owner = held[1] if len(held) > 1 else ABSENT
    return "" if owner is ABSENT else f"inner instances {owner} and {at.number} have the key {shown(at.key)}"


def assembled(marker: Marker, staged: list[Any]) -> Any:
    """Return what is published: the list by ordinal, or the map; a repeated key keeps the highest ordinal (ITER-D-11).

    Examples
    --------
    >>> from bpmnsim.engine.executor import Options
    >>> from bpmnsim.expr.language import compile_expression
    >>> marker = Marker(0, (), Options(), compile_expression("3"), result_key=compile_expression("who"))
    >>> assembled(marker, [("ann", 1), None, ("bob", 3)])
    {'ann': 1, 'bob': 3}
    """
    if marker.result_key is None:
        return staged
    return dict(entry for entry in staged if entry is not None)
