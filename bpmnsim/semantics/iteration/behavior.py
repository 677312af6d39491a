"""Behavior events: what a multi-instance activity throws when an inner instance completes (iteration.md section 8)."""

from __future__ import annotations

from typing import Any

from bpmnsim.engine import requests
from bpmnsim.model.loops import Behavior
from bpmnsim.semantics.iteration.marker import Marker, Thrown


def throws_after(
    marker: Marker, completed: int, position: int, reply: Any, payload: tuple[tuple[str, Any], ...]
) -> tuple[requests.Request | None, int]:
    """Return the next request of the behavior and the position to come back with, ``None`` when it is done.

    Parameters
    ----------
    completed
        Completions so far, the present one included.
    position
        0 at first, then what was returned last; odd while the condition of a definition is being evaluated.
    reply
        Verdict of that condition.
    payload
        Counters that the event carries (ITER-BH-07).
    """
    if marker.behavior is Behavior.COMPLEX:
        if position % 2:
            thrown = marker.definitions[position // 2][1]
            if reply:
                return _throw(thrown, payload), position + 1
            position += 1
        if position // 2 < len(marker.definitions):
            condition = marker.definitions[position // 2][0]
            return requests.Evaluate(condition, "behavior", boolean=True), position + 1
        return None, position
    due = marker.behavior is Behavior.NONE or (marker.behavior is Behavior.ONE and completed == 1)
    if due and position == 0 and marker.one is not None:
        return _throw(marker.one, payload), 1
    return None, position


def _throw(thrown: Thrown, payload: tuple[tuple[str, Any], ...]) -> requests.Emit:
    return requests.Emit(
        "Iteration Thrown", (("kind", thrown.kind), ("code", thrown.name), *payload, ("caught_by", ""))
    )
