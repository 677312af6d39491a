"""What an iteration makes readable (iteration.md section 8, ITER-R)."""

from __future__ import annotations

from typing import Any

import pytest

import bpmnsim as bs

from ...models import rows
from .helpers import before, composite, counted, errors, in_order, leaf, log_of, states

COUNTS = ("numberOfInstances", "numberOfActiveInstances", "numberOfCompletedInstances", "numberOfTerminatedInstances")
ALIASES = ("nrOfInstances", "nrOfActiveInstances", "nrOfCompletedInstances", "nrOfTerminatedInstances")
SUM = " + ".join(COUNTS)


@pytest.mark.parametrize("model_of", [leaf, composite])
def test_placement(model_of: Any) -> None:
    """ITER-R-01.1, ITER-R-02.1: parallel N=3: three loop counters, 0-based, equal to the index; one nC."""
    log, behavior = log_of("loopCounter", "item", "numberOfCompletedInstances")
    marker = bs.parallel(collection="items", item="item")
    node = "x" if model_of is leaf else "work"
    bs.simulate(model_of(marker), data={"items": [0, 1, 2]}, behaviors={node: behavior})
    assert log == [(0, 0, 0), (1, 1, 0), (2, 2, 0)]


def counts_seen(trace: bs.Trace) -> list[tuple[int, ...]]:
    """Return the four counts that each completion condition saw."""
    found = trace.evaluations()
    return [tuple(values[name] for name in COUNTS) for values in found[found.role == "completion"]["values"]]


def test_parallel_sum() -> None:
    """ITER-R-03.1: N=5, quorum 2: (nI,nA,nC,nT) = (5,4,1,0), (5,3,2,0), finally (5,0,2,3)."""
    marker = bs.parallel(cardinality=5, completion_condition=f"{SUM} == 10 and numberOfCompletedInstances >= 2")
    trace = bs.simulate(leaf(marker), durations=in_order(1, 2, 9, 9, 9))
    assert counts_seen(trace) == [(5, 4, 1, 0), (5, 3, 2, 0)]
    assert counted(trace) == [(5, 2, 3, 0, "completion_condition")]


def test_a_drained_instance_is_active_until_its_drain_is_delivered() -> None:
    """ITER-R-03: all three drained: the first evaluation sees nA=2, the second nA=1."""
    trace = bs.simulate(leaf(bs.parallel(cardinality=3, completion_condition=f"{SUM} < 0")))
    assert counts_seen(trace) == [(3, 2, 1, 0), (3, 1, 2, 0)]


def test_sequential_cap() -> None:
    """ITER-R-04.1: N=3 after pass 0 drained: nC=1, nT=0, nA=0, pending 2."""
    sim = bs.Simulation(leaf(bs.sequential(cardinality=3, completion_condition=f"{SUM} < 0")))
    sim.run(until=lambda sim: not sim.trace().evaluations().query("role == 'completion'").empty)
    trace = sim.trace()
    assert counts_seen(trace) == [(3, 0, 1, 0)]
    assert rows(trace.iterations(), "completed", "terminated", "pending") == [(1, 0, 1)]
    assert states(trace) == ["completed", "running", "pending"]


@pytest.mark.parametrize("names", [COUNTS, ALIASES])
@pytest.mark.parametrize("model_of", [leaf, composite])
def test_bound_at_activation(names: tuple[str, ...], model_of: Any) -> None:
    """ITER-R-05.1, NR-09, V-05: before any drain the body reads nI=3, nA=3, nC=0, nT=0, under both sets of names."""
    log, behavior = log_of(*names)
    node = "x" if model_of is leaf else "work"
    bs.simulate(model_of(bs.parallel(cardinality=3)), behaviors={node: behavior}, durations={node: 1})
    assert log[0] == (3, 3, 0, 0)


@pytest.mark.parametrize("names", [COUNTS, ALIASES])
@pytest.mark.parametrize("condition", [None, "numberOfInstances > 9"])
def test_inner_instances_see_each_count(names: tuple[str, ...], condition: str | None) -> None:
    """ITER-R-03: who works on after 0, 1 and 2 drains reads (3,3,0,0), (3,2,1,0), (3,1,2,0); a condition or none."""
    log, behavior = log_of(*names)
    b = bs.ProcessBuilder("p")
    body = b.subprocess(
        "x",
        body=lambda inner: inner.start() >> inner.service("wait") >> inner.service("work") >> inner.end(),
        multi_instance=bs.parallel(cardinality=3, completion_condition=condition),
    )
    _ = b.start() >> body >> b.end()
    bs.simulate(b.model(), behaviors={"work": behavior}, durations={"wait": in_order(1, 2, 3)["x"]})
    assert log == [(3, 3, 0, 0), (3, 2, 1, 0), (3, 1, 2, 0)]


@pytest.mark.parametrize("shape", [bs.sequential, bs.parallel])
@pytest.mark.parametrize("name", ["numberOfInstances", "nrOfCompletedInstances", "loopCounter"])
@pytest.mark.parametrize("model_of", [leaf, composite])
def test_read_only(shape: Any, name: str, model_of: Any) -> None:
    """ITER-R-06.1: the body commits 9: fault of that visit, nothing of it is written, the value unchanged."""
    log, behavior = log_of(name)

    def write(task: Any) -> dict[str, int]:
        behavior(task)
        return {"other": 1, name: 9}

    node = "x" if model_of is leaf else "work"
    sim = bs.Simulation(model_of(shape(cardinality=1)), behaviors={node: write})
    trace = sim.run()
    assert trace.outcome == "incident"
    ((failed, ordinal, error),) = errors(trace)
    assert (failed, ordinal) == (node, 0)
    assert f"{name!r} is read-only here" in error
    assert trace.data().empty
    sim.retry(0)
    sim.run()
    assert log == [{"numberOfInstances": 1, "nrOfCompletedInstances": 0, "loopCounter": 0}[name]] * 2


def test_read_only_in_a_loop() -> None:
    """ITER-R-06, ITER-SL-06: the counter of a standard loop is read-only as well."""
    trace = bs.simulate(leaf(bs.loop(maximum=2)), behaviors={"x": lambda _: {"loopCounter": 5}})
    assert "'loopCounter' is read-only here" in errors(trace)[0][2]


def test_identity() -> None:
    """ITER-R-07.1: first activation, ordinal 1 of approve at root: /p|approve|1|1; unchanged by seeds."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.user("approve", multi_instance=bs.parallel(cardinality=3)) >> b.end("e")
    for seed in (None, 1, 2):
        trace = bs.simulate(b.model(), seed=seed)
        assert rows(trace.inner_instances(), "identity") == [(f"/p|approve|1|{k}",) for k in range(3)]


def test_the_register_of_activations() -> None:
    """ITER-R-08.1: three approvals: approve (mi_parallel, 3, 3, 0); the iterations frame keeps every activation."""
    trace = bs.simulate(before(bs.parallel(cardinality=3)))
    assert rows(trace.iterations(), "activity", "activation", "kind", "total", "completed", "terminated") == [
        ("x", 1, "mi_parallel", 3, 3, 0)
    ]


def test_one_token_per_iterated_activity() -> None:
    """ITER-R-10.1: parallel leaf N=3 parked: 1 token, view 0, 1, 2 waiting."""
    sim = bs.Simulation(leaf(bs.parallel(cardinality=3), "user"), scenario=bs.Scenario())
    trace = sim.run()
    tokens = trace.tokens()
    assert rows(tokens[tokens.left.isna()], "track", "node") == [(0, "x")]
    assert states(trace) == ["waiting"] * 3
    assert counted(trace) == [(3, 0, 0, 3, None)]


def test_body_tokens_of_a_composite_are_tokens() -> None:
    """ITER-R-10.2: composite N=3: 1 host token and 3 body tokens."""
    sim = bs.Simulation(
        composite(bs.parallel(cardinality=3), lambda x: x.start("a") >> x.user("work") >> x.end("z")),
        scenario=bs.Scenario(),
    )
    tokens = sim.run().tokens()
    open_tokens = rows(tokens[tokens.left.isna()], "track", "host_track", "node")
    assert open_tokens == [(0, None, "x"), (1, 0, "work"), (2, 0, "work"), (3, 0, "work")]
