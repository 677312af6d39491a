"""Interactive runs: look, step, pick, go back, stop somewhere, act by hand (design section 7, lessons 40 to 45)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import bpmnsim as bs

from ..models import count, diamond, line, live, rows


def names(sim: bs.Simulation) -> list[str]:
    """Return the names of the enabled actions."""
    return [action.name for action in sim.enabled]


def deviations(sim: bs.Simulation) -> tuple[tuple[int, str], ...]:
    """Return what was picked instead of what the base would have picked."""
    return sim.schedule.deviations


def looping() -> bs.Model:
    """Build s>again>A>again, until n is 5."""
    b = bs.ProcessBuilder("p")
    again, left = b.exclusive("again"), b.exclusive("left")
    _ = b.start("s") >> again >> b.service("A", name="Work hard") >> left
    left.flow(again, "n < 5")
    left.flow(b.end("e"), default=True)
    return b.model()


def counting(task: Any) -> dict[str, int]:
    """Count the passes."""
    return {"n": task.get("n", 0) + 1}


def office() -> bs.Model:
    """Build s>+>{user u>A, B that fails, receive R}."""
    b = bs.ProcessBuilder("p")
    user = b.user("u")
    _ = b.start("s") >> b.parallel("split") >> [user, b.service("B"), b.receive("R", message="m")]
    _ = user >> b.task("A")
    return b.model()


def boom(_: Any) -> None:
    """Fail."""
    raise RuntimeError("boom")


def at_rest() -> bs.Simulation:
    """Return the office with nobody outside, as far as it goes by itself."""
    sim = bs.Simulation(office(), scenario=bs.Scenario(), behaviors={"B": boom})
    sim.run()
    return sim


# Looking.


def test_looking_changes_nothing() -> None:
    """Design section 2, idea 1: who looks at a run leaves it as it is, also where what was due is overtaken."""
    b = bs.ProcessBuilder("p")
    split, user = b.parallel("split"), b.user("u")
    _ = b.start("s") >> split >> [b.service("A"), b.service("B"), user]
    _ = user >> [b.service("S"), b.service("T")]
    run: dict[str, Any] = {"durations": {"A": 5, "B": 5, "S": 2, "T": 5}, "scenario": bs.Scenario()}
    for seed in (1, 2, 3):
        traces = []
        for look in (True, False):
            sim = bs.Simulation(b.model(), seed=seed, **run)
            for number in range(12):
                before = sim._driver.run.state.to_json()
                if look:
                    _ = sim.enabled, sim.outcome, sim.time, repr(sim), sim.schedule, sim.why("A"), sim.trace()
                    _ = sim.checkpoint(), sim._repr_mimebundle_()
                assert sim._driver.run.state.to_json() == before
                sim.complete("u") if number == 5 else sim.run(step_limit=1)
            traces.append(sim.run())
        assert traces[0] == traces[1]
        assert bs.simulate(b.model(), schedule=str(traces[0].schedule), **run) == traces[0]


def test_a_simulation_shows_itself() -> None:
    """Style 4.2: one line; in a notebook the diagram with the tokens."""
    sim = bs.Simulation(diamond())
    sim.step()
    sim.step()
    assert repr(sim) == "Simulation(p, step 2, 2 enabled)"
    bundle = sim._repr_mimebundle_()
    assert bundle["text/plain"] == repr(sim)
    assert "<svg" in bundle["image/svg+xml"]


def test_an_action_says_what_it_is_about() -> None:
    """Scheduling.md 1.1: verb(path), its verb, the element; of a scenario its target."""
    scenario = bs.Scenario().message("m", at=2).set("v", 1, at=2)
    sim = bs.Simulation(office(), scenario=scenario, behaviors={"B": boom}, retries={"B": (1, 2)})
    sim.run(until=lambda sim: sim.enabled[0].kind == "message")
    assert [tuple(action) for action in sim.enabled] == [
        ("message(m)", "message", "m"),
        ("set(v)", "set", "v"),
        ("timer(p/B)", "timer", "B"),
    ]


def test_a_trace_on_the_way_says_that_it_was_cut() -> None:
    """Design section 7: trace() at any time; what can go on is truncated, and every token says where it is."""
    sim = bs.Simulation(diamond())
    _ = sim.step(), sim.step()
    trace = sim.trace()
    assert (sim.outcome, trace.outcome, trace.steps) == (None, "truncated", 2)
    assert [(each.track, each.node) for each in trace.stuck] == [(0, "a"), (1, "b")]


# Stepping.


def test_a_step_returns_its_facts() -> None:
    """Design section 7: step(name) -> list of facts."""
    sim = bs.Simulation(diamond())
    sim.step()
    assert [(fact.step, fact.kind, fact.node, fact.track, fact.detail) for fact in sim.step()] == [
        (2, "visit", "split", 0, "over f_split_a"),
        (2, "track", "b", 1, "over f_split_b from token 0"),
    ]


def test_any_enabled_action_can_be_picked_by_name() -> None:
    """Lesson 41: the trainer says which token moves; the pick is a deviation, and it is replayed."""
    sim = bs.Simulation(diamond())
    _ = sim.step(), sim.step()
    assert names(sim) == ["run(p/a)", "run(p/b)"]
    sim.step("run(p/b)")
    assert names(sim) == ["run(p/a)", "run(p/join)"]
    trace = sim.run()
    assert trace.schedule.deviations == ((0, "run(p/b)"),)
    assert bs.simulate(diamond(), schedule=trace.schedule) == trace


@pytest.mark.parametrize("base", [{}, {"strategy": "depth"}, {"strategy": "round-robin"}, {"seed": 4}], ids=str)
def test_picking_what_would_be_picked_anyway_is_no_deviation(base: dict[str, Any]) -> None:
    """Scheduling.md 1.2: a schedule holds deviations from its base, and a named pick that is none changes nothing."""
    whole = bs.simulate(diamond(), **base)
    picks = list(whole.choices().picked)
    sim = bs.Simulation(diamond(), **base)
    while sim.outcome is None:
        sim.step(picks.pop(0) if len(sim.enabled) > 1 else None)
    assert deviations(sim) == ()
    assert sim.trace() == whole


def test_a_name_that_is_not_enabled_changes_nothing() -> None:
    """Design section 8: the nearest name, and the run is as it was."""
    sim = bs.Simulation(diamond())
    _ = sim.step(), sim.step()
    with pytest.raises(bs.SimulationError, match=r"'run\(p/bb\)' is not enabled(.|\n)*did you mean 'run\(p/b\)'"):
        sim.step("run(p/bb)")
    assert (sim.steps, deviations(sim), names(sim)) == (2, (), ["run(p/a)", "run(p/b)"])


def test_a_run_that_has_ended_cannot_be_stepped() -> None:
    """EXE-10: a state error; the trace is unchanged; the hint says what could go on."""
    sim = bs.Simulation(line())
    trace = sim.run()
    with pytest.raises(bs.StateError, match=r"completed(.|\n)*back"):
        sim.step()
    assert sim.run() == trace
    for what, hint in (("waiting", "complete"), ("incident", "retry")):
        sim = at_rest()
        if what == "waiting":
            sim.drop(0)
        with pytest.raises(bs.StateError, match=f"{what}(.|\n)*{hint}"):
            sim.step()


# Stopping somewhere.


def test_run_until_an_element() -> None:
    """Lesson 41: break on an element; by id or name; a token has arrived and not acted."""
    for until in ("A", "Work hard"):
        sim = bs.Simulation(looping(), behaviors={"A": counting})
        sim.run(until=until)
        assert (names(sim), sim.steps) == (["run(p/A)"], 2)
        sim.run(until=until)
        assert sim.steps == 2
        sim.step()
        sim.run(until=until)
        assert (sim.trace().values, sim.steps) == ({"n": 1}, 5)


def test_a_token_that_waits_has_acted() -> None:
    """Design section 7: run until an element does not stop at what is parked there."""
    sim = bs.Simulation(office(), behaviors={"B": boom})
    sim.run(until="u")
    assert names(sim) == ["run(p/u)", "run(p/B)", "run(p/R)"]
    sim.step("run(p/u)")
    sim.run(until="u")
    assert sim.outcome == "incident"


def test_run_until_the_second_token_arrives() -> None:
    """Design section 7: each arrival is a stop, whoever brings it."""
    sim = bs.Simulation(diamond())
    stops = []
    while sim.outcome is None:
        sim.run(until="join")
        stops.append((sim.steps, names(sim)))
        if sim.outcome is None:
            sim.step()
    assert stops == [
        (3, ["run(p/b)", "run(p/join)"]),
        (4, ["run(p/join)", "run(p/join)#2"]),
        (5, ["run(p/join)"]),
        (7, []),
    ]


@pytest.mark.parametrize("until", [5, 5.0, 7.5])
def test_run_until_a_time(until: float) -> None:
    """Design section 7: stop before time passes it."""
    sim = bs.Simulation(looping(), behaviors={"A": counting}, durations={"A": 2.5})
    sim.run(until=until)
    assert sim.time == (5.0 if until < 7.5 else 7.5)
    assert sim._driver.run.next_time() == sim.time + 2.5


def test_run_until_something_is_true() -> None:
    """Design section 7: a function of the simulation."""
    sim = bs.Simulation(looping(), behaviors={"A": counting})
    sim.run(until=lambda sim: sim.trace().values.get("n") == 3)
    assert sim.trace().values == {"n": 3}


def test_run_at_most_some_steps() -> None:
    """Design section 7: step_limit counts actions, whatever else is asked; 0 does nothing."""
    sim = bs.Simulation(looping(), behaviors={"A": counting})
    assert sim.run(step_limit=0).steps == 0
    assert sim.run(step_limit=4).steps == 4
    assert sim.run(until="e", step_limit=3).steps == 7


# Going back.


def test_going_back_keeps_what_was_picked() -> None:
    """Lesson 42: rewind is addressed by step; going on again repeats the same picks and acts."""
    sim = bs.Simulation(diamond(), seed=3)
    _ = sim.step(), sim.step()
    sim.step(names(sim)[-1])
    sim.set("v", 1)
    whole = sim.run()
    for step in (0, 2, 3, 4, whole.steps):
        sim.goto(step)
        assert (sim.steps, sim.trace().steps) == (step, step)
        assert sim.run() == whole
    sim.back(whole.steps)
    for _ in range(whole.steps):
        sim.step()
    assert sim.trace() == whole


def test_a_new_pick_replaces_the_future() -> None:
    """Lesson 42: what was picked, done and kept for later is gone; the past stays."""
    sim = bs.Simulation(diamond())
    _ = sim.step(), sim.step(), sim.step("run(p/b)")
    sim.set("v", 1)
    sim.step("run(p/join)")
    sim.run()
    sim.goto(2)
    sim.step("run(p/a)")
    assert (deviations(sim), sim.schedule.stimuli) == ((), ())
    trace = sim.run()
    assert trace == bs.simulate(diamond())
    sim.goto(2)
    sim.set("v", 2)
    assert sim.schedule.stimuli == ((3, 'set(v){"values":{"v":2}}'),)


def test_a_failed_act_keeps_the_future() -> None:
    """Design section 8: if it fails nothing has changed, also nothing of what was recorded for later."""
    sim = bs.Simulation(office(), scenario=bs.Scenario(), behaviors={"B": boom})
    _ = sim.step(), sim.step(), sim.step("run(p/R)")
    sim.run()
    sim.complete("u")
    whole = sim.run()
    sim.goto(2)
    for call in (lambda: sim.complete("u"), lambda: sim.retry(0), lambda: sim.set("v", 1, scope="/q")):
        with pytest.raises(bs.BpmnSimError):
            call()
    assert sim.run() == whole


def test_a_step_that_does_not_exist_leaves_the_run_where_it_is() -> None:
    """Design section 8: the error says where the run ends."""
    sim = bs.Simulation(line())
    sim.step()
    with pytest.raises(bs.SimulationError, match="no step 99: the run ends at 3"):
        sim.goto(99)
    assert sim.steps == 1
    with pytest.raises(bs.SimulationError, match="by 0 to 1 steps"):
        sim.back(2)


def test_going_back_costs_the_same_however_long_the_run() -> None:
    """Design section 10: back() re-executes from spaced snapshots, also after the future was replaced."""
    sim = bs.Simulation(looping(), data={"n": -300})
    calls: list[int] = []
    sim = bs.Simulation(looping(), data={"n": -300}, behaviors={"A": lambda task: calls.append(1) or counting(task)})
    whole = sim.run()
    assert whole.steps > 900
    sim.goto(10)
    sim.set("v", 1)
    sim.run()
    for _ in range(5):
        calls.clear()
        sim.back(1)
        assert len(calls) <= 64 / 3 + 1
    far = sim.steps - 500
    calls.clear()
    sim.goto(far)
    assert len(calls) <= 64 / 3 + 1


def test_asking_for_the_outcome_lists_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Design section 10: the cost of a step does not grow with the number of tokens."""
    sim = bs.Simulation(diamond(), seed=2)
    engine = type(sim._driver.run)
    listed: list[int] = []
    enabled = engine.enabled
    monkeypatch.setattr(engine, "enabled", lambda run: listed.append(1) or enabled(run))
    while sim.outcome is None:
        sim.step()
    sim.back(3)
    sim.run(until="e")
    assert (listed, sim.steps) == ([], 6)


# Acting by hand.


def test_everything_can_be_done_by_hand() -> None:
    """Design section 7: each act is a step of its own, readable in the schedule, and repeats exactly."""
    run: dict[str, Any] = {"scenario": bs.Scenario(), "behaviors": {"B": boom}}
    sim = at_rest()
    acts: list[Callable[[], None]] = [
        lambda: sim.set("v", [1, {"x": None}]),
        lambda: sim.message("m", key="k", payload={"pay": 7}),
        lambda: sim.signal("alert"),
        lambda: sim.complete("u", outputs={"ok": True}),
        lambda: sim.retry(0),
        lambda: sim.resolve(0),
        lambda: sim.start("p", {"w": 1}),
        lambda: sim.fail("u", "NO"),
        lambda: sim.drop(2),
        lambda: sim.cancel(),
    ]
    for act in acts:
        before = sim.steps
        act()
        assert sim.steps == before + 1
        sim.run()
    assert [text for _, text in sim.schedule.stimuli] == [
        'set(v){"values":{"v":[1,{"dict":[["x",null]]}]}}',
        'message(m){"key":"k","values":{"pay":7}}',
        "signal(alert)",
        'complete(u){"values":{"ok":true}}',
        "retry(0)",
        "resolve(0)",
        'start(p){"values":{"w":1}}',
        'fail(u){"error":"NO"}',
        "drop(2)",
        "cancel()",
    ]
    trace = sim.trace()
    assert trace.outcome == "terminated"
    assert trace.values["p"]["ok"] is True
    assert trace.values["p#2"] == {"w": 1}
    assert rows(trace.incidents(), "node", "state") == [("B", "resolved"), ("B", "overtaken"), ("u", "dead-lettered")]
    assert bs.simulate(office(), schedule=str(sim.schedule), **run) == trace


def test_names_with_signs_survive_in_the_schedule() -> None:
    """Scheduling.md 1.2: one line, whatever a message or a value is called."""
    sim = at_rest()
    sim.message("a) ~;,<{ü", payload={"x~;": "ü,;~\n"})
    trace = sim.run()
    again = bs.simulate(office(), scenario=bs.Scenario(), behaviors={"B": boom}, schedule=str(trace.schedule))
    assert again == trace
    assert str(trace.schedule).isascii()


def test_what_is_handed_in_is_copied() -> None:
    """Design section 4, Data: changing it afterwards changes nothing in the run, and nothing in its replay."""
    sim = at_rest()
    given = [1]
    sim.set("v", given)
    given.append(2)
    assert sim.trace().values["v"] == [1]
    sim.back(1)
    sim.run()
    assert sim.trace().values["v"] == [1]


def test_an_inner_instance_is_completed_by_its_ordinal() -> None:
    """ITER-U-03: complete(node, ordinal); without one the lowest that is open; the run goes on by itself."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.user("u", multi_instance=bs.parallel(cardinality=3)) >> b.end("e")
    sim = bs.Simulation(b.model(), scenario=bs.Scenario())
    sim.run()
    sim.complete("u", ordinal=1)
    sim.complete("u")
    sim.run()
    done = sim.trace().inner_instances().query("state == 'completed'")
    assert list(done.ordinal) == [0, 1]
    with pytest.raises(bs.NoSuchTask, match="number 1"):
        sim.complete("u", 1)
    sim.complete("u")
    assert sim.run().outcome == "completed"


def test_a_value_is_set_in_the_scope_that_is_named() -> None:
    """Design section 7: set(name, value, scope): the path as tables show it."""
    b = bs.ProcessBuilder("p")
    sub = b.subprocess("sp", body=lambda i: i.start() >> i.user("x"), multi_instance=bs.parallel(cardinality=2))
    _ = b.start("s") >> sub >> b.end("e")
    sim = bs.Simulation(b.model(), scenario=bs.Scenario())
    sim.run()
    sim.set("v", 1, scope="/p/sp[1]")
    sim.set("v", 2)
    data = sim.trace().data().query("name == 'v'")
    assert rows(data, "scope", "new") == [("/p/sp[1]", 1), ("/p", 2)]
    with pytest.raises(bs.NoSuchTask, match=r"did you mean '/p/sp\[1\]'"):
        sim.set("v", 1, scope="/p/sp[12]")


def test_canceling_what_was_given_up_is_no_failure() -> None:
    """INC-06, LIF-03: a dropped incident fails the run only while its token is there."""
    sim = at_rest()
    sim.drop(0)
    assert sim.run().outcome == "waiting"
    sim.cancel()
    assert sim.trace().outcome == "terminated"
    assert live(sim.trace()) == []


def test_a_long_session_repeats_exactly() -> None:
    """Lesson 40: a session of picks, acts and rewinds is one schedule."""
    sim = bs.Simulation(looping(), seed=7, behaviors={"A": counting})
    for number in range(60):
        if sim.outcome is not None:
            sim.back(7)
        sim.step(sim.enabled[-1].name)
        if number % 9 == 0:
            sim.set("n", number % 4)
    trace = sim.run()
    assert bs.simulate(looping(), behaviors={"A": counting}, schedule=str(trace.schedule)) == trace
    assert count(trace, "e") == 1
