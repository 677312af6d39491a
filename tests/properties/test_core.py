"""What holds for every small model and every schedule (core.md section 20, design section 9)."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bpmnsim as bs
from bpmnsim.facts import STRIDE, Fact
from bpmnsim.simulation.driver import drive as drive_inputs
from bpmnsim.simulation.inputs import checked
from bpmnsim.simulation.traces import trace_of
from bpmnsim.testing.invariants import check_trace
from bpmnsim.testing.strategies import Case, models

from ..models import live, rows

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
BASES = ({}, {"strategy": "depth"}, {"strategy": "round-robin"}, {"seed": 1}, {"seed": 2}, {"seed": 3})
ENDS = ("completed", "terminated", "deadlocked")


def relaxed(examples: int) -> Any:
    """Return settings for a property that runs whole simulations."""
    return settings(max_examples=examples, deadline=None, suppress_health_check=SLOW)


@relaxed(60)
@given(models())
def test_the_invariants_hold_whoever_picks(case: Case) -> None:
    """OBS-07.1 (OBS-07, OBS-08, I1 to I7, I9, I11, I17 to I20): every run: all hold."""
    for base in BASES:
        trace = case.simulate(**base)
        assert check_trace(trace) == []
        assert trace.outcome in ENDS


@relaxed(40)
@given(models(), st.integers(0, 99))
def test_the_invariants_hold_on_the_way(case: Case, seed: int) -> None:
    """OBS-08: after every step the facts account for exactly the tracks and scopes that the state holds."""
    sim = case.simulation(seed=seed)
    while sim.enabled:
        sim.step()
        state = sim._driver.run.state
        assert sorted(state.tracks) == sorted(track for members in state.members.values() for track in members)
        assert sorted(state.ready.values()) == sorted(track for track, at in state.tracks.items() if at[3] >= 0)
        assert all(state.scopes[at[1]] for at in state.tracks.values())
    assert check_trace(sim.trace()) == []


@relaxed(30)
@given(models(), st.integers(0, 99))
def test_nothing_is_left_in_the_state_of_a_finished_run(case: Case, seed: int) -> None:
    """I18: of a run that has completed or was terminated the state keeps results and counters, and nothing else."""
    sim = case.simulation(seed=seed)
    trace = sim.run()
    state = sim._driver.run.state
    if trace.outcome != "deadlocked":
        for table in ("tracks", "scopes", "members", "data", "records", "inbox", "hosted", "groups", "drains"):
            assert getattr(state, table) == {}, table
        for table in ("staged", "first", "last", "behind", "ready", "offers", "timers", "holds", "waits", "open"):
            assert getattr(state, table) == {}, table
        assert not any(state.filled.values())


@relaxed(25)
@given(models(), st.integers(0, 99))
def test_the_tables_agree_with_the_facts(case: Case, seed: int) -> None:
    """I3, I11, OBS-06, SUB-10: tokens, history, scopes and joins tell what the facts tell."""
    trace = case.simulate(seed=seed)
    facts, history, scopes = trace.facts(), trace.history(), trace.scopes()
    assert list(facts.seq) == list(range(len(facts)))
    assert facts.time.is_monotonic_increasing
    assert [(track, node) for track, node, _ in live(trace)] == [(each.track, each.node) for each in trace.stuck]
    terminal = history[history.track_state.isin(["merged", "ended", "canceled", "failed", "incident"])]
    assert terminal.track.is_unique
    assert list(terminal.seq) == list(history.groupby("track").tail(1).query("track in @terminal.track").seq)
    assert bool(scopes.closed.notna().all()) == (trace.outcome != "deadlocked")
    parts = facts[facts.kind == "Scope"]
    assert len(parts[parts.phase == "Opened"]) == len(scopes.query("role != 'process'"))
    fired = trace.joins().query("fired")
    executed = history[history.node.isin(fired.node) & (history.track_state == "executing_step")]
    assert sorted(rows(fired, "step", "survivor")) == sorted(rows(executed, "step", "track"))


@relaxed(40)
@given(models(), st.sampled_from(BASES), st.sampled_from(["task", "phase"]), st.sampled_from(["instant", "untimed"]))
def test_a_schedule_repeats_a_run(case: Case, base: dict[str, Any], granularity: str, time: str) -> None:
    """I12, design section 2 idea 2: the same digest under replay of the text of the schedule."""
    trace = case.simulate(**base, granularity=granularity, time=time)
    again = case.simulate(schedule=str(trace.schedule), granularity=granularity, time=time)
    assert (again.digest, again.outcome, again.steps, again.time) == (
        *(trace.digest, trace.outcome, trace.steps, trace.time),
    )


@relaxed(30)
@given(models(), st.integers(0, 99))
def test_a_pickle_changes_nothing(case: Case, seed: int) -> None:
    """Design section 9: the same digest after a pickle round trip of the model, and of the compiled program."""
    trace = case.simulate(seed=seed)
    copied: Case = pickle.loads(pickle.dumps(case))
    assert copied.simulate(seed=seed).digest == trace.digest
    inputs = checked(case.model, **case.run)
    inputs = replace(inputs, program=pickle.loads(pickle.dumps(inputs.program)))
    driver = drive_inputs(inputs, seed, None, None, snapshots=False)
    driver.advance(100_000)
    assert trace_of(driver).digest == trace.digest


def drive(case: Case, seed: int, data: st.DataObject) -> bs.Simulation:
    """Drive a run by hand: named actions, work completed, messages and values, looking around now and then."""
    sim = case.simulation(seed=seed, scenario=bs.Scenario())
    for _ in range(data.draw(st.integers(0, 30), label="actions")):
        look = data.draw(st.booleans(), label="look")
        names = [action.name for action in sim.enabled] if look else []
        state = sim._driver.run.state
        waits = [(verb, sim._driver.run.program.places[place].id) for verb, place, *_ in state.waits.values()]
        ways = [*names, *waits, ("set", "v")] + ([None] if look and names else [])
        if not ways:
            continue
        way = data.draw(st.sampled_from(ways), label="way")
        if way is None or isinstance(way, str):
            sim.step(way)
        elif way[0] == "complete":
            sim.complete(way[1], outputs={"v": 7})
        elif way[0] == "deliver":
            sim.message("m")
        elif state.scopes:
            sim.set("v", data.draw(st.integers(0, 2)))
    return sim


@relaxed(60)
@given(models(), st.integers(0, 99), st.data())
def test_a_run_driven_by_hand_is_repeated_exactly(case: Case, seed: int, data: st.DataObject) -> None:
    """Scheduling.md 1.6: the schedule of a run with random named picks and stimuli replays to the same facts."""
    sim = drive(case, seed, data)
    trace = sim.run(step_limit=data.draw(st.sampled_from([0, 5, 1000])))
    again = case.simulate(schedule=str(trace.schedule), scenario=bs.Scenario(), step_limit=max(trace.steps, 1))
    if trace.steps:
        assert again.record.facts == trace.record.facts
        assert again == trace
    assert check_trace(trace) == []


@relaxed(30)
@given(models(), st.integers(0, 99), st.data())
def test_going_back_and_forth_equals_running_again(case: Case, seed: int, data: st.DataObject) -> None:
    """Design section 10: goto and back re-execute; wherever one goes, the facts are those of that many steps."""
    sim = drive(case, seed, data)
    sim.run()
    whole, steps = sim.trace(), sim.steps
    facts = whole.record.facts
    for step in data.draw(st.lists(st.integers(0, steps), max_size=4)):
        sim.goto(step)
        here = sim.trace().record.facts
        assert here == facts[: len(here)]
        assert all(facts[at + 1] > step for at in range(len(here), len(facts), STRIDE)[:1])
        if step:
            sim.back()
            assert sim.steps == step - 1
    sim.goto(steps)
    assert sim.trace() == whole


@relaxed(30)
@given(models(), st.integers(0, 99), st.integers(0, 40))
def test_a_restored_run_goes_on_the_same(case: Case, seed: int, step: int) -> None:
    """I13: run ≡ checkpoint, restore, run."""
    whole = case.simulate(seed=seed)
    sim = case.simulation(seed=seed)
    sim.run(step_limit=min(step, whole.steps))
    restored = bs.Simulation.restore(case.model, sim.checkpoint(), **case.run)
    assert restored.run() == whole


SCRIPT = """
import pickle, sys
for case, bases in pickle.load(sys.stdin.buffer):
    for base in bases:
        print(case.simulate(**base).digest)
"""


def test_another_process_gives_the_same_digests() -> None:
    """Design section 9: under two values of PYTHONHASHSEED, in another process."""
    cases: list[Case] = []

    @settings(max_examples=12, deadline=None, derandomize=True, database=None, suppress_health_check=SLOW)
    @given(models())
    def collect(case: Case) -> None:
        cases.append(case)

    collect()
    expected = [case.simulate(**base).digest for case in cases for base in BASES]
    sent = pickle.dumps([(case, BASES) for case in cases])
    for hash_seed in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            input=sent,
            capture_output=True,
            check=True,
            timeout=60,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        )
        assert ran.stdout.decode().split() == expected


def test_a_broken_trace_is_found() -> None:
    """The checks themselves: each planted fault is named by its rule."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.task("a"), b.task("b")] >> b.parallel("join") >> b.end("e")
    trace = bs.simulate(b.model())
    facts = trace.record.facts
    assert check_trace(trace) == []

    def broken(change: Any) -> list[str]:
        copy = facts.copy()
        change(copy)
        record = type(trace.record)(copy, trace.record.places, trace.record.bodies, trace.record.flows)
        made = bs.Trace(
            trace.model,
            record,
            outcome=trace.outcome,
            stuck=(),
            schedule=trace.schedule,
            seed=None,
            steps=trace.steps,
            time=0.0,
            values={},
        )
        return sorted({problem.split(":")[0] for problem in check_trace(made)})

    def at(kind: Fact, which: int = 0) -> int:
        return [cell for cell in range(0, len(facts), STRIDE) if facts[cell] == kind][which]

    def cut(kind: Fact, which: int = 0) -> Any:
        return lambda copy: copy.__delitem__(slice(at(kind, which), at(kind, which) + STRIDE))

    def put(kind: Fact, cell: int, value: Any, which: int = 0) -> Any:
        return lambda copy: copy.__setitem__(at(kind, which) + cell, value)

    assert "I2" in broken(cut(Fact.MERGE))
    assert "I4" in broken(cut(Fact.FIRE))
    assert "I18" in broken(cut(Fact.CLOSE))
    assert "I6" in broken(cut(Fact.TRACK, 1))
    assert "I11" in broken(put(Fact.VISIT, 1, 0, 3))
    assert "I1" in broken(put(Fact.TRACK, 6, 9, 1))
    assert "I19" in broken(put(Fact.MERGE, 6, 0))
    assert "OBS-08" in broken(put(Fact.VISIT, 3, 1, 2))
    assert "I2" in broken(put(Fact.MERGE, 5, 0))
