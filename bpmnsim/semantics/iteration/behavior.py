"""Behavior events: what a multi-instance activity throws when an inner instance completes (iteration.md section 8)."""

from __future__ import annotations

from typing import Any

from bpmnsim.expr.language import Expression
from bpmnsim.semantics.iteration.marker import Marker, Thrown
from bpmnsim.semantics.iteration.position import At


def next_event(marker: Marker, at: At, reply: Any) -> tuple[Expression | Thrown | None, int]:
    """Return the condition to evaluate or the event to throw next, ``None`` when all are done; and the next cursor.

    The cursor of *at* is twice the position among the events, and one more while a condition is being evaluated, whose
    verdict is *reply*.

    Notes
    -----
    ITER-BH-01 to ITER-BH-05: events come in declared order, each if its condition holds.
    """
    events = marker.events if at.completed == 1 or not marker.once else ()
    position, evaluated = divmod(at.cursor, 2)
    if evaluated and reply:
        return events[position][1], at.cursor + 1
    if evaluated:
        position += 1
    if position == len(events):
        return None, at.cursor
    condition, thrown = events[position]
    return (thrown, 2 * position + 2) if condition is None else (condition, 2 * position + 1)
