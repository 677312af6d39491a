"""Iterations that are written as JSON in the middle, and read back (iteration.md section 15)."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import bpmnsim as bs

from ...models import count, rows
from .helpers import barrier, closings, composite, counted, departures, evals, leaf, states, thrown

ABC = {"items": ["a", "b", "c"]}
NC = "numberOfCompletedInstances"


def collecting(shape: Any, **more: Any) -> Any:
    """Return a marker over items that collects out into outs."""
    return shape(collection="items", item="item", output_item="out", output_collection="outs", **more)


class Working:
    """A behavior that counts its runs per ordinal and returns R:item."""

    def __init__(self) -> None:
        self.runs: Counter[int] = Counter()

    def __call__(self, task: Any) -> dict[str, str]:
        self.runs[task.ordinal] += 1
        return {"out": f"R:{task.item}"}


def worked(x: Any) -> Any:
    """a>work>wait>z: the work is done before the instance is parked."""
    return x.start("a") >> x.service("work") >> x.user("wait") >> x.end("z")


def restored(sim: bs.Simulation, **run: Any) -> bs.Simulation:
    """Return a run that continues from a checkpoint which went through JSON text."""
    return bs.Simulation.restore(sim.model, json.loads(json.dumps(sim.checkpoint())), **run)


class Parked:
    """A composite over a, b, c whose instances have worked and wait; nobody works by himself."""

    def __init__(self, marker: Any, **more: Any) -> None:
        self.work = Working()
        self.run: dict[str, Any] = {
            "data": ABC,
            "scenario": bs.Scenario(),
            "behaviors": {"work": lambda task: self.work(task)},
            **more,
        }
        self.sim = bs.Simulation(composite(marker, worked), **self.run)
        self.sim.run()

    def complete(self, *ordinals: int) -> bs.Trace:
        """Complete the waits of these ordinals."""
        for ordinal in ordinals:
            self.sim.complete("wait", ordinal=ordinal)
            self.sim.run()
        return self.sim.trace()

    def restore(self) -> None:
        """Continue from a checkpoint."""
        self.sim = restored(self.sim, **self.run)


@pytest.mark.parametrize(("done", "work"), [(0, 1), (1, 2)])
def test_a_sequence_resumes(done: int, work: int) -> None:
    """G-37, G-38, ITER-CP-02.1, ITER-CP-04.1, ITER-CP-04.2: in pass 1: work 2 to 3; in pass 0: 1 to 3."""
    parked = Parked(collecting(bs.sequential))
    parked.complete(*range(done))
    assert sum(parked.work.runs.values()) == work
    parked.restore()
    assert counted(parked.sim.trace()) == [(3, done, 0, 1, None)]
    trace = parked.complete(*range(done, 3))
    assert (trace.outcome, trace.values["outs"]) == ("completed", ["R:a", "R:b", "R:c"])
    assert parked.work.runs == {0: 1, 1: 1, 2: 1}


def test_capture_between_two_passes() -> None:
    """ITER-CP-01.1: capture after pass 0 of a, b, c, before pass 1: the restore runs b and c only."""
    work = Working()
    run: dict[str, Any] = {"data": ABC, "behaviors": {"x": work}}
    sim = bs.Simulation(leaf(collecting(bs.sequential)), **run)
    while not work.runs:
        sim.step()
    again = restored(sim, **run)
    trace = again.run()
    assert (work.runs, trace.values["outs"]) == ({0: 1, 1: 1, 2: 1}, ["R:a", "R:b", "R:c"])
    assert trace == sim.run()


@pytest.mark.parametrize("model_of", [leaf, composite])
def test_a_loop_resumes(model_of: Callable[..., bs.Model]) -> None:
    """G-39, ITER-CP-05.1: lc<3, capture in pass 1: the counter goes on, 3 passes in all."""
    seen: list[int] = []
    node = "x" if model_of is leaf else "work"
    run: dict[str, Any] = {"behaviors": {node: lambda task: seen.append(task["loopCounter"])}}
    sim = bs.Simulation(model_of(bs.loop(condition="loopCounter < 3")), **run)
    while len(seen) < 2:
        sim.step()
    trace = restored(sim, **run).run()
    assert (seen, trace.outcome) == ([0, 1, 2], "completed")


def test_a_verdict_is_decided_with_the_drain() -> None:
    """G-40, ITER-CP-06.1: captured at the decision: no further work, nothing evaluated, outs [R:a,None,None]."""
    parked = Parked(collecting(bs.sequential, completion_condition=f"{NC} >= 1"))
    parked.sim.complete("wait", ordinal=0)
    while counted(parked.sim.trace())[0][-1] is None:
        parked.sim.step()
    parked.restore()
    trace = parked.sim.run()
    assert (parked.work.runs, trace.values["outs"]) == ({0: 1}, ["R:a", None, None])
    assert counted(trace) == [(3, 1, 2, 0, "completion_condition")]
    assert evals(trace, "completion") == [(0, True)]


def test_a_restore_evaluates_nothing() -> None:
    """G-41, ITER-CP-07.1, NR-02: verdict false, then data that would make it true: decided at the next completion."""
    parked = Parked(collecting(bs.sequential, completion_condition="stop"), data={**ABC, "stop": False})
    parked.complete(0)
    parked.restore()
    parked.sim.set("stop", True)
    trace = parked.sim.run()
    assert evals(trace, "completion") == [(0, False)]
    trace = parked.complete(1)
    assert evals(trace, "completion") == [(0, False), (1, True)]
    assert (trace.values["outs"], parked.work.runs) == (["R:a", "R:b", None], {0: 1, 1: 1})
    assert counted(trace) == [(3, 2, 1, 0, "completion_condition")]


@pytest.mark.parametrize("outputs", [True, False])
def test_a_barrier_resumes(outputs: bool) -> None:
    """G-42, G-43, G-67, ITER-CP-03.1, ITER-CP-08.1: ordinal 0 done: open [1,2], no second fan-out."""
    marker = collecting(bs.parallel) if outputs else bs.parallel(collection="items", item="item")
    parked = Parked(marker)
    parked.complete(0)
    parked.restore()
    state = parked.sim._driver.run.state
    (host,) = state.open
    assert list(state.open[host]) == [1, 2]
    assert state.staged == ({host: {0: "R:a"}} if outputs else {})
    trace = parked.complete(2, 1)
    assert parked.work.runs == {0: 1, 1: 1, 2: 1}
    assert (trace.outcome, departures(trace), count(trace, "e")) == ("completed", 1, 1)
    assert len([row for row in barrier(trace, "ordinal") if row[0] == "fan_out"]) == 1
    if outputs:
        assert trace.values["outs"] == ["R:a", "R:b", "R:c"]


def test_a_restore_with_nothing_open() -> None:
    """G-88, NR-06, ITER-CP-08: N=2, captured after both drained, before the exit: the restore publishes and exits."""
    run: dict[str, Any] = {"data": {"items": ["a", "b"]}, "behaviors": {"x": Working()}}
    sim = bs.Simulation(leaf(collecting(bs.parallel)), **run)
    while len(closings(sim.trace())) < 2:
        sim.step()
    assert departures(sim.trace()) == 0
    trace = restored(sim, **run).run()
    assert (trace.outcome, trace.values["outs"]) == ("completed", ["R:a", "R:b"])


def test_queued_drains_keep_their_throws() -> None:
    """G-99, ITER-CP-10.1, NR-07: captured with 1 drain delivered and 2 queued: 3 throws in total, in the same order."""
    marker = bs.parallel(cardinality=3, behavior="none", events="done", completion_condition=f"{NC} > 9")
    sim = bs.Simulation(leaf(marker))
    while not thrown(sim.trace()):
        sim.step()
    queued = sim.trace().barriers().iloc[-1]
    assert (queued.event, queued.queued) == ("rearm", 2)
    trace = restored(sim).run()
    assert thrown(trace) == [(0, "done"), (1, "done"), (2, "done")]
    assert evals(trace, "completion") == [(0, False), (1, False)]


def test_none_is_written_and_read() -> None:
    """ITER-D-10.1: a state that holds [R:a, None, None] is equal after it was written and read."""
    marker = collecting(bs.sequential, completion_condition=f"{NC} >= 1")
    run: dict[str, Any] = {"data": ABC, "behaviors": {"x": Working()}}
    sim = bs.Simulation(leaf(marker), **run)
    sim.run(until="e")
    again = restored(sim, **run)
    assert again.trace().values["outs"] == ["R:a", None, None]
    assert again._driver.run.state.to_json() == sim._driver.run.state.to_json()


def test_tasks_keep_their_identity() -> None:
    """G-63, ITER-U-13.1, ITER-CP-16.1: 3 parked, restored: the same 3 can be completed; 2 done: open; 3: completed."""
    run: dict[str, Any] = {"scenario": bs.Scenario()}
    sim = bs.Simulation(leaf(bs.parallel(cardinality=3), "user"), **run)
    before = rows(sim.run().inner_instances(), "identity", "state")
    again = restored(sim, **run)
    assert rows(again.trace().inner_instances(), "identity", "state") == before
    again.complete("x", ordinal=2)
    again.complete("x", ordinal=0)
    assert again.run().outcome == "waiting"
    with pytest.raises(bs.NoSuchTask):
        again.complete("x", ordinal=0)
    again.complete("x", ordinal=1)
    assert again.run().outcome == "completed"


def test_an_incident_pins_its_instance() -> None:
    """ITER-CP-15.1: ordinal 1 in an incident, restored: no exit until it is resolved."""

    def broken(task: Any) -> None:
        if task.ordinal == 1:
            raise ValueError("broken")

    run: dict[str, Any] = {"behaviors": {"x": broken}}
    sim = bs.Simulation(leaf(bs.parallel(cardinality=3)), **run)
    sim.run()
    again = restored(sim, **run)
    assert (again.run().outcome, states(again.trace())) == ("incident", ["completed", "incident", "completed"])
    again.resolve(0)
    assert again.run().outcome == "completed"


def test_items_are_stored() -> None:
    """ITER-CP-20.1: the collection is overwritten between capture and restore: pass 2 still reads its old element."""
    parked = Parked(collecting(bs.sequential))
    parked.restore()
    parked.sim.set("items", ["x", "y", "z"])
    trace = parked.complete(0, 1, 2)
    assert trace.values["outs"] == ["R:a", "R:b", "R:c"]


def test_a_plain_composite_does_not_run_twice() -> None:
    """G-36, ITER-CP-19.1: a plain sub-process restored in mid-body: body work 1 in total."""
    runs: list[str] = []
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.subprocess("x", body=worked) >> b.end("e")
    run: dict[str, Any] = {"scenario": bs.Scenario(), "behaviors": {"work": lambda task: runs.append(task.id)}}
    sim = bs.Simulation(b.model(), **run)
    sim.run()
    again = restored(sim, **run)
    again.complete("wait")
    assert (again.run().outcome, runs) == ("completed", ["work"])


@pytest.mark.parametrize("table", ["groups", "staged", "tracks", "scopes", "open", "records"])
def test_a_changed_record_is_refused(table: str) -> None:
    """G-44, ITER-CP-12.1: more instances than elements, broken staging, host or scope gone: refused, saying so."""
    parked = Parked(collecting(bs.parallel))
    parked.complete(0)
    saved = copy.deepcopy(parked.sim.checkpoint())
    saved["state"][table] = saved["state"][table][:-1]
    with pytest.raises(bs.StateError, match="was changed or cut"):
        bs.Simulation.restore(parked.sim.model, saved, **parked.run)


def test_a_newer_version_is_refused() -> None:
    """ITER-CP-14.1: version+1: refused."""
    parked = Parked(collecting(bs.parallel))
    saved = parked.sim.checkpoint()
    with pytest.raises(bs.StateError, match="version"):
        bs.Simulation.restore(parked.sim.model, {**saved, "version": saved["version"] + 1}, **parked.run)


@pytest.mark.parametrize("shape", [bs.sequential, bs.parallel])
@pytest.mark.parametrize("seed", [None, 3])
def test_capture_anywhere(shape: Any, seed: int | None) -> None:
    """ITER-CP-01, property 8: a checkpoint after any step continues to the same facts; nothing runs twice."""
    marker = collecting(shape, completion_condition=f"{NC} >= 2", behavior="none", events="done")
    model = composite(marker)
    whole = bs.simulate(model, data=ABC, behaviors={"work": Working()}, seed=seed)
    for step in range(whole.steps + 1):
        work = Working()
        run: dict[str, Any] = {"data": ABC, "behaviors": {"work": work}}
        sim = bs.Simulation(model, seed=seed, **run)
        for _ in range(step):
            sim.step()
        again = bs.Simulation.restore(model, sim.checkpoint(facts=True), **run)
        assert again.run() == whole
        assert set(work.runs.values()) == {1}
