"""What other engines' own tests expect of real files (cases of the corpus), for what can run."""

from __future__ import annotations

from pathlib import Path

import pytest

import bpmnsim as bs

from ..models import count, live, path, rows

PLATFORM = "camunda__camunda-bpm-platform"
LIB = "nitram509__lib-bpmn-engine"
TCK = "zeebe-io__bpmn-tck"


def stepwise(file: Path, **run: object) -> bs.Simulation:
    """Return a run of a file in which nothing is done from outside, up to where it waits."""
    sim = bs.Simulation(bs.read_bpmn(file), scenario=bs.Scenario(), **run)  # type: ignore[arg-type]
    sim.run()
    return sim


def done(sim: bs.Simulation, *tasks: str) -> list[str]:
    """Complete tasks, each as soon as it can be, and return the names of the nodes at which tokens are then."""
    for task in tasks:
        sim.complete(task)
        sim.run()
    trace = sim.trace()
    return [trace.model.element(node).name or node for _, node, _ in live(trace)]


def test_nested_fork_and_join(corpus: Path) -> None:
    """case-04: 0; A and B; B (a token waits at Join AB); B1 and B2; C; live tokens go 1, 2, 2, 3, 1."""
    sim = stepwise(corpus / PLATFORM / "ParallelGatewayTest.testNestedForkJoin.bpmn20.xml")
    assert done(sim) == ["Task 0"]
    assert done(sim, "Task 0") == ["Task A", "Task B"]
    assert sorted(done(sim, "Task A")) == ["Join AB", "Task B"]
    assert sorted(done(sim, "Task B")) == ["Join AB", "Task B1", "Task B2"]
    assert done(sim, "Task B1", "Task B2") == ["Task C"]
    assert (done(sim, "Task C"), sim.outcome) == ([], "completed")


def test_two_unstructured_joins(corpus: Path) -> None:
    """case-05: join1 waits for task1 and task2 and forks into three; join2 needs a token on each of its four flows."""
    trace = bs.simulate(
        bs.read_bpmn(corpus / PLATFORM / "ParallelGatewayTest.testUnstructuredConcurrencyTwoJoins.bpmn20.xml"),
        scenario=bs.Scenario(),
    )
    assert (trace.outcome, live(trace)) == ("completed", [])
    assert {node: count(trace, node) for node in ("join1", "join2", "task4", "task5", "task6", "theEnd")} == {
        **dict.fromkeys(("join1", "join2", "task4", "task5", "task6", "theEnd"), 1)
    }


def test_two_sub_processes_in_a_sub_process(corpus: Path) -> None:
    """case-10: outer > (A > its task, B > its task); both done join inside and open exactly one task after."""
    sim = stepwise(corpus / PLATFORM / "SubProcessTest.testTwoSubProcessInParallelWithinSubProcess.bpmn20.xml")
    open_scopes = sim.trace().scopes().query("closed.isna()")
    outer = "/twoSubProcessInParallelWithinSubProcess/outerSubProcess"
    assert rows(open_scopes, "scope", "parent")[1:] == [
        (outer, "/twoSubProcessInParallelWithinSubProcess"),
        (f"{outer}/subProcessA", outer),
        (f"{outer}/subProcessB", outer),
    ]
    after = sorted(done(sim, "Task in subprocess A"))
    assert after == ["Task in subprocess B", "join", "outerSubProcess", "subProcessB"]
    assert done(sim, "Task in subprocess B") == ["Task after subprocess"]
    assert (done(sim, "Task after subprocess"), sim.outcome) == ([], "completed")


def test_a_terminate_end_ends_the_whole_process(corpus: Path) -> None:
    """case-18: completing "check before termination" ends the instance although the other task is open."""
    sim = stepwise(corpus / PLATFORM / "TerminateEndEventTest.testProcessTerminate.bpmn")
    assert sorted(done(sim)) == ["check before end", "check before termination"]
    assert (done(sim, "check before termination"), sim.outcome) == ([], "terminated")


def test_a_terminate_end_in_a_sub_process_ends_only_it(corpus: Path) -> None:
    """Case-18, TRM-03: the task beside the sub-process stays open, the flow after it is taken."""
    sim = stepwise(corpus / PLATFORM / "TerminateEndEventTest.testTerminateInSubProcess.bpmn")
    assert done(sim) == ["check before normal end"]
    assert count(sim.trace(), "EndEvent_3") == 1
    assert (done(sim, "check before normal end"), sim.outcome) == ([], "completed")


def test_the_join_takes_one_token_of_each_flow(corpus: Path) -> None:
    """case-21: B and C done: two tokens on the same flow, A still active: the join does not fire."""
    sim = stepwise(corpus / TCK / "asymmetric-parallel-gateway.bpmn")
    assert sorted(done(sim)) == ["A", "B", "C"]
    assert sorted(done(sim, "B", "C")) == ["A", "join", "join"]
    assert rows(sim.trace().joins(), "flow", "fired") == [("from-B-C-to-join", False)] * 2
    assert sim.outcome == "waiting"


@pytest.mark.parametrize(("data", "at"), [({"x": 8}, "B"), ({"x": 3}, "C"), ({}, "xor-gateway")], ids=str)
def test_an_exclusive_gateway_in_feel(corpus: Path, data: dict[str, int], at: str) -> None:
    """case-22: x=8: B; x=3: C by default; without x an incident at the gateway, the instance stays active."""
    sim = stepwise(corpus / TCK / "exclusive-gateway.bpmn")
    sim.complete("A", outputs=data)
    trace = sim.run()
    assert [trace.model.element(node).name or node for _, node, _ in live(trace)] == [at]
    assert trace.outcome == ("waiting" if data else "incident")


def test_a_merge_without_a_join_passes_each_token(corpus: Path) -> None:
    """case-23: A.1, A.2, then B.1 twice; with a parallel join once."""
    trace = bs.simulate(bs.read_bpmn(corpus / LIB / "fork-uncontrolled-join.bpmn"))
    assert [count(trace, node) for node in ("id-a-1", "id-a-2", "id-b-1", "id-c-1")] == [1, 1, 2, 2]
    trace = bs.simulate(bs.read_bpmn(corpus / LIB / "fork-controlled-parallel-join.bpmn"))
    assert [count(trace, node) for node in ("id-a-1", "id-a-2", "id-b-1", "id-c-1")] == [1, 1, 1, 1]


def test_the_first_true_condition_wins(corpus: Path) -> None:
    """case-24: price=0: task-a only (first in order); price=-99: task-default; without a default an error."""
    model = bs.read_bpmn(corpus / LIB / "exclusive-gateway-multiple-tasks.bpmn")
    assert path(bs.simulate(model, data={"price": 0}), 0)[2] == "task-a"
    assert path(bs.simulate(model, data={"price": -99}), 0)[2] == "task-default"
    model = bs.read_bpmn(corpus / LIB / "exclusive-gateway-multiple-tasks-no-default.bpmn")
    trace = bs.simulate(model, data={"price": -99})
    assert (trace.outcome, count(trace, "task-a"), count(trace, "task-b")) == ("incident", 0, 0)
    assert [s.node for s in trace.stuck] == ["Gateway_01wr5g0"]


def test_a_data_object_of_a_sub_process_is_gone_after_it(corpus: Path) -> None:
    """DAT-10: the file of the test on data objects: what the sub-process declares is not seen by the task after it."""
    model = bs.read_bpmn(corpus / "flowable__flowable-engine" / "SubProcessTest.testDataObjectScope.bpmn20.xml")
    seen = {}
    trace = bs.simulate(
        model,
        behaviors={
            "userTask1": lambda _: {"StringTest123": "out"},
            "userTask2": lambda task: {"StringTest456": "in", "seen": task["StringTest123"]},
            "userTask3": lambda task: seen.update(after="StringTest456" in task),
        },
    )
    assert (trace.outcome, seen) == ("completed", {"after": False})
    assert dict(trace.values) == {"StringTest123": "out", "seen": "out"}


def test_three_in_and_two_out(corpus: Path) -> None:
    """AND-06: 3 tokens in, 2 out, each end path once."""
    trace = bs.simulate(bs.read_bpmn(corpus / "olive-io__bpmn" / "parallel_gateway_m_n.bpmn"))
    assert (count(trace, "joinAndFork"), count(trace, "task1"), count(trace, "task2"), count(trace, "end")) == (
        1,
        1,
        1,
        2,
    )
    assert trace.tokens().track.nunique() == 4
