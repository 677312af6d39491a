"""What cannot run yet is refused with its element, before the first step (design section 8)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import bpmnsim as bs
from bpmnsim.model import ProcessBuilder
from bpmnsim.model.contents import Node

Draw = Callable[[ProcessBuilder, Node], object]


def _gate(b: ProcessBuilder, before: Node) -> object:
    return before >> b.event_based("it") >> [b.event(message="m"), b.event(timer=5)]


def _compensated(b: ProcessBuilder, before: Node) -> object:
    work = b.task("work")
    _ = before >> work
    return b.boundary(work, "compensation", "it", handler=b.task("undo"))


def _linked(b: ProcessBuilder, before: Node) -> object:
    _ = before >> b.event("it", link="L", throw=True)
    return b.event("catch", link="L", throw=False) >> b.end("e2")


CONSTRUCTS: dict[str, Draw] = {
    "inclusive gateway": lambda b, before: before >> b.inclusive("it") >> [b.end("e1"), b.end("e2")],
    "complex gateway": lambda b, before: before >> b.complex("it", activation_condition="activationCount >= 1"),
    "event-based gateway": _gate,
    "message catch": lambda b, before: before >> b.event("it", message="m"),
    "timer catch": lambda b, before: before >> b.event("it", timer=5),
    "signal throw": lambda b, before: before >> b.event("it", signal="S", throw=True),
    "escalation throw": lambda b, before: before >> b.event("it", escalation="X"),
    "link": _linked,
    "message end": lambda b, before: before >> b.end("it", message="m"),
    "error end": lambda b, before: before >> b.end("it", error="E1"),
    "signal end": lambda b, before: before >> b.end("it", signal="S"),
    "message start": lambda b, _: b.start("it", message="m") >> b.end("e2"),
    "timer boundary": lambda b, before: b.boundary(before, "timer", "it", timer=5) >> b.end("e2"),
    "compensation": _compensated,
    "call activity": lambda b, before: before >> b.call("it", called_element="other"),
    "transaction": lambda b, before: before >> b.subprocess("it", kind="transaction", body=lambda i: i.task("A")),
    "ad-hoc": lambda b, before: before >> b.subprocess("it", kind="adhoc", body=lambda i: i.task("A")),
    "event sub-process": lambda b, _: b.subprocess(
        "it", kind="event", body=lambda i: i.start(message="m") >> i.task("A")
    ),
}


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_a_construct_that_cannot_run_is_refused_by_name(construct: str) -> None:
    """Design section 8: UnsupportedError with the element id and a remedy, raised before the first step."""
    b = ProcessBuilder("p")
    before = b.task("before")
    _ = b.start("s") >> before
    CONSTRUCTS[construct](b, before)
    _ = before >> b.end("e")
    called = []
    with pytest.raises(bs.UnsupportedError) as refused:
        bs.simulate(b.model(), behaviors={"before": lambda _: called.append(1)})
    assert (refused.value.element_id, called) == ("it", [])
    assert refused.value.hint


def test_what_another_process_holds_does_not_matter() -> None:
    """Design section 7: only the processes that run are compiled."""
    b = ProcessBuilder("p")
    _ = b.start("s") >> b.end("e")
    other = b.process("other")
    _ = other.start() >> other.inclusive("it") >> other.end()
    assert bs.simulate(b.model(), process="p").outcome == "completed"
    with pytest.raises(bs.UnsupportedError, match="it"):
        bs.simulate(b.model(), process="other")
