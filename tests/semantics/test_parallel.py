"""Parallel gateways: split, join, surplus tokens (core.md AND-01 to AND-09)."""

from __future__ import annotations

import bpmnsim as bs

from ..models import count, dead_join, details, diamond, live, path, phases, rows, surplus


def test_a_diamond_runs_both_workers_and_the_join_once() -> None:
    """M-34 (AND-05): both workers once; join once; completed."""
    trace = bs.simulate(diamond())
    assert [count(trace, node) for node in ("a", "b", "join", "e")] == [1, 1, 1, 1]
    assert trace.outcome == "completed"


def test_a_split_makes_one_track_per_flow() -> None:
    """AND-01.1 (AND-01): 3 outgoing, 3 tracks, in declared order."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.task("a"), b.task("b"), b.task("c")]
    trace = bs.simulate(b.model())
    assert [path(trace, track) for track in range(3)] == [["s", "split", "a"], ["b"], ["c"]]
    assert trace.tokens().track.nunique() == 3


def test_a_split_ignores_conditions() -> None:
    """AND-01: conditions on the flows of a parallel split are not evaluated and cannot fail."""
    b = bs.ProcessBuilder("p")
    split = b.parallel("split")
    _ = b.start("s") >> split
    split.flow(b.end("e1"), "False")
    split.flow(b.end("e2"), "no_such_name > 1")
    trace = bs.simulate(b.model())
    assert (count(trace, "e1"), count(trace, "e2"), trace.outcome) == (1, 1, "completed")


def test_one_incoming_flow_passes_through() -> None:
    """AND-02.1 (AND-02): no awaiting, no merged."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.end("e1"), b.end("e2")]
    states = set(bs.simulate(b.model()).history().track_state)
    assert states == {"executing_step", "process_step_results", "ended"}


def test_the_completing_arrival_survives_and_executes_once() -> None:
    """AND-05.1 (AND-05): T0 = s,split,a,join merged into T1; T1 = b,join,e; one merged; join and e once."""
    trace = bs.simulate(diamond())
    assert path(trace, 0) == ["s", "split", "a", "join"]
    assert path(trace, 1) == ["b", "join", "e"]
    at_join = trace.tokens().query("node == 'join'")
    assert rows(at_join, "track", "track_state", "token_state", "merged_into") == [
        (0, "merged", "consumed", 1),
        (1, "process_step_results", "alive", None),
    ]
    executed = trace.history().query("node == 'join' and track_state == 'executing_step'")
    assert list(executed.track) == [1]
    assert (trace.tokens().track.nunique(), count(trace, "e")) == (2, 1)


def test_a_mixed_gateway_joins_then_splits() -> None:
    """AND-06.1 (AND-06): 2 in, 2 out: tracks created 3, merged 1, both ends reached once."""
    b = bs.ProcessBuilder("p")
    mixed = b.parallel("mixed")
    _ = b.start("s") >> b.parallel("split") >> [b.task("a"), b.task("b")] >> mixed >> [b.end("e1"), b.end("e2")]
    trace = bs.simulate(b.model())
    assert trace.tokens().track.nunique() == 3
    assert list(trace.history().query("track_state == 'merged'").track) == [0]
    assert (count(trace, "e1"), count(trace, "e2")) == (1, 1)
    assert (path(trace, 1), path(trace, 2)) == (["b", "mixed", "e1"], ["e2"])


def test_the_join_fires_again_for_a_second_wave() -> None:
    """AND-07.1 (AND-07): a loop that delivers both flows twice fires the join twice."""
    b = bs.ProcessBuilder("p")
    again, choice, join = b.exclusive("again"), b.exclusive("choice"), b.parallel("J")
    _ = b.start("s") >> again >> b.parallel("split") >> [b.task("a"), b.task("b")] >> join >> b.service("n") >> choice
    choice.flow(again, "n < 2")
    choice.flow(b.end("e"), default=True)
    trace = bs.simulate(b.model(), data={"n": 0}, behaviors={"n": lambda task: {"n": task["n"] + 1}})
    assert (count(trace, "J"), count(trace, "e"), trace.outcome) == (2, 1, "completed")
    assert list(trace.history().query("track_state == 'merged'").node) == ["J", "J"]


def test_surplus_tokens_stay_queued_on_their_flow() -> None:
    """AND-08.1 (AND-08): T1 then T2 via f1, T3 via f2: survivor T3, merged=[T1]; T2 stays awaiting_merge on f1."""
    trace = bs.simulate(surplus())
    at_join = trace.tokens().query("node == 'J'")
    assert rows(at_join, "track", "track_state", "merged_into", "via_flow") == [
        (1, "merged", 3, "f1"),
        (2, "awaiting_merge", None, "f1"),
        (3, "process_step_results", None, "f2"),
    ]


def test_a_surplus_token_serves_the_next_firing() -> None:
    """AND-08.2 (AND-08): then T4 via f2: survivor T4, merged=[T2]."""
    trace = bs.simulate(surplus(fourth=True))
    merged = trace.history().query("track_state == 'merged'")
    assert rows(merged, "track", "merged_into") == [(1, 3), (2, 4)]
    assert (count(trace, "J"), count(trace, "e"), trace.outcome) == (2, 2, "completed")


def test_a_surplus_token_that_nothing_joins_is_reported() -> None:
    """AND-08.3, M-51 (AND-08, DLK-01): without T4 deadlocked; T2 at the join waits for f2."""
    trace = bs.simulate(surplus())
    assert trace.outcome == "deadlocked"
    assert [(s.track, s.node, s.scope, s.waits_for) for s in trace.stuck] == [(2, "J", "/p", "f2")]
    assert live(trace) == [(2, "J", "alive")]
    assert count(trace, "e") == 1


def test_a_branch_that_never_arrives_deadlocks_the_join() -> None:
    """AND-09.1 (AND-09): a join with one dead flow."""
    assert bs.simulate(dead_join()).outcome == "deadlocked"


def test_a_split_reports_its_flows_and_a_join_does_not() -> None:
    """GW-02.2 (GW-02): AND over 2 reports both flows in order; a pure join reports nothing."""
    trace = bs.simulate(diamond())
    assert phases(trace, "GatewayDecision") == [("BranchesChosen", "split")]
    assert details(trace, "GatewayDecision") == ['chosen_flows="f_split_a f_split_b"']


def test_arrivals_are_counted_by_flow_not_by_number() -> None:
    """AND-03 (SRD-005 FR-3): two arrivals over one of two flows never fire; a third over the other does, once."""
    sim = bs.Simulation(surplus(), strategy="priority(s,split,t1,t2,m1,J)")
    trace = sim.run(until=lambda sim: {action.node for action in sim.enabled} <= {"e0", "t3"})
    assert rows(trace.tokens().query("node == 'J'"), "track", "track_state") == [
        (1, "awaiting_merge"),
        (2, "awaiting_merge"),
    ]
    assert count(sim.run(), "J") == 1


def test_scopes_do_not_share_arrivals() -> None:
    """AND-03: the state of a join belongs to one opening of its scope."""
    b = bs.ProcessBuilder("p")

    def body(inside: bs.model.inside.Inside) -> None:
        _ = inside.start() >> inside.parallel("split") >> [inside.user("u"), inside.task("v")] >> inside.parallel("J")

    panel = b.subprocess("sp", body=body)
    merge = b.exclusive("m")
    _ = b.start("s") >> b.parallel("fork") >> [b.task("a"), b.task("b")] >> merge >> panel >> b.end("e")
    sim = bs.Simulation(b.model(), scenario=bs.Scenario())
    trace = sim.run()
    held = trace.tokens().query("node == 'J'")
    assert rows(held, "scope", "track_state") == [("/p/sp", "awaiting_merge"), ("/p/sp~2", "awaiting_merge")]
    sim.complete("u")
    sim.complete("u")
    assert count(sim.run(), "e") == 2
