"""How a run has ended, at each moment and whoever ended it (core.md DLK-05, INC-06, LIF-03)."""

from __future__ import annotations

from typing import Any

import pytest

import bpmnsim as bs


def boom(_: Any) -> None:
    """Fail."""
    raise RuntimeError("boom")


def office() -> bs.Simulation:
    """Build s>+>{user u, C that fails, x>J where J can never fire} and run it."""
    b = bs.ProcessBuilder("p")
    join, x = b.parallel("J"), b.exclusive("x")
    _ = b.start("s") >> b.parallel("split") >> [b.user("u"), b.service("C"), x]
    x.flow(join, default=True)
    x.flow(b.task("never"), "False") >> join
    sim = bs.Simulation(b.model(), scenario=bs.Scenario(), behaviors={"C": boom})
    _ = sim.step(), sim.step()
    return sim


def test_the_outcome_follows_what_is_still_there() -> None:
    """DLK-05: incident, then waiting, then deadlocked; a dropped incident fails a run with nothing else alive."""
    sim = office()
    told = [sim.outcome]
    acts = [sim.run, lambda: sim.drop(0), lambda: sim.complete("u"), sim.cancel]
    for act in acts:
        act()
        told.append(sim.outcome)
    assert told == [None, "incident", "waiting", "failed", "terminated"]
    sim.goto(sim.steps - 3)
    sim.resolve(0)
    sim.complete("u")
    assert sim.outcome == "deadlocked"


def test_every_live_token_is_stuck_with_a_reason() -> None:
    """I20, DLK-05: track, node, scope, what it waits for."""
    sim = office()
    sim.run()
    assert [tuple(getattr(each, name) for name in ("node", "waits_for")) for each in sim.trace().stuck] == [
        ("u", "completion"),
        ("C", "RuntimeError: boom"),
        ("J", "f_never_J"),
    ]
    sim.drop(0)
    assert [each.waits_for for each in sim.trace().stuck][1] == "nothing: it was given up"


def test_work_and_retries_under_way_are_no_deadlock() -> None:
    """DLK-05: what time brings is not stuck; cut by a limit it says what it waits for."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.service("A"), b.service("C")]
    run: dict[str, Any] = {"durations": {"A": 5}, "behaviors": {"C": boom}, "retries": {"C": (1, 7)}}
    sim = bs.Simulation(b.model(), **run)
    sim.run(until=1.0)
    assert (sim.outcome, sim.trace().outcome) == (None, "truncated")
    assert sim.run().outcome == "incident"


def test_an_incident_in_a_scope_that_is_gone_is_no_failure() -> None:
    """INC-06: what was given up inside a sub-process ends with it."""
    b = bs.ProcessBuilder("p")
    sub = b.subprocess("sp")
    i = b.inside(sub)
    user = i.user("u")
    _ = i.start() >> i.parallel("two") >> [i.service("C"), user]
    _ = user >> i.end("T", kind="terminate")
    _ = b.start("s") >> sub >> b.end("e")
    sim = bs.Simulation(b.model(), scenario=bs.Scenario(), behaviors={"C": boom})
    sim.run()
    sim.drop(0)
    assert sim.run().outcome == "waiting"
    sim.complete("u")
    assert sim.run().outcome == "completed"


@pytest.mark.parametrize("ended", ["completed", "terminated"])
def test_one_process_instance_that_was_terminated_marks_the_run(ended: str) -> None:
    """DLK-05: of several process instances the worst phase counts."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> x
    x.flow(b.end("T", kind="terminate"), "stop")
    x.flow(b.end("e"), default=True)
    sim = bs.Simulation(b.model(), data={"stop": False})
    sim.start("p", {"stop": ended == "terminated"})
    assert sim.run().outcome == ended
