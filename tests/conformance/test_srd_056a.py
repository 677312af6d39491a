"""SRD-056.A, parallel multi-instance: its acceptance checks as iteration.md states them, by requirement.

FR-2 one token and one departure, FR-3 the count and the fan-out, FR-5 and FR-6 the handshake of drains, FR-7 and FR-8
order and assembly, FR-9 publication, FR-10 the completion condition, FR-11 the barrier, FR-12 counters, FR-13
interruption, FR-14 facts. What a boundary event does (FR-13) is held where boundary events are.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

import bpmnsim as bs

from ..models import count, rows
from ..semantics.iteration.helpers import (
    barrier,
    closings,
    composite,
    counted,
    departures,
    errors,
    evals,
    in_order,
    leaf,
    scope_facts,
    states,
)

NC = "numberOfCompletedInstances"
COUNTS = ("numberOfInstances", "numberOfActiveInstances", NC, "numberOfTerminatedInstances")
MODELS = pytest.mark.parametrize("model_of", [leaf, composite])


def collecting(**more: Any) -> Any:
    """Return a parallel marker over items that collects out into outs."""
    return bs.parallel(collection="items", item="item", output_item="out", output_collection="outs", **more)


def run(model_of: Any, marker: Any, n: int = 3, **more: Any) -> bs.Trace:
    """Run the model over n items; every instance returns R:item."""
    node = "x" if model_of is leaf else "work"
    if "durations" in more:
        more["durations"] = {node: more["durations"]["x"]}
    behaviors = {node: lambda task: {"out": f"R:{task['item']}"}}
    return bs.simulate(model_of(marker), data={"items": list("abcdefgh")[:n]}, behaviors=behaviors, **more)


@MODELS
@pytest.mark.parametrize("n", [1, 4])
def test_fr_2_one_departure(model_of: Any, n: int) -> None:
    """FR-2, ITER-P-08: the outgoing flow is taken once, by the one token that rests on the activity."""
    trace = run(model_of, collecting(), n)
    tokens = trace.tokens()
    assert (departures(trace), count(trace, "x")) == (1, 1)
    assert rows(tokens[tokens.node == "x"], "track") == rows(tokens[tokens.node == "e"], "track") == [(0,)]


@MODELS
def test_fr_3_fan_out(model_of: Any) -> None:
    """FR-3, FR-8, ITER-P-01, ITER-P-02: all N open at activation, in ordinal order, each with its path and its item."""
    trace = run(model_of, collecting())
    opened = [fact for fact in scope_facts(trace) if fact[0] == "Opened"]
    assert (opened, scope_facts(trace)[:3]) == ([("Opened", 0), ("Opened", 1), ("Opened", 2)], opened)
    scopes = trace.scopes()
    assert rows(scopes[scopes.role == "instance"], "scope", "opened") == [(f"/p/x[{k}]", 2) for k in range(3)]
    assert list(trace.inner_instances().item) == ["a", "b", "c"]


@MODELS
@pytest.mark.parametrize("cardinality", ["0", "-1"])
def test_fr_3_nothing_to_run(model_of: Any, cardinality: str) -> None:
    """FR-3, section 4.6, ITER-A-04, ITER-A-05, ITER-A-06: N<=0: completed at once, nothing published."""
    marker = bs.parallel(cardinality=cardinality, output_item="out", output_collection="outs")
    trace = bs.simulate(model_of(marker))
    assert (trace.outcome, departures(trace), scope_facts(trace), trace.values) == ("completed", 1, [], {})


def test_fr_3_elements_are_copied() -> None:
    """FR-3, ITER-A-03: what instances write to the collection is not seen by the others."""
    seen = []

    def behavior(task: Any) -> dict[str, Any]:
        seen.append(task["item"])
        return {"items": ["z", "z", "z"]}

    bs.simulate(
        leaf(bs.parallel(collection="items", item="item")),
        data={"items": ["a", "b", "c"]},
        behaviors={"x": behavior},
        seed=1,
    )
    assert sorted(seen) == ["a", "b", "c"]


@MODELS
def test_fr_5_fr_6_one_drain_one_delivery(model_of: Any) -> None:
    """FR-5, FR-6, section 4.2, ITER-P-04: drains queue behind the one that is handled; each re-arm releases one."""
    trace = run(model_of, collecting())
    handshake = [row for row in barrier(trace, "ordinal", "queued") if row[0] in ("deliver", "rearm", "complete")]
    assert handshake == [
        ("deliver", 0, 2),
        ("rearm", None, 2),
        ("deliver", 1, 1),
        ("rearm", None, 1),
        ("deliver", 2, 0),
        ("complete", None, 0),
    ]


@MODELS
def test_fr_5_output_is_captured_before_the_scope_closes(model_of: Any) -> None:
    """FR-5, FR-8, ITER-D-02: what an instance holds is gone with its scope, its output is not."""
    trace = run(model_of, collecting())
    assert list(trace.inner_instances().output) == ["R:a", "R:b", "R:c"]
    assert trace.values == {"items": ["a", "b", "c"], "outs": ["R:a", "R:b", "R:c"]}


@MODELS
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_fr_7_fr_8_assembly_does_not_depend_on_order(model_of: Any, order: tuple[int, ...]) -> None:
    """FR-7, FR-8, ITER-D-03: the order of completion is open, the order of the outputs is not."""
    times = in_order(*(order.index(ordinal) + 1 for ordinal in range(3)))
    trace = run(model_of, collecting(), durations=times)
    assert (closings(trace), trace.values["outs"]) == (list(order), ["R:a", "R:b", "R:c"])


@MODELS
def test_fr_9_published_once(model_of: Any) -> None:
    """FR-9, ITER-D-04, ITER-D-05: one change of the output name, whole, at the exit."""
    marker = collecting()
    trace = run(model_of, marker, seed=4)
    data = trace.data()
    assert rows(data[data.name == "outs"], "step", "new") == [(trace.iterations().closed[0], ["R:a", "R:b", "R:c"])]


@MODELS
def test_fr_10_the_rest_is_cancelled_in_one_step(model_of: Any) -> None:
    """FR-10, section 4.5, ITER-CC-03, ITER-D-07: quorum 2 of 5: three Canceled at one step, None in their slots."""
    trace = run(model_of, collecting(completion_condition=f"{NC} >= 2"), 5, durations=in_order(2, 1, 9, 9, 9))
    facts = trace.facts()
    canceled = facts[(facts.phase == "InstanceCanceled")]
    assert rows(canceled, "ordinal") == [(2,), (3,), (4,)]
    assert set(canceled.step) == {trace.iterations().closed[0]}
    assert trace.values["outs"] == ["R:a", "R:b", None, None, None]
    assert counted(trace) == [(5, 2, 3, 0, "completion_condition")]


@MODELS
def test_fr_10_late_drains_count(model_of: Any) -> None:
    """FR-10, section 4.5, ITER-CC-08, ITER-D-09: drained but not delivered at the stop: completed, slot kept, late."""
    trace = run(model_of, collecting(completion_condition=f"{NC} >= 2"))
    assert evals(trace, "completion") == [(0, False), (1, True)]
    assert counted(trace) == [(3, 3, 0, 0, "completion_condition")]
    assert trace.values["outs"] == ["R:a", "R:b", "R:c"]
    assert list(trace.inner_instances().late) == [False, False, True]


@MODELS
def test_fr_11_n_of_n(model_of: Any) -> None:
    """FR-11, ITER-P-03: durations 5, 1, 3: the barrier opens at 5."""
    trace = run(model_of, collecting(), durations=in_order(5, 1, 3))
    assert (trace.time, closings(trace)) == (5.0, [1, 2, 0])


@MODELS
def test_fr_12_counters(model_of: Any) -> None:
    """FR-12, section 4.3, ITER-P-06, ITER-R-03: nC rises by one per delivery, nA is derived, the sum is nI."""
    condition = " + ".join(COUNTS) + " < 0"
    trace = run(model_of, collecting(completion_condition=condition), 4)
    found = trace.evaluations()
    seen = [tuple(values[name] for name in COUNTS) for values in found[found.role == "completion"]["values"]]
    assert seen == [(4, 3, 1, 0), (4, 2, 2, 0), (4, 1, 3, 0)]


def test_fr_13_a_terminate_of_the_process() -> None:
    """FR-13, ITER-TM-03: every instance is cancelled, nothing is published, nothing is left."""
    b = bs.ProcessBuilder("p")
    split = b.parallel("split")
    _ = b.start("s") >> split
    _ = split >> b.user("x", multi_instance=collecting()) >> b.end("e")
    _ = split >> b.service("stop") >> b.end("t", terminate=True)
    data = {"items": ["a", "b", "c"]}
    trace = bs.simulate(b.model(), data=data, durations={"stop": 1}, scenario=bs.Scenario())
    assert (trace.outcome, states(trace), trace.values) == ("terminated", ["canceled"] * 3, data)


@MODELS
def test_fr_14_frozen_ordinals(model_of: Any) -> None:
    """FR-14, ITER-F-01 to ITER-F-03: every fact of an instance carries the ordinal it was opened with."""
    trace = run(model_of, collecting(completion_condition=f"{NC} >= 2"), 4, durations=in_order(9, 1, 9, 2))
    assert scope_facts(trace) == [
        *(("Opened", k) for k in range(4)),
        ("Completed", 1),
        ("Completed", 3),
        ("Canceled", 0),
        ("Canceled", 2),
    ]


@MODELS
def test_section_6_a_missing_output_item(model_of: Any) -> None:
    """Section 6, ITER-D-06: an instance that never produced its output item does not let the activity complete."""
    trace = bs.simulate(model_of(collecting()), data={"items": ["a", "b"]})
    assert (trace.outcome, departures(trace)) == ("incident", 0)
    assert errors(trace) == [("x", None, "inner instance 0 produced no 'out' (ITER-D-06)")]
