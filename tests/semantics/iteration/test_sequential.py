"""Sequential multi-instance (iteration.md section 4)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import bpmnsim as bs

from ...models import rows
from .helpers import before, composite, counted, errors, evals, leaf, log_of, scope_facts, states

COUNTS = ("numberOfInstances", "numberOfActiveInstances", "numberOfCompletedInstances", "numberOfTerminatedInstances")


@pytest.mark.parametrize("marker", [bs.sequential(cardinality=2), bs.loop(maximum=2)])
@pytest.mark.parametrize("model_of", [leaf, composite])
def test_all_from_the_drain_on_is_one_step(model_of: Any, marker: Any) -> None:
    """ITER-SQ-02: the step that closes pass 0 opens pass 1, and the step that closes pass 1 leaves the activity."""
    trace = bs.simulate(model_of(marker))
    (_, first), (second, last) = rows(trace.inner_instances(), "opened", "closed")
    assert first == second
    assert rows(trace.iterations(), "closed") == [(last,)]
    assert "drain" not in {kind for (kind,) in rows(trace.choices(), "kind")}


@pytest.mark.parametrize("model_of", [leaf, composite])
def test_one_at_a_time_in_ordinal_order(model_of: Any) -> None:
    """G-14, G-23, ITER-SQ-01.1: nums [2,3,4]: seen exactly in order, intervals disjoint; r=n*10 gives [20,30,40]."""
    log: list[int] = []

    def behavior(task: Any) -> dict[str, int]:
        log.append(task["n"])
        return {"r": task["n"] * 10}

    marker = bs.sequential(collection="nums", item="n", output_item="r", output_collection="results")
    node = "x" if model_of is leaf else "work"
    trace = bs.simulate(model_of(marker), data={"nums": [2, 3, 4]}, behaviors={node: behavior})
    assert (log, trace.values["results"]) == ([2, 3, 4], [20, 30, 40])
    spans = rows(trace.inner_instances(), "ordinal", "opened", "closed")
    assert [ordinal for ordinal, _, _ in spans] == [0, 1, 2]
    assert all(closed <= opened for (_, _, closed), (_, opened, _) in pairwise(spans))


def test_tax() -> None:
    """G-22, M-31: amounts [100,250,80] plus 20 %: log 120, 300, 96 in order; taxed [120,300,96]; completed."""
    log: list[int] = []

    def tax(task: Any) -> dict[str, int]:
        log.append(task["amount"] * 120 // 100)
        return {"taxed": log[-1]}

    marker = bs.sequential(collection="amounts", item="amount", output_item="taxed", output_collection="all_taxed")
    trace = bs.simulate(composite(marker), data={"amounts": [100, 250, 80]}, behaviors={"work": tax})
    assert (log, trace.values["all_taxed"], trace.outcome) == ([120, 300, 96], [120, 300, 96], "completed")


def test_order_inside_a_pass() -> None:
    """ITER-SQ-02.1: N=3, behavior none, condition nC>=2: throw 0, evaluation 0 (F), throw 1, evaluation 1 (T)."""
    marker = bs.sequential(
        cardinality=3, behavior="none", events="done", completion_condition="numberOfCompletedInstances >= 2"
    )
    trace = bs.simulate(leaf(marker))
    facts = trace.record.facts
    order = [facts[at + 5] for at in range(0, len(facts), 7) if facts[at + 5] in ("Iteration Thrown", "completion")]
    assert order == ["Iteration Thrown", "completion"] * 2
    assert rows(trace.throws(), "ordinal") == [(0,), (1,)]
    assert evals(trace, "completion") == [(0, False), (1, True)]
    assert set(trace.throws().step) == set(trace.evaluations().step[1:])


@pytest.mark.parametrize("profile", ["engine", "standard"])
def test_an_early_stop_only_stops_launching(profile: str) -> None:
    """G-17, ITER-SQ-03.1, ITER-SQ-04.1, ITER-SQ-04.2: N=5, lc>=1: 0 and 1 run, the rest counts in nT."""
    log, behavior = log_of("loopCounter")
    marker = bs.sequential(cardinality=5, completion_condition="loopCounter >= 1")
    trace = bs.simulate(composite(marker), behaviors={"work": behavior}, options=bs.Options(profile=profile))
    assert log == [0, 1]
    assert counted(trace) == [(5, 2, 3, 0, "completion_condition")]
    assert states(trace) == ["completed"] * 2 + ["canceled"] * 3
    assert [opened for (opened,) in rows(trace.inner_instances(), "opened")][2:] == [None] * 3
    assert scope_facts(trace) == [("Opened", 0), ("Completed", 0), ("Opened", 1), ("Completed", 1)]
    assert rows(trace.iterations(), "state") == [("completed",)]


def test_counters_in_the_body() -> None:
    """G-15, ITER-SQ-05.1, ITER-SQ-06.1, NR-09, NR-10: (lc,nI,nA,nC,nT) = (0,3,1,0,0), (1,3,1,1,0), (2,3,1,2,0)."""
    log, behavior = log_of("loopCounter", *COUNTS)
    bs.simulate(leaf(bs.sequential(cardinality=3)), behaviors={"x": behavior})
    assert log == [(0, 3, 1, 0, 0), (1, 3, 1, 1, 0), (2, 3, 1, 2, 0)]


def test_the_same_path_every_pass() -> None:
    """ITER-SQ-07.1: N=2: path /p/x opened twice, with loop counters 0 and 1."""
    trace = bs.simulate(composite(bs.sequential(cardinality=2)))
    scopes = trace.scopes()
    assert rows(scopes[scopes.role == "pass"], "scope", "ordinal") == [("/p/x", 0), ("/p/x", 1)]


def test_no_residue() -> None:
    """ITER-SQ-08.1: a task behind the activity cannot read the item."""
    marker = bs.sequential(collection="items", item="item")
    trace = bs.simulate(before(marker), data={"items": [1]}, behaviors={"after": lambda task: task["item"]})
    assert "'item' has no value" in errors(trace)[0][2]


def test_undeclared_writes_fold() -> None:
    """G-71, ITER-SQ-09.1: items [1,2,3], total:=total+item: 1, 3, 6, each visible to the next pass."""
    trace = bs.simulate(
        leaf(bs.sequential(collection="items", item="item")),
        data={"items": [1, 2, 3], "total": 0},
        behaviors={"x": lambda task: {"total": task["total"] + task["item"]}},
    )
    data = trace.data()
    assert rows(data[data.name == "total"], "scope", "new", "order_dependent") == [
        ("/p", 1, False),
        ("/p", 3, False),
        ("/p", 6, False),
    ]


def test_a_new_name_of_a_leaf_goes_to_the_scope_around() -> None:
    """ITER-SQ-09, ITER-SL-09, core DAT-04: what a pass writes newly outlives it; item and output item do not."""
    marker = bs.sequential(collection="items", item="item", output_item="out", output_collection="outs")
    trace = bs.simulate(
        leaf(marker), data={"items": [1, 2]}, behaviors={"x": lambda task: {"out": 0, "item": 9, "last": task["item"]}}
    )
    assert trace.values == {"items": [1, 2], "last": 2, "outs": [0, 0]}
