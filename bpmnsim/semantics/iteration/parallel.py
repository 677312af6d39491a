"""Parallel multi-instance: fan out in one step, await each drain, complete (SRD-056.A)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bpmnsim.engine import requests
from bpmnsim.semantics.iteration.multi import At, MultiInstance, Step


@dataclass(frozen=True, slots=True)
class Parallel(MultiInstance):
    """All inner instances at once, with a barrier that takes one drain per action (iteration.md section 5)."""

    kind = "mi_parallel"

    def start(self, at: At, items: list[Any] | None) -> Step:
        """Open all of them in one step (ITER-P-01)."""
        marker = self.marker
        members = tuple(self.instance(number, items) for number in range(at.total))
        return at.to("open"), requests.OpenGroup(marker.place, marker.seeds, members, marker.capture)

    def go_on(self, at: At) -> Step:
        """Let the next queued drain be delivered (ITER-P-04)."""
        return at.to("waiting"), requests.ReArm()

    def active(self, at: At) -> int:
        """Return what is neither completed nor terminated: a drain not yet delivered still counts (ITER-R-03)."""
        return at.total - at.completed - at.terminated
