"""Rows of joins(), decisions() and evaluations()."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

import bpmnsim as bs
from bpmnsim.facts import Fact
from bpmnsim.model import Model
from bpmnsim.trace import Trace


def rows(frame: pd.DataFrame, *columns: str) -> list[tuple[object, ...]]:
    """Cells of these columns, missing ones as None."""
    chosen = frame[list(columns)].astype(object)
    return list(chosen.where(chosen.notna(), None).itertuples(index=False, name=None))


def test_a_join_shows_each_arrival_and_the_firing(diamond: Model) -> None:
    """AND-03, AND-05: T0 waits for the other flow, T1 fires the join and survives."""
    assert rows(bs.simulate(diamond).joins(), "node", "flow", "track", "filled", "empty", "fired", "survivor") == [
        ("join", "f_a_join", 0, "f_a_join", "f_b_join", False, None),
        ("join", "f_b_join", 1, "f_a_join f_b_join", "", True, 1),
    ]


def test_what_a_firing_consumed_is_no_longer_there(handmade: Callable[..., Trace], diamond: Model) -> None:
    """AND-07, IOR-08, IOR-09: neither an absorbed token nor a survivor that had waited fills its flow afterwards."""
    a, b = 2, 4
    trace = handmade(
        diamond,
        [
            *((Fact.TRACK, 1, track, "join", 0, flow, -1) for track, flow in ((1, a), (2, b), (3, b), (4, a))),
            (Fact.AWAIT, 1, 1, "join", 0, a, None),
            (Fact.MERGE, 2, 1, "join", 0, 2, a),
            (Fact.FIRE, 2, 2, "join", 0, b, 1),
            (Fact.AWAIT, 3, 3, "join", 0, b, None),
            (Fact.FIRE, 4, 3, "join", 0, b, 0),
            (Fact.AWAIT, 5, 4, "join", 0, a, None),
        ],
    )
    assert rows(trace.joins(), "track", "filled", "empty", "fired") == [
        (1, "f_a_join", "f_b_join", False),
        (2, "f_a_join f_b_join", "", True),
        (3, "f_b_join", "f_a_join", False),
        (3, "f_b_join", "f_a_join", True),
        (4, "f_a_join", "f_b_join", False),
    ]


def test_a_gateway_with_one_incoming_flow_is_no_join() -> None:
    """AND-02: no arrival waits, nothing is merged."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("g") >> b.end("e")
    assert len(bs.simulate(b.model()).joins()) == 0


def surplus(*, fourth: bool) -> Trace:
    """T1, then T2 come over f1 to an AND join, T3 over f2, and T4 if asked for."""
    b = bs.ProcessBuilder("p")
    split, merge, other, join = b.parallel("split"), b.exclusive("m1"), b.exclusive("m2"), b.parallel("join")
    _ = b.start("s") >> split
    for name in ("a", "b"):
        _ = split >> b.task(name) >> merge
    for name in ("c", "d") if fourth else ("c",):
        _ = split >> b.task(name) >> other
    _ = merge >> join
    _ = other >> join
    _ = join >> b.end("e")
    return bs.simulate(b.model())


def test_surplus_tokens_stay_queued() -> None:
    """AND-08, M-51: two tokens over f1, one over f2: one firing, one token left on f1, deadlocked."""
    trace = surplus(fourth=False)
    joins = trace.joins()
    assert rows(joins, "flow", "filled", "empty", "fired")[-1] == ("f_m2_join", "f_m1_join f_m2_join", "", True)
    assert joins["fired"].sum() == 1
    left = trace.tokens()
    assert left[left["left"].isna()]["track_state"].tolist() == ["awaiting_merge"]
    assert trace.outcome == "deadlocked"
    assert [(each.node, each.waits_for) for each in trace.stuck] == [("join", "f_m2_join")]


def test_a_second_full_wave_fires_again() -> None:
    """AND-07, AND-08: a fourth token over f2 lets the join fire a second time."""
    trace = surplus(fourth=True)
    assert trace.joins()["fired"].sum() == 2
    assert trace.tokens()["node"].value_counts()["e"] == 2
    assert trace.outcome == "completed"


def exclusive(data: dict[str, object]) -> Trace:
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> x
    x.flow(b.end("A"), when="v > 0")
    x.flow(b.end("B"), when="w > 0")
    x.flow(b.end("C"), default=True)
    return bs.simulate(b.model(), data=data)


def test_a_condition_after_the_first_true_one_has_no_value() -> None:
    """XOR-01: later conditions are not evaluated; w is not even defined."""
    trace = exclusive({"v": 1})
    assert rows(trace.decisions(), "node", "flow", "condition", "value", "taken") == [
        ("x", "f_x_A", "v > 0", True, True),
        ("x", "f_x_B", "w > 0", None, False),
        ("x", "f_x_C", None, None, False),
    ]
    assert len(trace.evaluations()) == 1


def test_the_default_is_taken_where_no_condition_holds() -> None:
    """XOR-02: its row has no value, because nothing was evaluated for it."""
    assert rows(exclusive({"v": 0, "w": 0}).decisions(), "flow", "value", "taken") == [
        ("f_x_A", False, False),
        ("f_x_B", False, False),
        ("f_x_C", None, True),
    ]


def test_an_evaluation_that_raises_is_a_row_too() -> None:
    """FLW-04: text, the names it read, no verdict, the error; the visit is an incident and takes no flow."""
    trace = exclusive({"v": 0})
    evaluations = trace.evaluations()
    assert rows(evaluations, "role", "flow", "expression", "verdict") == [
        ("condition", "f_x_A", "v > 0", False),
        ("condition", "f_x_B", "w > 0", None),
    ]
    assert evaluations["values"].tolist() == [{"v": 0}, {}]
    assert evaluations["error"].tolist()[0] == ""
    assert "'w' has no value" in evaluations["error"].tolist()[1]
    assert trace.decisions()["taken"].tolist() == [False, False, False]


def test_a_plain_flow_is_no_decision(linear: Callable[..., Model]) -> None:
    """Design 6: decisions() speaks of nodes that had to choose."""
    assert len(bs.simulate(linear("A")).decisions()) == 0


def test_a_condition_on_a_single_flow_is_a_decision() -> None:
    """FLW-03: it is honored, so it is shown."""
    b = bs.ProcessBuilder("p")
    b.start("s").flow(b.end("e"), when="v > 0")
    trace = bs.simulate(b.model(), data={"v": 1})
    assert rows(trace.decisions(), "node", "flow", "value", "taken") == [("s", "f_s_e", True, True)]


def test_a_free_decision_has_no_value_and_one_flow_taken() -> None:
    """Design 4, Decisions: the choice takes the place of the condition."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> x
    x.flow(b.end("A"), when="v > 0")
    x.flow(b.end("B"), default=True)
    trace = bs.simulate(b.model(), decisions="free")
    assert rows(trace.decisions(), "flow", "value", "taken") == [("f_x_A", None, True), ("f_x_B", None, False)]
    assert trace.choices()["kind"].tolist() == ["decision"]
