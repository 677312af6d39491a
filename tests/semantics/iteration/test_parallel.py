"""Parallel multi-instance and its barrier (iteration.md section 5)."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

import bpmnsim as bs
from bpmnsim.engine import groups, scopes

from ...models import count, rows
from .helpers import (
    barrier,
    closings,
    composite,
    counted,
    departures,
    evals,
    in_order,
    leaf,
    log_of,
    scope_facts,
    states,
)

NEVER = "numberOfInstances >= 100"


@pytest.mark.parametrize("model_of", [leaf, composite])
def test_all_start_at_activation(model_of: Any) -> None:
    """G-24, ITER-P-01.1, ITER-F-01.1: cardinality 3, instant bodies: Opened 0, 1, 2 at one step, then Completed."""
    trace = bs.simulate(model_of(bs.parallel(cardinality=3)))
    assert scope_facts(trace) == [(phase, k) for phase in ("Opened", "Completed") for k in (0, 1, 2)]
    assert {opened for (opened,) in rows(trace.inner_instances(), "opened")} == {2}
    assert states(trace) == ["completed"] * 3


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_each_instance_has_its_own_scope_and_item(seed: int | None) -> None:
    """G-25, ITER-P-02.1: items [10,20,30]: set {10,20,30}, each in its own scope /p/x[i]."""
    log, behavior = log_of("loopCounter", "item")
    marker = bs.parallel(collection="items", item="item")
    trace = bs.simulate(composite(marker), seed=seed, data={"items": [10, 20, 30]}, behaviors={"work": behavior})
    assert sorted(log) == [(0, 10), (1, 20), (2, 30)]
    scopes = trace.scopes()
    assert rows(scopes[scopes.role == "instance"], "scope") == [("/p/x[0]",), ("/p/x[1]",), ("/p/x[2]",)]


def test_the_barrier_waits_for_the_last() -> None:
    """ITER-P-03.1: N=3, durations 5, 1, 3: exit at time 5."""
    trace = bs.simulate(leaf(bs.parallel(cardinality=3)), durations=in_order(5, 1, 3))
    assert (closings(trace), trace.time) == ([1, 2, 0], 5.0)


def test_one_drain_one_delivery() -> None:
    """ITER-P-04.1: all three drain before the host acts: each delivery releases one, the rest stays queued."""
    trace = bs.simulate(leaf(bs.parallel(cardinality=3)))
    assert barrier(trace, "ordinal", "queued") == [
        ("fan_out", None, 0),
        ("drain", 0, 1),
        ("drain", 1, 2),
        ("queue", 1, 2),
        ("drain", 2, 3),
        ("queue", 2, 3),
        ("deliver", 0, 2),
        ("rearm", None, 2),
        ("deliver", 1, 1),
        ("rearm", None, 1),
        ("deliver", 2, 0),
        ("complete", None, 0),
    ]


def test_a_drain_that_meets_a_waiting_host_is_delivered_next() -> None:
    """ITER-P-04: with time between the drains nothing is queued: drain, deliver, rearm."""
    trace = bs.simulate(leaf(bs.parallel(cardinality=2)), durations=in_order(2, 1))
    events = [event for event, _, _ in barrier(trace, "ordinal", "queued")]
    assert events == ["fan_out", "drain", "deliver", "rearm", "drain", "deliver", "complete"]


def test_drains_of_one_action_are_delivered_by_ordinal() -> None:
    """ITER-P-05.1: one action drains ordinals 2 and 0: deliver 0, then 2; 1 drains in a later action: after them."""
    sim = bs.Simulation(leaf(bs.parallel(cardinality=3), "user"), scenario=bs.Scenario())
    sim.run()
    run = sim._driver.run
    host = next(iter(run.state.groups))
    open_scopes = dict(run.state.open[host])

    def drain(*ordinals: int) -> None:
        run.state.step += 1
        for ordinal in ordinals:
            scopes.cancel_inside(run, open_scopes[ordinal], "Canceled", "test")
            groups.member_drained(run, host, open_scopes[ordinal], "Completed")

    drain(2, 0)
    drain(1)
    while run.advance(1):
        pass
    trace = sim.trace()
    assert [row for row in barrier(trace, "ordinal") if row[0] == "deliver"] == [
        ("deliver", 0),
        ("deliver", 2),
        ("deliver", 1),
    ]


@pytest.mark.parametrize("seed", range(4))
def test_a_seed_never_reorders_the_queue(seed: int) -> None:
    """ITER-P-05.2: ordinal 2 drains, then 0, any seed: deliver 2, then 0."""
    sim = bs.Simulation(leaf(bs.parallel(cardinality=3), "user"), seed=seed, scenario=bs.Scenario())
    sim.run()
    for ordinal in (2, 0, 1):
        sim.complete("x", ordinal=ordinal)
    trace = sim.run()
    assert [ordinal for event, ordinal in barrier(trace, "ordinal") if event == "deliver"] == [2, 0, 1]
    assert trace.outcome == "completed"


def test_the_counter_rises_by_one_per_delivery() -> None:
    """ITER-P-06.1: three drained before the host acts, never-true condition: evaluations see nC=1, then 2."""
    trace = bs.simulate(leaf(bs.parallel(cardinality=3, completion_condition="numberOfCompletedInstances > 9")))
    found = trace.evaluations()
    seen = [values["numberOfCompletedInstances"] for values in found[found.role == "completion"]["values"]]
    assert seen == [1, 2]


def test_an_empty_body() -> None:
    """ITER-P-07.1: empty body, N=100: 100 completions, one exit; the host cannot leave early."""

    def empty(x: Any) -> None:
        del x

    trace = bs.simulate(composite(bs.parallel(cardinality=100), empty))
    assert counted(trace) == [(100, 100, 0, 0, "exhausted")]
    assert (closings(trace), departures(trace), trace.outcome) == (list(range(100)), 1, "completed")


@pytest.mark.parametrize("seed", [None, 5])
def test_one_departure(seed: int | None) -> None:
    """ITER-P-08.1: N=4: the outgoing flow is taken once."""
    trace = bs.simulate(leaf(bs.parallel(cardinality=4)), seed=seed)
    assert (departures(trace), count(trace, "e")) == (1, 1)


def test_undeclared_writes_race() -> None:
    """G-72, ITER-P-09.1: [1,2,3], total:=item, durations 3, 1, 2: completion 1, 2, 0, total=1, order_dependent."""
    trace = bs.simulate(
        leaf(bs.parallel(collection="items", item="item")),
        data={"items": [1, 2, 3], "total": 0},
        behaviors={"x": lambda task: {"total": task["item"]}},
        durations=in_order(3, 1, 2),
    )
    assert (closings(trace), trace.values["total"]) == ([1, 2, 0], 1)
    data = trace.data()
    assert rows(data[data.name == "total"], "new", "order_dependent") == [(2, True), (3, True), (1, True)]


def test_a_name_that_one_instance_writes_is_not_flagged() -> None:
    """ITER-P-09: flagged only where two instances wrote the same outer name; own items are nobody else's."""
    marker = bs.parallel(collection="items", item="item", output_item="out", output_collection="outs")
    trace = bs.simulate(
        leaf(marker),
        data={"items": [1, 2]},
        behaviors={"x": lambda task: {"out": task["item"], **({"mine": 1} if task.ordinal else {})}},
    )
    data = trace.data()
    assert set(data.order_dependent) == {False}
    assert trace.values["mine"] == 1


def test_every_order_of_completion_gives_the_same_list() -> None:
    """G-26: nums [2,3,4], out=2*n, all 6 completion orders: [4,6,8] each time."""
    marker = bs.parallel(collection="nums", item="n", output_item="out", output_collection="outs")
    for order in permutations(range(3)):
        durations = in_order(*(order.index(ordinal) + 1 for ordinal in range(3)))
        trace = bs.simulate(
            leaf(marker),
            data={"nums": [2, 3, 4]},
            behaviors={"x": lambda task: {"out": 2 * task["n"]}},
            durations=durations,
        )
        assert (closings(trace), trace.values["outs"]) == (list(order), [4, 6, 8])


def test_a_quorum_with_two_released() -> None:
    """G-27, ITER-CC-03.1: N=5, nC>=2, only 0 and 1 released: nC=2, 3 cancelled, completed."""
    sim = bs.Simulation(
        leaf(bs.parallel(cardinality=5, completion_condition="numberOfCompletedInstances >= 2"), "user"),
        scenario=bs.Scenario(),
    )
    sim.run()
    sim.complete("x", ordinal=0)
    sim.complete("x", ordinal=1)
    trace = sim.run()
    assert (trace.outcome, counted(trace)) == ("completed", [(5, 2, 3, 0, "completion_condition")])
    assert states(trace) == ["completed"] * 2 + ["canceled"] * 3
    facts = scope_facts(trace)
    assert [fact for fact in facts if fact[0] == "Canceled"] == [("Canceled", 2), ("Canceled", 3), ("Canceled", 4)]


def test_a_condition_that_never_holds() -> None:
    """G-28, ITER-CC-07.1: nI>=100 over N=3: all three run, evaluations F, F."""
    log, behavior = log_of("loopCounter")
    trace = bs.simulate(leaf(bs.parallel(cardinality=3, completion_condition=NEVER)), behaviors={"x": behavior})
    assert log == [0, 1, 2]
    assert evals(trace, "completion") == [(0, False), (1, False)]


def test_review() -> None:
    """G-30, M-30: Ann, Bob, Cara, Dan, score 70+5*ordinal: [70,75,80,85] in reviewer order, mean 77.5."""
    marker = bs.parallel(collection="reviewers", item="reviewer", output_item="score", output_collection="scores")
    trace = bs.simulate(
        composite(marker),
        data={"reviewers": ["Ann", "Bob", "Cara", "Dan"]},
        behaviors={"work": lambda task: {"score": 70 + 5 * task.ordinal}},
        seed=11,
    )
    scores = trace.values["scores"]
    assert isinstance(scores, list)
    assert (scores, sum(scores) / len(scores), trace.outcome) == ([70, 75, 80, 85], 77.5, "completed")
