"""The loop, its tracks and their history (core.md EXE-01 to EXE-12, TRK-02 to TRK-09, HIS-01 to HIS-07)."""

from __future__ import annotations

from collections import Counter

import pytest

import bpmnsim as bs

from ..models import changes, count, diamond, line, live, path, phases, rows, surplus


def two_starts() -> bs.Model:
    """Build none starts s1 and s2, and task Z that no flow enters."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s1") >> b.end("e1")
    _ = b.start("s2") >> b.end("e2")
    _ = b.task("Z") >> b.end("e3")
    return b.model()


def roots(trace: bs.Trace) -> list[str]:
    """Return the nodes at which tracks without a parent began."""
    return list(trace.tokens().query("parent.isna()").groupby("track").first().node)


def test_a_run_that_stands_at_a_task_has_one_token_there() -> None:
    """EXE-01.1 (EXE-01): s>A>e stopped while A executes: one token row (T0, A, alive)."""
    trace = bs.Simulation(line(), durations={"A": 3}).run(until=2.0)
    assert live(trace) == [(0, "A", "alive")]


def test_tokens_can_be_told_from_the_history_alone() -> None:
    """EXE-01: the last row of each live track in history() is its token."""
    trace = bs.simulate(surplus())
    last = trace.history().groupby("track").last()
    unfinished = last[~last.track_state.isin(["merged", "ended", "canceled", "failed"])].reset_index()
    assert rows(unfinished, "track", "node", "token_state") == live(trace)


def test_a_failing_visit_commits_nothing() -> None:
    """EXE-04.1 (EXE-04): A writes v=1 then raises: no v, no DataChange."""

    def work(_: object) -> dict[str, int]:
        raise RuntimeError("after computing v=1")

    trace = bs.simulate(line(), behaviors={"A": work})
    assert (trace.outcome, dict(trace.values), changes(trace)) == ("incident", {}, [])


def test_a_behavior_cannot_change_data_behind_the_loop() -> None:
    """EXE-02, EXE-04: what a behavior reads is a copy; only what it returns is committed."""

    def work(task: bs.behaviors.Task) -> None:
        task["order"].append(9)
        task.data["order"].append(9)

    order = [1]
    trace = bs.simulate(line(), data={"order": order}, behaviors={"A": work})
    assert (trace.values["order"], order, changes(trace)) == ([1], [1], [])


def test_the_last_commit_wins() -> None:
    """EXE-07.1 (EXE-07): fifo s>+>{A:v=1, B:v=2}>+>e: Value_Added v(A), Value_Updated v(B); final v=2."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.service("A"), b.service("B")] >> b.parallel("J") >> b.end("e")
    trace = bs.simulate(b.model(), behaviors={"A": lambda _: {"v": 1}, "B": lambda _: {"v": 2}})
    assert changes(trace) == [("Value_Added", "v", "A", None, 1), ("Value_Updated", "v", "B", 1, 2)]
    assert trace.values["v"] == 2


def test_active_and_held_tracks_of_a_diamond() -> None:
    """EXE-08 (SRD-005 FR-4): (active, held) = (1,0), (2,0), (1,1), (1,0), (0,0)."""
    sim, seen = bs.Simulation(diamond()), []
    while not seen or sim.enabled:
        tokens = sim.trace().tokens() if sim.steps else None
        here = [] if tokens is None else list(tokens[tokens.left.isna()].track_state)
        held = here.count("awaiting_merge")
        pair = (len(here) - held if sim.steps else 1, held)
        seen += [pair] if seen[-1:] != [pair] else []
        if not sim.enabled:
            break
        sim.step()
        if not sim.enabled:
            seen.append((0, 0))
    assert seen == [(1, 0), (2, 0), (1, 1), (1, 0), (0, 0)]


@pytest.mark.parametrize(
    ("start", "expected"),
    [(None, ["s1", "Z"]), ("s2", ["s2", "Z"]), ("all", ["s1", "s2", "Z"])],
    ids=["EXE-09.1 default", "EXE-09.2 named", "EXE-09.3 all"],
)
def test_none_starts_are_alternatives(start: str | None, expected: list[str]) -> None:
    """EXE-09.1, EXE-09.2, EXE-09.3, M-52 (EXE-09): 2 roots (s1, Z); 2 roots (s2, Z); 3 roots."""
    trace = bs.simulate(two_starts(), start=start)
    assert roots(trace) == expected
    assert trace.outcome == "completed"


def test_an_unknown_start_is_refused() -> None:
    """EXE-09, design section 8: with the nearest spelling."""
    with pytest.raises(bs.ModelError, match="did you mean 's1'"):
        bs.simulate(two_starts(), start="s11")


def test_a_run_that_has_ended_cannot_be_stepped() -> None:
    """EXE-10.1 (EXE-10): StateError, and the trace is unchanged."""
    sim = bs.Simulation(line())
    trace = sim.run()
    with pytest.raises(bs.StateError, match="completed"):
        sim.step()
    assert sim.trace() == trace == sim.run()


def test_a_cancel_before_the_last_end_wins() -> None:
    """EXE-11.1 (EXE-11): cancel where only the last end is left to do: Terminated."""
    sim = bs.Simulation(line())
    sim.run(until="e")
    sim.cancel()
    trace = sim.trace()
    assert (trace.outcome, count(trace, "e")) == ("terminated", 0)
    assert [phase for phase, _ in phases(trace, "InstanceState")][-2:] == ["Terminating", "Terminated"]


def test_nothing_fires_after_a_cancel() -> None:
    """EXE-12.1 (EXE-12): cancel while a track moves onto an AND join: no merged event after Terminating."""
    sim = bs.Simulation(diamond())
    sim.run(until=lambda sim: [action.name for action in sim.enabled] == ["run(p/join)"])
    assert live(sim.trace()) == [(0, "join", "alive"), (1, "join", "alive")]
    sim.cancel()
    facts = sim.trace().facts()
    after = facts[facts.seq > int(facts[facts.phase == "Terminating"].seq.iloc[0])]
    assert Counter(after.phase) == {"Canceled": 2, "Terminated": 1}


@pytest.mark.parametrize(("state", "token"), [("awaiting_merge", "alive"), ("merged", "consumed")])
def test_a_state_has_one_projection(state: str, token: str) -> None:
    """TRK-02.1, TRK-02.2 (TRK-02): awaiting_merge: alive; merged: consumed."""
    history = bs.simulate(diamond()).history()
    assert set(history[history.track_state == state].token_state) == {token}


def test_before_the_first_step_there_is_no_token() -> None:
    """TRK-04.1 (TRK-04): tokens() before step 1 is empty."""
    trace = bs.Simulation(line()).trace()
    assert (len(trace.tokens()), len(trace.history()), len(trace.visits())) == (0, 0, 0)


def test_an_incident_is_a_token_until_it_is_dropped() -> None:
    """TRK-05.1 (TRK-05): tokens = [(charge, incident)]; after drop []."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("charge") >> b.end("e")
    sim = bs.Simulation(b.model(), behaviors={"charge": lambda _: 1 / 0})
    assert live(sim.run()) == [(0, "charge", "incident")]
    sim.drop(0)
    assert live(sim.trace()) == []


def test_an_automatic_node_leaves_two_rows() -> None:
    """TRK-06: executing_step once per visit, also where the state does not change; then process_step_results."""
    history = bs.simulate(line()).history()
    assert list(history[history.node == "A"].track_state) == ["executing_step", "process_step_results"]


def test_every_track_has_one_path_in_order_of_creation() -> None:
    """HIS-01.1 (HIS-01): AND diamond: 2 paths, T0 then T1."""
    history = bs.simulate(diamond()).history()
    assert list(dict.fromkeys(history.track)) == [0, 1]


def test_the_history_of_a_line() -> None:
    """HIS-02.2 (HIS-02): 1 path, no parent, not merged; s,s,A,A,e,e,e; alive 6 times, then consumed."""
    history = bs.simulate(line()).history()
    assert rows(history, "track", "parent", "merged_into", "node", "token_state") == [
        (0, None, None, node, state) for node, state in zip("ssAAeee", ["alive"] * 6 + ["consumed"], strict=True)
    ]
    assert list(history.time) == [0.0] * 7


def test_the_parent_is_the_track_that_forked() -> None:
    """HIS-03.1 (HIS-03): T0 forks T1, T1 forks T2: parents none, T0, T1."""
    b = bs.ProcessBuilder("p")
    again = b.task("again")
    _ = b.start("s") >> [b.end("e0"), again]
    _ = again >> [b.end("e1"), b.end("e2")]
    trace = bs.simulate(b.model())
    assert rows(trace.tokens().groupby("track").first().reset_index(), "track", "parent") == [(0, None), (1, 0), (2, 1)]


def test_a_merge_is_no_parent() -> None:
    """HIS-04.1 (HIS-04): T0 {no parent, merged_into T1}, T1 {parent T0, not merged}."""
    history = bs.simulate(diamond()).history()
    assert rows(history.groupby("track").last(), "parent", "merged_into") == [(None, 1), (0, None)]


def test_a_seed_of_a_sub_process_has_a_host_and_no_parent() -> None:
    """HIS-05.1 (HIS-05): parent none, host_track = the track on the sub-process."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.subprocess("sp", body=lambda i: i.start("is") >> i.task("A")) >> b.end("e")
    tokens = bs.simulate(b.model()).tokens()
    assert rows(tokens[tokens.node == "is"], "track", "parent", "host_track", "scope") == [(1, None, 0, "/p/sp")]


def test_every_finished_track_has_one_terminal_row() -> None:
    """HIS-07.1 (HIS-07): terminals merged (T0), ended (T1)."""
    history = bs.simulate(diamond()).history()
    terminal = history[history.track_state.isin(["merged", "ended", "canceled", "failed", "incident"])]
    assert rows(terminal, "track", "track_state") == [(0, "merged"), (1, "ended")]


def test_ready_tracks_stand_in_one_queue() -> None:
    """Core.md 0.2: after a move the track is queued at the tail, then its fork children in declared order."""
    b = bs.ProcessBuilder("p")
    first, second, third = (b.task(name) for name in "abc")
    _ = b.start("s") >> b.parallel("split") >> [first, second, third]
    _ = first >> b.task("a2")
    _ = second >> b.task("b2")
    visits = bs.simulate(b.model()).visits().sort_values("left_at")
    assert list(visits.node) == ["s", "split", "a", "b", "c", "a2", "b2"]
    depth = bs.simulate(b.model(), strategy="depth").visits().sort_values("left_at")
    assert list(depth.node) == ["s", "split", "a", "a2", "b", "b2", "c"]


def test_a_step_is_one_action() -> None:
    """Design section 4, Steps: a visit, with everything it raises, is one step; facts carry its number."""
    sim = bs.Simulation(diamond())
    assert [row.kind for row in sim.step()] == ["visit"]
    assert [row.kind for row in sim.step()] == ["visit", "track"]
    assert [(row.step, row.node, row.track) for row in sim.step()] == [(3, "a", 0)]


def test_several_processes_run_beside_each_other() -> None:
    """EXE-09, design section 7: without a name every process with a plain start runs, in its own instance."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("A") >> b.end("e")
    other = b.process("q")
    _ = other.start("t") >> other.service("B") >> other.end("f")
    trace = bs.simulate(b.model(), behaviors={"A": lambda _: {"v": 1}, "B": lambda _: {"v": 2}})
    assert trace.values == {"p": {"v": 1}, "q": {"v": 2}}
    assert rows(trace.tokens().query("node in ('A', 'B')"), "instance", "scope", "node") == [
        (0, "/p", "A"),
        (1, "/q", "B"),
    ]
    assert path(bs.simulate(b.model(), process="q"), 0) == ["t", "B", "f"]
