"""What an iteration reports of itself: activation, exit, events (iteration.md ITER-F-04, ITER-BH-07)."""

from __future__ import annotations

from bpmnsim.engine.requests import Emit
from bpmnsim.semantics.iteration.attributes import counters
from bpmnsim.semantics.iteration.marker import Thrown
from bpmnsim.semantics.iteration.position import At


def activated(number: int, kind: str, source: str, total: int | None) -> Emit:
    """Report that activation *number* has begun; a loop does not know its total yet."""
    return Emit("Iteration Activated", (("activation", number), ("kind", kind), ("source", source), ("total", total)))


def exited(at: At, total: int) -> Emit:
    """Report how an activation has ended."""
    counted = (("total", total), ("completed", at.completed), ("terminated", at.terminated))
    return Emit("Iteration Exited", (*counted, ("reason", at.reason)))


def thrown(at: At, event: Thrown, active: int) -> Emit:
    """Report an event that the behavior throws, with the counters it carries."""
    carried = counters(at.total, active, at.completed, at.terminated, at.number)
    return Emit("Iteration Thrown", (("member", at.number), ("kind", event.kind), ("code", event.name), *carried))
