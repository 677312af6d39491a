"""Parallel multi-instance: fan out in one step, await each drain, complete (SRD-056.A)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bpmnsim.engine import requests
from bpmnsim.engine.requests import Step
from bpmnsim.semantics.iteration.multi import MultiInstance
from bpmnsim.semantics.iteration.position import At


@dataclass(frozen=True, slots=True)
class Parallel(MultiInstance):
    """All inner instances at once, with a barrier that takes one drain per action (iteration.md section 5)."""

    kind: ClassVar[str] = "mi_parallel"
    one_by_one: ClassVar[bool] = False

    def active(self, at: At) -> int:
        """Return what is neither completed nor terminated: a drain not yet delivered still counts (ITER-R-03)."""
        return at.outstanding

    def start(self, at: At) -> Step:
        """Open all of them in one step (ITER-P-01)."""
        marker = self.marker
        members = tuple(self.instance(number, at.rest) for number in range(at.total))
        return at.to("started", rest=None), requests.OpenGroup(marker.place, marker.seeds, members, marker.capture)

    def go_on(self, at: At) -> Step:
        """Let the next queued drain be delivered (ITER-P-04)."""
        return at.to("waiting", seen=None, key=None), requests.ReArm(self.counts(at))
