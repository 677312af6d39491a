"""Life of a process instance, and what observers see of it (core.md LIF-01 to LIF-03, OBS-01 to OBS-08, INS-07)."""

from __future__ import annotations

import pytest

import bpmnsim as bs
from bpmnsim.facts import Fact, Record
from bpmnsim.model.inside import Inside

from ..models import count, diamond, line, phases, rows


def test_the_phases_of_a_run_that_completes() -> None:
    """LIF-02.1 (LIF-02): Created, Active, Completed."""
    assert phases(bs.simulate(line()), "InstanceState") == [("Created", "p"), ("Active", "p"), ("Completed", "p")]


def test_cancel_is_idempotent() -> None:
    """LIF-03.1 (LIF-03): cancel twice: one Terminating fact; state Terminated, outcome terminated."""
    sim = bs.Simulation(line())
    sim.step()
    sim.cancel()
    once = sim.trace()
    sim.cancel()
    assert sim.trace() == once
    assert [phase for phase, _ in phases(once, "InstanceState")] == ["Created", "Active", "Terminating", "Terminated"]
    assert (once.outcome, once.steps) == ("terminated", 2)


def test_cancel_ends_every_process_instance() -> None:
    """LIF-03: the whole run is covered; tracks are canceled."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.user("A")
    other = b.process("q")
    _ = other.start("t") >> other.user("B")
    sim = bs.Simulation(b.model(), scenario=bs.Scenario())
    sim.run()
    sim.cancel()
    canceled = sim.trace().history().query("track_state == 'canceled'")
    assert (list(canceled.node), sim.trace().outcome) == (["A", "B"], "terminated")


def test_canceling_a_run_that_has_ended_changes_nothing() -> None:
    """LIF-03: what has completed stays completed."""
    sim = bs.Simulation(line())
    trace = sim.run()
    sim.cancel()
    assert sim.trace() == trace


def test_an_end_event_that_nothing_starts_is_refused() -> None:
    """INS-07.1 (INS-07): an end event without any start."""
    b = bs.ProcessBuilder("p")
    _ = b.task("A") >> b.end("e")
    with pytest.raises(bs.ModelError, match="INS-07"):
        bs.simulate(b.model())


def test_another_instance_of_a_process_does_not_share_its_joins() -> None:
    """INS-01: two instances of one process with an AND join: arrivals not shared."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.user("u"), b.task("v")] >> b.parallel("J") >> b.end("e")
    sim = bs.Simulation(b.model(), scenario=bs.Scenario())
    sim.start("p")
    trace = sim.run()
    assert rows(trace.tokens().query("node == 'J'"), "instance", "track_state") == [
        (0, "awaiting_merge"),
        (1, "awaiting_merge"),
    ]
    sim.complete("u")
    trace = sim.run()
    assert (count(trace, "e"), trace.outcome) == (1, "waiting")


def test_unknown_kinds_of_fact_are_accepted() -> None:
    """OBS-01.1 (OBS-01): vocabularies are open."""
    made = bs.simulate(line())
    facts = [Fact.REPORT, 9, -1, 0, -1, "Mystery Happened", (("what", 1),)]
    trace = bs.Trace(
        made.model,
        Record(facts, ("p",), frozenset(), ()),
        outcome="completed",
        stuck=(),
        schedule=made.schedule,
        seed=None,
        steps=9,
        time=0.0,
        values={},
    )
    assert rows(trace.facts(), "kind", "phase", "detail") == [("Mystery", "Happened", "what=1")]


def test_a_scope_fact_says_which_scope() -> None:
    """OBS-03.1 (OBS-03): the Scope fact has its path."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.subprocess("sp") >> b.end("e")
    facts = bs.simulate(b.model()).facts()
    assert list(facts[facts.kind == "Scope"].scope) == ["/p/sp", "/p/sp"]


def test_visits_say_what_completed() -> None:
    """OBS-04.2 (OBS-04): s>A>e: 3 rows completed."""
    visits = bs.simulate(line()).visits()
    assert rows(visits, "node", "track", "entered_at", "left_at", "outcome") == [
        ("s", 0, 0, 1, "completed"),
        ("A", 0, 1, 2, "completed"),
        ("e", 0, 2, 3, "completed"),
    ]


def test_the_smallest_stream_of_facts() -> None:
    """OBS-05: Created, Active; 7 rows of node progress; Completed; 10 facts."""
    facts = bs.simulate(line()).facts()
    assert list(facts.phase) == ["Created", "Active", *["Executing"] * 6, "Completed", "Completed"]
    assert list(facts.node) == ["p", "p", *"ssAAeee", "p"]


def test_facts_are_numbered_without_gaps() -> None:
    """OBS-06.1 (OBS-06): seq = 0..n-1; steps and times never go back."""
    facts = bs.simulate(diamond(), seed=3, durations={"a": 2, "b": 1}).facts()
    assert list(facts.seq) == list(range(len(facts)))
    assert facts.step.is_monotonic_increasing
    assert facts.time.is_monotonic_increasing


def test_a_split_over_three_conserves_tokens() -> None:
    """OBS-08.1 (OBS-08): live 1 → 3."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.task("a"), b.task("b"), b.task("c")]
    sim = bs.Simulation(b.model())
    lives = []
    while sim.enabled:
        sim.step()
        lives.append(int(sim.trace().tokens().left.isna().sum()))
    assert lives == [1, 3, 2, 1, 0]


def test_no_track_begins_after_the_end() -> None:
    """I17: no new track after Terminated."""
    b = bs.ProcessBuilder("p")

    def body(inside: Inside) -> None:
        _ = inside.start() >> inside.parallel("split") >> [inside.end("T", kind="terminate"), inside.task("A")]

    _ = b.start("s") >> b.parallel("fork") >> [b.subprocess("sp", body=body), b.end("T2", kind="terminate")]
    for seed in range(30):
        trace = bs.simulate(b.model(), seed=seed)
        facts = trace.record.facts
        kinds = [(facts[at], facts[at + 6]) for at in range(0, len(facts), 7)]
        end = kinds.index((Fact.INSTANCE, "Terminated"))
        assert Fact.TRACK not in [kind for kind, _ in kinds[end:]]
        assert trace.outcome == "terminated"
