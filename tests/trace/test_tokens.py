"""Rows of tokens(), visits() and history(): where tokens were, and where they came from."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd
import pytest

import bpmnsim as bs
from bpmnsim.facts import Fact
from bpmnsim.model import Model
from bpmnsim.trace import Trace


def path(trace: Trace, track: int) -> list[str]:
    """Nodes a track stood on, in order."""
    tokens = trace.tokens()
    return tokens[tokens["track"] == track]["node"].tolist()


def lineage(trace: Trace) -> dict[int, tuple[int | None, int | None]]:
    """Track -> (parent, merged into), from its last row."""
    found = {}
    for track, rows in trace.tokens().groupby("track"):
        last = rows.iloc[-1]
        found[int(track)] = tuple(
            None if pd.isna(last[name]) else int(last[name]) for name in ("parent", "merged_into")
        )
    return found


def test_a_linear_run_is_one_path(linear: Callable[..., Model]) -> None:
    """HIS-02: nodes s, A, e; no parent, not merged; the terminal state is consumed."""
    trace = bs.simulate(linear("A"))
    assert path(trace, 0) == ["s", "A", "e"]
    assert lineage(trace) == {0: (None, None)}
    assert trace.tokens()["token_state"].tolist() == ["alive", "alive", "consumed"]


def test_stays_follow_each_other_without_gaps(linear: Callable[..., Model]) -> None:
    """Design 6: a stay begins in the step in which the one before ends."""
    tokens = bs.simulate(linear("A")).tokens()
    assert tokens["entered"].tolist() == [0, 1, 2]
    assert tokens["left"].tolist() == [1, 2, 3]
    assert tokens["via_flow"].tolist()[1:] == ["f_s_A", "f_A_e"]


def test_history_has_seven_rows(linear: Callable[..., Model]) -> None:
    """HIS-02: steps s,s,A,A,e,e,e with token states alive six times, then consumed."""
    history = bs.simulate(linear("A")).history()
    assert history["node"].tolist() == ["s", "s", "A", "A", "e", "e", "e"]
    assert history["token_state"].tolist() == ["alive"] * 6 + ["consumed"]
    assert history["time"].is_monotonic_increasing


def test_the_survivor_keeps_its_lineage(diamond: Model) -> None:
    """AND-05, HIS-01, HIS-04: fifo; T0 is merged into T1, whose parent stays T0."""
    trace = bs.simulate(diamond)
    assert lineage(trace) == {0: (None, 1), 1: (0, None)}
    assert path(trace, 0) == ["s", "split", "a", "join"]
    assert path(trace, 1) == ["b", "join", "e"]
    assert trace.tokens()["node"].value_counts()["e"] == 1
    tokens = trace.tokens()
    assert tokens[tokens["merged_into"].notna()][["node", "track"]].values.tolist() == [["join", 0]]


def test_every_finished_track_has_one_terminal_state(diamond: Model) -> None:
    """HIS-07: merged (T0), ended (T1)."""
    tokens = bs.simulate(diamond).tokens()
    last = tokens.groupby("track").last()
    assert last["track_state"].tolist() == ["merged", "ended"]
    assert last["token_state"].tolist() == ["consumed", "consumed"]


def test_no_tokens_before_the_first_step(linear: Callable[..., Model]) -> None:
    """TRK-04: tokens() before step 1 is empty."""
    trace = bs.simulate(linear("A"), step_limit=0)
    assert len(trace.tokens()) == 0
    assert bs.simulate(linear("A"), step_limit=1).tokens()["node"].tolist() == ["s", "A"]


def test_a_split_over_three_makes_three_tracks() -> None:
    """AND-01, FRK-05, OBS-08: live 1, then 3."""
    b = bs.ProcessBuilder("p")
    split = b.parallel("split")
    _ = b.start("s") >> split
    for name in "xyz":
        _ = split >> b.end(name)
    tokens = bs.simulate(b.model()).tokens()
    assert tokens["track"].nunique() == 3
    live = [int(((tokens["entered"] <= step) & ~(tokens["left"] <= step)).sum()) for step in range(3)]
    assert live == [1, 1, 3]


def test_a_fork_child_came_over_its_flow() -> None:
    """FRK-02, FRK-04: s to e1 and e2; T0 ends at e1, T1 begins at e2 over its flow and never visits s."""
    b = bs.ProcessBuilder("p")
    s = b.start("s")
    _ = s >> b.end("e1")
    _ = s >> b.end("e2")
    trace = bs.simulate(b.model())
    assert path(trace, 0) == ["s", "e1"]
    assert path(trace, 1) == ["e2"]
    assert lineage(trace)[1] == (0, None)
    assert trace.tokens().iloc[-1]["via_flow"] == "f_s_e2"


def test_a_track_that_forks_after_a_fork_is_the_parent() -> None:
    """HIS-03: T0 forks T1, T1 forks T2: parents none, T0, T1."""
    b = bs.ProcessBuilder("p")
    one, two = b.parallel("one"), b.parallel("two")
    _ = b.start("s") >> one
    _ = one >> b.end("e1")
    _ = one >> two
    _ = two >> b.end("e2")
    _ = two >> b.end("e3")
    assert [parent for parent, _ in lineage(bs.simulate(b.model())).values()] == [None, 0, 1]


def test_a_merge_that_passes_through_consumes_nothing() -> None:
    """XOR-05, GW-03, FLW-06: two tokens into a merging XOR; the next node is visited twice, nothing is merged."""
    b = bs.ProcessBuilder("p")
    split, merge = b.parallel("split"), b.exclusive("merge")
    _ = b.start("s") >> split
    _ = split >> b.task("a") >> merge
    _ = split >> b.task("b") >> merge
    _ = merge >> b.task("next") >> b.end("e")
    tokens = bs.simulate(b.model()).tokens()
    assert tokens["node"].value_counts()[["next", "e"]].tolist() == [2, 2]
    assert "merged" not in tokens["track_state"].tolist()


def test_a_seed_of_a_sub_process_has_a_host_and_no_parent() -> None:
    """HIS-05: the inner seed has parent none and host_track = the track on the sub-process."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.subprocess("sp", body=lambda sp: sp.start("i") >> sp.end()) >> b.end("e")
    tokens = bs.simulate(b.model()).tokens()
    seed = tokens[tokens["node"] == "i"].iloc[0]
    assert pd.isna(seed["parent"])
    assert (seed["host_track"], seed["scope"], seed["track"]) == (0, "/p/sp", 1)


def test_an_open_incident_is_an_incident_token() -> None:
    """TRK-05, INC-08: tokens = [(charge, incident)]."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("charge") >> b.end("e")
    trace = bs.simulate(b.model(), behaviors={"charge": lambda _: 1 / 0})
    assert [(token.node, token.token_state) for token in trace.snapshot().tokens] == [("charge", "incident")]
    last = trace.tokens().iloc[-1]
    assert (last["track_state"], last["token_state"], pd.isna(last["left"])) == ("incident", "incident", True)


def test_visits_say_how_each_stay_ended(diamond: Model) -> None:
    """OBS-04: completion per node; an absorbed token did not complete its visit of the join."""
    visits = bs.simulate(diamond).visits()
    assert dict(zip(visits["node"] + visits["track"].astype(str), visits["outcome"], strict=True)) == {
        "s0": "completed",
        "split0": "completed",
        "a0": "completed",
        "b1": "completed",
        "join0": "merged",
        "join1": "completed",
        "e1": "completed",
    }


def test_three_completed_visits(linear: Callable[..., Model]) -> None:
    """OBS-04: s>A>e gives 3 rows, all completed."""
    assert bs.simulate(linear("A")).visits()["outcome"].tolist() == ["completed"] * 3


@pytest.mark.parametrize(
    ("facts", "states"),
    [
        ([(Fact.BEGIN, 2, 0, "A", 0, -1, "work")], ("executing_step", "alive")),
        ([(Fact.WAIT, 2, 0, "A", 0, -1, "user task")], ("wait_for_event", "waiting")),
        ([(Fact.WAIT, 2, 0, "A", 0, -1, "x"), (Fact.READY, 3, 0, "A", 0, -1, "x")], ("ready", "alive")),
        ([(Fact.CANCEL, 2, 0, "A", 0, -1, "boundary")], ("canceled", "consumed")),
        ([(Fact.FAIL, 2, 0, "A", 0, -1, "boom")], ("failed", "consumed")),
        ([(Fact.STUCK, 2, 0, "A", 0, 0, "boom")], ("incident", "incident")),
    ],
)
def test_token_state_is_a_projection_of_track_state(
    handmade: Callable[..., Trace],
    linear: Callable[..., Model],
    facts: list[tuple[object, ...]],
    states: tuple[str, str],
) -> None:
    """TRK-02: the last state of a stay and its projection."""
    trace = handmade(linear("A"), [(Fact.VISIT, 1, 0, "s", 0, 0, None), *facts])
    assert tuple(trace.tokens().iloc[-1][["track_state", "token_state"]]) == states


def test_the_projection_is_total() -> None:
    """TRK-01, TRK-02: thirteen states, the eighth is merged; consumed are merged, ended, canceled, failed."""
    from bpmnsim.trace.column import TOKEN_OF, TOKEN_STATES

    states = list(TOKEN_OF)
    assert len(states) == 13
    assert states[7] == "merged"
    assert [state for state, token in TOKEN_OF.items() if token == "consumed"] == [
        "merged",
        "ended",
        "canceled",
        "failed",
    ]
    assert set(TOKEN_OF.values()) == set(TOKEN_STATES)


def counts(trace: Trace) -> Mapping[str, int]:
    return trace.tokens()["node"].value_counts().to_dict()


def test_an_iterated_task_is_one_stay(handmade: Callable[..., Trace], iterated: Model) -> None:
    """ITER-F-06, ITER-R-10: the host shows one interval, the inner work is no token; its incident is one."""
    facts = [
        (Fact.VISIT, 1, 0, "s", 0, 0, None),
        (Fact.OPEN, 2, 0, "A", 1, 0, (None, 1, 0)),
        (Fact.GROUP, 2, 0, "A", 1, "fan_out", 1),
        (Fact.OPEN, 2, 0, "A", 2, 1, (0, 1, 0)),
        (Fact.TRACK, 2, 1, "body:A", 2, -1, -1),
        (Fact.WAIT, 2, 0, "A", 0, -1, "inner instances"),
        (Fact.WAIT, 3, 1, "body:A", 2, -1, "user task"),
    ]
    trace = handmade(iterated, facts)
    assert counts(trace) == {"s": 1, "A": 1}
    assert [(token.node, token.token_state) for token in trace.snapshot().tokens] == [("A", "waiting")]
    stuck = handmade(iterated, [*facts, (Fact.STUCK, 4, 1, "body:A", 2, 0, "boom")])
    assert [(token.scope, token.token_state) for token in stuck.snapshot().tokens] == [
        ("/p", "waiting"),
        ("/p/A[0]", "incident"),
    ]
