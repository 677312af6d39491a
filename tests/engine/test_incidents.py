"""Failures inside a run, retries and what an operator may do (core.md INC-01 to INC-10, ERP-02)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import bpmnsim as bs
from bpmnsim.errors import InternalError

from ..models import count, details, live, path, phases, rows


def charge() -> bs.Model:
    """Build s>charge>e."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("charge") >> b.end("e")
    return b.model()


def fails(times: int) -> dict[str, Callable[[Any], None]]:
    """Return a behavior of charge that fails the first few times it is called."""
    calls = []

    def work(task: Any) -> None:
        calls.append(task.time)
        if len(calls) <= times:
            raise RuntimeError(f"attempt {len(calls)}")

    return {"charge": work}


def actions(trace: bs.Trace) -> list[str]:
    """Return the actions of all incidents, in order."""
    facts = trace.facts()
    found = facts[(facts.kind == "Fault") & (facts.phase == "Incident")]
    return [detail.split()[0].removeprefix("action=") for detail in found.detail]


def test_a_failing_task_is_an_incident() -> None:
    """INC-01.1, INC-08.1, DLK-05.3 (INC-01, INC-08): state Active, tokens [(charge, incident)], outcome incident."""
    trace = bs.simulate(charge(), behaviors=fails(1))
    assert trace.outcome == "incident"
    assert [phase for phase, _ in phases(trace, "InstanceState")] == ["Created", "Active"]
    assert live(trace) == [(0, "charge", "incident")]
    assert [(s.node, s.waits_for) for s in trace.stuck] == [("charge", "RuntimeError: attempt 1")]


def test_an_incident_is_raised_with_its_error() -> None:
    """INC-02.1 (INC-02): Uncaught first, then Fault/Incident {action=raised}; attempts=1."""
    trace = bs.simulate(charge(), behaviors=fails(1))
    assert phases(trace, "Fault") == [("Uncaught", "charge"), ("Incident", "charge")]
    assert details(trace, "Fault")[1].startswith("action=raised incident_id=0")
    assert rows(trace.incidents(), "node", "error", "attempts", "state") == [
        ("charge", "RuntimeError: attempt 1", 1, "open")
    ]


def test_the_rest_of_the_process_goes_on() -> None:
    """INC-02: siblings continue; the instance stays active."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.service("charge"), b.task("other")]
    trace = bs.simulate(b.model(), behaviors=fails(9))
    assert (trace.outcome, count(trace, "other")) == ("incident", 1)


def test_an_incident_keeps_its_scope_open() -> None:
    """INC-03.1 (INC-03): incident in a sub-process: scope stays open."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.subprocess("sp", body=lambda i: i.start() >> i.service("charge")) >> b.end("e")
    trace = bs.simulate(b.model(), behaviors=fails(1))
    assert phases(trace, "Scope") == [("Opened", "sp")]
    assert live(trace) == [(0, "sp", "waiting"), (1, "charge", "incident")]


def test_a_retry_policy_tries_again_after_its_delay() -> None:
    """INC-04.1 (INC-04): one retry after 5: retry-scheduled {retry_at=5}, retried at 5."""
    trace = bs.simulate(charge(), behaviors=fails(1), retries={"charge": (1, 5)})
    facts = trace.facts()
    found = facts[(facts.kind == "Fault") & (facts.phase == "Incident")]
    assert [(time, detail.split()[0]) for time, detail in rows(found, "time", "detail")] == [
        (0.0, "action=raised"),
        (0.0, "action=retry-scheduled"),
        (5.0, "action=retried"),
        (5.0, "action=resolved"),
    ]
    assert "retry_at=5" in found.detail.iloc[1]
    assert (trace.outcome, trace.time) == ("completed", 5.0)


def test_a_retry_that_succeeds_at_the_last_node_resolves() -> None:
    """INC-05.1, INC-09.1 (INC-05, INC-09): the last task fails once, retry ok: resolved, completed."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("charge")
    trace = bs.simulate(b.model(), behaviors=fails(1), retries={"charge": 1})
    assert (trace.outcome, actions(trace)[-1]) == ("completed", "resolved")
    assert rows(trace.incidents(), "state", "attempts") == [("resolved", 1)]


def test_dropping_the_only_incident_fails_the_run() -> None:
    """INC-06.1 (INC-06): outcome failed, tokens []."""
    sim = bs.Simulation(charge(), behaviors=fails(1))
    sim.run()
    sim.drop(0)
    trace = sim.run()
    assert (trace.outcome, live(trace), actions(trace)) == ("failed", [], ["raised", "dead-lettered"])


def test_resolving_goes_on_without_the_node() -> None:
    """INC-06: new tracks on all outgoing flows; the node is not run again, conditions are not evaluated."""
    b = bs.ProcessBuilder("p")
    task = b.service("charge")
    _ = b.start("s") >> task
    task.flow(b.end("e1"), "no_such_name > 1")
    task.flow(b.end("e2"))
    sim = bs.Simulation(b.model(), behaviors=fails(1))
    sim.run()
    sim.resolve(0)
    trace = sim.run()
    assert (trace.outcome, count(trace, "charge"), count(trace, "e1"), count(trace, "e2")) == ("completed", 0, 1, 1)
    assert rows(trace.tokens().query("node in ('e1', 'e2')"), "track", "parent") == [(1, 0), (2, 0)]


@pytest.mark.parametrize("operation", ["retry", "resolve", "drop"])
def test_an_operator_needs_an_open_incident(operation: str) -> None:
    """INC-06: unknown id: not found; closed: invalid state. Nothing changes."""
    sim = bs.Simulation(charge(), behaviors=fails(1))
    sim.run()
    with pytest.raises(bs.NoSuchTask, match="7"):
        getattr(sim, operation)(7)
    sim.resolve(0)
    before = sim.trace()
    with pytest.raises(bs.StateError, match="resolved"):
        getattr(sim, operation)(0)
    assert sim.trace() == before


def test_automatic_and_operator_retries_extend_one_incident() -> None:
    """INC-10.1, INC-10.2, M-22 (INC-10): raised, retry-scheduled, retried, raised, retried, resolved; attempts=2."""
    sim = bs.Simulation(charge(), data={"order_id": 7}, behaviors=fails(2), retries={"charge": 1})
    assert sim.run().outcome == "incident"
    sim.retry(0)
    trace = sim.run()
    assert actions(trace) == ["raised", "retry-scheduled", "retried", "raised", "retried", "resolved"]
    assert rows(trace.incidents(), "incident", "attempts", "state") == [(0, 2, "resolved")]
    assert [path(trace, track) for track in range(3)] == [["s", "charge"], ["charge"], ["charge", "e"]]
    last = trace.history().groupby("track").last()
    assert rows(last, "parent", "track_state") == [(None, "incident"), (0, "incident"), (1, "ended")]
    assert trace.outcome == "completed"


@pytest.mark.parametrize("operation", ["retry", "resolve", "drop"])
def test_an_operator_may_be_faster_than_the_policy(operation: str) -> None:
    """INC-06: retry at any time; what the policy had scheduled does not happen any more."""
    sim = bs.Simulation(charge(), behaviors=fails(1), retries={"charge": (1, 5)})
    sim.run(until=1.0)
    getattr(sim, operation)(0)
    trace = sim.run()
    assert (trace.outcome, trace.time) == ({"drop": "failed"}.get(operation, "completed"), 0.0)
    assert actions(trace).count("retried") == (1 if operation == "retry" else 0)


def test_a_retry_belongs_to_its_token() -> None:
    """INC-05, INC-10: another token that completes at the same node resolves nothing."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.task("a"), b.task("b")] >> b.service("charge") >> b.end("e")
    results = iter([False, True, False])

    def work(_: Any) -> None:
        if not next(results):
            raise RuntimeError("no")

    sim = bs.Simulation(b.model(), behaviors={"charge": work}, strategy="priority(a)")
    sim.run(until=lambda sim: bool(live(sim.trace())) and "incident" in {state for *_, state in live(sim.trace())})
    sim.retry(0)
    trace = sim.run()
    assert rows(trace.incidents(), "incident", "attempts", "state") == [(0, 2, "open")]


def test_a_technical_error_is_no_business_error() -> None:
    """ERP-02, INC-01: a typed error is Thrown and Uncaught, an untyped one Uncaught only; both become incidents."""

    def reject(_: Any) -> None:
        raise bs.BpmnError("E1")

    trace = bs.simulate(charge(), behaviors={"charge": reject})
    assert [phase for phase, _ in phases(trace, "Fault")] == ["Thrown", "Uncaught", "Incident"]
    assert trace.outcome == "incident"


def test_the_traceback_is_kept_but_is_no_fact() -> None:
    """Design section 4, Behaviors: tracebacks differ between machines, facts do not."""
    trace = bs.simulate(charge(), behaviors=fails(1))
    assert "attempt 1" in (trace.record.tracebacks or {})[0]
    assert "Traceback" not in str(trace.record.facts)


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_an_interruption_is_no_incident(error: type[BaseException]) -> None:
    """Design section 8: Ctrl-C stops the program, not the token."""

    def stop(_: Any) -> None:
        raise error

    with pytest.raises(error):
        bs.simulate(charge(), behaviors={"charge": stop})


def test_a_timed_task_fails_when_it_ends() -> None:
    """EXE-05: an error of work under way counts only when the work ends."""
    trace = bs.simulate(charge(), behaviors=fails(9), durations={"charge": 3})
    facts = trace.facts()
    assert list(facts[facts.phase == "Uncaught"].time) == [3.0]
    assert trace.outcome == "incident"


def test_canceling_takes_incidents_along() -> None:
    """INC-07, INC-09: an incident in a scope that ends is overtaken; the track keeps its one terminal row."""
    sim = bs.Simulation(charge(), behaviors=fails(1))
    sim.run()
    sim.cancel()
    trace = sim.trace()
    assert (trace.outcome, actions(trace)) == ("terminated", ["raised", "overtaken"])
    assert list(trace.history().query("track == 0").track_state)[-1] == "incident"


def test_a_defect_of_the_engine_is_no_incident(monkeypatch: pytest.MonkeyPatch) -> None:
    """Design section 4: what a behavior, a duration or an expression raises is an incident; nothing else is."""
    model = charge()

    def raises(*_: Any) -> Any:
        raise KeyError("gone")

    assert bs.simulate(model, behaviors={"charge": raises}).outcome == "incident"
    assert bs.simulate(model, durations={"charge": raises}).outcome == "incident"
    monkeypatch.setattr("bpmnsim.engine.scopes.leave_scope", raises)
    with pytest.raises(InternalError, match="KeyError: 'gone'"):
        bs.simulate(model)
