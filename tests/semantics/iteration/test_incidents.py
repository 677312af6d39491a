"""Incidents of inner instances and of the activity (iteration.md section 12, ITER-IN, ITER-E)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import bpmnsim as bs

from ...models import rows
from .helpers import closings, composite, counted, departures, errors, evals, leaf, log_of, states, thrown

BOTH = pytest.mark.parametrize("shape", [bs.sequential, bs.parallel])


class Failing:
    """A behavior that counts its runs per ordinal and fails at the first run of the given ones."""

    def __init__(self, *ordinals: int) -> None:
        self.ordinals = ordinals
        self.runs: Counter[int] = Counter()

    def __call__(self, task: Any) -> dict[str, str]:
        self.runs[task.ordinal] += 1
        if task.ordinal in self.ordinals and self.runs[task.ordinal] == 1:
            raise ValueError("broken")
        return {"out": f"R:{task['item']}"}


def collecting(shape: Any, **more: Any) -> Any:
    """Return a marker over a, b, c that collects out into outs."""
    return shape(collection="items", item="item", output_item="out", output_collection="outs", **more)


def begun(model: bs.Model, behavior: Any, node: str = "x", **more: Any) -> bs.Simulation:
    """Return a run that has come to rest."""
    sim = bs.Simulation(model, data={"items": ["a", "b", "c"]}, behaviors={node: behavior}, **more)
    sim.run()
    return sim


@pytest.mark.parametrize("node", ["x", "work"])
@pytest.mark.parametrize("durations", [{}, {"x": 3, "work": 3}])
def test_one_instance_fails(node: str, durations: dict[str, float]) -> None:
    """G-86, ITER-IN-01.1, ITER-IN-02.1, ITER-IN-02.2, ITER-IN-03.1: 1 incident; retry: {0:1,1:2,2:1}."""
    behavior = Failing(1)
    marker = collecting(bs.parallel)
    more = {"durations": {node: durations[node]}} if durations else {}
    sim = begun(leaf(marker) if node == "x" else composite(marker), behavior, node, **more)
    trace = sim.trace()
    assert (trace.outcome, departures(trace)) == ("incident", 0)
    assert errors(trace) == [(node, 1, "ValueError: broken")]
    assert [states(trace)[0], states(trace)[2]] == ["completed", "completed"]
    assert counted(trace) == [(3, 2, 0, 1, None)]
    sim.retry(0)
    trace = sim.run()
    assert (trace.outcome, trace.values["outs"]) == ("completed", ["R:a", "R:b", "R:c"])
    assert behavior.runs == {0: 1, 1: 2, 2: 1}
    assert rows(trace.incidents(), "state", "attempts") == [("resolved", 1)]
    assert states(trace) == ["completed"] * 3


def test_an_automatic_retry() -> None:
    """ITER-IN-03, INC-04: the policy runs the same ordinal again, with the same item."""
    behavior = Failing(0, 2)
    sim = begun(leaf(collecting(bs.parallel)), behavior, retries={"x": (1, 5.0)})
    trace = sim.trace()
    assert (trace.outcome, trace.time, behavior.runs) == ("completed", 5.0, {0: 2, 1: 1, 2: 2})
    assert trace.values["outs"] == ["R:a", "R:b", "R:c"]


def test_a_sequence_is_blocked() -> None:
    """ITER-IN-04.1: ordinal 0 of 3 in an incident: 1 and 2 pending; retried, they follow."""
    behavior = Failing(0)
    sim = begun(leaf(collecting(bs.sequential)), behavior)
    assert states(sim.trace()) == ["incident", "pending", "pending"]
    sim.retry(0)
    trace = sim.run()
    assert (behavior.runs, trace.values["outs"]) == ({0: 2, 1: 1, 2: 1}, ["R:a", "R:b", "R:c"])


@BOTH
def test_a_failing_condition_resumes(shape: Any) -> None:
    """G-87, ITER-IN-05.1, ITER-E-08.1: the condition raises after ordinal 0 of 3, fixed, retry: all counts 1."""
    behavior = Failing()
    marker = collecting(shape, completion_condition="numberOfCompletedInstances >= limit")
    sim = begun(leaf(marker), behavior)
    assert (sim.outcome, errors(sim.trace())[0][:2]) == ("incident", ("x", None))
    assert behavior.runs == ({0: 1} if shape is bs.sequential else {0: 1, 1: 1, 2: 1})
    sim.set("limit", 9)
    sim.retry(0)
    trace = sim.run()
    assert (trace.outcome, behavior.runs) == ("completed", {0: 1, 1: 1, 2: 1})
    assert trace.values["outs"] == ["R:a", "R:b", "R:c"]
    assert evals(trace, "completion") == [(0, None), (0, False), (1, False)]
    assert rows(trace.iterations(), "activation", "total", "completed") == [(1, 3, 3)]
    assert rows(trace.incidents(), "state") == [("resolved",)]


@BOTH
def test_a_failing_condition_may_stop_after_its_repair(shape: Any) -> None:
    """ITER-IN-05, ITER-CC-03: repaired so that it holds, the retry stops the activity at once."""
    marker = collecting(shape, completion_condition="numberOfCompletedInstances >= limit")
    sim = begun(leaf(marker), Failing())
    sim.set("limit", 1)
    sim.retry(0)
    trace = sim.run()
    done = 1 if shape is bs.sequential else 3
    assert counted(trace) == [(3, done, 3 - done, 0, "completion_condition")]


def test_drains_wait_while_the_activity_is_in_an_incident() -> None:
    """ITER-IN-05, ITER-P-04: instances that drain meanwhile are queued, and delivered after the retry."""
    marker = collecting(bs.parallel, completion_condition="numberOfCompletedInstances > limit")
    sim = bs.Simulation(
        leaf(marker),
        data={"items": ["a", "b", "c"]},
        behaviors={"x": Failing()},
        durations={"x": lambda _, task: task.ordinal},
    )
    trace = sim.run()
    assert (trace.outcome, trace.time, states(trace)) == ("incident", 2.0, ["completed"] * 3)
    sim.set("limit", 9)
    sim.retry(0)
    trace = sim.run()
    assert (trace.outcome, trace.values["outs"]) == ("completed", ["R:a", "R:b", "R:c"])


@BOTH
def test_a_failing_behavior_condition_resumes(shape: Any) -> None:
    """ITER-IN-05, ITER-E-12.1: what was thrown before the failure is not thrown twice."""
    marker = collecting(shape, behavior="complex", events=[("True", "A"), ("flag", "B")])
    sim = begun(leaf(marker), Failing())
    assert thrown(sim.trace()) == [(0, "A")]
    sim.set("flag", True)
    sim.retry(0)
    trace = sim.run()
    assert thrown(trace) == [(0, "A"), (0, "B"), (1, "A"), (1, "B"), (2, "A"), (2, "B")]


def test_a_failing_loop_condition_resumes() -> None:
    """ITER-IN-05, ITER-E-10.1: the test before pass 1 raises, is fixed, retry: no pass runs twice."""
    log, behavior = log_of("loopCounter")
    sim = bs.Simulation(leaf(bs.loop(condition="loopCounter < limit")), behaviors={"x": behavior})
    sim.run()
    sim.set("limit", 3)
    sim.retry(0)
    trace = sim.run()
    assert (log, trace.outcome) == ([0, 1, 2], "completed")
    assert evals(trace, "loop") == [(1, None), (1, True), (2, True), (3, False)]


def test_the_exit_may_fail_and_resume() -> None:
    """ITER-IN-05, XOR-04: no outgoing flow can be taken: repaired and retried, it leaves without running."""
    b = bs.ProcessBuilder("p")
    x = b.service("x", multi_instance=collecting(bs.parallel))
    _ = b.start("s") >> x
    x.flow(b.end("e"), when="ready")
    behavior = Failing()
    sim = begun(b.model(), behavior)
    assert sim.outcome == "incident"
    sim.set("ready", True)
    sim.retry(0)
    trace = sim.run()
    assert (trace.outcome, behavior.runs) == ("completed", {0: 1, 1: 1, 2: 1})
    data = trace.data()
    assert len(data[data.name == "outs"]) == 1


@BOTH
def test_resolving_the_activity_cancels_what_it_hosts(shape: Any) -> None:
    """INC-06: the incident of the activity itself is resolved: it leaves at once, open instances are cancelled."""
    marker = shape(cardinality=3, completion_condition="missing")
    sim = bs.Simulation(leaf(marker, "user"), scenario=bs.Scenario())
    sim.run()
    sim.complete("x", ordinal=0)
    sim.run()
    sim.resolve(0)
    trace = sim.run()
    assert (trace.outcome, departures(trace)) == ("completed", 1)
    assert states(trace)[1:] == ["canceled", "canceled"]
    assert rows(trace.iterations(), "state", "exit_reason") == [("canceled", "fault")]
    state = sim._driver.run.state
    assert (state.groups, state.drains, state.staged, state.open) == ({}, {}, {}, {})


def test_resolving_an_instance_completes_it_without_running_it() -> None:
    """INC-06, ITER-IN-02: the instance counts as completed; with an output declared its output is missing."""
    plain = begun(leaf(bs.parallel(collection="items", item="item")), Failing(1))
    plain.resolve(0)
    trace = plain.run()
    assert (trace.outcome, counted(trace)) == ("completed", [(3, 3, 0, 0, "exhausted")])
    lenient = begun(leaf(collecting(bs.parallel)), Failing(1), options=bs.Options(missing_output="none"))
    lenient.resolve(0)
    assert lenient.run().values["outs"] == ["R:a", None, "R:c"]


def test_dropping_an_instance_keeps_the_activity_open() -> None:
    """INC-06: a dropped instance never ends, so the barrier never opens: failed."""
    sim = begun(leaf(collecting(bs.parallel)), Failing(1))
    sim.drop(0)
    trace = sim.run()
    assert (trace.outcome, departures(trace)) == ("failed", 0)


def test_two_incidents_at_once() -> None:
    """ITER-IN-08.1, ITER-IN-01: N=2, both in an incident: outcome incident; each is retried by itself."""
    behavior = Failing(0, 1)
    sim = bs.Simulation(leaf(collecting(bs.parallel)), data={"items": ["a", "b"]}, behaviors={"x": behavior})
    trace = sim.run()
    assert (trace.outcome, states(trace)) == ("incident", ["incident", "incident"])
    sim.retry(1)
    trace = sim.run()
    assert (trace.outcome, closings(trace)) == ("incident", [1])
    sim.retry(0)
    trace = sim.run()
    assert (trace.outcome, trace.values["outs"]) == ("completed", ["R:a", "R:b"])


def test_a_business_error_without_a_boundary() -> None:
    """ITER-BD-07, INC-01: an error nobody catches is an incident of its ordinal with its code."""

    def behavior(task: Any) -> None:
        if task.ordinal == 1:
            raise bs.BpmnError("E1")

    trace = bs.simulate(leaf(bs.parallel(cardinality=3)), behaviors={"x": behavior})
    assert rows(trace.throws(), "ordinal", "kind", "code", "caught_by") == [(1, "error", "E1", "")]
    assert states(trace) == ["completed", "incident", "completed"]


def test_an_escalation_carries_its_ordinal() -> None:
    """ITER-ES-01.1: escalation from ordinal 2: fact Escalation Thrown with ordinal 2; the instance goes on."""

    def behavior(task: Any) -> None:
        if task.ordinal == 2:
            task.escalate("LATE")

    trace = bs.simulate(leaf(bs.parallel(cardinality=3)), behaviors={"x": behavior})
    facts = trace.facts()
    assert rows(facts[facts.kind == "Escalation"], "phase", "ordinal") == [("Thrown", 2), ("Unresolved", 2)]
    assert trace.outcome == "completed"


@BOTH
@pytest.mark.parametrize("model_of", [leaf, composite])
def test_a_refused_key_is_evaluated_again(shape: Any, model_of: Any) -> None:
    """ITER-IN-05, ITER-E-17: the empty key of ordinal 0, repaired and retried, is evaluated again; nothing else is."""
    key = '"" if not ok else str(loopCounter)'
    marker = shape(cardinality=2, output_item="r", output_collection="o", output_key=key)
    runs: Counter[int] = Counter()

    def behavior(task: Any) -> dict[str, int]:
        runs[task.ordinal] += 1
        return {"r": task.ordinal * 10}

    model = model_of(marker)
    sim = bs.Simulation(model, data={"ok": False}, behaviors={"x" if model_of is leaf else "work": behavior})
    assert errors(sim.run()) == [("x", None, "inner instance 0 has an empty key (ITER-E-17)")]
    sim.retry(0)
    assert evals(sim.run(), "key") == [(0, ""), (0, "")]
    sim.set("ok", True)
    sim.retry(0)
    trace = sim.run()
    assert (trace.outcome, trace.values["o"], runs) == ("completed", {"0": 0, "1": 10}, {0: 1, 1: 1})
    assert evals(trace, "key") == [(0, ""), (0, ""), (0, "0"), (1, "1")]
    assert rows(trace.incidents(), "state", "attempts") == [("resolved", 2)]


@BOTH
def test_a_repeated_key_is_evaluated_again(shape: Any) -> None:
    """ITER-IN-05, ITER-E-18: as long as the key repeats, it names the ordinal that brought it first."""
    marker = shape(
        cardinality=3,
        output_item="r",
        output_collection="o",
        output_key="keys[loopCounter]",
        unique_keys=True,
    )
    behaviors = {"x": lambda task: {"r": task.ordinal}}
    sim = bs.Simulation(leaf(marker), data={"keys": ["a", "a", "a"]}, behaviors=behaviors)
    sim.run()
    for keys, ordinal in ((["a", "a", "a"], 1), (["a", "b", "a"], 2)):
        sim.set("keys", keys)
        sim.retry(0)
        assert errors(sim.run()) == [("x", None, f"inner instances 0 and {ordinal} have the key 'a' (ITER-E-18)")]
    sim.set("keys", ["a", "b", "c"])
    sim.retry(0)
    trace = sim.run()
    assert (trace.outcome, trace.values["o"]) == ("completed", {"a": 0, "b": 1, "c": 2})
    assert evals(trace, "key") == [(0, "a"), (1, "a"), (1, "a"), (1, "b"), (2, "a"), (2, "c")]


def test_a_refused_key_of_a_late_drain_is_evaluated_again() -> None:
    """ITER-IN-05, ITER-CC-08: the key of a drain left in the queue when the activity stopped."""
    more: dict[str, Any] = {"output_key": "keys[loopCounter]", "completion_condition": "True"}
    marker = bs.parallel(cardinality=3, output_item="r", output_collection="o", **more)
    behaviors = {"x": lambda task: {"r": task.ordinal}}
    sim = bs.Simulation(leaf(marker), data={"keys": ["a", "", "c"]}, behaviors=behaviors)
    assert errors(sim.run()) == [("x", None, "inner instance 1 has an empty key (ITER-E-17)")]
    sim.set("keys", ["a", "b", "c"])
    sim.retry(0)
    trace = sim.run()
    assert (trace.values["o"], evals(trace, "key")) == (
        {"a": 0, "b": 1, "c": 2},
        [(0, "a"), (1, ""), (1, "b"), (2, "c")],
    )
    assert counted(trace) == [(3, 3, 0, 0, "completion_condition")]
