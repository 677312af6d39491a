"""What a run is given: names, digests, starts, durations, random streams (design section 7, scheduling.md 1.9)."""

from __future__ import annotations

from typing import Any

import pytest

import bpmnsim as bs
from bpmnsim.model.inside import Inside
from bpmnsim.simulation.inputs import checked

from ..models import line, path, rows


def pair() -> bs.Model:
    """Build s>A>B>e, both services; B is called Ship."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("A") >> b.service("B", name="Ship") >> b.end("e")
    return b.model()


def drawn(rng: Any, _: Any) -> float:
    """Return a random duration."""
    return float(rng.random())


def nothing(_: Any) -> None:
    """Do nothing."""


def digests(model: bs.Model, **run: Any) -> tuple[str, str, str]:
    """Return what a schedule would be tied to."""
    bound = checked(model, **run).bound
    return bound.model, bound.options, bound.inputs


# What a schedule is tied to.


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"data": {"a": 1, "b": 2}}, {"data": {"b": 2, "a": 1}}),
        ({"process": "p"}, {}),
        ({"start": "s"}, {}),
        ({"epoch": "2000-01-01"}, {"epoch": "2000-01-01T00:00+00:00"}),
        ({"durations": {"B": "PT1M"}}, {"durations": {"Ship": 60}}),
        ({"retries": {"B": 2}}, {"retries": {"Ship": (2, 0)}}),
        ({"scenario": bs.Scenario().complete("Ship")}, {"scenario": bs.Scenario().complete("B")}),
        ({"behaviors": {}}, {}),
    ],
    ids=str,
)
def test_what_means_the_same_has_the_same_digest(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Scheduling.md 1.2: a schedule is tied to what a run is given, not to how somebody wrote it."""
    assert digests(pair(), **one) == digests(pair(), **other)


@pytest.mark.parametrize(
    "change",
    [
        {"data": {"a": 1}},
        {"data": {"a": True}},
        {"data": {"a": [1, {"k": (2,)}]}},
        {"durations": {"B": 60}},
        {"durations": {"B": "P1M"}},
        {"durations": {"B": "P2M"}},
        {"durations": {"B": drawn}},
        {"behaviors": {"B": nothing}},
        {"scenario": bs.Scenario()},
        {"scenario": bs.Scenario.open().set("v", 1)},
        {"scenario": bs.Scenario.open().set("v", 1, at=2)},
        {"retries": {"B": 1}},
        {"retries": {"B": (1, 2)}},
        {"decisions": "free"},
        {"epoch": "2001-01-01"},
        {"options": bs.Options(missing_output="none")},
    ],
    ids=lambda change: "-".join(change),
)
def test_what_matters_changes_the_digest(change: dict[str, Any]) -> None:
    """Scheduling.md 1.2: every input and option that a run can tell counts."""
    base = {"data": {"a": 2}}
    assert digests(pair(), **{**base, **change}) != digests(pair(), **base)


def test_one_odd_value_hides_no_other() -> None:
    """Scheduling.md 1.2: what cannot be written counts by its type; the rest still counts by its value."""
    assert digests(pair(), data={"odd": object(), "v": 1}) != digests(pair(), data={"odd": object(), "v": 2})
    assert digests(pair(), data={"odd": object()}) == digests(pair(), data={"odd": object()})


# Where a run starts.


def pools() -> bs.Model:
    """Two processes with a plain start; p has two starts."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s1", name="First") >> b.task("A")
    _ = b.start("s2", name="Second") >> b.task("B")
    other = b.process("q")
    _ = other.start("t") >> other.task("C")
    return b.model()


@pytest.mark.parametrize(
    ("run", "nodes"),
    [
        ({}, [["s1", "A"], ["t", "C"]]),
        ({"start": "s2"}, [["s2", "B"], ["t", "C"]]),
        ({"start": "Second"}, [["s2", "B"], ["t", "C"]]),
        ({"start": "t"}, [["s1", "A"], ["t", "C"]]),
        ({"start": "all"}, [["s1", "A"], ["s2", "B"], ["t", "C"]]),
        ({"process": "p", "start": "all"}, [["s1", "A"], ["s2", "B"]]),
        ({"process": "q"}, [["t", "C"]]),
    ],
    ids=str,
)
def test_the_starts_of_several_processes(run: dict[str, Any], nodes: list[list[str]]) -> None:
    """EXE-09, design section 7: the named start is looked for in every process that runs; the others keep theirs."""
    trace = bs.simulate(pools(), **run)
    assert [path(trace, track) for track in range(len(nodes))] == nodes
    assert trace.outcome == "completed"


# Values and durations.


def test_what_a_caller_hands_in_stays_his() -> None:
    """Design section 4, Data: data and scenarios are copied once, when the run is prepared."""
    items, said = [1], {"ok": [1]}
    scenario = bs.Scenario().complete("u", outputs=said)
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.user("u") >> b.end("e")
    sim = bs.Simulation(b.model(), data={"items": items}, scenario=scenario)
    items.append(2)
    said["ok"].append(2)
    trace = sim.run()
    assert trace.values == {"items": [1], "ok": [1]}
    trace.values["items"].append(3)  # type: ignore[attr-defined]
    sim.back(1)
    assert sim.trace().values["items"] == [1]


@pytest.mark.parametrize(
    ("given", "left"),
    [
        (90, 90.0),
        (2.5, 2.5),
        ("PT1M30S", 90.0),
        ("P1M", 29 * 86400.0),
        (lambda _, task: len(task.id) + 1, 2.0),
        (0, 0.0),
    ],
    ids=["int", "float", "iso", "calendar", "function", "zero"],
)
def test_durations_of_every_kind(given: Any, left: float) -> None:
    """Design section 7: seconds, an ISO 8601 duration (months on the calendar), or a function of (rng, task)."""
    trace = bs.simulate(line(), durations={"A": given}, epoch="2000-02-01")
    assert trace.time == left


# Random streams.


def drawing(*purposes: str) -> dict[str, Any]:
    """Return behaviors and durations that draw."""
    run: dict[str, Any] = {}
    if "data" in purposes:
        run["behaviors"] = {name: lambda task: {f"{task.id}{task.ordinal}": task.rng.random()} for name in "AB"}
    if "durations" in purposes:
        run["durations"] = {name: lambda rng, _: rng.random() for name in "AB"}
    return run


def repeated() -> bs.Model:
    """Build s>again>A>left>again, three times, beside B for three inner instances."""
    b = bs.ProcessBuilder("p")
    split, again, left = b.parallel("split"), b.exclusive("again"), b.exclusive("left")
    _ = b.start("s") >> split >> [again, b.service("B", multi_instance=bs.parallel(cardinality=3))]
    _ = again >> b.service("A") >> b.service("count") >> left
    left.flow(again, "n < 3")
    left.flow(b.end("e"), default=True)
    return b.model()


def counting(task: Any) -> dict[str, int]:
    """Count the passes."""
    return {"n": task.get("n", 0) + 1}


def stays(trace: bs.Trace, node: str) -> list[float]:
    """Return how long the visits of a node took, by begin."""
    tokens = trace.tokens()
    tokens = tokens[(tokens.node == node) & tokens.left.notna()]
    spans = [left - entered for left, entered in rows(tokens, "left_time", "entered_time")]
    return [round(span, 9) for span in spans if span]


def test_one_more_draw_shifts_nothing_else() -> None:
    """Lesson 53, scheduling.md 1.9: schedule, durations and data draw from streams of their own."""
    run = {"data": {"n": 0}, "seed": 7}
    only = bs.simulate(repeated(), behaviors={"count": counting}, durations=drawing("durations")["durations"], **run)  # type: ignore[arg-type]
    more = drawing("data", "durations")
    both = bs.simulate(
        repeated(), behaviors={"count": counting, **more["behaviors"]}, durations=more["durations"], **run
    )  # type: ignore[arg-type]
    for node in "AB":
        assert stays(both, node) == stays(only, node) != []
    assert list(both.choices().picked) == list(only.choices().picked)


def test_every_visit_and_every_inner_instance_draws_anew() -> None:
    """Design section 4, Clock: (seed, activity, activation, ordinal); a loop does not repeat its first sample."""
    trace = bs.simulate(
        repeated(),
        data={"n": 0},
        seed=7,
        behaviors={"count": counting},
        **{"durations": drawing("durations")["durations"]},
    )
    assert len(set(stays(trace, "A"))) == 3
    inner = trace.inner_instances().query("activity == 'B'")
    assert len(inner) == 3
    assert len(set(stays(trace, "A") + stays(trace, "B"))) == len(stays(trace, "A") + stays(trace, "B"))


def test_the_interleaving_changes_no_sample() -> None:
    """Design section 4, Clock: whoever picks, each inner instance and each pass takes as long as before."""
    run: dict[str, Any] = {
        "data": {"n": 0},
        "behaviors": {"count": counting},
        **{"durations": drawing("durations")["durations"]},
    }
    samples = {}
    for strategy in ("fifo", "depth", "round-robin", "priority(A)"):
        trace = bs.simulate(repeated(), strategy=strategy, seed=7, **run)
        samples[strategy] = (stays(trace, "A"), sorted(stays(trace, "B")))
    assert len({str(each) for each in samples.values()}) == 1
    assert (
        bs.simulate(repeated(), strategy="fifo", seed=8, **run).time
        != bs.simulate(repeated(), strategy="fifo", seed=7, **run).time
    )


def test_nested_inner_instances_draw_for_themselves() -> None:
    """Design section 4, Clock: the whole path of ordinals counts, not the innermost alone."""
    drawn: dict[str, float] = {}
    b = bs.ProcessBuilder("p")

    def inner(i: Inside) -> None:
        _ = i.start() >> i.service("A", multi_instance=bs.parallel(cardinality=2)) >> i.end()

    _ = b.start("s") >> b.subprocess("sp", body=inner, multi_instance=bs.parallel(cardinality=2)) >> b.end("e")

    def draw(task: Any) -> None:
        drawn[f"{len(drawn)}"] = task.rng.random()

    bs.simulate(b.model(), seed=1, behaviors={"A": draw})
    assert len(set(drawn.values())) == 4


def test_a_retry_draws_anew() -> None:
    """INC-04, design section 4: what failed by chance may go well the next time; both runs are reproducible."""

    def risky(task: Any) -> dict[str, float]:
        luck = task.rng.random()
        if luck < 0.7:
            raise RuntimeError("bad luck")
        return {"luck": luck}

    attempts = [
        len(
            bs.simulate(line(), seed=seed, behaviors={"A": risky}, retries={"A": 9})
            .facts()
            .query("phase == 'Uncaught'")
        )
        for seed in range(12)
    ]
    assert len(set(attempts)) > 2
    one = bs.simulate(line(), seed=4, behaviors={"A": risky}, retries={"A": 9})
    assert bs.simulate(line(), schedule=one.schedule, behaviors={"A": risky}, retries={"A": 9}) == one
