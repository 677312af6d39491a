"""A run in progress: every step can be chosen, undone and explained (design section 7)."""

from __future__ import annotations

import json

import pytest

import bpmnsim as bs


def fork() -> bs.Model:
    b = bs.ProcessBuilder("p")
    split, join = b.parallel("split"), b.parallel("join")
    _ = b.start("s") >> split
    _ = split >> b.task("A") >> join
    _ = split >> b.user("B") >> join
    _ = join >> b.task("C") >> b.end("e")
    return b.model()


def names(sim: bs.Simulation) -> list[str]:
    return [action.name for action in sim.enabled]


def test_what_is_enabled_has_a_name_a_kind_and_a_node() -> None:
    """scheduling.md 1.1: verb(path); canonical order is age, internal actions first."""
    sim = bs.Simulation(fork())
    sim.run(until="A")
    assert [tuple(action) for action in sim.enabled] == [("run(p/A)", "run", "A"), ("run(p/B)", "run", "B")]
    sim.step("run(p/B)")
    assert names(sim) == ["run(p/A)", "complete(p/B)"]


def test_a_step_returns_the_facts_it_left() -> None:
    """Design section 7: step() tells what happened."""
    sim = bs.Simulation(fork())
    assert [(row.step, row.kind, row.node, row.track) for row in sim.step()] == [(1, "visit", "s", 0)]


def test_a_pick_is_recorded_as_a_deviation_and_undone_with_it() -> None:
    """scheduling.md 1.2: only what the base would not have picked is stored; another pick replaces it."""
    sim = bs.Simulation(fork())
    sim.run(until="A")
    sim.step("run(p/B)")
    assert sim.schedule.deviations == ((0, "run(p/B)"),)
    sim.back()
    sim.step("run(p/A)")
    assert sim.schedule.deviations in ((), ((0, "run(p/A)"),))
    assert sim.run().outcome == "completed"


def test_until_stops_before_a_node_a_time_and_a_condition() -> None:
    """Design section 7: until is an element, a time or a function."""
    b = bs.ProcessBuilder("p")
    _ = b.start() >> b.service("slow") >> b.service("slower") >> b.end()
    sim = bs.Simulation(b.model(), durations={"slow": 5, "slower": "PT10S"})
    sim.run(until="slower")
    assert (sim.time, names(sim)) == (5.0, ["run(p/slower)"])
    sim.run(until=14.0)
    assert (sim.time, names(sim)) == (5.0, ["complete(p/slower)"])
    sim.run(until=lambda running: running.time >= 15)
    assert sim.time == 15.0


def test_somebody_outside_acts_and_the_schedule_repeats_it() -> None:
    """Design section 7: set, complete and the rest are steps of their own and part of the schedule."""
    sim = bs.Simulation(fork(), scenario=bs.Scenario())
    assert sim.run().outcome == "waiting"
    sim.set("note", "hello")
    sim.complete("B", outputs={"done": True})
    trace = sim.run()
    assert (trace.outcome, dict(trace.values)) == ("completed", {"note": "hello", "done": True})
    assert bs.simulate(fork(), scenario=bs.Scenario(), schedule=str(trace.schedule)) == trace
    with pytest.raises(bs.NoSuchTask):
        sim.complete("B")


def test_an_incident_is_retried_resolved_or_dropped() -> None:
    """INC-06: retry runs the node again, resolve goes on behind it, drop gives the token up."""
    b = bs.ProcessBuilder("p")
    _ = b.start() >> b.service("charge") >> b.service("after") >> b.end()
    calls: list[int] = []

    def charge(_: object) -> None:
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("no network")

    sim = bs.Simulation(b.model(), behaviors={"charge": charge})
    assert sim.run().outcome == "incident"
    sim.retry(0)
    trace = sim.run()
    assert (trace.outcome, len(calls)) == ("completed", 2)
    assert trace.incidents()["resolved"].notna().tolist() == [True]
    for act, outcome, runs in (("resolve", "completed", 1), ("drop", "failed", 1)):
        calls.clear()
        sim = bs.Simulation(b.model(), behaviors={"charge": charge})
        sim.run()
        getattr(sim, act)(0)
        assert (sim.run().outcome, len(calls)) == (outcome, runs)


def test_cancel_twice_is_cancel_once() -> None:
    """LIF-03: idempotent; everything open is canceled."""
    sim = bs.Simulation(fork(), scenario=bs.Scenario())
    sim.run()
    sim.cancel()
    steps = sim.steps
    sim.cancel()
    facts = sim.trace().facts()
    assert (sim.steps, sim.outcome) == (steps, "terminated")
    assert facts.query("kind == 'InstanceState'")["phase"].tolist().count("Terminating") == 1


def test_why_an_and_join_waits() -> None:
    """AND-04, DLK-01: which flow is empty, and which token could still bring one."""
    sim = bs.Simulation(fork(), scenario=bs.Scenario())
    sim.run()
    why = sim.why("join")
    assert [(each.waits_for, each.tokens) for each in why.blockers] == [("f_B_join", ((1, "B"),))]
    assert "f_B_join" in why.text
    assert sim.why("C").blockers == ()


def test_a_checkpoint_is_bound_to_version_model_and_inputs() -> None:
    """CKP-02, CKP-09: another version, another model, other inputs or a changed text are refused with the reason."""
    sim = bs.Simulation(fork(), seed=1)
    sim.run(until="A")
    saved = json.loads(json.dumps(sim.checkpoint()))
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.end("e")
    cases = [
        (fork(), {**saved, "version": saved["version"] + 1}, {}, "version"),
        (b.model(), saved, {}, "another model"),
        (fork(), saved, {"data": {"x": 1}}, "inputs"),
        (fork(), {**saved, "fact_count": 0}, {}, "changed"),
        (fork(), {"a": 1}, {}, "no checkpoint"),
    ]
    for model, given, run, reason in cases:
        with pytest.raises(bs.StateError, match=reason):
            bs.Simulation.restore(model, given, **run)


def test_a_divergence_says_what_was_expected_and_what_is_enabled() -> None:
    """scheduling.md 1.6: choice number, expected, enabled, nearest."""
    sim = bs.Simulation(fork())
    sim.run(until="A")
    sim.step("run(p/B)")
    schedule = bs.Schedule(deviations=((0, "run(p/BB)"),))
    with pytest.raises(bs.ScheduleDivergence) as raised:
        bs.simulate(fork(), schedule=schedule)
    error = raised.value
    assert (error.choice, error.expected, error.nearest) == (0, "run(p/BB)", "run(p/B)")
    assert error.enabled == ("run(p/A)", "run(p/B)")
    with pytest.raises(bs.ScheduleDivergence, match="goes on"):
        bs.simulate(fork(), schedule=bs.Schedule(deviations=((9, "run(p/A)"),)))


def test_a_schedule_survives_an_edited_model() -> None:
    """scheduling.md 1.6: allow_edited re-maps names and says so; without it another model is refused."""

    def drawn(name: str) -> bs.Model:
        b = bs.ProcessBuilder("p")
        split = b.parallel("split")
        _ = b.start("s") >> split
        for task in ("review", name, "ship"):
            _ = split >> b.task(task) >> b.end(f"e_{task}")
        return b.model()

    sim = bs.Simulation(drawn("charge"))
    sim.run(until="ship")
    sim.step("run(p/ship)")
    sim.step("run(p/charge)")
    schedule = sim.run().schedule
    with pytest.raises(bs.ScheduleDivergence, match="another model"):
        bs.simulate(drawn("charges"), schedule=schedule)
    trace = bs.simulate(drawn("charges"), schedule=schedule, allow_edited=True)
    assert "1 re-mapped" in trace.replayed
    assert (1, "run(p/charges)") in trace.schedule.deviations


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        (lambda: bs.read_bpmn("no/such/file.bpmn"), ["file.bpmn"]),
        (lambda: bs.read_bpmn(b""), ["empty"]),
        (lambda: bs.read_bpmn("<html/>"), ["html"]),
        (lambda: bs.load_sample("order_handlin"), ["order_handlin", "did you mean 'order_handling'?"]),
        (lambda: bs.simulate(fork(), behaviors={"AA": lambda _: None}), ["AA", "did you mean 'A'?"]),
        (lambda: bs.simulate(fork(), behavior={}), ["behavior", "did you mean 'behaviors'?"]),  # type: ignore[call-arg]
        (lambda: bs.simulate(fork(), strategy="fifoo"), ["fifoo", "did you mean 'fifo'?"]),
        (lambda: bs.simulate(fork(), decisions="fre"), ["fre", "did you mean 'free'?"]),
        (lambda: bs.simulate(fork(), process="q"), ["q", "p"]),
        (lambda: bs.simulate("order.bpmn"), ["bs.read_bpmn"]),  # type: ignore[arg-type]
        (lambda: bs.Simulation(fork()).step("run(p/ss)"), ["run(p/ss)", "did you mean 'run(p/s)'?"]),
        (lambda: bs.Simulation(fork()).why("joinn"), ["did you mean 'join'?"]),
        (lambda: bs.simulate(fork(), schedule="bs1;hello"), ["schedule"]),
    ],
)
def test_the_first_hour(call: object, parts: list[str]) -> None:
    """Design section 8: what is wrong, where, and what to do."""
    with pytest.raises(bs.BpmnSimError) as raised:
        call()  # type: ignore[operator]
    for part in parts:
        assert part in str(raised.value)


def test_a_missing_variable_is_an_incident_with_both_remedies() -> None:
    """FLW-04, design section 4: flow, text, name and remedies; simulate() does not raise."""
    b = bs.ProcessBuilder("p")
    choice = b.exclusive("choice")
    _ = b.start() >> choice
    choice.flow(b.end("yes"), when="amount > 10")
    choice.flow(b.end("no"), default=True)
    trace = bs.simulate(b.model())
    text = trace.incidents()["error"].item()
    assert trace.outcome == "incident"
    for part in ("f_choice_yes", "amount > 10", "'amount'", "data", 'decisions="free"'):
        assert part in text
