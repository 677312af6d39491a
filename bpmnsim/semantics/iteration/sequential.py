"""Sequential multi-instance: one inner instance after the other, in ordinal order (iteration.md section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bpmnsim.engine import requests
from bpmnsim.facts import ABSENT
from bpmnsim.semantics.iteration.attributes import ITEMS, counts
from bpmnsim.semantics.iteration.multi import At, MultiInstance, Step


@dataclass(frozen=True, slots=True)
class Sequential(MultiInstance):
    """One inner instance at a time; an early stop only stops launching (ITER-SQ-01, ITER-SQ-03)."""

    kind = "mi_sequential"

    def start(self, at: At, items: list[Any] | None) -> Step:
        """Look up the stored elements and open the first pass."""
        del items
        return at.to("items", number=0), requests.Read(ITEMS, where="hosted")

    def go_on(self, at: At) -> Step:
        """Drop the drained pass and open the next one."""
        return at.to("dropped"), requests.CloseGroup("next pass")

    def active(self, at: At) -> int:
        """Return 0: between two passes nothing is active (ITER-R-04)."""
        del at
        return 0

    def between(self, at: At, reply: Any) -> Step:
        """Bind the counters of the next pass, look up its element, open it."""
        marker = self.marker
        match at.stage:
            case "dropped":
                bound = counts(at.total, 1, at.completed, at.terminated)
                return at.to("next", number=at.completed + at.terminated), requests.Bind(bound)
            case "next":
                return at.to("items"), requests.Read(ITEMS, where="hosted")
        members = (self.instance(at.number, None if reply is ABSENT else reply),)
        group = requests.OpenGroup(marker.place, marker.seeds, members, marker.capture, first=at.number, alone=True)
        return at.to("open"), group
