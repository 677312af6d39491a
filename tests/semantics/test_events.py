"""None events and the terminate end event (core.md NON-01, TRM-01 to TRM-04)."""

from __future__ import annotations

import bpmnsim as bs

from ..models import changes, count, path, phases, rows


def fraud(work: str = "task") -> bs.Model:
    """Build s>+>{fraud>TERM; pay>e}."""
    b = bs.ProcessBuilder("p")
    split = b.parallel("split")
    _ = b.start("s") >> split
    _ = split >> b.task("fraud") >> b.end("TERM", kind="terminate")
    _ = split >> getattr(b, work)("pay") >> b.end("e")
    return b.model()


def test_a_none_throw_passes() -> None:
    """NON-01: a none intermediate throw is a pass-through."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.event("reached") >> b.end("e")
    trace = bs.simulate(b.model())
    assert (trace.outcome, path(trace, 0)) == ("completed", ["s", "reached", "e"])


def test_an_instance_completes_only_when_no_track_is_left() -> None:
    """NON-01 (EXE-08): an end event consumes its token and leaves the others alone."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> [b.end("e1"), b.task("A")]
    trace = bs.simulate(b.model())
    assert phases(trace, "InstanceState") == [("Created", "p"), ("Active", "p"), ("Completed", "p")]
    assert count(trace, "A") == 1


def test_terminate_ends_the_instance() -> None:
    """TRM-01.1, M-44 (TRM-01): Active, Terminating, Terminated; pay canceled, its token consumed; e not visited."""
    trace = bs.simulate(fraud(), durations={"pay": 4})
    assert trace.outcome == "terminated"
    assert [phase for phase, _ in phases(trace, "InstanceState")] == ["Created", "Active", "Terminating", "Terminated"]
    assert rows(trace.tokens().query("node == 'pay'"), "track", "track_state", "token_state") == [
        (1, "canceled", "consumed")
    ]
    assert (count(trace, "pay"), count(trace, "e"), trace.time) == (0, 0, 0.0)


def test_terminate_withdraws_open_work() -> None:
    """TRM-01: waits are closed; nothing can be completed afterwards (case-18)."""
    sim = bs.Simulation(fraud("user"), scenario=bs.Scenario())
    trace = sim.run()
    assert (trace.outcome, sim.enabled) == ("terminated", ())
    assert [phase for phase, node in phases(trace, "EventFlow") if node == "pay"] == ["Registered", "Unregistered"]


def test_a_result_that_comes_after_termination_is_discarded() -> None:
    """EXE-05 (TRM-01): work under way is canceled; what it would have written is not there."""
    trace = bs.simulate(fraud(), durations={"pay": 4, "fraud": 2}, behaviors={"pay": lambda _: {"v": 1}})
    assert (trace.outcome, trace.time, dict(trace.values), changes(trace)) == ("terminated", 2.0, {}, [])
    assert rows(trace.history().query("track == 1"), "node", "track_state") == [
        ("pay", "executing_step"),
        ("pay", "canceled"),
    ]


def test_two_terminates_at_one_instant_are_one() -> None:
    """TRM-02.1 (TRM-02): 1 Terminating fact, whoever is first."""
    b = bs.ProcessBuilder("p")
    split = b.parallel("split")
    _ = b.start("s") >> split
    for name in ("a", "b"):
        _ = split >> b.task(name) >> b.end(f"T{name}", kind="terminate")
    for seed in range(20):
        trace = bs.simulate(b.model(), seed=seed, durations={"a": 1, "b": 1})
        assert [phase for phase, _ in phases(trace, "InstanceState")].count("Terminating") == 1
        assert count(trace, "Ta") + count(trace, "Tb") == 1


def test_terminate_in_a_sub_process_ends_only_its_scope() -> None:
    """TRM-03.1 (TRM-03): Scope Opened, Terminated; after visited; completed."""
    b = bs.ProcessBuilder("p")

    def body(inside: bs.model.inside.Inside) -> None:
        _ = inside.start() >> inside.parallel("split") >> [inside.end("TERM", kind="terminate"), inside.user("slow")]

    _ = b.start("s") >> b.subprocess("sp", body=body) >> b.task("after") >> b.end("e")
    trace = bs.simulate(b.model(), scenario=bs.Scenario())
    assert phases(trace, "Scope") == [("Opened", "sp"), ("Terminated", "sp")]
    assert (count(trace, "after"), count(trace, "e"), trace.outcome) == (1, 1, "completed")


def test_terminate_reaches_into_nested_scopes() -> None:
    """TRM-03 (SUB-07): scopes below are closed deepest first, then the terminated one."""
    b = bs.ProcessBuilder("p")
    outer = b.subprocess("outer")
    a = b.inside(outer)
    inner = a.subprocess("inner", body=lambda c: c.start() >> c.user("u"))
    _ = a.start() >> a.parallel("split") >> [inner, a.end("TERM", kind="terminate")]
    _ = b.start("s") >> outer >> b.end("e")
    trace = bs.simulate(b.model(), scenario=bs.Scenario(), strategy="priority(inner,inner_start,u)")
    assert phases(trace, "Scope") == [
        ("Opened", "outer"),
        ("Opened", "inner"),
        ("Terminated", "inner"),
        ("Terminated", "outer"),
    ]
    canceled = trace.history().query("track_state == 'canceled'")
    assert list(canceled.node) == ["inner", "u"]
    assert trace.outcome == "completed"


def test_the_terminating_track_ends_ended() -> None:
    """TRM-04.1 (TRM-04): fraud's track ended at TERM."""
    trace = bs.simulate(fraud("user"), scenario=bs.Scenario())
    last = trace.history().query("track == 0").iloc[-1]
    assert (last.node, last.track_state) == ("TERM", "ended")


def test_several_terminate_definitions_are_one_end() -> None:
    """TRM-02: an end event with two terminate definitions terminates once."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.end("TERM", kind="terminate")
    trace = bs.simulate(b.model())
    assert [phase for phase, _ in phases(trace, "InstanceState")] == ["Created", "Active", "Terminating", "Terminated"]
    assert trace.outcome == "terminated"
