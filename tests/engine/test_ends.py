"""How runs end (core.md DLK-01, DLK-05, DLK-06, EXE-08)."""

from __future__ import annotations

import pytest

import bpmnsim as bs

from ..models import count, dead_join, line, live


def looping() -> bs.Model:
    """Build x→A→x for ever."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> x
    x.flow(b.task("A"), "True") >> x
    x.flow(b.end("e"), default=True)
    return b.model()


def test_a_dead_join_is_reported() -> None:
    """DLK-01.1, M-50 (DLK-01): deadlocked; stuck (T0, J, waits for f_B_J); e not visited."""
    trace = bs.simulate(dead_join())
    assert trace.outcome == "deadlocked"
    assert [(s.track, s.node, s.waits_for) for s in trace.stuck] == [(0, "J", "f_B_J")]
    assert count(trace, "e") == 0


def test_every_live_token_of_a_deadlock_is_named() -> None:
    """I20 (DLK-01): the report names every live token, whichever join it waits at."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    one, two = b.parallel("J1"), b.parallel("J2")
    _ = b.start("s") >> b.parallel("split") >> [b.task("a"), b.task("b"), b.task("c")]
    for source, join in (("a", one), ("b", two), ("c", x)):
        _ = bs.model.contents.Node(source, join.draft) >> join
    x.flow(b.end("e0"), "True")
    x.flow(one, "False")
    x.flow(two, "False")
    _ = one >> b.end("e1")
    _ = two >> b.end("e2")
    trace = bs.simulate(b.model())
    assert trace.outcome == "deadlocked"
    assert [(s.node, s.waits_for) for s in trace.stuck] == [("J1", "f_x_J1"), ("J2", "f_x_J2")]
    assert [(track, node) for track, node, _ in live(trace)] == [(s.track, s.node) for s in trace.stuck]


def test_a_receive_task_without_a_sender_waits() -> None:
    """DLK-05.1 (DLK-05): waiting."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.receive("R", message="pay") >> b.end("e")
    trace = bs.simulate(b.model(), scenario=bs.Scenario())
    assert (trace.outcome, [s.waits_for for s in trace.stuck]) == ("waiting", ["message pay"])


def half_dead() -> bs.Model:
    """Build s>+>{user u, charge, J}; the other flow into J is never taken."""
    b = bs.ProcessBuilder("p")
    join, x = b.parallel("J"), b.exclusive("x")
    _ = b.start("s") >> b.parallel("split") >> [b.user("u"), b.service("charge"), join, x]
    x.flow(join, "False")
    x.flow(b.end("e1"), default=True)
    _ = join >> b.end("e")
    return b.model()


def test_a_task_nobody_does_waits() -> None:
    """DLK-05.2 (DLK-05): waiting, also where another token is stuck for good."""
    trace = bs.simulate(half_dead(), scenario=bs.Scenario())
    assert trace.outcome == "waiting"
    assert [(s.node, s.waits_for) for s in trace.stuck] == [("u", "completion"), ("J", "f_x_J")]


def test_an_incident_goes_before_waiting_and_deadlocked() -> None:
    """DLK-05.3 (DLK-05): a run at rest is tested in the order incident, waiting, deadlocked."""
    failing = {"charge": lambda _: 1 / 0}
    assert bs.simulate(half_dead(), scenario=bs.Scenario(), behaviors=failing).outcome == "incident"
    assert bs.simulate(half_dead(), scenario=bs.Scenario()).outcome == "waiting"
    assert bs.simulate(half_dead()).outcome == "deadlocked"


def test_a_livelock_is_cut_by_the_step_limit() -> None:
    """DLK-06.1 (DLK-06): x→A→x always true, step_limit 100: truncated, cycle [x, A]."""
    trace = bs.simulate(looping(), step_limit=100)
    assert (trace.outcome, trace.steps) == ("truncated", 100)
    assert [s.waits_for for s in trace.stuck] == ["step limit; last nodes: x A"]


def test_a_run_that_ends_with_its_last_step_is_not_truncated() -> None:
    """DLK-05: truncated means that something could still have happened."""
    assert bs.simulate(line(), step_limit=3).outcome == "completed"
    assert bs.simulate(line(), step_limit=2).outcome == "truncated"


def test_stuck_tokens_say_what_they_wait_for() -> None:
    """DLK-05: a host waits for its scope, work for its completion."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.subprocess("sp", body=lambda i: i.start() >> i.user("u")) >> b.end("e")
    trace = bs.simulate(b.model(), scenario=bs.Scenario())
    assert [(s.node, s.scope, s.waits_for) for s in trace.stuck] == [
        ("sp", "/p", "scope"),
        ("u", "/p/sp", "completion"),
    ]


def test_a_completed_run_has_nothing_stuck() -> None:
    """I18 (EXE-08): Completed: no live or held token, no open scope, no open incident."""
    trace = bs.simulate(line())
    assert (trace.stuck, live(trace)) == ((), [])


def test_a_process_that_nothing_starts_is_refused() -> None:
    """Design section 4, Ends: never a silent stop: nodes of which none can ever be reached are an error."""
    b = bs.ProcessBuilder("p")
    a = b.task("A")
    _ = a >> b.task("B") >> a
    with pytest.raises(bs.ModelError, match=r"p.*nothing starts it"):
        bs.simulate(b.model())


def test_an_empty_process_completes_at_once() -> None:
    """EXE-08: without a node there is nothing to do."""
    trace = bs.simulate(bs.ProcessBuilder("p").model())
    assert (trace.outcome, trace.steps) == ("completed", 0)
