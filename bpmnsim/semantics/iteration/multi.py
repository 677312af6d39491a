"""What both shapes of multi-instance share: the count, one drain after the other, the published result, the exit.

One drain is handled in one step, in this order: stage the output, count, bind the counters, throw the behavior event,
test the completion condition, then stop or go on (ITER-SQ-02, ITER-BH-08). Each stage of the record is named after what
has been asked; a retry asks the request that failed again, so that nothing is counted or thrown twice (ITER-IN-05).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from bpmnsim.engine import requests
from bpmnsim.engine.requests import Record, Step
from bpmnsim.expr.language import Expression
from bpmnsim.facts import ABSENT
from bpmnsim.semantics.iteration import activation, mediator, reports
from bpmnsim.semantics.iteration.attributes import ITEMS, counts, numbered
from bpmnsim.semantics.iteration.behavior import next_event
from bpmnsim.semantics.iteration.marker import Marker, Thrown, When
from bpmnsim.semantics.iteration.position import At, Pairs


@dataclass(frozen=True, slots=True)
class MultiInstance(ABC):
    """Runs the bare activity once per item; the two shapes say how instances start and what happens after a drain."""

    marker: Marker
    kind: ClassVar[str]
    one_by_one: ClassVar[bool]

    # What the two shapes say.

    @abstractmethod
    def start(self, at: At) -> Step:
        """Open the first inner instance, or all of them."""

    @abstractmethod
    def go_on(self, at: At) -> Step:
        """Continue after a drain that did not end the activity."""

    @abstractmethod
    def active(self, at: At) -> int:
        """Return numberOfActiveInstances after a drain has been counted."""

    def between(self, at: At, reply: Any) -> Step:
        """Continue at a stage that only this shape has."""
        raise AssertionError((at.stage, reply))

    # The common course.

    def resume(self, record: Record | None, reply: Any) -> Step:
        """Return what to remember and what to ask next."""
        if record is None:
            return At("").to("counted"), requests.Evaluate(self.marker.source, "cardinality")
        following, request = self._answered(At(*record), reply)
        if isinstance(request, requests.Fault) and following is None and record[0] != "counted":
            return record, request
        return following, request

    def _answered(self, at: At, reply: Any) -> Step:
        match at.stage:
            case "counted":
                return self._open(at, reply)
            case "opened":
                source = "collection" if self.marker.over_collection else "cardinality"
                return at.to("activated"), reports.activated(reply, self.kind, source, at.total)
            case "activated":
                return self.start(at) if at.total else self.close(at, "exhausted")
            case "started":
                return at.to("waiting"), requests.AwaitDrain()
            case "waiting":
                _count(at, reply)
                return self._output(at) or self._bind(at)
            case "valued":
                return self._keep(at, reply)
            case "refused":
                return self._ask_key(at)
            case "keyed":
                at.key = reply
                return self._stage(at)
            case "staged":
                return self._staged(at, reply)
            case "bound" | "thrown":
                return self._throw(at, reply)
            case "judged":
                return self._decide(at, verdict=reply)
            case "stopped":
                at.rest = reply
                return self._settle(at)
            case "assembled":
                return at.to("closed", rest=(mediator.assembled(self.marker, reply),)), requests.CloseScope()
            case "closed" if at.rest:
                return at.to("published"), requests.Commit(((self.marker.output, at.rest[0]),))
            case "closed" | "published":
                return at.to("exited", rest=None), reports.exited(at, at.total)
            case "exited":
                return at.to("left"), requests.Leave()
        return self.between(at, reply)

    def _open(self, at: At, source: Any) -> Step:
        """Freeze the number of inner instances and open the scope of the activation (ITER-A-01, ITER-A-08)."""
        counted = activation.count(self.marker, source, one_by_one=self.one_by_one)
        if isinstance(counted, requests.Fault):
            return None, counted
        total, items = counted
        kept = ((ITEMS, list(items)),) if items is not None and self.one_by_one else ()
        bindings = (*counts(total, min(total, 1) if self.one_by_one else total, 0, 0), *kept)
        opening = requests.OpenScope(self.marker.place, (), bindings, keep=True)
        return at.to("opened", total=total, rest=items), opening

    # One drain (ITER-P-04).

    def _output(self, at: At) -> Step | None:
        """Collect the output of the inner instance at hand; ``None`` where there is nothing to collect."""
        marker = self.marker
        if not marker.output or at.seen is None:
            return None
        if marker.output_value is not None:
            return at.to("valued"), self._ask(marker.output_value, "output", at)
        output = dict(at.seen).get(marker.output_item, ABSENT)
        if output is ABSENT and marker.options.missing_output == "fault":
            return None, activation.fault(f"inner instance {at.number} produced no {marker.output_item!r}", "ITER-D-06")
        return self._keep(at, None if output is ABSENT else output)

    def _keep(self, at: At, output: Any) -> Step:
        """Note the output, and ask for its key where results are collected in a map (ITER-D-11)."""
        at.seen = (*(at.seen or ()), (self.marker.output_item, output))
        if self.marker.result_key is None:
            return self._stage(at)
        return self._ask_key(at)

    def _ask_key(self, at: At) -> Step:
        assert self.marker.result_key is not None, "only an entry of a map has a key"
        return at.to("keyed"), self._ask(self.marker.result_key, "key", at)

    def _stage(self, at: At) -> Step:
        """Stage the output; after a key that is refused, a retry asks for the key again (ITER-IN-05)."""
        problem = mediator.bad_key(self.marker, at)
        if problem:
            return at.to("refused"), activation.fault(problem, "ITER-E-17")
        return at.to("staged"), requests.Stage(mediator.slots(self.marker, at))

    def _staged(self, at: At, held: tuple[Any, ...]) -> Step:
        problem = mediator.repeated_key(at, held)
        if problem:
            return at.to("refused"), activation.fault(problem, "ITER-E-18")
        return self._bind(at) if at.rest is None else self._settle(at)

    def _bind(self, at: At) -> Step:
        """Bind the counters if something reads them before the activity goes on, which binds them as well."""
        if at.seen is None or not (self.marker.events or self.marker.condition):
            return self._decide(at, verdict=False)
        return at.to("bound", cursor=0), requests.Bind(self.counts(at))

    def counts(self, at: At) -> Pairs:
        """Return the counters after a drain."""
        return counts(at.total, self.active(at), at.completed, at.terminated)

    def _throw(self, at: At, reply: Any) -> Step:
        """Throw what the behavior asks for, then test the completion condition (ITER-BH-08, ITER-CC-06)."""
        marker = self.marker
        event, cursor = next_event(marker, at, verdict=reply)
        match event:
            case Thrown():
                return at.to("thrown", cursor=cursor), reports.thrown(at, event, self.active(at))
            case When(condition):
                return at.to("thrown", cursor=cursor), self._ask(condition, "behavior", at)
        if marker.condition is None or (at.outstanding == 0 and marker.options.profile == "engine"):
            return self._decide(at, verdict=False)
        return at.to("judged"), self._ask(marker.condition, "completion", at)

    def _ask(self, expression: Expression, role: str, at: At) -> requests.Evaluate:
        """Ask for the value of an expression that sees what the inner instance at hand has left (ITER-CC-02)."""
        return requests.Evaluate(
            expression,
            role,
            boolean=role in ("behavior", "completion"),
            where="hosted",
            bindings=(*numbered(at.number, self.marker.index), *(at.seen or ())),
            member=at.number,
        )

    def _decide(self, at: At, *, verdict: bool) -> Step:
        if at.outstanding == 0:
            return self.close(at, "exhausted")
        if verdict:
            stopping = at.to("stopped", cursor=0, reason="completion_condition")
            return stopping, requests.CloseGroup("completion condition")
        return self.go_on(at)

    # The end: count the rest, publish once, leave once (ITER-D-04, ITER-P-08).

    def _settle(self, at: At) -> Step:
        """Count the drains left in the queue, then what was canceled or never started (ITER-CC-08, ITER-SQ-04)."""
        assert at.rest is not None, "a stopping activity knows what was left in the queue"
        while at.cursor < len(at.rest):
            _count(at, at.rest[at.cursor])
            at.cursor += 1
            collecting = self._output(at)
            if collecting is not None:
                return collecting
        at.terminated = at.total - at.completed
        return self.close(at, at.reason)

    def close(self, at: At, reason: str) -> Step:
        """Take the staged outputs, unless there is nothing to publish (ITER-A-05)."""
        at.rest, at.seen, at.key, at.reason = None, None, None, reason
        empty = at.total == 0 and self.marker.options.profile == "engine"
        if self.marker.output and not empty:
            return at.to("assembled"), requests.Assemble(at.total)
        return at.to("closed"), requests.CloseScope()


def _count(at: At, drain: tuple[int, Pairs, bool]) -> None:
    """Count an inner instance; one that was terminated leaves nothing behind (ITER-TM-02)."""
    at.number, captured, terminated = drain
    if terminated:
        at.seen = None
        at.terminated += 1
    else:
        at.seen = tuple([pair for pair in captured if pair[1] is not ABSENT])
        at.completed += 1
