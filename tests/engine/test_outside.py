"""The outside world: scenarios, messages, who gets what (core.md MSG-02, MSG-03, HUM-07, design section 4)."""

from __future__ import annotations

import pytest

import bpmnsim as bs

from ..models import live, path, phases


def two_users() -> bs.Model:
    """Build s>+>{u>A, v>B}."""
    b = bs.ProcessBuilder("p")
    split = b.parallel("split")
    _ = b.start("s") >> split
    for user, task in (("u", "A"), ("v", "B")):
        _ = split >> b.user(user) >> b.task(task)
    return b.model()


def receiving(*names: str) -> bs.Model:
    """Build s>+>{a receive task for message m each}."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.receive(name, message="m") for name in names]
    return b.model()


def test_the_open_scenario_does_everything_once() -> None:
    """Design section 4: whatever is awaited from outside arrives, in an order the strategy picks."""
    assert bs.simulate(two_users()).outcome == "completed"
    order = {tuple(bs.simulate(two_users(), seed=seed).visits().sort_values("left_at").node) for seed in range(20)}
    assert len(order) > 2


def test_what_is_listed_goes_first_and_the_rest_by_itself() -> None:
    """Design section 4: an open scenario with a listed completion."""
    trace = bs.simulate(two_users(), scenario=bs.Scenario.open().complete("u", outputs={"ok": True}))
    assert (trace.outcome, dict(trace.values)) == ("completed", {"ok": True})


def test_a_closed_scenario_does_only_what_is_listed() -> None:
    """Design section 4, DLK-05: the rest waits."""
    trace = bs.simulate(two_users(), scenario=bs.Scenario().complete("u"))
    assert (trace.outcome, live(trace)) == ("waiting", [(1, "v", "waiting")])


def test_a_stimulus_has_its_time() -> None:
    """Design section 7: at= virtual time."""
    trace = bs.simulate(two_users(), scenario=bs.Scenario().complete("v", at=3).complete("u", at=2))
    visits = trace.tokens().query("node in ('u', 'v')")
    assert dict(zip(visits.node, visits.left_time, strict=True)) == {"u": 2.0, "v": 3.0}


def test_a_stimulus_can_wait_for_an_element() -> None:
    """Design section 7: after= element."""
    trace = bs.simulate(two_users(), scenario=bs.Scenario().complete("u", at=5).complete("v", after="A"))
    visits = trace.tokens().query("node == 'v'")
    assert list(visits.left_time) == [5.0]


def test_work_that_comes_later_is_not_lost() -> None:
    """Design section 4: a listed completion whose task is not open yet waits for it."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("A") >> b.user("u") >> b.end("e")
    trace = bs.simulate(b.model(), durations={"A": 9}, scenario=bs.Scenario().complete("u", at=1))
    assert (trace.outcome, trace.time) == ("completed", 9.0)


def test_a_message_is_buffered_until_somebody_waits() -> None:
    """MSG-02: drained on subscription; its payload is committed when the node executes (EVT-12)."""
    scenario = bs.Scenario().message("m", payload={"pay": 7})
    trace = bs.simulate(receiving("R"), scenario=scenario)
    assert (trace.outcome, dict(trace.values)) == ("completed", {"pay": 7})


def test_a_message_reaches_exactly_one() -> None:
    """MSG-03: one receiver per message; the other goes on waiting."""
    sim = bs.Simulation(receiving("R1", "R2"), scenario=bs.Scenario())
    sim.run()
    sim.message("m")
    trace = sim.run()
    assert (trace.outcome, live(trace)) == ("waiting", [(1, "R2", "waiting")])
    sim.message("m")
    assert sim.run().outcome == "completed"


def test_a_second_message_for_one_wait_is_kept() -> None:
    """TRK-10: a parked track accepts one delivery."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.receive("R1", message="m") >> b.receive("R2", message="m") >> b.end("e")
    sim = bs.Simulation(b.model(), scenario=bs.Scenario())
    sim.run()
    sim.message("m", payload={"n": 1})
    sim.message("m", payload={"n": 2})
    trace = sim.run()
    assert (trace.outcome, path(trace, 0), dict(trace.values)) == ("completed", ["s", "R1", "R2", "e"], {"n": 2})


def test_a_message_with_another_name_wakes_nobody() -> None:
    """MSG-04: it stays in the buffer."""
    sim = bs.Simulation(receiving("R"), scenario=bs.Scenario())
    sim.run()
    sim.message("other")
    assert sim.run().outcome == "waiting"


def test_every_wait_is_registered_and_unregistered_once() -> None:
    """EVT-09: exactly one Unregistered for each Registered, whoever ended the wait."""
    for seed in range(5):
        trace = bs.simulate(receiving("R1", "R2"), seed=seed)
        found = [phase for phase, _ in phases(trace, "EventFlow")]
        assert (found.count("Registered"), found.count("Unregistered")) == (2, 2)


@pytest.mark.parametrize(
    "call",
    [
        lambda sim: sim.complete("v"),
        lambda sim: sim.complete("nobody"),
        lambda sim: sim.complete("u", ordinal=3),
        lambda sim: sim.fail("v", "E"),
        lambda sim: sim.set("x", object(), scope="/none"),
        lambda sim: sim.set("x", (n for n in "ab")),
        lambda sim: sim.start("nothing"),
    ],
    ids=["done before", "unknown", "no such ordinal", "nothing to fail", "no such scope", "not plain", "no process"],
)
def test_a_call_that_makes_no_sense_changes_nothing(call: object) -> None:
    """Design section 8, HUM-07: our own error, and the run is as it was."""
    sim = bs.Simulation(two_users(), scenario=bs.Scenario().complete("v"))
    sim.run()
    before = sim.trace()
    with pytest.raises(bs.BpmnSimError):
        call(sim)  # type: ignore[operator]
    assert sim.trace() == before
    assert sim.steps == before.steps
    sim.complete("u")
    assert sim.run().outcome == "completed"


def test_a_scenario_that_names_what_does_not_run_is_refused() -> None:
    """Design section 8: with the nearest spelling."""
    with pytest.raises(bs.ModelError, match="did you mean 'split'"):
        bs.simulate(two_users(), scenario=bs.Scenario().complete("splitt"))


def test_a_value_set_after_the_end_is_no_error() -> None:
    """Design section 7: what goes wrong inside a run never raises; nobody is there to see the value."""
    trace = bs.simulate(two_users(), scenario=bs.Scenario.open().set("x", 1, at=99))
    assert trace.outcome == "completed"
    assert "x" not in trace.values


def test_an_ordinal_is_a_number() -> None:
    """ITER-U-15: a delivery names its ordinal by a number: true is none, by hand and in a scenario."""
    sim = bs.Simulation(two_users(), scenario=bs.Scenario())
    sim.run()
    for act in (sim.complete, bs.Scenario().complete):
        with pytest.raises(bs.SimulationError):
            act("u", True)
    with pytest.raises(bs.SimulationError):
        bs.Scenario().fail("u", "E", False)
    assert sim.trace().stuck[0].waits_for == "completion"
