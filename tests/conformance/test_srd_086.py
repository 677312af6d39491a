"""SRD-086, multi-instance on leaf activities: its tests T-1 to T-8, as iteration.md states them.

T-4 is ITER-L-07, T-6 and T-7 are ITER-CP-11, T-8 is ITER-L-01; T-1 to T-3 and T-5 are the sequential and the parallel
shape, the empty collection and the failures of FR-1 and FR-2.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import bpmnsim as bs

from ..semantics.iteration.helpers import counted, departures, errors, in_order, leaf, scope_facts, states

ABC = {"items": ["a", "b", "c"]}


def collecting(shape: Any, **more: Any) -> Any:
    """Return a marker over items that collects out into outs."""
    return shape(collection="items", item="item", output_item="out", output_collection="outs", **more)


class Log:
    """A behavior that logs ordinal:item when it starts and returns R:item."""

    def __init__(self) -> None:
        self.started: list[str] = []

    def __call__(self, task: Any) -> dict[str, str]:
        self.started.append(f"{task['loopCounter']}:{task['item']}")
        return {"out": f"R:{task['item']}"}


def test_t_1_a_sequence_in_place() -> None:
    """T-1, FR-1, ITER-L-02: log 0:a, 1:b, 2:c, outs [R:a,R:b,R:c]; no child scope and no Scope fact."""
    log = Log()
    trace = bs.simulate(leaf(collecting(bs.sequential)), data=ABC, behaviors={"x": log})
    assert log.started == ["0:a", "1:b", "2:c"]
    assert (trace.values["outs"], scope_facts(trace)) == (["R:a", "R:b", "R:c"], [])


def test_t_2_a_parallel_rendezvous() -> None:
    """T-2, FR-2, ITER-L-03: all three have started before one ends; outputs by ordinal."""
    log = Log()
    trace = bs.simulate(leaf(collecting(bs.parallel)), data=ABC, behaviors={"x": log}, durations={"x": 1})
    instances = trace.inner_instances()
    assert instances.started.max() < instances.closed.min()
    assert trace.values["outs"] == ["R:a", "R:b", "R:c"]


@pytest.mark.parametrize("shape", [bs.sequential, bs.parallel])
def test_t_3_no_element(shape: Any) -> None:
    """T-3, ITER-A-04, ITER-L-05: an empty collection: 0 starts, completed, left once."""
    log = Log()
    trace = bs.simulate(leaf(collecting(shape)), data={"items": []}, behaviors={"x": log})
    assert (log.started, trace.outcome, departures(trace)) == ([], "completed", 1)


def test_t_4_a_parallel_leaf_is_cancelled() -> None:
    """T-4, ITER-L-07: nC>=1 after a while b and c are blocked: outs [R:a,None,None], two cancelled."""
    marker = collecting(bs.parallel, completion_condition="numberOfCompletedInstances >= 1")
    trace = bs.simulate(leaf(marker), data=ABC, behaviors={"x": Log()}, durations=in_order(1, 100, 100))
    assert trace.values["outs"] == ["R:a", None, None]
    assert states(trace) == ["completed", "canceled", "canceled"]
    assert (counted(trace), trace.time) == ([(3, 1, 2, 0, "completion_condition")], 1.0)


@pytest.mark.parametrize(
    ("marker", "behavior", "told"),
    [
        ({}, lambda _: 1 / 0, "ZeroDivisionError"),
        ({"completion_condition": "missing"}, Log(), "'missing' has no value"),
        ({}, lambda _: None, "produced no 'out'"),
    ],
)
def test_t_5_failures(marker: dict[str, str], behavior: Any, told: str) -> None:
    """T-5, ITER-L-06, ITER-E-07, ITER-E-08: operation, condition or output fails: one start, not completed."""
    starts = []

    def counting(task: Any) -> Any:
        starts.append(task.ordinal)
        return behavior(task)

    trace = bs.simulate(leaf(collecting(bs.sequential, **marker)), data=ABC, behaviors={"x": counting})
    assert (starts, trace.outcome, departures(trace)) == ([0], "incident", 0)
    assert told in errors(trace)[0][2]


def killed(marker: Any, durations: dict[str, Any], at: float) -> tuple[Log, bs.Simulation]:
    """Return a run that was captured as JSON text at a time, and continues from there."""
    log = Log()
    run: dict[str, Any] = {"data": ABC, "behaviors": {"x": log}, "durations": durations}
    sim = bs.Simulation(leaf(marker), **run)
    sim.run(until=at)
    return log, bs.Simulation.restore(sim.model, json.loads(json.dumps(sim.checkpoint())), **run)


def test_t_6_a_sequence_is_captured_while_executing() -> None:
    """T-6, ITER-CP-11, ITER-CP-04: captured while b executes: a never runs again, c follows, outs complete.

    The result of work under way is part of the state, so that b is not started a second time either.
    """
    log, sim = killed(collecting(bs.sequential), {"x": 2}, 3.0)
    assert (log.started, states(sim.trace())) == (["0:a", "1:b"], ["completed", "running", "pending"])
    trace = sim.run()
    assert log.started == ["0:a", "1:b", "2:c"]
    assert (trace.outcome, trace.time, trace.values["outs"]) == ("completed", 6.0, ["R:a", "R:b", "R:c"])


def test_t_7_a_barrier_is_captured_while_executing() -> None:
    """T-7, ITER-CP-11, ITER-CP-08: captured with a done, b and c executing: a never runs again, outs complete."""
    log, sim = killed(collecting(bs.parallel), in_order(1, 5, 7), 3.0)
    assert states(sim.trace()) == ["completed", "running", "running"]
    trace = sim.run()
    assert log.started == ["0:a", "1:b", "2:c"]
    assert (trace.outcome, trace.time, trace.values["outs"]) == ("completed", 7.0, ["R:a", "R:b", "R:c"])


def test_t_8_a_parallel_leaf_runs_n_times() -> None:
    """T-8, section 1, ITER-L-01: a 3-item parallel service task: 3 runs, completed."""
    log = Log()
    trace = bs.simulate(leaf(collecting(bs.parallel)), data=ABC, behaviors={"x": log})
    assert (len(log.started), trace.outcome, departures(trace)) == (3, "completed", 1)
