"""Facts of iterations (iteration.md section 14)."""

from __future__ import annotations

from typing import Any

import pytest

import bpmnsim as bs

from ...models import rows
from .helpers import composite, in_order, leaf, scope_facts

BOTH = pytest.mark.parametrize("shape", [bs.sequential, bs.parallel])


def iteration_facts(trace: bs.Trace) -> list[tuple[str, int | None]]:
    """Return (phase, ordinal) of the facts about iterations."""
    facts = trace.facts()
    return rows(facts[facts.kind == "Iteration"], "phase", "ordinal")


@BOTH
def test_scope_facts_carry_the_ordinal(shape: Any) -> None:
    """ITER-F-01.1: N=3: Opened 0, 1, 2; a plain sub-process carries none."""
    trace = bs.simulate(composite(shape(cardinality=3)))
    assert [ordinal for phase, ordinal in scope_facts(trace) if phase == "Opened"] == [0, 1, 2]
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.subprocess("x", body=lambda x: x.start("a") >> x.end("z")) >> b.end("e")
    assert scope_facts(bs.simulate(b.model())) == [("Opened", None), ("Completed", None)]


def quorum(n: int, k: int) -> Any:
    """Return a parallel marker over n that stops at the k-th completion."""
    return bs.parallel(cardinality=n, completion_condition=f"numberOfCompletedInstances >= {k}")


@pytest.mark.parametrize("model_of", [leaf, composite])
def test_the_ordinal_is_frozen(model_of: Any) -> None:
    """ITER-F-02.1, ITER-F-03.1: N=5, ordinals 2 and 4 cancelled: their own ordinal in every fact, one end each."""
    node = "x" if model_of is leaf else "work"
    durations = {node: in_order(1, 2, 9, 3, 9)["x"]}
    trace = bs.simulate(model_of(quorum(5, 3)), durations=durations)
    facts = scope_facts(trace)
    assert [ordinal for phase, ordinal in facts if phase == "Canceled"] == [2, 4]
    assert [ordinal for phase, ordinal in facts if phase == "Completed"] == [0, 1, 3]
    assert [ordinal for phase, ordinal in facts if phase == "Opened"] == [0, 1, 2, 3, 4]


def test_a_quorum_of_two() -> None:
    """ITER-F-03.1: N=5, quorum 2: 5 Opened, 2 Completed, 3 Canceled."""
    trace = bs.simulate(leaf(quorum(5, 2)), durations=in_order(1, 2, 9, 9, 9))
    phases = [phase for phase, _ in scope_facts(trace)]
    assert [phases.count(phase) for phase in ("Opened", "Completed", "Canceled")] == [5, 2, 3]


@pytest.mark.parametrize("model_of", [leaf, composite])
def test_iteration_facts_of_a_sequence(model_of: Any) -> None:
    """ITER-F-04.1: N=2: Activated, Started 0, Completed 0, Started 1, Completed 1, Exited."""
    trace = bs.simulate(model_of(bs.sequential(cardinality=2)))
    assert iteration_facts(trace) == [
        ("Activated", None),
        ("InstanceStarted", 0),
        ("InstanceCompleted", 0),
        ("InstanceStarted", 1),
        ("InstanceCompleted", 1),
        ("Exited", None),
    ]


def test_iteration_facts_of_waiting_work() -> None:
    """ITER-F-04: Waiting(ordinal) while an instance is parked; Canceled for those that the condition stops."""
    sim = bs.Simulation(leaf(quorum(2, 1), "user"), scenario=bs.Scenario())
    sim.run()
    sim.complete("x", ordinal=1)
    assert iteration_facts(sim.run()) == [
        ("Activated", None),
        ("InstanceStarted", 0),
        ("InstanceStarted", 1),
        ("InstanceWaiting", 0),
        ("InstanceWaiting", 1),
        ("InstanceCompleted", 1),
        ("InstanceCanceled", 0),
        ("Exited", None),
    ]


def test_what_the_facts_say() -> None:
    """ITER-F-04: Activated says kind, source and total, Exited the counts and the reason."""
    facts = bs.simulate(leaf(quorum(5, 2)), durations=in_order(1, 2, 9, 9, 9)).facts()
    said = facts[(facts.kind == "Iteration") & facts.phase.isin(["Activated", "Exited"])]
    assert list(said.detail) == [
        "activation=1 kind=mi_parallel source=cardinality total=5",
        "total=5 completed=2 terminated=3 reason=completion_condition",
    ]


@BOTH
@pytest.mark.parametrize("seed", [None, 1, 7])
def test_the_same_seed_gives_the_same_facts(shape: Any, seed: int | None) -> None:
    """ITER-F-05.1: same seed twice: identical facts, totally ordered by (step, seq)."""
    traces = [bs.simulate(composite(shape(cardinality=3)), seed=seed) for _ in range(2)]
    assert traces[0] == traces[1]
    assert traces[0].record.facts == traces[1].record.facts
    facts = traces[0].facts()
    assert list(facts.seq) == list(range(len(facts)))
    assert facts.step.is_monotonic_increasing


@pytest.mark.parametrize("marker", [bs.loop(condition="loopCounter < 3"), bs.sequential(cardinality=3)])
def test_no_arrival_per_pass(marker: Any) -> None:
    """ITER-F-06.1: lc<3: the host shows one stay from arrival to departure, no arrival per pass."""
    trace = bs.simulate(leaf(marker))
    tokens = trace.tokens()
    (stay,) = rows(tokens[tokens.node == "x"], "track", "entered", "left")
    iteration = trace.iterations()
    assert stay == (0, 1, iteration.closed[0])
