"""Behavior events (iteration.md section 8, ITER-BH)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import bpmnsim as bs

from ...models import rows
from .helpers import counted, departures, errors, evals, in_order, leaf, states, terminating, thrown

BOTH = pytest.mark.parametrize("shape", [bs.sequential, bs.parallel])
NC = "numberOfCompletedInstances"


@BOTH
@pytest.mark.parametrize(
    ("behavior", "events", "expected"),
    [
        pytest.param("all", None, [], id="ITER-BH-01.1"),
        pytest.param("none", "done", [(0, "done"), (1, "done"), (2, "done")], id="ITER-BH-02.1"),
        pytest.param("one", "done", [(0, "done")], id="ITER-BH-03.1"),
        pytest.param("complex", [(f"{NC} >= 3", "done")], [(2, "done")], id="ITER-BH-04.1"),
        pytest.param("complex", [(f"{NC} >= 2", "done")], [(1, "done"), (2, "done")], id="ITER-BH-05.1"),
        pytest.param("complex", [(f"{NC} == 2", "done")], [(1, "done")], id="once in between"),
        pytest.param("complex", [("False", "never"), ("True", "b")], [(0, "b"), (1, "b"), (2, "b")], id="false first"),
        pytest.param("complex", [("True", "b"), ("False", "never")], [(0, "b"), (1, "b"), (2, "b")], id="false last"),
    ],
)
def test_throws(shape: Any, behavior: str, events: Any, expected: list[Any]) -> None:
    """G-31, ITER-BH-01.1 to ITER-BH-05.1: N=3: none 3 throws, one 1, complex nC>=3 1, nC>=2 2, all 0."""
    trace = bs.simulate(leaf(shape(cardinality=3, behavior=behavior, events=events)))
    assert thrown(trace) == expected
    assert (trace.outcome, departures(trace)) == ("completed", 1)


@BOTH
def test_definitions_in_declared_order(shape: Any) -> None:
    """ITER-BH-05.2: A: nC>=1, B: nC>=2 over N=2: [A], then [A, B], 3 throws; every condition is evaluated each time."""
    events = [(f"{NC} >= 1", "A"), (f"{NC} >= 2", "B")]
    trace = bs.simulate(leaf(shape(cardinality=2, behavior="complex", events=events)))
    assert thrown(trace) == [(0, "A"), (1, "A"), (1, "B")]
    assert evals(trace, "behavior") == [(0, True), (0, False), (1, True), (1, True)]


def test_a_definition_with_several_events() -> None:
    """ITER-BH-04: a definition that holds throws all of its events; its condition is evaluated once."""
    model = leaf(bs.parallel(cardinality=2, behavior="complex", events=[(f"{NC} == 2", "A"), ("True", "B")]))
    loop = model.element("x").loop
    first, second = loop.complex_definitions
    both = replace(first.event, definitions=(*first.event.definitions, *second.event.definitions))
    loop = replace(loop, complex_definitions=(replace(first, event=both),))
    elements = [replace(each, loop=loop) if each.id == "x" else each for each in model.elements.values()]
    trace = bs.simulate(bs.Model(elements))
    assert thrown(trace) == [(1, "A"), (1, "B")]
    assert evals(trace, "behavior") == [(0, False), (1, True)]


def test_throws_carry_the_counters() -> None:
    """ITER-BH-07.1: 2nd of 3 parallel completions, ordinal 0: payload (nI,nA,nC,nT,lc) = (3,1,2,0,0)."""
    trace = bs.simulate(leaf(bs.parallel(cardinality=3, behavior="none", events="done")), durations=in_order(2, 1, 3))
    assert rows(trace.throws(), "ordinal", "kind", "counters")[1] == (
        0,
        "signal",
        "numberOfInstances=3 numberOfActiveInstances=1 numberOfCompletedInstances=2 numberOfTerminatedInstances=0 "
        "loopCounter=0",
    )


def test_voting_with_a_complex_event() -> None:
    """G-69: 5 voters, nC>=3, Complex nC==3: 1 throw, payload (nI,nA,nC,nT) = (5,2,3,0)."""
    marker = bs.parallel(
        cardinality=5, completion_condition=f"{NC} >= 3", behavior="complex", events=[(f"{NC} == 3", "quorum")]
    )
    trace = bs.simulate(leaf(marker), durations=in_order(4, 1, 3, 2, 9))
    assert rows(trace.throws(), "ordinal", "code", "counters") == [
        (
            2,
            "quorum",
            "numberOfInstances=5 numberOfActiveInstances=2 numberOfCompletedInstances=3 numberOfTerminatedInstances=0 "
            "loopCounter=2",
        )
    ]


@BOTH
def test_the_throw_precedes_the_condition(shape: Any) -> None:
    """ITER-BH-08.1: failing completion condition on the first completion, behavior none: 1 throw, then the incident."""
    trace = bs.simulate(leaf(shape(cardinality=3, behavior="none", events="done", completion_condition="missing")))
    assert thrown(trace) == [(0, "done")]
    assert (trace.outcome, len(errors(trace))) == ("incident", 1)


def test_nothing_is_thrown_twice() -> None:
    """ITER-BH-08, ITER-IN-05: the condition is repaired and retried: that event is not thrown again."""
    marker = bs.parallel(cardinality=3, behavior="none", events="done", completion_condition="limit > 5")
    sim = bs.Simulation(leaf(marker))
    sim.run()
    sim.set("limit", 0)
    sim.retry(0)
    trace = sim.run()
    assert (trace.outcome, thrown(trace)) == ("completed", [(0, "done"), (1, "done"), (2, "done")])


def test_thrown_even_if_this_completion_ends_the_activity() -> None:
    """ITER-BH-09.1: none, nC>=2, N=5 parallel: 2 throws, the 3 cancelled throw nothing."""
    marker = bs.parallel(cardinality=5, behavior="none", events="done", completion_condition=f"{NC} >= 2")
    trace = bs.simulate(leaf(marker), durations=in_order(1, 2, 9, 9, 9))
    assert thrown(trace) == [(0, "done"), (1, "done")]
    assert states(trace)[2:] == ["canceled"] * 3


def test_an_uncaught_throw_has_no_effect() -> None:
    """ITER-BH-11.1: no catcher: a throws row with caught_by empty."""
    trace = bs.simulate(leaf(bs.parallel(cardinality=1, behavior="one", events="done")))
    assert rows(trace.throws(), "node", "kind", "code", "caught_by") == [("x", "signal", "done", "")]


@BOTH
def test_a_behavior_condition_that_raises(shape: Any) -> None:
    """G-35, ITER-BH-13.1, ITER-E-12.1: Complex condition raises, N=3: not completed, an incident of the activity."""
    trace = bs.simulate(leaf(shape(cardinality=3, behavior="complex", events=[("missing > 1", "A")])))
    assert (trace.outcome, counted(trace)[0][-1]) == ("incident", None)
    ((node, ordinal, error),) = errors(trace)
    assert (node, ordinal) == ("x", None)
    assert "'missing' has no value" in error


@BOTH
def test_a_terminated_instance_throws_nothing(shape: Any) -> None:
    """ITER-BH-02, ITER-TM-02: the second of three terminates: throws for 0 and 2 only."""
    trace = bs.simulate(terminating(shape(cardinality=3, behavior="none", events="done"), 1))
    assert thrown(trace) == [(0, "done"), (2, "done")]


def test_one_after_a_termination() -> None:
    """ITER-BH-03: the first delivered completion throws, also where a termination came before."""
    trace = bs.simulate(terminating(bs.sequential(cardinality=3, behavior="one", events="done"), 0))
    assert thrown(trace) == [(1, "done")]


@BOTH
def test_a_synthesised_signal(shape: Any) -> None:
    """G-94, ITER-B-07.1: behavior none without an event: engine refuses, standard throws 3 x.completed for N=3."""
    model = leaf(shape(cardinality=3, behavior="none"))
    with pytest.raises(bs.ModelError, match="ITER-B-07"):
        bs.simulate(model)
    trace = bs.simulate(model, options=bs.Options(profile="standard"))
    assert rows(trace.throws(), "kind", "code") == [("signal", "x.completed")] * 3


@pytest.mark.parametrize(
    ("event", "kind", "code"),
    [
        ({"escalation": "LATE"}, "escalation", "LATE"),
        ({"message": "done"}, "message", "done"),
        ({"error": "E1"}, "error", "E1"),
        ("done", "signal", "done"),
    ],
)
def test_kinds_of_events(event: Any, kind: str, code: str) -> None:
    """ITER-BH-11: an event is known by its kind and its code or name."""
    trace = bs.simulate(leaf(bs.parallel(cardinality=1, behavior="one", events=event)))
    assert rows(trace.throws(), "kind", "code") == [(kind, code)]
