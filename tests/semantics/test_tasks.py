"""Tasks: done in one go, over time, or by somebody outside (core.md TSK-01 to TSK-03, HUM-01, MSG-05, TRK-08)."""

from __future__ import annotations

import pytest

import bpmnsim as bs

from ..models import changes, count, path, rows

INSTANT = ["executing_step", "process_step_results"]


def one(kind: str, **options: str) -> bs.Model:
    """Build s>T>e with a task of some kind."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> getattr(b, kind)("T", **options) >> b.end("e")
    return b.model()


@pytest.mark.parametrize("kind", ["task", "service", "script", "send", "rule"])
def test_most_tasks_are_done_in_one_go(kind: str) -> None:
    """TSK-01 to TSK-04 (TRK-06): 2 rows, one step, no wait."""
    trace = bs.simulate(one(kind), scenario=bs.Scenario())
    assert list(trace.history().query("node == 'T'").track_state) == INSTANT
    assert (trace.outcome, trace.steps) == ("completed", 3)


def test_a_manual_task_starts_and_is_completed() -> None:
    """TSK-03, design section 4: a manual task passes by itself, with a start and a completion."""
    sim = bs.Simulation(one("manual"), scenario=bs.Scenario())
    sim.step()
    sim.step("run(p/T)")
    assert [action.name for action in sim.enabled] == ["complete(p/T)"]
    trace = sim.run()
    assert list(trace.history().query("node == 'T'").track_state) == INSTANT
    assert (trace.outcome, trace.steps) == ("completed", 4)


def test_a_manual_task_survives_the_way_through_a_file() -> None:
    """M-04 (TSK-03): completed; the export equals the model; key = process id."""
    model = bs.read_bpmn(bs.write_bpmn(one("manual")))
    assert bs.simulate(model).outcome == "completed"
    assert bs.read_bpmn(bs.write_bpmn(model)) == model
    assert [process.id for process in model.processes] == ["p"]


def test_a_user_task_waits_for_somebody() -> None:
    """HUM-01, DLK-05.2: the token waits, nothing is enabled in a closed scenario, the outcome is waiting."""
    sim = bs.Simulation(one("user"), scenario=bs.Scenario())
    trace = sim.run()
    assert (trace.outcome, sim.enabled) == ("waiting", ())
    assert rows(trace.tokens().query("node == 'T'"), "track_state", "token_state") == [("wait_for_event", "waiting")]
    assert [(s.node, s.waits_for) for s in trace.stuck] == [("T", "completion")]


def test_the_rows_of_a_wait() -> None:
    """TRK-08: receive: wait_for_event, ready, executing_step, process_step_results; 9 rows in all."""
    trace = bs.simulate(one("receive", message="pay"))
    history = trace.history()
    assert list(history[history.node == "T"].track_state) == ["wait_for_event", "ready", *INSTANT]
    assert len(history) == 9


def test_the_wait_is_registered_before_anything_is_delivered() -> None:
    """TRK-09 (SRD-027 FR-5): Registered comes before Parked, which comes before what is delivered."""
    facts = bs.simulate(one("receive", message="pay")).facts()
    phases = list(facts[facts.node == "T"].phase)
    order = [phases.index(phase) for phase in ("Registered", "Parked", "Unregistered", "Entered", "Executing")]
    assert order == sorted(order)


def test_a_user_task_commits_what_it_is_completed_with() -> None:
    """HUM-05: outputs are committed when the node executes, and visible to the next node."""
    sim = bs.Simulation(one("user"), scenario=bs.Scenario())
    sim.run()
    sim.complete("T", outputs={"ok": True})
    trace = sim.run()
    assert (trace.outcome, dict(trace.values)) == ("completed", {"ok": True})
    assert changes(trace) == [("Value_Added", "ok", "T", None, True)]


def test_completing_work_that_is_not_open_changes_nothing() -> None:
    """HUM-07: not found; the run is as it was."""
    sim = bs.Simulation(one("user"), scenario=bs.Scenario())
    before = sim.trace()
    with pytest.raises(bs.NoSuchTask, match="T"):
        sim.complete("T")
    assert (sim.steps, sim.trace() == before) == (0, True)


def test_a_user_task_can_fail_with_a_business_error() -> None:
    """INC-01: a typed business error that nobody catches is an incident of the activity."""
    sim = bs.Simulation(one("user"), scenario=bs.Scenario())
    sim.run()
    sim.fail("T", "REJECTED")
    trace = sim.run()
    assert (trace.outcome, [s.node for s in trace.stuck]) == ("incident", ["T"])
    assert "REJECTED" in trace.stuck[0].waits_for


def test_a_behavior_does_the_work_of_a_user_task_in_an_open_scenario() -> None:
    """Design section 4: a completion without outputs leaves it to the behavior what comes out."""
    trace = bs.simulate(one("user"), behaviors={"T": lambda task: {"by": task.id}})
    assert dict(trace.values) == {"by": "T"}


def test_a_script_is_a_behavior() -> None:
    """M-37, TSK-01.1 (TSK-01): vip/500: 25 wholesale, retail/150: 15 wholesale, none/40: 5 retail; completed."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> b.script("discount") >> x
    x.flow(b.end("wholesale"), "percent >= 15")
    x.flow(b.end("retail"), default=True)

    def discount(task: bs.behaviors.Task) -> dict[str, int]:
        if task["segment"] == "vip" and task["amount"] >= 500:
            return {"percent": 25}
        return {"percent": 15 if task["amount"] >= 100 else 5}

    ends = []
    for segment, amount in (("vip", 500), ("retail", 150), ("none", 40)):
        data = {"segment": segment, "amount": amount}
        trace = bs.simulate(b.model(), data=data, behaviors={"discount": discount})
        assert trace.outcome == "completed"
        ends.append((trace.values["percent"], path(trace, 0)[-1]))
    assert ends == [(25, "wholesale"), (15, "wholesale"), (5, "retail")]


def test_a_business_rule_decides_the_flow() -> None:
    """M-05 (TSK-02, FLW-02): total=250: discount_pct=15; apply-big-discount lane; completed."""
    b = bs.ProcessBuilder("p")
    rule = b.rule("discount")
    _ = b.start("s") >> rule
    rule.flow(b.task("apply-big-discount"), "discount_pct >= 15")
    rule.flow(b.task("apply-small-discount"), "discount_pct < 15")
    table = {True: 15, False: 5}
    trace = bs.simulate(
        b.model(),
        data={"total": 250},
        behaviors={"discount": lambda task: {"discount_pct": table[task["total"] > 200]}},
    )
    assert (trace.values["discount_pct"], trace.outcome) == (15, "completed")
    assert (count(trace, "apply-big-discount"), count(trace, "apply-small-discount")) == (1, 0)


def test_work_takes_the_time_it_is_given() -> None:
    """Design section 4, Clock: virtual time moves to the end of the work."""
    for given in (5, "PT5S", lambda _rng, _task: 5.0):
        trace = bs.simulate(one("service"), durations={"T": given}, behaviors={"T": lambda task: {"at": task.time}})
        assert (trace.time, trace.values["at"]) == (5.0, 0.0)
        assert rows(trace.tokens().query("node == 'T'"), "entered_time", "left_time") == [(0.0, 5.0)]


def test_what_timed_work_writes_is_there_when_it_ends() -> None:
    """EXE-04: outputs are committed at the end of the work, not at its start."""
    sim = bs.Simulation(one("service"), durations={"T": 5}, behaviors={"T": lambda _: {"v": 1}})
    assert changes(sim.run(until=4.0)) == []
    assert changes(sim.run()) == [("Value_Added", "v", "T", None, 1)]


def test_phase_granularity_gives_every_task_a_start_and_a_completion() -> None:
    """Design section 4, Steps: it is recorded in the header of the schedule."""
    trace = bs.simulate(one("task"), granularity="phase")
    assert (trace.steps, trace.schedule.granularity) == (4, "phase")
    with pytest.raises(bs.ScheduleDivergence, match="granularity"):
        bs.simulate(one("task"), schedule=trace.schedule)


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), "soon", True, None])
def test_a_duration_that_is_no_time_is_refused_or_an_incident(seconds: object) -> None:
    """Design section 8: only our own errors come out, and a function that returns nonsense is an incident."""
    if isinstance(seconds, str):
        with pytest.raises(bs.SimulationError, match="PT5M"):
            bs.simulate(one("service"), durations={"T": seconds})
        return
    trace = bs.simulate(one("service"), durations={"T": lambda _rng, _task: seconds})
    assert trace.outcome == ("completed" if seconds is None else "incident")


@pytest.mark.parametrize("what", ["behaviors", "durations"])
@pytest.mark.parametrize("key", ["s", "p", "R"])
def test_what_would_never_be_used_is_refused(what: str, key: str) -> None:
    """Design section 4, Behaviors: nothing that the caller hands in is silently ignored."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.receive("R", message="m") >> b.end("e")
    with pytest.raises(bs.ModelError, match=key):
        bs.simulate(b.model(), **{what: {key: lambda *_: 1}})


def test_an_unknown_key_names_the_nearest() -> None:
    """Design section 4, Behaviors: did you mean."""
    with pytest.raises(bs.ModelError, match="did you mean 'T'"):
        bs.simulate(one("service"), behaviors={"TT": lambda _: None})
