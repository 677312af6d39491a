"""The data mediator: outputs are staged by ordinal and published once, as a list or a keyed map (section 6)."""

from __future__ import annotations

from typing import Any

from bpmnsim.errors import ExpressionError
from bpmnsim.semantics.iteration.attributes import LOOP_COUNTER
from bpmnsim.semantics.iteration.marker import Marker


def slot_of(marker: Marker, number: int, seen: dict[str, Any]) -> tuple[tuple[int, Any], ...]:
    """Return what inner instance *number* stages: its slot and its output, nothing where no output is declared.

    Notes
    -----
    ITER-D-03: the slot is the ordinal, never the position in the order of completion.
    """
    if not marker.output_item:
        return ()
    output = seen[marker.output_item]
    if marker.result_key is None:
        return ((number, output),)
    try:
        key = marker.result_key.evaluate({LOOP_COUNTER: number, **seen})
    except ExpressionError:
        key = None
    return ((number, (key, output)),)


def key_fault(marker: Marker, slots: list[Any]) -> str:
    """Return what is wrong with the keys of a map result, or nothing (ITER-E-17, ITER-E-18)."""
    if marker.result_key is None:
        return ""
    owner: dict[Any, int] = {}
    for number, slot in enumerate(slots):
        if slot is None:
            continue
        key = slot[0]
        if key is None or key == "":
            return f"inner instance {number} has an empty key"
        if marker.unique_keys and key in owner:
            return f"inner instances {owner[key]} and {number} have the same key {key!r}"
        owner[key] = number
    return ""


def assembled(marker: Marker, slots: list[Any]) -> tuple[tuple[str, Any], ...]:
    """Return the publication: the list by ordinal, or the map, under the output name (ITER-D-03, ITER-D-11)."""
    if not marker.output:
        return ()
    if marker.result_key is not None:
        return ((marker.output, {slot[0]: slot[1] for slot in slots if slot is not None}),)
    return ((marker.output, slots),)
