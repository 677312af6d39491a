"""Completion conditions (iteration.md section 7)."""

from __future__ import annotations

from typing import Any

import pytest

import bpmnsim as bs

from ...models import rows
from .helpers import (
    barrier,
    closings,
    composite,
    counted,
    departures,
    errors,
    evals,
    in_order,
    leaf,
    log_of,
    scope_facts,
    states,
    terminating,
    thrown,
)

BOTH = pytest.mark.parametrize("shape", [bs.sequential, bs.parallel])
T, F = True, False


def quorum(shape: Any, n: int, k: int, **more: Any) -> Any:
    """Return a marker over n instances that stops at the k-th completion."""
    return shape(cardinality=n, completion_condition=f"numberOfCompletedInstances >= {k}", **more)


def test_what_terminates_is_not_evaluated() -> None:
    """ITER-CC-01.1: ordinal 1 of 3 terminates first: no evaluation for it."""
    trace = bs.simulate(
        terminating(quorum(bs.parallel, 3, 9), 1), durations={"work": lambda _, task: 5 - task.ordinal % 2}
    )
    assert evals(trace, "completion") == [(0, F)]
    assert barrier(trace, "ordinal")[1:3] == [("drain", 1), ("deliver", 1)]


def test_what_a_condition_sees() -> None:
    """ITER-CC-02.1: item=='veto', ordinal 2 holds veto and completes first: fires, nC=1, nT=N-1."""
    marker = bs.parallel(
        collection="votes",
        item="item",
        output_item="out",
        output_collection="outs",
        completion_condition="item == 'veto'",
    )
    trace = bs.simulate(
        leaf(marker),
        data={"votes": ["yes", "yes", "veto"]},
        behaviors={"x": lambda task: {"out": task["item"]}},
        durations=in_order(3, 2, 1),
    )
    assert counted(trace) == [(3, 1, 2, 0, "completion_condition")]
    assert trace.values["outs"] == [None, None, "veto"]


@BOTH
def test_a_condition_sees_loop_counter_item_output_and_counters(shape: Any) -> None:
    """ITER-CC-02: lc, item and output item of the completing instance, the counters of the activity, outer names."""
    marker = shape(
        collection="items",
        item="item",
        output_item="out",
        output_collection="outs",
        completion_condition="loopCounter + item + out + numberOfCompletedInstances + limit < 0",
    )
    trace = bs.simulate(
        leaf(marker), data={"items": [1, 2, 3], "limit": 7}, behaviors={"x": lambda task: {"out": -task["item"]}}
    )
    found = trace.evaluations()
    values = list(found[found.role == "completion"]["values"])
    assert values[0] == {"item": 1, "limit": 7, "loopCounter": 0, "numberOfCompletedInstances": 1, "out": -1}
    assert [value["loopCounter"] for value in values] == [0, 1]


def test_true_means_done_now() -> None:
    """ITER-CC-03.1: N=5, nC>=2, 0 and 1 released: Canceled facts at the deciding step, before the publication."""
    marker = quorum(bs.parallel, 5, 2, output_item="out", output_collection="outs")
    trace = bs.simulate(
        leaf(marker), behaviors={"x": lambda task: {"out": task.ordinal}}, durations=in_order(1, 2, 9, 9, 9)
    )
    assert counted(trace) == [(5, 2, 3, 0, "completion_condition")]
    facts = trace.facts()
    last = facts[facts.step == trace.iterations().closed[0]]
    order = [
        (kind, phase, ordinal)
        for kind, phase, ordinal in rows(last, "kind", "phase", "ordinal")
        if (kind, phase) in (("Iteration", "InstanceCanceled"), ("DataChange", "Value_Added"), ("Iteration", "Exited"))
    ]
    assert order == [
        ("Iteration", "InstanceCanceled", 2),
        ("Iteration", "InstanceCanceled", 3),
        ("Iteration", "InstanceCanceled", 4),
        ("DataChange", "Value_Added", None),
        ("Iteration", "Exited", None),
    ]
    assert [row for row in barrier(trace, "ordinal") if row[0] == "cancel"] == [("cancel", k) for k in (2, 3, 4)]
    assert (trace.time, departures(trace)) == (2.0, 1)


@pytest.mark.parametrize(
    ("n", "condition", "passes"),
    [(3, "numberOfCompletedInstances >= 1", 1), (5, "numberOfCompletedInstances >= 2", 2), (5, "loopCounter >= 1", 2)],
)
def test_sequential_counters_include_the_completion_just_made(n: int, condition: str, passes: int) -> None:
    """ITER-CC-04.1 to ITER-CC-04.3, NR-01: N=3, nC>=1 gives 1 pass; N=5, nC>=2 gives 2; N=5, lc>=1 gives 2."""
    trace = bs.simulate(leaf(bs.sequential(cardinality=n, completion_condition=condition)))
    assert counted(trace) == [(n, passes, n - passes, 0, "completion_condition")]


def test_parallel_counters_include_the_completion_just_delivered() -> None:
    """ITER-CC-05.1, ITER-L-07.1, G-52: N=3, nC>=1: completed 1, terminated 2."""
    trace = bs.simulate(leaf(quorum(bs.parallel, 3, 1)), durations=in_order(1, 8, 8))
    assert counted(trace) == [(3, 1, 2, 0, "completion_condition")]
    assert states(trace) == ["completed", "canceled", "canceled"]


@BOTH
@pytest.mark.parametrize(("profile", "tests"), [("engine", 2), ("standard", 3)])
def test_the_last_completion(shape: Any, profile: str, tests: int) -> None:
    """G-93, ITER-CC-06.1: N=3, never-true condition: 2 evaluations in profile engine, 3 in standard; nC=3."""
    trace = bs.simulate(leaf(quorum(shape, 3, 99)), options=bs.Options(profile=profile))
    assert evals(trace, "completion") == [(k, F) for k in range(tests)]
    assert counted(trace) == [(3, 3, 0, 0, "exhausted")]


@BOTH
def test_the_last_verdict_has_no_effect(shape: Any) -> None:
    """ITER-CC-06: profile standard evaluates at the last completion and ignores the verdict: reason exhausted."""
    trace = bs.simulate(leaf(quorum(shape, 3, 3)), options=bs.Options(profile="standard"))
    assert evals(trace, "completion") == [(0, F), (1, F), (2, T)]
    assert counted(trace) == [(3, 3, 0, 0, "exhausted")]


@BOTH
def test_a_last_condition_that_raises(shape: Any) -> None:
    """ITER-CC-06.2: N=1, raising condition: engine completes, standard ends in an incident."""
    model = leaf(shape(cardinality=1, completion_condition="missing"))
    assert bs.simulate(model).outcome == "completed"
    assert bs.simulate(model, options=bs.Options(profile="standard")).outcome == "incident"


@pytest.mark.parametrize("model_of", [leaf, composite])
def test_late_drains(model_of: Any) -> None:
    """G-77, ITER-CC-08.1, NR-08: all drain before the host acts, nC>=2: evaluations F, T; (nC,nT,nA)=(3,0,0); late."""
    marker = quorum(bs.parallel, 3, 2, output_item="out", output_collection="outs", behavior="none", events="done")
    result = {"x" if model_of is leaf else "work": lambda task: {"out": task.ordinal}}
    trace = bs.simulate(model_of(marker), behaviors=result)
    found = trace.evaluations()
    seen = [each["numberOfCompletedInstances"] for each in found[found.role == "completion"]["values"]]
    assert (seen, evals(trace, "completion")) == ([1, 2], [(0, F), (1, T)])
    assert counted(trace) == [(3, 3, 0, 0, "completion_condition")]
    assert trace.values == {"outs": [0, 1, 2]}
    assert rows(trace.inner_instances(), "state", "late") == [("completed", F), ("completed", F), ("completed", T)]
    assert thrown(trace) == [(0, "done"), (1, "done")]


def test_a_late_termination_counts_as_terminated() -> None:
    """ITER-CC-08, ITER-TM-02: one that terminated and is still queued at the stop counts in nT, its slot is None."""
    marker = quorum(bs.parallel, 3, 1, output_item="out", output_collection="outs")
    trace = bs.simulate(terminating(marker, 2), behaviors={"work": lambda task: {"out": task.ordinal}})
    assert counted(trace) == [(3, 2, 1, 0, "completion_condition")]
    assert trace.values == {"outs": [0, 1, None]}
    assert states(trace) == ["completed", "completed", "terminated"]


@BOTH
def test_one_evaluation_per_delivery(shape: Any) -> None:
    """ITER-CC-09.1: N=4, nC>=3: evaluations F, F, T."""
    trace = bs.simulate(leaf(quorum(shape, 4, 3)))
    assert evals(trace, "completion") == [(0, F), (1, F), (2, T)]


def test_effects_of_a_cancelled_instance_stay() -> None:
    """ITER-CC-10.1: a cancelled instance had written flag=1 outside: flag stays 1, its slot is None."""

    def body(x: Any) -> Any:
        return x.start("a") >> x.service("write") >> x.service("work") >> x.end("z")

    marker = quorum(bs.parallel, 2, 1, output_item="out", output_collection="outs")
    trace = bs.simulate(
        composite(marker, body),
        data={"flag": 0},
        behaviors={
            "write": lambda task: {"flag": 1} if task.ordinal == 1 else None,
            "work": lambda task: {"out": task.ordinal},
        },
        durations={"work": lambda _, task: 1 + 5 * task.ordinal},
    )
    assert trace.values == {"flag": 1, "outs": [0, None]}
    assert states(trace) == ["completed", "canceled"]


def test_a_failed_sibling() -> None:
    """ITER-CC-11.1, ITER-IN-06.1: ordinal 1 in an incident, nC>=2 after 0 and 2: exit, nC=2, nT=1, cause kept."""

    def behavior(task: Any) -> None:
        if task.ordinal == 1:
            raise ValueError("broken")

    trace = bs.simulate(leaf(quorum(bs.parallel, 3, 2)), behaviors={"x": behavior}, durations=in_order(2, 1, 3))
    assert (trace.outcome, counted(trace)) == ("completed", [(3, 2, 1, 0, "completion_condition")])
    assert states(trace) == ["completed", "canceled", "completed"]
    assert errors(trace) == [("x", 1, "ValueError: broken")]
    assert rows(trace.incidents(), "state") == [("overtaken",)]


def test_a_sibling_whose_retry_is_under_way() -> None:
    """ITER-CC-11: the retried work of ordinal 1 is cancelled by the quorum: its incident does not stay open."""

    def behavior(task: Any) -> None:
        if task.ordinal == 1:
            raise ValueError("broken")

    trace = bs.simulate(
        leaf(quorum(bs.parallel, 3, 2)),
        behaviors={"x": behavior},
        durations=in_order(2, 1.5, 3),
        retries={"x": (5, 0.0)},
    )
    assert (trace.outcome, counted(trace)) == ("completed", [(3, 2, 1, 0, "completion_condition")])
    assert rows(trace.incidents(), "state") == [("overtaken",)]


@BOTH
@pytest.mark.parametrize(
    ("condition", "told"),
    [("x := 1", "x := 1"), ("answer", "returned 42, not a boolean"), ("missing", "'missing' has no value")],
)
def test_a_condition_that_fails(shape: Any, condition: str, told: str) -> None:
    """G-20, ITER-CC-12.1, ITER-E-08.1: a write, 42, a missing name: incident, not completed."""
    log, behavior = log_of("loopCounter")
    model = leaf(shape(cardinality=3, completion_condition=condition))
    trace = bs.simulate(model, data={"answer": 42}, behaviors={"x": behavior})
    assert (trace.outcome, departures(trace)) == ("incident", 0)
    ((node, ordinal, error),) = errors(trace)
    assert (node, ordinal) == ("x", None)
    assert told in error
    assert log == ([0] if shape is bs.sequential else [0, 1, 2])


VOTE = {"durations": in_order(4, 1, 3, 2, 9)}


def test_voting() -> None:
    """G-68: 5 voters, nC>=3, durations 4,1,3,2,9: order 1,3,2; exit at 3; nC=3, nT=2; slots 0, 4 None."""
    marker = quorum(bs.parallel, 5, 3, output_item="vote", output_collection="votes")
    trace = bs.simulate(leaf(marker), behaviors={"x": lambda task: {"vote": f"v{task.ordinal}"}}, **VOTE)
    assert (closings(trace), trace.time) == ([1, 3, 2], 3.0)
    assert counted(trace) == [(5, 3, 2, 0, "completion_condition")]
    assert trace.values["votes"] == [None, "v1", "v2", "v3", None]


def test_counting_yes_votes() -> None:
    """G-70: outputs in completion order yes, no, yes; condition: number of yes so far >= 2: F, F, T; nC=3, nT=2."""
    said = {1: "yes", 3: "no", 2: "yes"}

    def vote(task: Any) -> dict[str, Any]:
        answer = said[task.ordinal]
        return {"vote": answer, "yes": task["yes"] + (answer == "yes")}

    marker = bs.parallel(
        collection="voters",
        item="voter",
        output_item="vote",
        output_collection="votes",
        completion_condition="yes >= 2",
    )

    def body(x: Any) -> Any:
        return x.start("a") >> x.user("wait") >> x.service("work") >> x.end("z")

    sim = bs.Simulation(
        composite(marker, body),
        data={"voters": list("abcde"), "yes": 0},
        behaviors={"work": vote},
        scenario=bs.Scenario(),
    )
    sim.run()
    for ordinal in (1, 3, 2):
        sim.complete("wait", ordinal=ordinal)
        trace = sim.run()
    assert evals(trace, "completion") == [(1, F), (3, F), (2, T)]
    assert (trace.outcome, counted(trace)) == ("completed", [(5, 3, 2, 0, "completion_condition")])
    assert trace.values["votes"] == [None, "yes", "yes", "no", None]
    assert scope_facts(trace)[-2:] == [("Canceled", 0), ("Canceled", 4)]
