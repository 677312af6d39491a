"""Wide and long iterations (design section 10)."""

from __future__ import annotations

import tracemalloc
from time import process_time
from typing import Any

import pytest

import bpmnsim as bs

from .helpers import composite, counted, leaf


def collecting(**more: Any) -> Any:
    """Return a parallel marker over items that collects out into outs."""
    return bs.parallel(collection="items", item="item", output_item="out", output_collection="outs", **more)


@pytest.mark.parametrize(("model_of", "node", "most", "seed"), [(leaf, "x", 2048, None), (composite, "work", 3072, 3)])
def test_memory_per_instance(model_of: Any, node: str, most: int, seed: int | None) -> None:
    """Design 10: at most 2 KB per leaf instance and 3 KB per three-node instance, with everything recorded."""
    n = 2000
    model = model_of(collecting(completion_condition="False"))
    run: dict[str, Any] = {"behaviors": {node: lambda task: {"out": task.ordinal}}, "seed": seed}
    bs.simulate(model, data={"items": [0]}, **run)
    items = list(range(n))
    tracemalloc.start()
    trace = bs.simulate(model, data={"items": items}, **run)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert trace.outcome == "completed"
    assert peak / n <= most


@pytest.mark.parametrize("model_of", [leaf, composite])
def test_steps_and_facts_grow_with_the_width_alone(model_of: Any) -> None:
    """Design 10: ten times as many instances are ten times as many steps and facts."""
    small, large = (bs.simulate(model_of(bs.parallel(cardinality=n))) for n in (100, 1000))
    assert (large.steps - small.steps) % 900 == 0
    per_instance = (large.steps - small.steps) // 900
    assert small.steps == 100 * per_instance + 3
    assert (len(large.record.facts) - len(small.record.facts)) % 900 == 0


@pytest.mark.parametrize("collect", [True, False])
def test_many_late_drains(collect: bool) -> None:
    """ITER-CC-08: 3000 drains left in the queue are counted without recursion."""
    condition = "loopCounter == 0"
    marker = (
        collecting(completion_condition=condition)
        if collect
        else bs.parallel(cardinality=3000, completion_condition=condition)
    )
    trace = bs.simulate(leaf(marker), data={"items": [0] * 3000}, behaviors={"x": lambda task: {"out": task.ordinal}})
    assert counted(trace) == [(3000, 3000, 0, 0, "completion_condition")]
    if collect:
        assert trace.values["outs"] == list(range(3000))


def test_many_cancelled_instances() -> None:
    """ITER-CC-03: 3000 open instances are cancelled in one step."""
    marker = bs.parallel(cardinality=3000, completion_condition="True")
    trace = bs.simulate(leaf(marker), durations={"x": lambda _, task: task.ordinal})
    assert counted(trace) == [(3000, 1, 2999, 0, "completion_condition")]


def test_many_passes() -> None:
    """ITER-SL-04: 3000 passes, one after the other, without recursion."""
    trace = bs.simulate(leaf(bs.loop(maximum=3000)))
    assert counted(trace) == [(3000, 3000, 0, 0, "maximum")]


def test_a_loop_that_never_ends_is_cut() -> None:
    """ITER-SL-02, design 4: never an endless run: truncated at the step limit."""
    trace = bs.simulate(leaf(bs.loop(condition="True")), step_limit=500)
    assert (trace.outcome, trace.steps) == ("truncated", 500)


def completed_as_listed(n: int) -> float:
    """Return the time in which a scenario completes n user tasks, half of them early, the last ones first."""
    scenario = bs.Scenario()
    for number in reversed(range(n)):
        scenario = scenario.complete("x", ordinal=number, at=number if number % 2 else None)
    start = process_time()
    assert bs.simulate(leaf(bs.parallel(cardinality=n), "user"), scenario=scenario).outcome == "completed"
    return process_time() - start


def completed_by_hand(n: int) -> float:
    """Return the time in which n user tasks are completed by hand, each time whichever comes first."""
    sim = bs.Simulation(leaf(bs.parallel(cardinality=n), "user"), scenario=bs.Scenario())
    sim.run()
    start = process_time()
    for _ in range(n):
        sim.complete("x")
    assert sim.run().outcome == "completed"
    return process_time() - start


def received(n: int, options: bs.Options, **marker: Any) -> float:
    """Return the time in which n receive tasks get their messages in an open scenario."""
    model = leaf(bs.parallel(collection="items", item="i", **marker), "receive", message="pay")
    start = process_time()
    assert bs.simulate(model, data={"items": [0] * n}, options=options).outcome == "completed"
    return process_time() - start


def received_by_ordinal(n: int) -> float:
    """Return the time in which n receive tasks without a key get their messages."""
    return received(n, bs.Options(on_ambiguous_message="ordinal"))


def received_by_key(n: int) -> float:
    """Return the time in which n receive tasks with one and the same key get their messages."""
    return received(n, bs.Options(), correlation=("order", "i"))


def received_early(n: int) -> float:
    """Return the time in which n receive tasks, each with its key, take messages that came early, last ones first."""
    scenario = bs.Scenario()
    for number in reversed(range(n)):
        scenario = scenario.message("pay", payload={"order": number})
    marker = bs.parallel(collection="items", item="i", correlation=("order", "i"))
    model, data = leaf(marker, "receive", message="pay"), {"items": list(range(n))}
    start = process_time()
    assert bs.simulate(model, data=data, scenario=scenario).outcome == "completed"
    return process_time() - start


@pytest.mark.parametrize(
    "work", [completed_as_listed, completed_by_hand, received_by_ordinal, received_by_key, received_early]
)
def test_a_delivery_costs_the_same_however_many_wait(work: Any) -> None:
    """Design 10: four times as many waits take about four times as long, not sixteen times."""
    work(1)  # the first run imports what it needs
    small, large = work(2000), work(8000)
    assert large <= 8 * small
