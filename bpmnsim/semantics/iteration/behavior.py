"""Behavior events: what a multi-instance activity throws when an inner instance completes (iteration.md section 8)."""

from __future__ import annotations

from bpmnsim.semantics.iteration.marker import Marker, Thrown, When
from bpmnsim.semantics.iteration.position import At


def next_event(marker: Marker, at: At, *, verdict: bool | None) -> tuple[When | Thrown | None, int]:
    """Return the condition to evaluate or the event to throw next, ``None`` when all are done; and the next cursor.

    Parameters
    ----------
    verdict
        Of the condition before the cursor, if there is one.

    Notes
    -----
    ITER-BH-01 to ITER-BH-05: in declared order; events whose condition does not hold are passed over.
    """
    events = marker.events if at.completed == 1 or not marker.once else ()
    cursor = at.cursor
    last = events[cursor - 1] if cursor else None
    if isinstance(last, When) and not verdict:
        cursor += last.count
    return (events[cursor], cursor + 1) if cursor < len(events) else (None, cursor)
