"""User tasks and external workers with a marker (iteration.md sections 11.1 and 11.2)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

import bpmnsim as bs

from ...models import rows
from .helpers import closings, composite, counted, departures, errors, evals, leaf, marked, states

KINDS = pytest.mark.parametrize("kind", ["user", "job"])
PEOPLE = {"people": ["alice", "bob", "carol"]}


def tasks(marker: Any, kind: str) -> bs.Model:
    """s>x>e, x a user task or a job of an external worker."""
    if kind == "user":
        return leaf(marker, "user")
    return leaf(marker, "service", implementation="##external")


def started(marker: Any, kind: str = "user", **more: Any) -> bs.Simulation:
    """Return a run that has come to rest with its work open and nobody to do it."""
    sim = bs.Simulation(tasks(marker, kind), scenario=bs.Scenario(), **more)
    sim.run()
    return sim


def announced(trace: bs.Trace) -> list[int]:
    """Return the ordinals in the order in which their work was offered."""
    return list(trace.waits().ordinal)


def open_work(sim: bs.Simulation) -> list[int]:
    """Return the ordinals whose work is open."""
    waits = sim.trace().waits()
    return [ordinal for (ordinal,) in rows(waits[waits.withdrawn.isna()], "ordinal")]


def complete(sim: bs.Simulation, ordinals: Iterable[int], **outputs: Any) -> bs.Trace:
    """Complete the work of these ordinals, one after the other, then go on."""
    for ordinal in ordinals:
        sim.complete("x", ordinal=ordinal, outputs=outputs or None)
    return sim.run()


@KINDS
def test_parallel_work(kind: str) -> None:
    """G-58, ITER-U-01.1, ITER-U-02.1, ITER-U-07.1, ITER-U-07.2: 3 announced at once; 2 done: open; 3: exit."""
    sim = started(bs.parallel(collection="people", item="who"), kind, data=PEOPLE)
    waits = sim.trace().waits()
    assert announced(sim.trace()) == [0, 1, 2]
    assert set(waits.armed) == {3, 4, 5}
    assert (sim.outcome, states(sim.trace())) == ("waiting", ["waiting"] * 3)
    trace = complete(sim, [1, 0])
    assert (trace.outcome, departures(trace), open_work(sim)) == ("waiting", 0, [2])
    trace = complete(sim, [2])
    assert (trace.outcome, departures(trace), closings(trace)) == ("completed", 1, [1, 0, 2])


@KINDS
@pytest.mark.parametrize(
    "marker", [bs.sequential(collection="people", item="who"), bs.loop(condition="loopCounter < 3")]
)
def test_one_at_a_time(marker: Any, kind: str) -> None:
    """G-59, ITER-U-02.1, ITER-U-15.1, ITER-X-01.1, ITER-W-04: announcements 1, 2, 3, the next after each completion."""
    sim = started(marker, kind, data=PEOPLE)
    for ordinal in range(3):
        assert announced(sim.trace()) == list(range(ordinal + 1))
        assert open_work(sim) == [ordinal]
        trace = complete(sim, [ordinal])
    assert (trace.outcome, departures(trace)) == ("completed", 1)


@KINDS
def test_ids_are_never_reused(kind: str) -> None:
    """ITER-U-03.1: completing the work of pass 0 during pass 1: NoSuchTask, no state change."""
    sim = started(bs.sequential(cardinality=3), kind)
    complete(sim, [0])
    before = sim.trace()
    with pytest.raises(bs.NoSuchTask):
        sim.complete("x", ordinal=0)
    assert sim.trace() == before
    assert open_work(sim) == [1]


def test_each_announcement_carries_its_ordinal() -> None:
    """ITER-U-04.1, ITER-U-01.1: N=3: one node, three identities, ordinals 0, 1, 2."""
    trace = started(bs.parallel(cardinality=3)).trace()
    assert rows(trace.waits(), "activity", "ordinal") == [("x", 0), ("x", 1), ("x", 2)]
    assert rows(trace.inner_instances(), "task_id") == [(f"/p|x|1|{k}",) for k in range(3)]


@KINDS
def test_completions_are_applied_in_arrival_order(kind: str) -> None:
    """ITER-U-06.1: carol, alice, bob before the host acts: completion order 2, 0, 1; slots by ordinal."""
    marker = bs.parallel(collection="people", item="who", output_item="out", output_collection="outs")
    sim = started(marker, kind, data=PEOPLE)
    for ordinal in (2, 0, 1):
        sim.complete("x", ordinal=ordinal, outputs={"out": f"o{ordinal}"})
    trace = sim.run()
    assert (closings(trace), trace.values["outs"]) == ([2, 0, 1], ["o0", "o1", "o2"])


@KINDS
def test_a_completion_condition_withdraws_the_rest(kind: str) -> None:
    """G-84, ITER-U-08.1: N=5, nC>=2: tasks 0, 1 done, 3 withdrawn, nT=3; a later action is refused and not counted."""
    sim = started(bs.parallel(cardinality=5, completion_condition="numberOfCompletedInstances >= 2"), kind)
    sim.complete("x", ordinal=0)
    sim.complete("x", ordinal=1)
    trace = sim.run()
    assert counted(trace) == [(5, 2, 3, 0, "completion_condition")]
    assert rows(trace.waits(), "ordinal", "reason") == [
        (0, "delivered"),
        (1, "delivered"),
        (2, "withdrawn"),
        (3, "withdrawn"),
        (4, "withdrawn"),
    ]
    with pytest.raises(bs.NoSuchTask):
        sim.complete("x", ordinal=3)
    assert counted(sim.trace()) == counted(trace)


@KINDS
def test_cancelling_the_instance_withdraws_all(kind: str) -> None:
    """G-64, ITER-U-09.1: cancelled with 3 outstanding: Terminated, 3 withdrawals, no hang."""
    sim = started(bs.parallel(cardinality=3), kind)
    sim.cancel()
    trace = sim.run()
    assert (trace.outcome, states(trace), open_work(sim)) == ("terminated", ["canceled"] * 3, [])
    assert counted(trace) == [(3, 0, 3, 0, "terminated")]


def test_nothing_completes_by_itself() -> None:
    """ITER-U-14.1: 3-item parallel, no actor: 3 open tasks, not completed; untouched by the clock."""
    sim = started(bs.parallel(cardinality=3), time="untimed")
    assert (sim.outcome, open_work(sim), departures(sim.trace())) == ("waiting", [0, 1, 2], 0)


def test_a_keyed_map_of_approvals() -> None:
    """G-66: alice approved, bob approved, carol rejected: a map of 3; (mi_parallel, 3, 3, 0)."""
    marker = bs.parallel(
        collection="people", item="who", output_item="verdict", output_collection="verdicts", output_key="who"
    )
    sim = started(marker, data=PEOPLE)
    complete(sim, [2], verdict="rejected")
    trace = complete(sim, [1, 0], verdict="approved")
    assert trace.values["verdicts"] == {"alice": "approved", "bob": "approved", "carol": "rejected"}
    assert rows(trace.iterations(), "kind", "total", "completed", "terminated") == [("mi_parallel", 3, 3, 0)]


def test_without_an_ordinal_the_lowest_open_one_is_completed() -> None:
    """ITER-W-07.1: nothing distinguishes them: the lowest waiting ordinal first."""
    sim = started(bs.parallel(cardinality=3))
    sim.complete("x", ordinal=1)
    sim.complete("x")
    sim.complete("x")
    assert closings(sim.run()) == [1, 0, 2]


def test_work_in_a_composite_is_addressed_by_ordinal() -> None:
    """ITER-U-15: a task inside an iterated sub-process is known by the ordinal of its instance."""
    marker = bs.parallel(cardinality=3, output_item="out", output_collection="outs")
    body = lambda x: x.start("a") >> x.user("work") >> x.end("z")  # noqa: E731
    sim = bs.Simulation(composite(marker, body), scenario=bs.Scenario())
    sim.run()
    for ordinal in (2, 0, 1):
        sim.complete("work", ordinal=ordinal, outputs={"out": ordinal * 10})
        trace = sim.run()
    assert (trace.outcome, trace.values["outs"], closings(trace)) == ("completed", [0, 10, 20], [2, 0, 1])


def test_jobs() -> None:
    """G-81, ITER-X-02.1: items [1,2,3], reports j2:30, j0:10, j1:20: [10,20,30]."""
    marker = bs.parallel(collection="items", item="item", output_item="out", output_collection="outs")
    sim = started(marker, "job", data={"items": [1, 2, 3]})
    for ordinal, report in ((2, 30), (0, 10), (1, 20)):
        trace = complete(sim, [ordinal], out=report)
    assert (trace.outcome, trace.values["outs"], closings(trace)) == ("completed", [10, 20, 30], [2, 0, 1])


def test_jobs_that_are_revoked() -> None:
    """G-81, ITER-X-02.2: nC>=2 after j2, j0: j1 revoked, [10,None,30], nT=1; its later report is refused."""
    marker = bs.parallel(
        collection="items",
        item="item",
        output_item="out",
        output_collection="outs",
        completion_condition="numberOfCompletedInstances >= 2",
    )
    sim = started(marker, "job", data={"items": [1, 2, 3]})
    complete(sim, [2], out=30)
    with pytest.raises(bs.NoSuchTask):
        sim.complete("x", ordinal=2, outputs={"out": 99})
    trace = complete(sim, [0], out=10)
    assert (trace.values["outs"], counted(trace)) == ([10, None, 30], [(3, 2, 1, 0, "completion_condition")])
    with pytest.raises(bs.NoSuchTask):
        sim.complete("x", ordinal=1, outputs={"out": 20})


@KINDS
def test_a_failure_is_an_incident_of_its_ordinal(kind: str) -> None:
    """ITER-X-02, ITER-IN-01: work of ordinal 1 fails: its incident, the others go on; a retry offers it again."""
    marker = bs.parallel(cardinality=3, output_item="out", output_collection="outs")
    sim = started(marker, kind)
    sim.fail("x", "BROKEN", ordinal=1)
    trace = complete(sim, [0, 2], out=1)
    assert (trace.outcome, states(trace)) == ("incident", ["completed", "incident", "completed"])
    assert [(node, ordinal) for node, ordinal, _ in errors(trace)] == [("x", 1)]
    sim.retry(0)
    sim.run()
    assert open_work(sim) == [1]
    trace = complete(sim, [1], out=2)
    assert (trace.outcome, trace.values["outs"]) == ("completed", [1, 2, 1])


@pytest.mark.parametrize(
    ("dialect", "extras"),
    [
        ("camunda", {"attributes": (("{http://camunda.org/schema/1.0/bpmn}type", "external"),)}),
        ("flowable", {"attributes": (("{http://flowable.org/bpmn}type", "external-worker"),)}),
        ("zeebe", {"extensions": ("{http://camunda.org/schema/zeebe/1.0}taskDefinition",)}),
    ],
)
def test_dialects_say_who_works(dialect: str, extras: dict[str, Any]) -> None:
    """ITER-X-01: a file of an engine says in its own way that a worker outside does the work; a behavior goes first."""
    from dataclasses import replace

    from bpmnsim.model import Extension

    b = bs.ProcessBuilder("p", dialect=dialect)
    _ = b.start("s") >> b.service("x", **marked(bs.parallel(cardinality=2))) >> b.end("e")
    plain = b.model()
    changes = {
        "attributes": extras.get("attributes", ()),
        "extensions": tuple(Extension(name=name) for name in extras.get("extensions", ())),
    }
    model = bs.Model(
        [replace(each, **changes) if each.id == "x" else each for each in plain.elements.values()], dialect=dialect
    )
    assert bs.simulate(plain, scenario=bs.Scenario()).outcome == "completed"
    assert bs.simulate(model, scenario=bs.Scenario()).outcome == "waiting"
    assert bs.simulate(model).outcome == "completed"
    assert bs.simulate(model, scenario=bs.Scenario(), behaviors={"x": lambda _: None}).outcome == "completed"


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_an_open_scenario_does_all_work(seed: int | None) -> None:
    """Design 4: whatever is awaited from outside arrives, in an order the strategy picks; results stay by ordinal."""
    marker = bs.parallel(collection="people", item="who", output_item="out", output_collection="outs")
    trace = bs.simulate(
        tasks(marker, "user"), data=PEOPLE, seed=seed, behaviors={"x": lambda task: {"out": task["who"].upper()}}
    )
    assert (trace.outcome, trace.values["outs"]) == ("completed", ["ALICE", "BOB", "CAROL"])
    assert evals(trace, "completion") == []
