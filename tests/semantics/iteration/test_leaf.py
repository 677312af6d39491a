"""Tasks with a marker (iteration.md section 9.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import bpmnsim as bs

from ...models import count, rows
from .helpers import counted, departures, errors, evals, in_order, leaf, log_of, scope_facts, states

BOTH = pytest.mark.parametrize("shape", [bs.sequential, bs.parallel])
ABC = {"items": ["a", "b", "c"]}


def collecting(shape: Any, **more: Any) -> Any:
    """Return a marker over items that collects out into outs."""
    return shape(collection="items", item="item", output_item="out", output_collection="outs", **more)


def logging(log: list[str]) -> Any:
    """Return a behavior that logs ordinal and item and returns R:item."""

    def behavior(task: Any) -> dict[str, str]:
        log.append(f"{task['loopCounter']}:{task['item']}")
        return {"out": f"R:{task['item']}"}

    return behavior


@BOTH
@pytest.mark.parametrize("kind", ["task", "service", "script", "send", "rule", "manual", "user"])
def test_a_leaf_runs_n_times(shape: Any, kind: str) -> None:
    """ITER-L-01.1, ITER-L-04.1, ITER-L-05.1: 3 executions of every kind of task."""
    log, behavior = log_of("loopCounter")
    trace = bs.simulate(leaf(shape(collection="items", item="item"), kind), data=ABC, behaviors={"x": behavior})
    assert (sorted(log), trace.outcome, departures(trace)) == ([0, 1, 2], "completed", 1)
    assert counted(trace) == [(3, 3, 0, 0, "exhausted")]


def test_a_sequence_runs_in_place() -> None:
    """G-46, G-49, ITER-L-02.1: items a, b, c: log 0:a, 1:b, 2:c, outs by ordinal; no Scope fact."""
    log: list[str] = []
    trace = bs.simulate(leaf(collecting(bs.sequential)), data=ABC, behaviors={"x": logging(log)})
    assert log == ["0:a", "1:b", "2:c"]
    assert trace.values["outs"] == ["R:a", "R:b", "R:c"]
    assert scope_facts(trace) == []
    assert set(trace.scopes().role) == {"process", "iteration"}


def test_parallel_instances_overlap() -> None:
    """G-51, ITER-L-03.1: a 3-way rendezvous: all three have started before one ends; outputs by ordinal."""
    log: list[str] = []
    trace = bs.simulate(
        leaf(collecting(bs.parallel)), data=ABC, behaviors={"x": logging(log)}, durations={"x": 5}, seed=2
    )
    assert sorted(log) == ["0:a", "1:b", "2:c"]
    assert trace.time == 5.0
    started = rows(trace.inner_instances(), "started", "closed")
    assert max(start for start, _ in started) < min(close for _, close in started)
    assert trace.values["outs"] == ["R:a", "R:b", "R:c"]
    scopes = trace.scopes()
    assert rows(scopes[scopes.node == "x"], "role", "ordinal") == [("iteration", None)] + [
        ("instance", k) for k in range(3)
    ]


@BOTH
def test_the_operation_is_counted_once_per_instance(shape: Any) -> None:
    """ITER-L-05.1, ITER-L-05.2: N=3: operation count 3, the exit does not execute again; N=0: 0."""
    log, behavior = log_of("loopCounter")
    for n in (3, 0):
        log.clear()
        bs.simulate(leaf(shape(cardinality=n)), behaviors={"x": behavior})
        assert len(log) == n


def test_a_failure_in_a_pass() -> None:
    """G-50, ITER-L-06.1: the operation raises on the first of two: runs=1, not completed, incident of ordinal 0."""
    runs = []

    def behavior(task: Any) -> None:
        runs.append(task.ordinal)
        raise ValueError("broken")

    trace = bs.simulate(leaf(bs.sequential(cardinality=2)), behaviors={"x": behavior})
    assert (runs, trace.outcome) == ([0], "incident")
    assert errors(trace) == [("x", 0, "ValueError: broken")]
    assert states(trace) == ["incident", "pending"]


def test_a_sequence_that_stops_early() -> None:
    """G-47: a, b, c, nC>=1: 1 pass 0:a; outs [R:a,None,None]; nC=1, nT=2, nA=0."""
    log: list[str] = []
    marker = collecting(bs.sequential, completion_condition="numberOfCompletedInstances >= 1")
    trace = bs.simulate(leaf(marker), data=ABC, behaviors={"x": logging(log)})
    assert (log, trace.values["outs"]) == (["0:a"], ["R:a", None, None])
    assert counted(trace) == [(3, 1, 2, 0, "completion_condition")]


def test_parallel_cancellation() -> None:
    """G-52, ITER-L-07.1: nC>=1 after a while b and c are blocked: outs [R:a,None,None], 2 cancelled."""
    log: list[str] = []
    marker = collecting(bs.parallel, completion_condition="numberOfCompletedInstances >= 1")
    trace = bs.simulate(leaf(marker), data=ABC, behaviors={"x": logging(log)}, durations=in_order(1, 1e6, 1e6))
    assert (trace.values["outs"], trace.time) == (["R:a", None, None], 1.0)
    assert states(trace) == ["completed", "canceled", "canceled"]
    assert evals(trace, "completion") == [(0, True)]


@BOTH
def test_the_body_has_no_visits_of_its_own(shape: Any) -> None:
    """ITER-F-06, ITER-R-10: one visit of the activity, whatever happens inside."""
    trace = bs.simulate(leaf(shape(cardinality=3)), granularity="phase")
    assert count(trace, "x") == 1
    tokens = trace.tokens()
    assert rows(tokens[tokens.node == "x"], "track") == [(0,)]


@BOTH
@pytest.mark.parametrize("granularity", ["task", "phase"])
@pytest.mark.parametrize("seed", [None, 1])
def test_the_granularity_changes_no_result(shape: Any, granularity: str, seed: int | None) -> None:
    """ITER-L-01, design 4: start and completion as two actions give the same outputs."""
    marker = collecting(shape)
    trace = bs.simulate(leaf(marker), data=ABC, behaviors={"x": logging([])}, granularity=granularity, seed=seed)
    assert trace.values["outs"] == ["R:a", "R:b", "R:c"]


def test_only_loop_characteristics_iterate() -> None:
    """ITER-B-08.1: a foreign flag that says multi-instance, but no characteristics: 1 run."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("x") >> b.end("e")
    flagged = [
        replace(each, attributes=(("{urn:old}multiInstance", "true"),)) if each.id == "x" else each
        for each in b.model().elements.values()
    ]
    log: list[str] = []
    trace = bs.simulate(bs.Model(flagged), behaviors={"x": lambda task: log.append(task.id)})
    assert (log, trace.iterations().empty) == (["x"], True)
