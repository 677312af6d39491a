"""Footprints are sound: what is declared independent commutes (scheduling.md 1.7, the soundness oracle)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import pytest

import bpmnsim as bs
from bpmnsim.engine.footprints import footprint, independent
from bpmnsim.engine.loop import Engine
from bpmnsim.engine.names import action_names
from bpmnsim.facts import STRIDE, Fact

NUMBERED = (Fact.MERGE, Fact.STUCK, Fact.OPEN, Fact.CLOSE)


def facts_as_a_set(run: Engine) -> Counter[tuple[object, ...]]:
    """Count the facts without step and without numbers that only tell in which order things were created."""
    seen: Counter[tuple[object, ...]] = Counter()
    for at in range(0, len(run.facts), STRIDE):
        kind, _, _, place, _, x, y = run.facts[at : at + STRIDE]
        seen[kind, place, "" if kind in NUMBERED else repr(x), "" if kind == Fact.TRACK else repr(y)] += 1
    return seen


def after_both(run: Engine, first: int, second: int) -> object:
    """State and facts after two actions, or ``None`` where the first disables the second."""
    trial = run.twin()
    trial.fire(first)
    if second not in trial.enabled():
        return None
    trial.fire(second)
    return trial.state.key(), facts_as_a_set(trial)


def order() -> tuple[bs.Model, dict[str, Any]]:
    return bs.load_sample("order_handling"), {}


def quorum() -> tuple[bs.Model, dict[str, Any]]:
    b = bs.ProcessBuilder("quorum")
    vote = bs.parallel(
        collection="orders",
        item="order",
        output_item="r",
        output_collection="rs",
        completion_condition="numberOfCompletedInstances >= 2",
    )
    _ = (
        b.start()
        >> b.service("charge", multi_instance=vote)
        >> b.user("u", multi_instance=bs.parallel(cardinality=3))
        >> b.end()
    )
    return b.model(), {"data": {"orders": [1, 2, 3]}, "behaviors": {"charge": lambda task: {"r": task["order"] * 10}}}


def timed() -> tuple[bs.Model, dict[str, Any]]:
    model, given = quorum()
    return model, {**given, "durations": {"charge": lambda rng, _: int(rng.random() * 3)}}


def race_for_data() -> tuple[bs.Model, dict[str, Any]]:
    b = bs.ProcessBuilder("race")
    fork, join = b.parallel("fork"), b.parallel("join")
    _ = b.start() >> fork
    for name in ("A", "B"):
        _ = fork >> b.service(name) >> join
    _ = fork >> b.user("C") >> b.service("D") >> join >> b.end()
    behaviors: Mapping[str, Any] = {
        "A": lambda _: {"x": 1},
        "B": lambda _: {"x": 2},
        "D": lambda task: {"y": task.get("x", 0)},
    }
    return b.model(), {"behaviors": behaviors}


@pytest.mark.parametrize("make", [order, quorum, timed, race_for_data])
def test_independent_actions_commute(make: Any) -> None:
    """scheduling.md 1.7: both orders stay enabled and lead to one state and one set of facts."""
    model, given = make()
    declared = 0
    for seed in range(3):
        sim = bs.Simulation(model, seed=seed, **given)
        run = sim._driver.run
        while sim.outcome is None:
            for first, second in combinations(run.enabled(), 2):
                if independent(run, first, second):
                    declared += 1
                    both, other = after_both(run, first, second), after_both(run, second, first)
                    assert both is not None, action_names(run, [first, second])
                    assert both == other, action_names(run, [first, second])
            sim.step()
    assert declared > 0


def test_writers_of_one_name_are_dependent() -> None:
    """scheduling.md 1.7: two writers of x, and a reader of it, are dependent; other names are not."""
    model, given = race_for_data()
    sim = bs.Simulation(model, **given)
    sim.run(until="A")
    run = sim._driver.run
    entries = dict(zip(action_names(run, run.enabled()), run.enabled(), strict=True))
    a, b, c = (entries[f"run(race/{name})"] for name in "ABC")
    assert not independent(run, a, b)
    assert independent(run, a, c)
    assert ("data", 0, "x") in footprint(run, a).writes


def test_a_footprint_changes_nothing() -> None:
    """Measuring leaves the run as it was."""
    sim = bs.Simulation(bs.load_sample("order_handling"), seed=3)
    sim.run(until="ask")
    before = sim.trace()
    for entry in sim._driver.run.enabled():
        footprint(sim._driver.run, entry)
    assert sim.trace() == before
