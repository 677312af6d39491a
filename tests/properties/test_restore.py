"""Runs that are taken back, saved and restored at every step (core.md CKP-01, CKP-02, I13; design section 10)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bpmnsim as bs
from bpmnsim.testing.strategies import Case, models

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
STRATEGIES: tuple[dict[str, Any], ...] = (
    {},
    {"strategy": "depth"},
    {"strategy": "depth", "seed": 5},
    {"strategy": "round-robin"},
    {"seed": 3},
)
LAST_FIRST = {"strategy": "priority(last)"}


def relaxed(examples: int) -> Any:
    """Return settings for a property that runs whole simulations."""
    return settings(max_examples=examples, deadline=None, suppress_health_check=SLOW)


def through_text(saved: dict[str, Any]) -> dict[str, Any]:
    """Return a checkpoint that has been JSON text."""
    loaded: dict[str, Any] = json.loads(json.dumps(saved))
    return loaded


def held_at_every_step(model: bs.Model, base: dict[str, Any], **run: Any) -> bs.Trace:
    """Step through a run; at each step restore it, go back to it, go on: the whole is always the same."""
    whole = bs.simulate(model, **base, **run)
    sim, ahead = bs.Simulation(model, **base, **run), bs.Simulation(model, **base, **run)
    assert ahead.run() == whole
    for step in range(whole.steps + 1):
        saved = through_text(sim.checkpoint())
        ahead.goto(step)
        assert through_text(ahead.checkpoint()) == saved, step
        for facts in (True, False):
            restored = bs.Simulation.restore(model, through_text(sim.checkpoint(facts=facts)), **run)
            trace = restored.run()
            assert trace == whole, step
            assert (trace.schedule, trace.values, trace.stuck) == (whole.schedule, whole.values, whole.stuck)
        if step:
            restored.goto(step)
            assert through_text(restored.checkpoint())["state"] == saved["state"], step
        if step < whole.steps:
            sim.step()
    assert bs.simulate(model, schedule=str(sim.schedule), **run) == whole
    return whole


@relaxed(8)
@given(models(depth=1), st.sampled_from(STRATEGIES), st.sampled_from(["task", "phase"]))
def test_any_run_can_be_saved_and_taken_back_anywhere(case: Case, base: dict[str, Any], granularity: str) -> None:
    """CKP-01, CKP-02, I13: run ≡ checkpoint, restore, run; goto ≡ running again."""
    held_at_every_step(case.model, base, granularity=granularity, **case.run)


@relaxed(8)
@given(models(depth=1, iterated=True), st.sampled_from(STRATEGIES), st.sampled_from(["instant", "untimed"]))
def test_any_run_with_iterations_too(case: Case, base: dict[str, Any], time: str) -> None:
    """CKP-02, iteration.md ITER-CP-01: groups with queued drains, passes and staged outputs."""
    held_at_every_step(case.model, base, time=time, **case.run)


def flaky(task: Any) -> dict[str, int]:
    """Fail until some time has passed."""
    if task.time < 8:
        raise RuntimeError("not yet")
    return {task.id: 1}


def troubled() -> tuple[bs.Model, dict[str, Any]]:
    """Incidents, scheduled retries, armed completions, an open user task, and one incident for good."""
    b = bs.ProcessBuilder("p")
    work = [b.service("A"), b.service("B"), b.user("C"), b.service("D")]
    _ = b.start("s") >> b.parallel("split") >> work >> b.parallel("J") >> b.end("e")
    run = {"behaviors": {"A": flaky, "B": flaky}, "retries": {"A": (3, 5), "B": (1, 2)}, "durations": {"D": 3}}
    return b.model(), run


def undecided() -> tuple[bs.Model, dict[str, Any]]:
    """Decisions that are left open, one after the other and beside each other."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.exclusive("x"), b.exclusive("y")]
    for gateway in ("x", "y"):
        merge = b.exclusive(f"{gateway}m")
        for number in range(3):
            _ = bs.model.contents.Node(gateway, merge.draft) >> b.task(f"{gateway}{number}") >> merge
    return b.model(), {"decisions": "free"}


def awaited() -> tuple[bs.Model, dict[str, Any]]:
    """Mail that comes before its wait, timed and conditional stimuli, a correlated iteration."""
    b = bs.ProcessBuilder("p")
    marker = bs.parallel(collection="orders", item="order", correlation=("order", "order"))
    receive = [b.receive("R", message="m"), b.receive("M", message="paid", multi_instance=marker), b.user("C")]
    _ = b.start("s") >> b.parallel("split") >> [b.service("A"), *receive] >> b.parallel("J") >> b.end("e")
    scenario = bs.Scenario().message("m", payload={"v": 1}, after="A").complete("C", outputs={"w": (2, 3)}, at=5)
    scenario = scenario.message("paid", key="b", at=1).message("paid", key="a").set("z", {1.5: None}, at=2)
    return b.model(), {"scenario": scenario, "durations": {"A": 3}, "data": {"orders": ["a", "b"]}}


def drawn() -> tuple[bs.Model, dict[str, Any]]:
    """Durations and outputs that are drawn, in a loop and in an iteration with a quorum."""
    b = bs.ProcessBuilder("p")
    again, left = b.exclusive("again"), b.exclusive("left")
    quorum = bs.parallel(cardinality=4, completion_condition="numberOfCompletedInstances >= 2")
    _ = b.start("s") >> again >> b.service("A") >> left
    left.flow(again, "n < 3")
    left.flow(b.service("V", multi_instance=quorum), default=True) >> b.end("e")
    behaviors = {"A": lambda task: {"n": task.get("n", 0) + 1, "draw": task.rng.random()}}
    sampled = {"A": lambda rng, _: rng.random(), "V": lambda rng, _: int(rng.random() * 3)}
    return b.model(), {"behaviors": behaviors, "durations": sampled, "time": "sampled"}


@pytest.mark.parametrize(
    "base", [*STRATEGIES, LAST_FIRST], ids=lambda base: "-".join(map(str, base.values())) or "fifo"
)
@pytest.mark.parametrize("build", [troubled, undecided, awaited, drawn])
def test_every_kind_of_rest_can_be_saved(build: Any, base: dict[str, Any]) -> None:
    """CKP-03: incidents, retries, timers, decisions, waits, mail, quorums and random streams."""
    model, run = build()
    if base == LAST_FIRST:
        base = {"strategy": f"priority({model.nodes('p')[-1].id},{model.nodes('p')[-2].id})"}
    outcome = {"troubled": "incident"}.get(build.__name__, "completed")
    assert held_at_every_step(model, base, **run).outcome == outcome


class Hand:
    """Somebody who does random things to a run, as far as they make sense at that moment."""

    def __init__(self, sim: bs.Simulation, data: st.DataObject) -> None:
        self.sim = sim
        self.data = data

    def act(self) -> None:
        """Do one thing."""
        sim, state = self.sim, self.sim._driver.run.state
        names = [action.name for action in sim.enabled]
        stuck = [number for number, entry in state.incidents.items() if entry[5] in ("open", "retry-scheduled")]
        ways = [("step", name) for name in names] + [("step", None)] * bool(names)
        ways += [(way, number) for number in stuck for way in ("retry", "resolve", "drop")]
        ways += [
            (way, "C") for way in ("complete", "fail") if any(wait[0] == "complete" for wait in state.waits.values())
        ]
        ways += [("message", "m"), ("set", "v"), ("start", "p"), ("cancel", None)]
        way, what = self.data.draw(st.sampled_from(ways))
        if way == "set":
            sim.set(what, self.data.draw(st.integers(0, 3))) if state.scopes else None
        elif way == "fail":
            sim.fail(what, "E")
        elif way == "cancel":
            sim.cancel() if self.data.draw(st.integers(0, 4)) == 0 else None
        else:
            getattr(sim, way)(what)


@relaxed(25)
@given(st.sampled_from([troubled, undecided, awaited, drawn]), st.sampled_from(STRATEGIES), st.data())
def test_what_is_done_by_hand_survives(build: Any, base: dict[str, Any], data: st.DataObject) -> None:
    """Scheduling.md 1.2, CKP-02: acts by hand are in the schedule, in checkpoints, and on the way back."""
    model, run = build()
    closed = {"scenario": bs.Scenario(), **run}
    sim = bs.Simulation(model, **base, **closed)
    hand = Hand(sim, data)
    for _ in range(data.draw(st.integers(1, 12))):
        hand.act() if sim.enabled or data.draw(st.booleans()) else None
    whole, steps = sim.trace(), sim.steps
    saved = through_text(sim.checkpoint(facts=data.draw(st.booleans())))
    restored = bs.Simulation.restore(model, saved, **closed)
    again = bs.Simulation(model, schedule=str(sim.schedule), **closed)
    again.goto(steps)
    assert again.trace() == restored.trace() == whole
    assert again.schedule == restored.schedule == sim.schedule
    for step in data.draw(st.lists(st.integers(0, steps), max_size=3)):
        sim.goto(step)
        assert sim.steps == step
    sim.goto(steps)
    assert sim.trace() == whole
    assert sim.run() == restored.run() == again.run()
