"""How many inner instances an activation has: frozen once, or the visit fails before any of them exists (section 3)."""

from __future__ import annotations

from typing import Any

from bpmnsim.engine.requests import Fault
from bpmnsim.semantics.iteration.marker import Marker


def count(marker: Marker, source: Any, *, one_by_one: bool) -> tuple[int, tuple[Any, ...] | None] | Fault:
    """Return the number of inner instances and their elements, ``None`` where there are only ordinals.

    Parameters
    ----------
    source
        Value of the cardinality, or of the collection.
    one_by_one
        A sequence may have any length.

    Notes
    -----
    ITER-A-01 to ITER-A-06, ITER-A-09, ITER-E-01 to ITER-E-06.
    """
    if marker.over_collection:
        if not isinstance(source, list | tuple):
            shown = "null" if source is None else type(source).__name__
            return fault(f"the input collection is {shown}, not a list", "ITER-E-05")
        total, items = len(source), tuple(source)
    elif isinstance(source, bool) or not isinstance(source, int):
        return fault(f"the cardinality is {source!r}, not an integer", "ITER-E-02")
    else:
        total, items = source, None
    if total < 0 and marker.options.profile == "standard":
        return fault(f"NegativeCardinality: the cardinality is {total}", "ITER-A-06")
    if total > marker.options.max_parallel_width and not one_by_one:
        return fault(f"WidthExceeded: {total} inner instances at once", "ITER-A-09")
    return max(total, 0), items


def fault(text: str, rule: str) -> Fault:
    """Return the failure of an activity with a marker."""
    return Fault(("technical", f"{text} ({rule})", ""))
