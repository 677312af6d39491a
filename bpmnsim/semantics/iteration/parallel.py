"""Parallel multi-instance: fan out in one step, await each drain, complete (SRD-056.A)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from bpmnsim.engine import requests
from bpmnsim.engine.requests import Step
from bpmnsim.semantics.iteration.attributes import COUNTS, starting
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
        members = starting(range(at.total), marker.index, marker.item, at.rest)
        stage = "started" if marker.output or marker.events or marker.condition else "fanned out"
        group = requests.OpenGroup(marker.place, marker.seeds, members, marker.capture)
        return at.to(stage, rest=None), group

    def between(self, at: At, reply: Any) -> Step:
        """Let the loop count the drains where nothing is asked after one (ITER-P-04)."""
        if at.stage == "fanned out":
            return at.to("counted off"), requests.AwaitAll(COUNTS)
        at.completed, at.terminated = reply
        return self.close(at, "exhausted")

    def go_on(self, at: At) -> Step:
        """Let the next queued drain be delivered (ITER-P-04)."""
        return at.to("waiting", seen=None, key=None), requests.ReArm(self.counts(at))
