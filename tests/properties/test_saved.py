"""Saving, restoring and going back change nothing (core.md I13, CKP-01, CKP-02; scheduling.md 1.6)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpmnsim as bs
from bpmnsim.testing.strategies import Case, models

SETTINGS = settings(max_examples=25, deadline=None)
PICKERS = st.sampled_from([{}, {"strategy": "depth"}, {"strategy": "round-robin"}, {"seed": 3}, {"seed": 11}])


@SETTINGS
@given(models(iterated=True), PICKERS)
def test_restored_at_every_step_a_run_ends_the_same(case: Case, picker: dict[str, Any]) -> None:
    """I13, CKP-02: run(n) equals restore(checkpoint(k)).run() for every k, facts and schedule included."""
    whole = bs.simulate(case.model, **picker, **case.run, step_limit=300)
    sim = bs.Simulation(case.model, **picker, **case.run)
    for _ in range(min(whole.steps, 60)):
        saved = json.loads(json.dumps(sim.checkpoint()))
        again = bs.Simulation.restore(case.model, saved, **case.run)
        trace = again.run(step_limit=whole.steps - again.steps)
        assert trace.schedule == whole.schedule
        assert trace == whole
        sim.step()


@SETTINGS
@given(models(iterated=True), PICKERS, st.data())
def test_going_back_and_forth_equals_running_again(case: Case, picker: dict[str, Any], data: st.DataObject) -> None:
    """scheduling.md 1.6: back() and goto() end where a fresh run of as many steps ends."""
    sim = bs.Simulation(case.model, **picker, **case.run)
    last = sim.run(step_limit=200).steps
    for _ in range(4):
        step = data.draw(st.integers(0, last))
        sim.goto(step)
        fresh = bs.Simulation(case.model, **picker, **case.run)
        fresh.run(step_limit=step)
        assert sim.steps == step
        assert sim.trace() == fresh.trace()


@SETTINGS
@given(models(), st.data())
def test_whatever_is_picked_replays(case: Case, data: st.DataObject) -> None:
    """scheduling.md 1.2: a run picked by hand is its schedule: parsed from its line, it gives the same trace."""
    sim = bs.Simulation(case.model, **case.run)
    for _ in range(60):
        if not sim.enabled:
            break
        sim.step(data.draw(st.sampled_from([action.name for action in sim.enabled])))
    sim.run(step_limit=200)
    trace = sim.trace()
    line = str(trace.schedule)
    assert bs.simulate(case.model, schedule=line, **case.run, step_limit=trace.steps) == trace


@pytest.mark.parametrize("position", range(0, 60, 3))
def test_a_mistyped_schedule_is_refused(position: int) -> None:
    """scheduling.md 1.2: one changed character is found."""
    line = str(bs.simulate(bs.load_sample("order_handling"), seed=7).schedule)
    spoiled = line[:position] + ("x" if line[position : position + 1] != "x" else "y") + line[position + 1 :]
    with pytest.raises(bs.ScheduleDivergence):
        bs.simulate(bs.load_sample("order_handling"), schedule=spoiled)
