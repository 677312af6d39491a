"""Termination inside and around iterations (iteration.md section 12, ITER-TM)."""

from __future__ import annotations

from typing import Any

import pytest

import bpmnsim as bs

from ...models import rows
from .helpers import (
    barrier,
    composite,
    counted,
    departures,
    evals,
    leaf,
    marked,
    scope_facts,
    states,
    terminating,
    thrown,
)

BOTH = pytest.mark.parametrize("shape", [bs.sequential, bs.parallel])


def collecting(shape: Any, n: int = 3, **more: Any) -> Any:
    """Return a marker that collects out into outs."""
    return shape(cardinality=n, output_item="out", output_collection="outs", **more)


def letters(task: Any) -> dict[str, str]:
    """Return x, y or z."""
    return {"out": "xyz"[task.ordinal]}


def test_a_terminate_end_ends_only_its_instance() -> None:
    """ITER-TM-01.1: N=3 sequential, ordinal 1 terminates: all three opened, ordinal 2 still runs."""
    trace = bs.simulate(terminating(bs.sequential(cardinality=3), 1))
    assert scope_facts(trace) == [
        ("Opened", 0),
        ("Completed", 0),
        ("Opened", 1),
        ("Terminated", 1),
        ("Opened", 2),
        ("Completed", 2),
    ]
    assert states(trace) == ["completed", "terminated", "completed"]


@pytest.mark.parametrize("ordinal", [0, 1, 2])
def test_accounting_where_nothing_is_asked(ordinal: int) -> None:
    """ITER-TM-02.1: without output, event and condition as well: nC=2, nT=1, whichever drains last."""
    trace = bs.simulate(terminating(bs.parallel(cardinality=3), ordinal))
    assert counted(trace) == [(3, 2, 1, 0, "exhausted")]
    assert trace.facts().query("phase == 'Exited'")["detail"].tolist() == [
        "total=3 completed=2 terminated=1 reason=exhausted"
    ]


@pytest.mark.parametrize("profile", ["engine", "standard"])
def test_accounting_in_parallel(profile: str) -> None:
    """G-78, ITER-TM-02.1, NR-03: ordinal 1 terminates: nC=2, nT=1, outs [x,None,z]; no evaluation, no throw for it."""
    marker = collecting(
        bs.parallel, behavior="none", events="done", completion_condition="numberOfCompletedInstances > 9"
    )
    trace = bs.simulate(terminating(marker, 1), behaviors={"work": letters}, options=bs.Options(profile=profile))
    assert (trace.outcome, departures(trace)) == ("completed", 1)
    assert counted(trace) == [(3, 2, 1, 0, "exhausted")]
    assert trace.values["outs"] == ["x", None, "z"]
    assert thrown(trace) == [(0, "done"), (2, "done")]
    assert [ordinal for ordinal, _ in evals(trace, "completion")] == [0, *([2] if profile == "standard" else [])]
    delivered = [row for row in barrier(trace, "ordinal", "completed", "terminated") if row[0] == "deliver"]
    assert delivered == [("deliver", 0, 1, 0), ("deliver", 1, 1, 1), ("deliver", 2, 2, 1)]


def test_accounting_in_a_sequence() -> None:
    """G-79, ITER-TM-02.2, NR-04: pass 0 of 3 terminates: outs [None,y,z]; nC=2, nT=1."""
    trace = bs.simulate(terminating(collecting(bs.sequential), 0), behaviors={"work": letters})
    assert trace.values["outs"] == [None, "y", "z"]
    assert counted(trace) == [(3, 2, 1, 0, "exhausted")]


@BOTH
def test_the_counters_after_a_termination(shape: Any) -> None:
    """ITER-TM-02, ITER-R-03: what the next one reads: nT=1, nC without it."""
    seen = []

    def behavior(task: Any) -> None:
        seen.append((task.ordinal, task["numberOfCompletedInstances"], task["numberOfTerminatedInstances"]))

    delays = {"work": lambda _, task: 1 + task.ordinal} if shape is bs.parallel else {}
    body = terminating(shape(cardinality=3), 0)
    sim = bs.Simulation(body, behaviors={"work": behavior}, durations=delays)
    trace = sim.run()
    assert trace.outcome == "completed"
    assert seen[-1] == ((2, 1, 1) if shape is bs.sequential else (2, 0, 0))
    assert counted(trace) == [(3, 2, 1, 0, "exhausted")]


@BOTH
def test_all_terminate(shape: Any) -> None:
    """ITER-TM-02: exit when nC+nT=N, also where nothing completed: outs all None, left once by the normal flow."""

    def body(x: Any) -> Any:
        return x.start("a") >> x.service("work") >> x.end("stop", terminate=True)

    trace = bs.simulate(composite(collecting(shape), body), behaviors={"work": letters})
    assert (trace.outcome, departures(trace)) == ("completed", 1)
    assert trace.values["outs"] == [None] * 3
    assert counted(trace) == [(3, 0, 3, 0, "exhausted")]


def test_termination_discards_the_other_tokens_of_the_instance() -> None:
    """ITER-TM-01, lessons B-13: one branch terminates while the other waits: its tokens are gone."""

    def body(x: Any) -> Any:
        split = x.parallel("split")
        _ = split >> x.service("quick") >> x.end("stop", terminate=True), split >> x.user("slow") >> x.end("z")
        return x.start("a") >> split

    sim = bs.Simulation(
        composite(bs.parallel(cardinality=2), body),
        durations={"quick": lambda _, task: 1 + 9 * task.ordinal},
        scenario=bs.Scenario(),
    )
    trace = sim.run(until=5.0)
    assert states(trace) == ["terminated", "running"]
    waits = trace.waits()
    assert rows(waits[waits.withdrawn.isna()], "activity", "ordinal") == [("slow", 1)]
    trace = sim.run()
    assert (trace.outcome, states(trace)) == ("completed", ["terminated", "terminated"])


def stopped(marker: Any, kind: str) -> bs.Model:
    """s>+>{x, stop>terminate}: the process ends while x waits."""
    b = bs.ProcessBuilder("p")
    split = b.parallel("split")
    _ = b.start("s") >> split
    if kind == "leaf":
        x = b.user("x", **marked(marker))
    else:
        x = b.subprocess("x", body=lambda x: x.start("a") >> x.user("work") >> x.end("z"), **marked(marker))
    _ = split >> x >> b.end("e"), split >> b.service("stop") >> b.end("t", terminate=True)
    return b.model()


@BOTH
@pytest.mark.parametrize("kind", ["leaf", "composite"])
def test_terminate_of_the_process(shape: Any, kind: str) -> None:
    """ITER-TM-03.1: process-level terminate with 3 open: Canceled 0, 1, 2, no DataChange, nothing published."""
    trace = bs.simulate(stopped(collecting(shape), kind), durations={"stop": 5}, scenario=bs.Scenario())
    n = 3 if shape is bs.parallel else 1
    assert (trace.outcome, departures(trace), trace.values) == ("terminated", 0, {})
    assert states(trace) == ["canceled"] * 3
    facts = trace.facts()
    ended = facts[facts.phase == "InstanceCanceled"]
    assert rows(ended, "ordinal") == [(k,) for k in range(n)]
    assert facts[facts.kind == "DataChange"].empty
    assert counted(trace) == [(3, 0, 3, 0, "terminated")]
    assert rows(trace.iterations(), "state") == [("canceled",)]


@BOTH
def test_terminate_of_the_scope_around(shape: Any) -> None:
    """ITER-TM-03: a terminate in the sub-process around the activity cancels it; the process goes on."""
    b = bs.ProcessBuilder("p")

    def body(outer: Any) -> Any:
        split = outer.parallel("split")
        _ = split >> outer.user("x", **marked(collecting(shape))) >> outer.end("z")
        _ = split >> outer.service("stop") >> outer.end("t", terminate=True)
        return outer.start("a") >> split

    _ = b.start("s") >> b.subprocess("outer", body=body) >> b.end("e")
    trace = bs.simulate(b.model(), durations={"stop": 5}, scenario=bs.Scenario())
    assert (trace.outcome, departures(trace, "outer")) == ("completed", 1)
    assert (states(trace), trace.values) == (["canceled"] * 3, {})


def test_a_process_that_completes_leaves_nothing() -> None:
    """ITER-A-08, I-rules: after an exit, a cancellation or a termination no group, drain, output or scope is left."""
    marker = collecting(bs.parallel, completion_condition="loopCounter == 1")
    runs = [
        bs.Simulation(leaf(marker), behaviors={"x": letters}, durations={"x": 1}),
        bs.Simulation(stopped(collecting(bs.parallel), "composite"), scenario=bs.Scenario()),
    ]
    for sim in runs:
        sim.run()
        state = sim._driver.run.state
        for table in ("groups", "drains", "staged", "hosted", "open", "scopes", "tracks", "records", "inbox", "waits"):
            assert getattr(state, table) == {}, table
