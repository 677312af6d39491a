"""Standard loop: repeat the bare activity while a condition holds, or up to a maximum (iteration.md section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bpmnsim.engine import requests
from bpmnsim.engine.requests import Record, Step
from bpmnsim.semantics.iteration import reports
from bpmnsim.semantics.iteration.attributes import LOOP_COUNTER
from bpmnsim.semantics.iteration.marker import LoopMarker
from bpmnsim.semantics.iteration.position import At


@dataclass(frozen=True, slots=True)
class StandardLoop:
    """Passes one after the other, tested before or after each (ITER-SL-02, ITER-SL-03).

    Parameters
    ----------
    at_once
        A pass comes to rest in the step in which it starts, because somebody outside does the work.
    """

    marker: LoopMarker
    at_once: bool

    def resume(self, record: Record | None, reply: Any) -> Step:
        """Return what to remember and what to ask next."""
        marker = self.marker
        if record is None:
            return At("").to("opened"), requests.OpenScope(marker.place, (), ((LOOP_COUNTER, 0),), keep=True)
        at = At(*record)
        match at.stage:
            case "opened":
                return at.to("activated"), reports.activated(reply, "std_loop", "condition", None)
            case "activated":
                return self._count(at) if marker.test_before else self._open_pass(at)
            case "counted" if marker.condition is not None:
                asked = requests.Evaluate(marker.condition, "loop", boolean=True, where="hosted", member=at.number)
                return at.to("tested"), asked
            case "tested" if not reply:
                return at.to("closed", reason="condition"), requests.CloseScope()
            case "counted" | "tested":
                return self._open_pass(at)
            case "started":
                return at.to("waiting"), requests.AwaitDrain()
            case "waiting":
                return self._next(at, terminated=reply[2])
            case "closed":
                return at.to("exited"), reports.exited(at, at.number)
        return at.to("left"), requests.Leave()

    def _count(self, at: At) -> Step:
        """Set the counter that the test and the next pass see."""
        return at.to("counted"), requests.Bind(((LOOP_COUNTER, at.number),))

    def _open_pass(self, at: At) -> Step:
        marker, only = self.marker, ({LOOP_COUNTER: at.number},)
        group = requests.OpenGroup(marker.place, marker.seeds, only, first=at.number, alone=True, at_once=self.at_once)
        return at.to("started"), group

    def _next(self, at: At, *, terminated: bool) -> Step:
        """Count the pass; the maximum ends the loop before another test (ITER-SL-04)."""
        at.number += 1
        at.terminated += terminated
        at.completed = at.number - at.terminated
        if self.marker.maximum is not None and at.number >= self.marker.maximum:
            return at.to("closed", reason="maximum"), requests.CloseScope()
        return self._count(at)
