"""Rows of scopes(), waits(), subscriptions(), messages() and choices()."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

import bpmnsim as bs
from bpmnsim.errors import StateError
from bpmnsim.facts import Fact
from bpmnsim.model import Model, Process, StartEvent, SubProcess
from bpmnsim.trace import ChoiceRow, Trace


def test_paths_are_built_of_ids() -> None:
    """SUB-01: pack in fulfil is /p/fulfil/pack."""
    b = bs.ProcessBuilder("p")
    pack = {"body": lambda sp: sp.start() >> sp.subprocess("pack", body=lambda q: q.start() >> q.end()) >> sp.end()}
    _ = b.start("s") >> b.subprocess("fulfil", **pack) >> b.end("e")
    scopes = bs.simulate(b.model()).scopes()
    assert scopes["scope"].tolist() == ["/p", "/p/fulfil", "/p/fulfil/pack"]
    assert scopes["parent"].tolist()[1:] == ["/p", "/p/fulfil"]
    assert scopes["outcome"].tolist() == ["Completed"] * 3


def test_ids_are_percent_encoded_in_paths(handmade: Callable[..., Trace]) -> None:
    """SUB-01: a slash in an id is no border between two parts of a path."""
    model = Model([Process(id="p"), StartEvent(id="s", parent="p"), SubProcess(id="a/b c", parent="p")])
    trace = handmade(model, [(Fact.OPEN, 1, 0, "a/b c", 1, 0, (None, 1, 0))])
    assert trace.scopes()["scope"].tolist() == ["/p", "/p/a%2Fb%20c"]


def reentered() -> Trace:
    """Two tokens in one sub-process at once."""
    b = bs.ProcessBuilder("p")
    split, merge = b.parallel("split"), b.exclusive("m")
    _ = b.start("s") >> split
    for name in ("A", "B"):
        _ = split >> b.task(name) >> merge
    _ = merge >> b.subprocess("sp", body=lambda sp: sp.start() >> sp.task("t") >> sp.end()) >> b.end("e")
    return bs.simulate(b.model())


def test_a_second_activation_has_a_path_of_its_own() -> None:
    """SUB-06: Opened /p/sp, Opened /p/sp~2, two Completed; the body runs twice."""
    trace = reentered()
    scopes = trace.scopes()
    assert scopes["scope"].tolist() == ["/p", "/p/sp", "/p/sp~2"]
    assert scopes["activation"].tolist()[1:] == [1, 2]
    assert trace.visits()["node"].value_counts()[["t", "e"]].tolist() == [2, 2]


def test_peak_tokens_counts_what_was_inside_at_once() -> None:
    """Design 6: the process held two tokens at once, each sub-process one."""
    assert reentered().scopes()["peak_tokens"].tolist() == [2, 1, 1]


def test_a_retried_token_is_counted_once() -> None:
    """INC-04: the failed token gives way to its successor."""
    calls: list[int] = []

    def fail_once(_: object) -> None:
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("down")

    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("A") >> b.end("e")
    trace = bs.simulate(b.model(), behaviors={"A": fail_once}, retries={"A": (1, 0)})
    assert trace.scopes()["peak_tokens"].tolist() == [1]


def test_an_open_scope_has_no_end() -> None:
    """SUB-04: a scope that still holds a token stays open."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.subprocess("sp", body=lambda sp: sp.start() >> sp.user("U") >> sp.end()) >> b.end("e")
    scopes = bs.simulate(b.model(), scenario=bs.Scenario()).scopes()
    assert scopes["closed"].isna().tolist() == [True, True]
    assert scopes["outcome"].isna().all()


def test_a_wait_is_armed_once_and_delivered() -> None:
    """TRK-09, ITER-W-02: one wait and one subscription, armed on arrival, ended by the delivery."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.user("approve") >> b.end("e")
    trace = bs.simulate(b.model())
    assert trace.waits()[["activity", "definition", "armed", "withdrawn", "reason"]].values.tolist() == [
        ["approve", "user task", 2, 3, "delivered"]
    ]
    assert trace.subscriptions()[["activity", "armed", "withdrawn"]].values.tolist() == [["approve", 2, 3]]


def test_a_wait_that_never_ends_has_no_reason() -> None:
    """DLK-05: a receive without sender."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.receive("r", message="pay") >> b.end("e")
    trace = bs.simulate(b.model(), scenario=bs.Scenario())
    waits = trace.waits()
    assert waits["withdrawn"].isna().tolist() == [True]
    assert waits["reason"].tolist() == [""]
    assert trace.outcome == "waiting"


def test_one_subscription_serves_every_inner_instance(handmade: Callable[..., Trace], iterated: Model) -> None:
    """ITER-W-02, ITER-W-09: three waits, one subscription that ends with the last of them."""
    facts: list[tuple[object, ...]] = [
        (Fact.OPEN, 2, 0, "A", 1, 0, (None, 1, 0)),
        (Fact.GROUP, 2, 0, "A", 1, "fan_out", 2),
    ]
    for number in (0, 1):
        facts += [
            (Fact.OPEN, 2, 0, "A", 2 + number, 1, (number, 1, 0)),
            (Fact.TRACK, 2, 1 + number, "body:A", 2 + number, -1, -1),
        ]
    facts += [
        (Fact.REPORT, 3, 1, "A", 2, "EventFlow Registered", (("definition", "pay"), ("verb", "deliver"))),
        (Fact.REPORT, 3, 1, "A", 2, "Wait Armed", (("definition", "pay"),)),
        (Fact.REPORT, 4, 2, "A", 3, "Wait Armed", (("definition", "pay"),)),
        (Fact.REPORT, 5, 1, "A", 2, "Wait Withdrawn", (("reason", "delivered"),)),
        (Fact.REPORT, 6, 2, "A", 3, "Wait Withdrawn", (("reason", "canceled"),)),
        (Fact.REPORT, 6, 2, "A", 3, "EventFlow Unregistered", (("definition", "pay"),)),
    ]
    trace = handmade(iterated, facts)
    assert trace.waits()[["ordinal", "armed", "withdrawn", "reason"]].values.tolist() == [
        [0, 3, 5, "delivered"],
        [1, 4, 6, "canceled"],
    ]
    assert trace.subscriptions()[["activity", "definition", "armed", "withdrawn"]].values.tolist() == [
        ["A", "pay", 3, 6]
    ]


def test_a_delivered_message_is_a_row() -> None:
    """MSG-02: name, receiver, delivered; it came from outside."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.receive("r", message="pay") >> b.end("e")
    row = bs.simulate(b.model()).messages().iloc[0]
    assert (row["name"], row["received_by"], row["state"], pd.isna(row["thrown_by"])) == ("pay", "r", "delivered", True)


def test_work_that_is_done_is_no_message() -> None:
    """HUM-01: a completed user task is a wait, not a message."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.user("u") >> b.end("e")
    assert len(bs.simulate(b.model()).messages()) == 0


def test_choices_are_asked_for_once(linear: Callable[..., Model], handmade: Callable[..., Trace]) -> None:
    """Design 5: names and options are derived by replay, at the first call only."""
    asked: list[int] = []

    def replay() -> list[ChoiceRow]:
        asked.append(1)
        return [ChoiceRow(0, 3, 1.5, "step", ("run(p/a)", "run(p/b)"), "run(p/b)", "7")]

    made = handmade(linear("A"), [])
    trace = Trace(
        made.model,
        made.record,
        outcome="waiting",
        stuck=(),
        schedule=made.schedule,
        seed=7,
        steps=0,
        time=0.0,
        values={},
        replay=replay,
    )
    for _ in range(2):
        assert trace.choices().values.tolist() == [[3, 1.5, 0, "step", "run(p/a) run(p/b)", "run(p/b)", "7"]]
    assert asked == [1]


def test_a_trace_that_cannot_run_again_says_how_to_get_choices(
    linear: Callable[..., Model], handmade: Callable[..., Trace]
) -> None:
    """Style 4.3: the error names the remedy."""
    with pytest.raises(StateError, match=r"simulate\(model, schedule=trace.schedule\)"):
        handmade(linear("A"), []).choices()


def test_choices_of_a_run_name_the_actions(diamond: Model) -> None:
    """Design 5: one row per choice, with the options in canonical order."""
    row = bs.simulate(diamond, seed=1).choices().iloc[0]
    assert row["options"] == "run(p/a) run(p/b)"
    assert row["picked"] in row["options"].split()
    assert row["step"] == 3
