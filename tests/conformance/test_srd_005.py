"""SRD-005, the parallel gateway: its acceptance checks V1 to V8, as core.md states them (AND-01 to AND-09).

FR-2 split, FR-3 and FR-5a accounting by flow, FR-4 waiting and completion, FR-5 the survivor, FR-5b lineage,
FR-6 states and their projection, FR-7 uncontrolled merges, NFR-2 nothing is executed early.
"""

from __future__ import annotations

from typing import Any

import networkx as nx
import pytest

import bpmnsim as bs
from bpmnsim.facts import STRIDE, Fact
from bpmnsim.trace.column import TOKEN_OF, TRACK_STATES

from ..models import count, diamond, live, path, rows, surplus

SEEDS = range(10)


def wide(count: int, *, ends: int = 1) -> bs.Model:
    """Build s>split>{t0…}>join>{e0…}."""
    b = bs.ProcessBuilder("p")
    tasks = [b.task(f"t{number}") for number in range(count)]
    targets = [b.end(f"e{number}") for number in range(ends)]
    _ = b.start("s") >> b.parallel("split") >> tasks >> b.parallel("join") >> targets
    return b.model()


def facts(trace: bs.Trace, *kinds: Fact) -> list[tuple[Any, ...]]:
    """Return (kind, track, node) of the facts of some kinds, in order."""
    cells = trace.record.facts
    return [
        (Fact(cells[at]).name, cells[at + 2], trace.record.places[cells[at + 3]])
        for at in range(0, len(cells), STRIDE)
        if cells[at] in kinds
    ]


@pytest.mark.parametrize("width", [2, 3, 7])
def test_v1_a_split_activates_every_flow(width: int) -> None:
    """V1 (FR-2, AND-01): one track per outgoing flow, the first kept by the parent; no condition, no default."""
    for seed in SEEDS:
        trace = bs.simulate(wide(width), seed=seed)
        assert trace.tokens().track.nunique() == width
        assert [count(trace, f"t{number}") for number in range(width)] == [1] * width
        assert path(trace, 0)[:3] == ["s", "split", "t0"]


def test_v1_the_split_of_a_diamond_is_one_fork() -> None:
    """V1 (FR-2, FRK-03): the move of the parent comes first, then one fork over the rest."""
    trace = bs.simulate(diamond())
    assert facts(trace, Fact.VISIT, Fact.TRACK)[:4] == [
        ("TRACK", 0, "s"),
        ("VISIT", 0, "s"),
        ("VISIT", 0, "split"),
        ("TRACK", 1, "b"),
    ]


def test_v2_the_join_waits_for_every_flow() -> None:
    """V2 (FR-3, FR-4, NFR-2, AND-03, AND-04): an arrival that does not complete the join executes nothing."""
    sim = bs.Simulation(wide(3), strategy="depth")
    for arrived in (1, 2):
        trace = sim.run(until=lambda sim, arrived=arrived: len(facts(sim.trace(), Fact.AWAIT)) == arrived)
        held = trace.tokens().query("node == 'join' and track_state == 'awaiting_merge'")
        assert len(held) == arrived
        assert (count(trace, "join"), count(trace, "e0")) == (0, 0)
    assert facts(sim.trace(), Fact.FIRE) == []
    assert count(sim.run(), "e0") == 1


def test_v2_arrivals_are_counted_by_flow() -> None:
    """V2 (FR-3, FR-5a, AND-03): arrive(f1, T0): waits; arrive(f2, T1): complete, [T0] absorbed."""
    trace = bs.simulate(diamond())
    assert facts(trace, Fact.AWAIT, Fact.MERGE, Fact.FIRE) == [
        ("AWAIT", 0, "join"),
        ("MERGE", 0, "join"),
        ("FIRE", 1, "join"),
    ]
    assert rows(trace.joins(), "flow", "track", "filled", "empty", "fired", "survivor") == [
        ("f_a_join", 0, "f_a_join", "f_b_join", False, None),
        ("f_b_join", 1, "f_a_join f_b_join", "", True, 1),
    ]


def test_v3_the_completing_arrival_survives() -> None:
    """V3 (FR-5, AND-05): fifo: T1 survives and executes the join once; T0 is absorbed, its token consumed."""
    trace = bs.simulate(diamond())
    at_join = trace.history().query("node == 'join'")
    assert rows(at_join, "track", "track_state", "token_state") == [
        (0, "awaiting_merge", "alive"),
        (0, "merged", "consumed"),
        (1, "executing_step", "alive"),
        (1, "process_step_results", "alive"),
    ]
    assert (path(trace, 0), path(trace, 1)) == (["s", "split", "a", "join"], ["b", "join", "e"])


def test_v3_exactly_one_track_is_absorbed_whoever_is_last() -> None:
    """V3 (FR-5): INV for every schedule: the last arrival survives, all others are merged into it."""
    for seed in SEEDS:
        trace = bs.simulate(wide(4), seed=seed)
        arrivals = [track for kind, track, _ in facts(trace, Fact.AWAIT, Fact.FIRE)]
        merged = trace.history().query("track_state == 'merged'")
        assert len(arrivals) == 4
        assert sorted(rows(merged, "track", "merged_into")) == [
            (track, arrivals[-1]) for track in sorted(arrivals[:-1])
        ]
        assert (count(trace, "join"), count(trace, "e0")) == (1, 1)


def test_v3a_lineage_is_a_forest_and_merges_are_edges_of_their_own() -> None:
    """V3a (FR-5b, HIS-04): following parents ends at a root without repeats; a merge edits no parent."""
    for seed in SEEDS:
        tokens = bs.simulate(wide(4), seed=seed).tokens()
        first = tokens.groupby("track").first()
        parents = nx.DiGraph([(int(parent), track) for track, parent in first.parent.dropna().items()])
        assert nx.is_forest(parents.to_undirected())
        assert rows(first.reset_index(), "track", "parent") == [(0, None), (1, 0), (2, 0), (3, 0)]
        assert int(tokens.merged_into.notna().sum()) == 3


def test_v4_active_and_held_are_counted_apart() -> None:
    """V4 (FR-4, EXE-08): (active, held) = (1,0), (2,0), (1,1), (1,0), (0,0); held tokens keep the run open."""
    sim = bs.Simulation(diamond())
    seen = [(1, 0)]
    while sim.enabled:
        sim.step()
        tokens = sim.trace().tokens()
        states = list(tokens[tokens.left.isna()].track_state)
        held = states.count("awaiting_merge")
        if seen[-1] != (len(states) - held, held):
            seen.append((len(states) - held, held))
    assert seen == [(1, 0), (2, 0), (1, 1), (1, 0), (0, 0)]


def test_v4_a_held_token_keeps_the_instance_from_completing() -> None:
    """V4 (FR-4, EXE-08, DLK-01): with only held tokens left the run is deadlocked, not completed."""
    trace = bs.simulate(surplus())
    assert (trace.outcome, live(trace)) == ("deadlocked", [(2, "J", "alive")])


def test_v5_a_mixed_gateway_is_join_then_split() -> None:
    """V5 (FR-5, AND-06): 2 in, 2 out: 3 tracks, 1 merged, both ends once; the survivor forks in the same step."""
    for seed in SEEDS:
        trace = bs.simulate(wide(2, ends=2), seed=seed)
        assert trace.tokens().track.nunique() == 3
        assert len(trace.history().query("track_state == 'merged'")) == 1
        assert (count(trace, "e0"), count(trace, "e1"), trace.outcome) == (1, 1, "completed")
        fired = trace.history().query("node == 'join' and track_state == 'executing_step'")
        born = trace.tokens().query("track == 2")
        assert int(born.entered.iloc[0]) == int(fired.step.iloc[0])


def test_v6_every_state_has_its_projection() -> None:
    """V6 (FR-6, TRK-01, TRK-02): 13 states in order, the 8th is merged; the function to token states is total."""
    assert (
        *("created", "ready", "executing_step", "process_step_results", "wait_for_event", "awaiting_merge"),
        *("await_sync", "merged", "ended", "canceled", "failed", "dehydrated", "incident"),
    ) == TRACK_STATES
    assert TRACK_STATES[7] == "merged"
    assert dict(TOKEN_OF) == {
        **dict.fromkeys(("created", "ready", "executing_step", "process_step_results"), "alive"),
        **dict.fromkeys(("awaiting_merge", "await_sync"), "alive"),
        **dict.fromkeys(("wait_for_event", "dehydrated"), "waiting"),
        **dict.fromkeys(("merged", "ended", "canceled", "failed"), "consumed"),
        "incident": "incident",
    }


def test_v7_an_uncontrolled_merge_is_unaffected() -> None:
    """V7 (FR-7, FLW-06): C is executed twice, e reached twice, 2 tracks ended; nothing waits, nothing merges."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.task("A"), b.task("B")] >> b.task("C") >> b.end("e")
    for seed in SEEDS:
        trace = bs.simulate(b.model(), seed=seed)
        assert (count(trace, "C"), count(trace, "e")) == (2, 2)
        assert facts(trace, Fact.AWAIT, Fact.MERGE, Fact.FIRE) == []
        assert list(trace.history().query("track_state == 'ended'").track.sort_values()) == [0, 1]


def test_v8_runs_are_deterministic() -> None:
    """V8: the same seed gives the same trace; a schedule repeats it; what is observable at the end never differs."""
    digests = set()
    for seed in SEEDS:
        trace = bs.simulate(wide(3, ends=2), seed=seed)
        assert bs.simulate(wide(3, ends=2), seed=seed).digest == trace.digest
        assert bs.simulate(wide(3, ends=2), schedule=str(trace.schedule)) == trace
        assert (trace.outcome, count(trace, "join"), trace.tokens().track.nunique()) == ("completed", 1, 4)
        digests.add(trace.digest)
    assert len(digests) > 5


def test_v8_a_process_without_gateways_runs_as_before() -> None:
    """V8, regression: a line of tasks has no fact of a join."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.task("A") >> b.end("e")
    trace = bs.simulate(b.model())
    assert facts(trace, *Fact) == [
        ("INSTANCE", -1, "p"),
        ("OPEN", -1, "p"),
        ("INSTANCE", -1, "p"),
        ("TRACK", 0, "s"),
        ("VISIT", 0, "s"),
        ("VISIT", 0, "A"),
        ("VISIT", 0, "e"),
        ("CLOSE", -1, "p"),
        ("INSTANCE", -1, "p"),
    ]
