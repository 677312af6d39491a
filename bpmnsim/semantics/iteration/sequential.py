"""Sequential multi-instance: one inner instance after the other, in ordinal order (iteration.md section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from bpmnsim.engine import requests
from bpmnsim.engine.requests import Step
from bpmnsim.semantics.iteration.attributes import ITEMS, counts, starting
from bpmnsim.semantics.iteration.multi import MultiInstance
from bpmnsim.semantics.iteration.position import At


@dataclass(frozen=True, slots=True)
class Sequential(MultiInstance):
    """One inner instance at a time; an early stop only stops launching (ITER-SQ-01, ITER-SQ-03).

    Parameters
    ----------
    at_once
        An inner instance comes to rest in the step in which it starts, because somebody outside does the work.
    """

    at_once: bool
    kind: ClassVar[str] = "mi_sequential"
    one_by_one: ClassVar[bool] = True

    def active(self, at: At) -> int:
        """Return 0: between two passes nothing is active (ITER-R-04)."""
        del at
        return 0

    def start(self, at: At) -> Step:
        """Look up the stored elements and open the pass that is next."""
        at.number, at.rest = at.completed + at.terminated, None
        if self.marker.over_collection:
            return at.to("items"), requests.Read(ITEMS, where="hosted")
        return self._open_pass(at, None)

    def go_on(self, at: At) -> Step:
        """Bind the counters of the next pass."""
        return at.to("next"), requests.Bind(counts(at.total, 1, at.completed, at.terminated))

    def between(self, at: At, reply: Any) -> Step:
        """Open the next pass, with its element."""
        return self.start(at) if at.stage == "next" else self._open_pass(at, reply)

    def _open_pass(self, at: At, items: list[Any] | None) -> Step:
        marker = self.marker
        item = None if items is None else [items[at.number]]
        only = starting((at.number,), marker.index, marker.item, item)
        group = requests.OpenGroup(
            marker.place, marker.seeds, only, marker.capture, at.number, alone=True, at_once=self.at_once
        )
        return at.to("started", seen=None, key=None), group
