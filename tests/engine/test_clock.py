"""Virtual time: when it moves, and what is a choice when it has (core.md BND-04, design section 4, Clock)."""

from __future__ import annotations

import bpmnsim as bs

from ..models import rows


def beside(*names: str, **after: str) -> bs.Model:
    """Build s>+>{names}; after adds a task behind one of them."""
    b = bs.ProcessBuilder("p")
    nodes = {name: (b.user if name == "u" else b.service)(name) for name in names}
    _ = b.start("s") >> b.parallel("split") >> list(nodes.values())
    for name, behind in after.items():
        _ = nodes[name] >> b.service(behind)
    return b.model()


def ended(trace: bs.Trace) -> list[tuple[str, float]]:
    """Return when which task was left, in order."""
    visits = trace.tokens().query("node not in ('s', 'split')").sort_values("left")
    return rows(visits, "node", "left_time")


def test_time_moves_to_the_next_due_time() -> None:
    """Design section 4: from one due time to the next, only when no internal action is left."""
    trace = bs.simulate(beside("A", "B", A="C"), durations={"A": 2, "B": 5, "C": 1})
    assert ended(trace) == [("A", 2.0), ("C", 3.0), ("B", 5.0)]


def test_things_due_at_one_instant_are_a_choice() -> None:
    """BND-04: fifo takes them in arming order; the choice is a race."""
    trace = bs.simulate(beside("A", "B"), durations={"A": 2, "B": 2})
    assert ended(trace) == [("A", 2.0), ("B", 2.0)]
    choice = trace.choices().iloc[-1]
    assert (choice.kind, choice.options) == ("race", "complete(p/A) complete(p/B)")
    sim = bs.Simulation(beside("A", "B"), durations={"A": 2, "B": 2})
    sim.run(until=lambda sim: sim.enabled[0].kind == "complete")
    sim.step("complete(p/B)")
    assert ended(sim.run()) == [("B", 2.0), ("A", 2.0)]


def test_completions_go_before_what_else_is_due() -> None:
    """BND-04: at the same instant fifo takes the end of work first, whatever was armed first."""
    scenario = bs.Scenario().set("v", 1, at=2)
    sim = bs.Simulation(beside("A"), durations={"A": 2}, scenario=scenario)
    sim.run(until=1.5)
    assert [action.name for action in sim.enabled] == ["complete(p/A)", "set(v)"]


def test_what_is_armed_for_an_earlier_time_goes_first() -> None:
    """Design section 4: a due time that was passed to take back when something earlier has been armed."""
    sim = bs.Simulation(beside("A", "u", u="C"), durations={"A": 5, "C": 1}, scenario=bs.Scenario())
    sim.run(until=4.0)
    assert [action.name for action in sim.enabled] == ["complete(p/A)"]
    sim.complete("u")
    assert ended(sim.run()) == [("u", 0.0), ("C", 1.0), ("A", 5.0)]


def test_what_is_armed_for_the_same_time_joins_the_choice() -> None:
    """BND-04: also when the instant had been looked at before (a person completes u at time 0)."""
    sim = bs.Simulation(beside("A", "u", u="C"), durations={"A": 5, "C": 5}, scenario=bs.Scenario())
    sim.run(until=4.0)
    sim.complete("u")
    sim.run(until=4.0)
    assert [action.name for action in sim.enabled] == ["complete(p/A)", "complete(p/C)"]


def test_an_open_user_task_races_with_the_clock() -> None:
    """Design section 4: where an action from outside is enabled too, moving time or not is a choice."""
    sim = bs.Simulation(beside("A", "u"), durations={"A": 5})
    sim.run(until=lambda sim: not sim.enabled[0].name.startswith("run"))
    assert [action.name for action in sim.enabled] == ["complete(p/u)", "complete(p/A)"]
    sim.step("complete(p/A)")
    assert sim.time == 5.0
    assert ended(sim.run()) == [("A", 5.0), ("u", 5.0)]


def test_untimed_runs_let_work_end_at_any_moment() -> None:
    """Design section 4, Clock: time="untimed": a completion is enabled as soon as the work has started."""
    sim = bs.Simulation(beside("A", "B"), durations={"A": 5, "B": 1}, time="untimed")
    sim.run(until="A")
    sim.step("run(p/A)")
    assert [action.name for action in sim.enabled] == ["run(p/B)", "complete(p/A)"]
    sim.step("complete(p/A)")
    assert [node for node, _ in ended(sim.run())] == ["A", "B"]


def test_durations_do_not_depend_on_the_interleaving() -> None:
    """Design section 4, Clock: a stream per (seed, activity, activation, ordinal)."""
    durations = {name: (lambda rng, _task: 1 + rng.random()) for name in "AB"}
    found = set()
    for strategy in ("fifo", "depth", "round-robin", "priority(B,A)"):
        trace = bs.simulate(beside("A", "B"), seed=7, strategy=strategy, durations=durations)
        found.add(tuple(sorted(ended(trace))))
    assert len(found) == 1
    ((_, first), (_, second)) = found.pop()
    assert first != second


def test_calendar_durations_count_from_the_epoch() -> None:
    """Core.md TMR-02: months follow the calendar from the virtual start date."""
    model = beside("A")
    assert bs.simulate(model, durations={"A": "P1M"}).time == 31 * 86400.0
    assert bs.simulate(model, durations={"A": "P1M"}, epoch="2001-02-01").time == 28 * 86400.0


def test_work_without_time_is_done_before_time_moves() -> None:
    """Design section 4: a zero duration is due at once, after what is ready now."""
    trace = bs.simulate(beside("A", "B"), durations={"A": 0, "B": 1})
    assert ended(trace) == [("A", 0.0), ("B", 1.0)]
