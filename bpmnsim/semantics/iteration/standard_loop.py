"""Standard loop: repeat the bare activity while a condition holds, or up to a maximum (iteration.md section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bpmnsim.engine import requests
from bpmnsim.semantics.iteration.attributes import LOOP_COUNTER
from bpmnsim.semantics.iteration.marker import Marker
from bpmnsim.semantics.iteration.multi import At, Step


@dataclass(frozen=True, slots=True)
class StandardLoop:
    """Passes one after the other, tested before or after each (ITER-SL-02, ITER-SL-03)."""

    marker: Marker

    def resume(self, record: tuple[Any, ...] | None, reply: Any) -> Step:
        """Return what to remember and what to ask next."""
        marker = self.marker
        if record is None:
            return tuple(At("opened")), requests.OpenScope(marker.place, (), ((LOOP_COUNTER, 0),), keep=True)
        at = At(*record)
        match at.stage:
            case "opened":
                began = (("activation", reply), ("kind", "std_loop"), ("source", "condition"), ("total", None))
                return at.to("activated"), requests.Emit("Iteration Activated", began)
            case "activated":
                return self._test(at) if marker.test_before else self._open(at)
            case "counted":
                assert marker.condition is not None, "a loop is tested only where it has a condition"
                asked = requests.Evaluate(marker.condition, "loop", boolean=True, where="hosted", member=at.number)
                return at.to("tested"), asked
            case "free":
                return self._open(at)
            case "tested":
                return self._open(at) if reply else self._exit(at, "condition")
            case "open":
                return at.to("waiting"), requests.AwaitDrain()
            case "waiting":
                passes = at.number + 1
                ended = "terminated" if reply[3] else "completed"
                counted = {ended: getattr(at, ended) + 1}
                return at.to("dropped", number=passes, **counted), requests.CloseGroup("next pass")
            case "dropped":
                if marker.maximum is not None and at.number >= marker.maximum:
                    return self._exit(at, "maximum")
                return self._test(at)
            case "closed":
                details = (
                    ("total", at.number),
                    ("completed", at.completed),
                    ("terminated", at.terminated),
                    ("reason", at.detail),
                )
                return at.to("exited"), requests.Emit("Iteration Exited", details)
        return at.to("left"), requests.Leave()

    def _test(self, at: At) -> Step:
        """Set the counter, then test; without a condition only the maximum ends the loop (ITER-B-04)."""
        bound = requests.Bind(((LOOP_COUNTER, at.number),))
        return (at.to("counted") if self.marker.condition is not None else at.to("free")), bound

    def _open(self, at: At) -> Step:
        marker = self.marker
        members = (((LOOP_COUNTER, at.number),),)
        group = requests.OpenGroup(marker.place, marker.seeds, members, (), first=at.number, alone=True)
        return at.to("open"), group

    def _exit(self, at: At, reason: str) -> Step:
        return at.to("closed", reason), requests.CloseScope()
