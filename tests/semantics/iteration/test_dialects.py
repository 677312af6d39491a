"""Files of engines with loop markers of their own (iteration.md ITER-D-12), from the corpus of real files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bpmnsim as bs
from bpmnsim.model import BoundaryEvent, SequenceFlow

from ...models import rows
from .helpers import closings, counted, errors, evals, states

CAMUNDA = "camunda__camunda-bpm-platform"
FLOWABLE = "flowable__flowable-engine"
TESTING = "camunda-community-hub__bpmn-driven-testing"


def without_boundaries(model: bs.Model) -> bs.Model:
    """Return the model without boundary events and what only they lead to."""
    gone = {each.id for each in model.elements.values() if isinstance(each, BoundaryEvent)}
    while True:
        flows = {
            each.id: each for each in model.elements.values() if isinstance(each, SequenceFlow) and each.id not in gone
        }
        fed = {flow.target for flow in flows.values() if flow.source not in gone}
        more = {flow.id for flow in flows.values() if flow.source in gone}
        more |= {flow.target for flow in flows.values() if flow.source in gone and flow.target not in fed}
        if not more - gone:
            break
        gone |= more
    kept = [each for each in model.elements.values() if each.id not in gone and each.parent not in gone]
    return bs.Model(kept, dialect=model.dialect)


def test_sequential_user_tasks(corpus: Path) -> None:
    """Case 07: three user tasks one after another, counters 0, 1, 2; of ten, five because of nrOfCompletedInstances."""
    model = without_boundaries(bs.read_bpmn(corpus / CAMUNDA / "MultiInstanceTest.sequentialUserTasks.bpmn20.xml"))
    sim = bs.Simulation(model, data={"nrOfLoops": 3}, scenario=bs.Scenario())
    trace = sim.run()
    for ordinal in range(3):
        waits = trace.waits()
        assert rows(waits[waits.withdrawn.isna()], "activity", "ordinal") == [("miTasks", ordinal)]
        sim.complete("miTasks")
        trace = sim.run()
    assert trace.outcome == "completed"
    trace = bs.simulate(model, data={"nrOfLoops": 10})
    assert counted(trace, "miTasks") == [(10, 5, 5, 0, "completion_condition")]
    assert evals(trace, "completion") == [(ordinal, ordinal == 4) for ordinal in range(5)]


def test_parallel_user_tasks(corpus: Path) -> None:
    """Case 08: loopCardinality ${5-2}: three tasks at once; active instances go 3, 2, 1; then the process ends."""
    model = bs.read_bpmn(corpus / CAMUNDA / "MultiInstanceTest.testParallelUserTasks.bpmn20.xml")
    sim = bs.Simulation(model, scenario=bs.Scenario())
    trace = sim.run()
    active = []
    for ordinal in (1, 0, 2):
        active.append(int(trace.iterations().active[0]))
        sim.complete("miTasks", ordinal=ordinal)
        trace = sim.run()
    assert (active, trace.outcome, closings(trace, "miTasks")) == ([3, 2, 1], "completed", [1, 0, 2])


@pytest.mark.parametrize(
    ("people", "completed", "total"), [([], 0, 0), (["kermit", "gonzo", "mispiggy", "fozzie", "bubba"], 3, 5)]
)
def test_parallel_user_tasks_over_a_collection(corpus: Path, people: list[str], completed: int, total: int) -> None:
    """Case 09: loopDataInputRef and inputDataItem; an empty list ends at once; at least 60 % completed."""
    model = bs.read_bpmn(corpus / CAMUNDA / "MultiInstanceTest.testParallelUserTasksBasedOnCollection.bpmn20.xml")
    sim = bs.Simulation(model, data={"assigneeList": people}, scenario=bs.Scenario())
    trace = sim.run()
    assert list(trace.waits().ordinal) == list(range(total))
    assert list(trace.inner_instances().item) == people
    for ordinal in range(completed):
        sim.complete("miTasks", ordinal=ordinal)
        trace = sim.run()
    assert trace.outcome == "completed"
    reason = "completion_condition" if total else "exhausted"
    assert counted(trace, "miTasks") == [(total, completed, total - completed, 0, reason)]


def test_parallel_sub_process(corpus: Path) -> None:
    """Camunda's testParallelSubProcess: loopCardinality 2 over a body with a fork and a join: 4 tasks, then the end."""
    model = bs.read_bpmn(corpus / CAMUNDA / "MultiInstanceTest.testParallelSubProcess.bpmn20.xml")
    sim = bs.Simulation(model, scenario=bs.Scenario())
    trace = sim.run()
    assert sorted(rows(trace.waits(), "activity", "ordinal")) == [
        ("subProcessTask1", 0),
        ("subProcessTask1", 1),
        ("subProcessTask2", 0),
        ("subProcessTask2", 1),
    ]
    for task in ("subProcessTask1", "subProcessTask2"):
        for ordinal in (1, 0):
            sim.complete(task, ordinal=ordinal)
            trace = sim.run()
    assert (trace.outcome, closings(trace, "miSubProcess")) == ("completed", [1, 0])


def test_parallel_sub_process_of_activiti(corpus: Path) -> None:
    """Activiti's testParallelSubProcessWithTimer, without its timer: three instances of a body with a join."""
    name = "MultiInstanceTest.testParallelSubProcessWithTimer.bpmn20.xml"
    model = without_boundaries(bs.read_bpmn(corpus / "Activiti__Activiti" / name))
    trace = bs.simulate(model, seed=4)
    assert trace.outcome == "completed"
    assert [total for total, *_ in counted(trace, "miSubProcess")] == [3]


def test_nested_iterations_of_flowable(corpus: Path) -> None:
    """Flowable: nested markers of 2; the renamed counter of the outer one is readable inside."""
    name = (
        "MultiInstanceVariableAggregationTest.testParallelMultiInstanceSubProcessWithParallelMultiInstanceUserTask"
        ".bpmn20.xml"
    )
    model = bs.read_bpmn(corpus / FLOWABLE / name)
    seen: list[tuple[int, int]] = []

    def behavior(task: Any) -> None:
        seen.append((task["subProcessLoopCounter"], task["loopCounter"]))

    trace = bs.simulate(model, data={"nrOfLoops": 2}, behaviors={"userTaskOne": behavior})
    assert trace.outcome == "completed"
    assert sorted(seen) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert counted(trace, "userTaskTwo") == [(2, 2, 0, 0, "exhausted")] * 2
    assert counted(trace, "theSubProcess") == [(2, 2, 0, 0, "exhausted")]


def test_nested_iterations_of_zeebe(corpus: Path) -> None:
    """Camunda 8: zeebe:loopCharacteristics with =elements and =nestedElements, both sequential, in file order."""
    model = bs.read_bpmn(corpus / TESTING / "scopeNested.bpmn")
    trace = bs.simulate(model, data={"elements": [1, 2], "nestedElements": ["x", "y", "z"]})
    assert trace.outcome == "completed"
    assert counted(trace, "subProcess") == [(2, 2, 0, 0, "exhausted")]
    assert counted(trace, "nestedSubProcess") == [(3, 3, 0, 0, "exhausted")] * 2
    assert states(trace, "nestedSubProcess") == ["completed"] * 6
    assert list(trace.inner_instances().query("activity == 'subProcess'").item) == [1, 2]


def test_the_standard_form() -> None:
    """ITER-D-12.1: loopDataInputRef=items and inputDataItem=item run like the builder's collection form."""
    text = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
      <process id="p"><startEvent id="s"/><sequenceFlow id="f_s_x" sourceRef="s" targetRef="x"/>
      <serviceTask id="x"><multiInstanceLoopCharacteristics>
        <loopDataInputRef>items</loopDataInputRef><loopDataOutputRef>outs</loopDataOutputRef>
        <inputDataItem id="i" name="item"/><outputDataItem id="o" name="out"/>
        <completionCondition>loopCounter &gt; 9</completionCondition>
      </multiInstanceLoopCharacteristics></serviceTask>
      <sequenceFlow id="f_x_e" sourceRef="x" targetRef="e"/><endEvent id="e"/></process></definitions>"""
    b = bs.ProcessBuilder("p")
    marker = bs.parallel(
        collection="items",
        item="item",
        output_item="out",
        output_collection="outs",
        completion_condition="loopCounter > 9",
    )
    _ = b.start("s") >> b.service("x", multi_instance=marker) >> b.end("e")
    run: dict[str, Any] = {"data": {"items": [1, 2]}, "behaviors": {"x": lambda task: {"out": -task["item"]}}}
    read, built = bs.simulate(bs.read_bpmn(text), **run), bs.simulate(b.model(), **run)
    assert read.values == built.values == {"items": [1, 2], "outs": [-1, -2]}
    assert read.record.facts == built.record.facts


def of_zeebe(output: str, options: bs.Options | None = None) -> bs.Trace:
    """Run a Zeebe task over items 3 and 4 that sets out, with this outputElement."""
    text = f"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t"
        xmlns:zeebe="http://camunda.org/schema/zeebe/1.0">
      <process id="p"><startEvent id="s"/><sequenceFlow id="f_s_x" sourceRef="s" targetRef="x"/>
      <serviceTask id="x"><multiInstanceLoopCharacteristics><extensionElements>
        <zeebe:loopCharacteristics inputCollection="=items" inputElement="i" outputCollection="outs"
          outputElement="{output}"/></extensionElements></multiInstanceLoopCharacteristics></serviceTask>
      <sequenceFlow id="f_x_e" sourceRef="x" targetRef="e"/><endEvent id="e"/></process></definitions>"""
    data = {"items": [3, 4], "outer": "o"}
    behaviors = {"x": lambda task: {"out": -task["i"]}}
    return bs.simulate(bs.read_bpmn(text), data=data, behaviors=behaviors, options=options)


@pytest.mark.parametrize(
    ("output", "outs"),
    [
        ("out", [-3, -4]),
        ("=out", [-3, -4]),
        ("= out ", [-3, -4]),
        ("=i", [3, 4]),
        ("=i*2", [6, 8]),
        ("=loopCounter", [0, 1]),
        ("=numberOfInstances", [2, 2]),
        ("=outer", ["o", "o"]),
        ("=12", [12, 12]),
        ("=true", [True, True]),
    ],
)
def test_the_output_element_of_zeebe(output: str, outs: list[Any]) -> None:
    """ITER-D-12: outputElement is an expression, seen from the inner instance, also where it is one name or number."""
    trace = of_zeebe(output)
    assert (trace.outcome, trace.values.get("outs")) == ("completed", outs)


def test_an_output_element_that_nobody_has_set() -> None:
    """ITER-D-06: a name without a value is a missing output, whether it is written as an expression or not."""
    for output in ("missing", "=missing"):
        ((node, _, error),) = errors(of_zeebe(output))
        assert node == "x"
        assert "inner instance 0 produced no 'missing' (ITER-D-06)" in error
        trace = of_zeebe(output, bs.Options(missing_output="none"))
        assert (trace.outcome, trace.values["outs"]) == ("completed", [None, None])
