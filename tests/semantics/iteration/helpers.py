"""Models with one iterated activity ``x``, and short ways to read what it did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpmnsim as bs
from bpmnsim.model import ProcessBuilder, StandardLoopCharacteristics
from bpmnsim.model.markers import Marker

from ...models import rows

Behavior = Callable[[Any], Any]


def marked(marker: Marker) -> dict[str, Marker]:
    """Return the keyword by which a builder takes a marker."""
    is_loop = isinstance(marker.characteristics, StandardLoopCharacteristics)
    return {"loop" if is_loop else "multi_instance": marker}


def leaf(marker: Marker, kind: str = "service", **more: Any) -> bs.Model:
    """s>x>e, x a task with the marker."""
    b = ProcessBuilder("p")
    _ = b.start("s") >> getattr(b, kind)("x", **marked(marker), **more) >> b.end("e")
    return b.model()


def composite(marker: Marker, body: Callable[[Any], Any] | None = None) -> bs.Model:
    """s>[x: a>work>z]>e, or x with another body."""
    b = ProcessBuilder("p")
    inside = body or (lambda x: x.start("a") >> x.service("work") >> x.end("z"))
    _ = b.start("s") >> b.subprocess("x", body=inside, **marked(marker)) >> b.end("e")
    return b.model()


def terminating(marker: Marker, ordinal: int) -> bs.Model:
    """x: a>work>choice, to a terminate end in one ordinal and to a plain end in the others."""

    def body(x: Any) -> Any:
        choice = x.exclusive("choice")
        choice.flow(x.end("stop", terminate=True), when=f"loopCounter == {ordinal}")
        choice.flow(x.end("z"), default=True)
        return x.start("a") >> x.service("work") >> choice

    return composite(marker, body)


def before(marker: Marker, following: str = "service", **more: Any) -> bs.Model:
    """s>x>after>e, to look for what x leaves behind."""
    b = ProcessBuilder("p")
    _ = b.start("s") >> b.service("x", **marked(marker), **more) >> getattr(b, following)("after") >> b.end("e")
    return b.model()


def log_of(*names: str) -> tuple[list[Any], Behavior]:
    """Return a list and a behavior that appends what it reads under *names*: one value, or a tuple of several."""
    seen: list[Any] = []

    def behavior(task: Any) -> None:
        values = tuple(task[name] for name in names)
        seen.append(values[0] if len(values) == 1 else values)

    return seen, behavior


def in_order(*times: float) -> dict[str, Callable[[Any, Any], float]]:
    """Return durations of ``x`` by ordinal."""
    return {"x": lambda _, task: times[task.ordinal]}


def evals(trace: bs.Trace, role: str) -> list[tuple[int | None, Any]]:
    """Return (ordinal, verdict) of every evaluation in this role; the verdict is ``None`` where it raised."""
    found = trace.evaluations()
    return [(ordinal, verdict) for ordinal, verdict in rows(found[found.role == role], "ordinal", "verdict")]


def counted(trace: bs.Trace, activity: str = "x") -> list[tuple[Any, ...]]:
    """Return (total, completed, terminated, active, exit reason) of every activation."""
    found = trace.iterations()
    columns = ("total", "completed", "terminated", "active", "exit_reason")
    return rows(found[found.activity == activity], *columns)


def states(trace: bs.Trace, activity: str = "x") -> list[str]:
    """Return the states of the inner instances by activation and ordinal."""
    found = trace.inner_instances()
    return [state for (state,) in rows(found[found.activity == activity], "state")]


def closings(trace: bs.Trace, activity: str = "x") -> list[int]:
    """Return the ordinals of the inner instances in the order in which they completed."""
    facts = trace.facts()
    done = facts[(facts.kind == "Iteration") & (facts.phase == "InstanceCompleted") & (facts.node == activity)]
    return [ordinal for (ordinal,) in rows(done, "ordinal")]


def barrier(trace: bs.Trace, *columns: str) -> list[tuple[Any, ...]]:
    """Return the events of the barriers with these columns."""
    return rows(trace.barriers(), "event", *columns)


def thrown(trace: bs.Trace) -> list[tuple[int, str]]:
    """Return (ordinal, code) of everything thrown."""
    return rows(trace.throws(), "ordinal", "code")


def scope_facts(trace: bs.Trace, activity: str = "x") -> list[tuple[Any, ...]]:
    """Return (phase, ordinal) of the facts about the scopes of an activity."""
    facts = trace.facts()
    return rows(facts[(facts.kind == "Scope") & (facts.node == activity)], "phase", "ordinal")


def errors(trace: bs.Trace) -> list[tuple[str, int | None, str]]:
    """Return (node, ordinal, error) of the incidents."""
    return rows(trace.incidents(), "node", "ordinal", "error")


def departures(trace: bs.Trace, node: str = "x") -> int:
    """Return how often a token left *node* behind."""
    tokens = trace.tokens()
    return int((tokens.via_flow == f"f_{node}_e").sum())
