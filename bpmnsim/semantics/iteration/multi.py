"""What both shapes of multi-instance share: the count, one drain after the other, the published result, the exit.

One drain is handled in one step, in this order: stage the output, count, bind the counters, throw the behavior event,
test the
completion condition, then stop or go on (ITER-SQ-02, ITER-BH-08).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

from bpmnsim.engine import requests
from bpmnsim.facts import ABSENT
from bpmnsim.semantics.iteration.attributes import ITEMS, LOOP_COUNTER, counts, instance_bindings
from bpmnsim.semantics.iteration.behavior import throws_after
from bpmnsim.semantics.iteration.marker import Marker
from bpmnsim.semantics.iteration.mediator import assembled, key_fault, slot_of

Step = tuple[tuple[Any, ...], requests.Request]


class At(NamedTuple):
    """Where an iteration stands; a record of fixed size.

    Attributes
    ----------
    stage
        What the next reply answers.
    total, completed, terminated
        Counts so far.
    number
        Ordinal of the drain being handled, or of the pass under way.
    detail
        What belongs to the stage alone.
    """

    stage: str
    total: int = 0
    completed: int = 0
    terminated: int = 0
    number: int = 0
    detail: Any = ()

    def to(self, stage: str, detail: Any = (), **changes: int) -> tuple[Any, ...]:
        """Return the record of another stage."""
        return tuple(self._replace(stage=stage, detail=detail, **changes))


@dataclass(frozen=True, slots=True)
class MultiInstance(ABC):
    """Runs the bare activity once per item; the two shapes say how instances start and what happens after a drain."""

    marker: Marker

    # What the two shapes say.

    kind = ""

    @abstractmethod
    def start(self, at: At, items: list[Any] | None) -> Step:
        """Open the first inner instance, or all of them."""

    @abstractmethod
    def go_on(self, at: At) -> Step:
        """Continue after a drain that did not end the activity."""

    def between(self, at: At, reply: Any) -> Step:
        """Continue at a stage that only this shape has."""
        raise AssertionError((at.stage, reply))

    @abstractmethod
    def active(self, at: At) -> int:
        """Return numberOfActiveInstances after a drain has been counted."""

    # The common course.

    def resume(self, record: tuple[Any, ...] | None, reply: Any) -> Step:
        """Return what to remember and what to ask next."""
        if record is None:
            return self._ask_count()
        at = At(*record)
        match at.stage:
            case "count":
                return self._count(at, reply)
            case "opened":
                return at.to("activated", at.detail), requests.Emit("Iteration Activated", self._activation(at, reply))
            case "activated" if at.total == 0:
                return at.to("closed", ("exhausted", ())), requests.CloseScope()
            case "activated":
                return self.start(at, at.detail)
            case "open":
                return at.to("waiting"), requests.AwaitDrain()
            case "waiting":
                return self._drained(at, reply)
            case "staged":
                bound = counts(at.total, self.active(at), at.completed, at.terminated)
                return at.to("bound", at.detail), requests.Bind(bound)
            case "bound" | "thrown":
                return self._throw(at, reply)
            case "judged":
                return self._judged(at, reply)
            case "reported":
                return self._reported(at)
            case "stopped" | "settled" | "assembled" | "closed" | "published" | "exited":
                return self._finish(at, reply)
        return self.between(at, reply)

    def _ask_count(self) -> Step:
        marker = self.marker
        if marker.collection is not None:
            return tuple(At("count")), requests.Evaluate(marker.collection, "cardinality")
        assert marker.count is not None, "a marker has a cardinality or a collection (ITER-B-05)"
        return tuple(At("count")), requests.Evaluate(marker.count, "cardinality")

    def _count(self, at: At, reply: Any) -> Step:
        """Freeze the number of inner instances (ITER-A-01), or fail before any of them exists (ITER-A-07)."""
        marker, options = self.marker, self.marker.options
        items = None
        if marker.collection is not None:
            if not isinstance(reply, list | tuple):
                shown = "nothing" if reply is None else type(reply).__name__
                return tuple(at), _fault(f"the input collection is {shown}, not a list", "ITER-E-05")
            items, total = list(reply), len(reply)
        elif isinstance(reply, bool) or not isinstance(reply, int):
            return tuple(at), _fault(f"the cardinality is {reply!r}, not an integer", "ITER-E-02")
        else:
            total = reply
        if total < 0 and options.profile == "standard":
            return tuple(at), _fault(f"NegativeCardinality: the cardinality is {total}", "ITER-A-06")
        total = max(total, 0)
        if self.kind == "mi_parallel" and total > options.max_parallel_width:
            return tuple(at), _fault(f"WidthExceeded: {total} inner instances at once", "ITER-A-09")
        kept = ((ITEMS, items),) if items is not None and self.kind == "mi_sequential" else ()
        bound = counts(total, total if self.kind == "mi_parallel" else min(total, 1), 0, 0)
        opening = requests.OpenScope(marker.place, (), (*bound, *kept), keep=True)
        return at.to("opened", items if self.kind == "mi_parallel" else None, total=total), opening

    def _activation(self, at: At, activation: int) -> tuple[tuple[str, Any], ...]:
        source = "collection" if self.marker.collection is not None else "cardinality"
        return (("activation", activation), ("kind", self.kind), ("source", source), ("total", at.total))

    def _drained(self, at: At, reply: Any) -> Step:
        """Take one delivered drain (ITER-P-04)."""
        _, number, captured, terminated = reply
        marker = self.marker
        if terminated:
            return at.to("staged", None, terminated=at.terminated + 1, number=number), requests.Stage((), at.total)
        seen = dict(captured)
        if marker.output_item and seen[marker.output_item] is ABSENT:
            if marker.options.missing_output == "fault":
                text = f"inner instance {number} produced no {marker.output_item!r}"
                return tuple(at), _fault(text, "ITER-D-06")
            seen[marker.output_item] = None
        counted = at.to("staged", tuple(seen.items()), completed=at.completed + 1, number=number)
        return counted, requests.Stage(slot_of(marker, number, seen), at.total)

    def bindings(self, at: At) -> tuple[tuple[str, Any], ...]:
        """Return what an evaluation sees of the instance that has just completed (ITER-CC-02)."""
        seen = tuple((name, value) for name, value in at.detail[0] if value is not ABSENT)
        return ((LOOP_COUNTER, at.number), *seen)

    def _throw(self, at: At, reply: Any) -> Step:
        """Throw what the behavior asks for, then test the completion condition."""
        if at.stage == "bound" and at.detail is None:
            return self._report(at, None)
        seen, position = (at.detail, 0) if at.stage == "bound" else at.detail
        inner = At(*at.to("thrown", (seen, position)))
        request, following = throws_after(self.marker, inner.completed, position, reply, self._payload(inner))
        if request is not None:
            if isinstance(request, requests.Evaluate):
                request = self._with_bindings(request, inner)
            return at.to("thrown", (seen, following)), request
        outstanding = at.total - at.completed - at.terminated
        condition = self.marker.condition
        if condition is None or (outstanding == 0 and self.marker.options.profile == "engine"):
            return self._report(inner, None)
        asked = requests.Evaluate(condition, "completion", boolean=True)
        return at.to("judged", (seen, None)), self._with_bindings(asked, inner)

    def _with_bindings(self, request: requests.Evaluate, at: At) -> requests.Evaluate:
        return requests.Evaluate(
            request.expression,
            request.role,
            boolean=True,
            where="hosted",
            bindings=self.bindings(at),
            member=at.number,
        )

    def _payload(self, at: At) -> tuple[tuple[str, Any], ...]:
        return (
            ("member", at.number),
            ("instances", at.total),
            ("active", self.active(at)),
            ("completed", at.completed),
            ("terminated", at.terminated),
        )

    def _judged(self, at: At, verdict: bool) -> Step:
        return self._report(at, verdict)

    def _report(self, at: At, verdict: bool | None) -> Step:
        """Report what was counted and decided, then act on it."""
        left = at.total - at.completed - at.terminated
        details = (
            ("member", at.number),
            ("completed", at.completed),
            ("terminated", at.terminated),
            ("active", self.active(at)),
            ("pending", left - self.active(at)),
            ("condition", verdict),
        )
        return at.to("reported", (bool(verdict), left)), requests.Event("condition", details)

    def _reported(self, at: At) -> Step:
        stop, left = at.detail
        if stop and left:
            return at.to("stopped", "completion_condition"), requests.CloseGroup("completion condition")
        if left == 0:
            return at.to("stopped", "exhausted"), requests.CloseGroup("exhausted")
        return self.go_on(at)

    def _finish(self, at: At, reply: Any) -> Step:
        """Publish once, close the iteration scope, leave once (ITER-D-04, ITER-P-08)."""
        marker = self.marker
        match at.stage:
            case "stopped":
                return self._settle(at, reply)
            case "settled":
                return at.to("assembled", at.detail), requests.Assemble(at.total)
            case "assembled":
                reason, _ = at.detail
                problem = key_fault(marker, reply)
                if problem:
                    return tuple(at), _fault(problem, "ITER-D-11")
                return at.to("closed", (reason, assembled(marker, reply))), requests.CloseScope()
            case "closed":
                reason, values = at.detail
                if at.total == 0 and marker.output and marker.options.profile == "standard":
                    values = ((marker.output, []),)
                return at.to("published", reason), requests.Commit(values)
            case "published":
                details = (
                    ("total", at.total),
                    ("completed", at.completed),
                    ("terminated", at.terminated),
                    ("reason", at.detail),
                )
                return at.to("exited"), requests.Emit("Iteration Exited", details)
        return at.to("left"), requests.Leave()

    def _settle(self, at: At, reply: Any) -> Step:
        """Count the rest: open ones are canceled, drains not yet delivered count as completed (ITER-CC-08)."""
        marker = self.marker
        canceled, late = reply
        outputs: list[tuple[int, Any]] = []
        done = 0
        for number, captured, terminated in late:
            if not terminated:
                done += 1
                seen = {name: None if value is ABSENT else value for name, value in captured}
                outputs.extend(slot_of(marker, number, seen))
        completed = at.completed + done
        rest = at.total - completed - at.terminated
        assert rest >= len(canceled), "an inner instance is counted once"
        settled = at.to("settled", (at.detail, ()), completed=completed, terminated=at.terminated + rest)
        return settled, requests.Stage(tuple(outputs), at.total)

    def instance(self, number: int, items: list[Any] | None) -> tuple[tuple[str, Any], ...]:
        """Return what the scope of inner instance *number* starts with."""
        item = items[number] if items is not None else None
        return instance_bindings(number, self.marker.item, item, has_item=items is not None)


def _fault(text: str, rule: str) -> requests.Fault:
    return requests.Fault(("technical", f"{text} ({rule})", ""))
