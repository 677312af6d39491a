"""Rows of data(), throws() and incidents()."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import bpmnsim as bs
from bpmnsim.facts import ABSENT, Fact
from bpmnsim.model import Model
from bpmnsim.trace import Trace
from bpmnsim.trace.changes import changes


def run(**behaviors: Callable[[Any], Any]) -> Trace:
    """Run tasks named like the behaviors, one after the other."""
    b = bs.ProcessBuilder("p")
    node = b.start("s")
    for name in behaviors:
        node = node >> b.service(name)
    _ = node >> b.end("e")
    return bs.simulate(b.model(), behaviors=behaviors)


def changed(trace: Trace) -> list[tuple[str, str, str]]:
    return list(trace.data()[["change", "path", "by"]].itertuples(index=False, name=None))


def test_a_changed_leaf_is_updated_at_its_path() -> None:
    """DAT-07, M-11: receipt{sum:5}, then {sum:6}: Added receipt, Updated receipt.sum."""
    trace = run(produce=lambda _: {"receipt": {"sum": 5}}, reprice=lambda _: {"receipt": {"sum": 6}})
    assert changed(trace) == [("Value_Added", "receipt", "produce"), ("Value_Updated", "receipt.sum", "reprice")]
    assert trace.data()["name"].tolist() == ["receipt", "receipt"]
    assert trace.data()["old"].tolist() == [None, 5]
    assert trace.data()["new"].tolist() == [{"sum": 5}, 6]


def test_keys_of_a_map_are_updated_added_and_deleted() -> None:
    """DAT-07, M-26: rates{EUR,GBP} to {EUR',JPY}."""
    trace = run(
        publish=lambda _: {"rates": {"EUR": 1.0, "GBP": 0.8}}, reprice=lambda _: {"rates": {"EUR": 1.1, "JPY": 160}}
    )
    assert changed(trace) == [
        ("Value_Added", "rates", "publish"),
        ("Value_Updated", 'rates["EUR"]', "reprice"),
        ("Value_Added", 'rates["JPY"]', "reprice"),
        ("Value_Deleted", 'rates["GBP"]', "reprice"),
    ]


def test_an_identical_commit_is_no_change() -> None:
    """DAT-07: identical commit gives nothing."""
    assert len(run(a=lambda _: {"v": {"k": [1]}}, b=lambda _: {"v": {"k": [1]}}).data()) == 1


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([1, 2], [1, 3], [("Value_Updated", "v[1]", 2, 3)]),
        ([1], [1, 2], [("Value_Added", "v[1]", ABSENT, 2)]),
        ([1, 2], [1], [("Value_Deleted", "v[1]", 2, ABSENT)]),
        ({"a": {"b": [{"c": 1}]}}, {"a": {"b": [{"c": 2}]}}, [("Value_Updated", "v.a.b[0].c", 1, 2)]),
        ({"a": 1}, [1], [("Value_Updated", "v", {"a": 1}, [1])]),
        (1, True, [("Value_Updated", "v", 1, True)]),
        ({1: "x"}, {1: "y"}, [("Value_Updated", "v[1]", "x", "y")]),
        ({"a b": 1}, {}, [("Value_Deleted", 'v["a b"]', 1, ABSENT)]),
        (None, ABSENT, [("Value_Deleted", "v", None, ABSENT)]),
        ({"a": [1]}, {"a": [1]}, []),
    ],
)
def test_the_smallest_parts_are_named(old: object, new: object, expected: list[tuple[object, ...]]) -> None:
    """DAT-06, DAT-07: list parts by index, fields by name, other keys in quotes."""
    assert list(changes("v", old, new)) == expected


def test_a_deep_value_is_compared_without_recursion() -> None:
    """Design 10: values are as deep as a user makes them."""
    old: Any = 1
    new: Any = 2
    for _ in range(5000):
        old, new = [old], [new]
    assert [change[2:] for change in changes("v", old, new)] == [(1, 2)]


def test_a_write_goes_to_the_scope_that_holds_the_name() -> None:
    """DAT-04: root v=1, the inner task writes v=2; a new name stays in the sub-process."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.subprocess("sp", body=lambda sp: sp.start() >> sp.service("A") >> sp.end()) >> b.end("e")
    trace = bs.simulate(b.model(), data={"v": 1}, behaviors={"A": lambda _: {"v": 2, "w": 3}})
    assert list(trace.data()[["scope", "name", "change"]].itertuples(index=False, name=None)) == [
        ("/p", "v", "Value_Updated"),
        ("/p/sp", "w", "Value_Added"),
    ]
    assert dict(trace.values) == {"v": 2}


def test_the_last_of_two_branches_wins() -> None:
    """EXE-07: fifo, A writes v=1, B writes v=2: Added by A, Updated by B."""
    b = bs.ProcessBuilder("p")
    split, join = b.parallel("split"), b.parallel("join")
    _ = b.start("s") >> split
    for name in ("A", "B"):
        _ = split >> b.service(name) >> join
    _ = join >> b.end("e")
    trace = bs.simulate(b.model(), behaviors={"A": lambda _: {"v": 1}, "B": lambda _: {"v": 2}})
    assert changed(trace) == [("Value_Added", "v", "A"), ("Value_Updated", "v", "B")]


def test_writes_of_several_inner_instances_depend_on_order(handmade: Callable[..., Trace], iterated: Model) -> None:
    """ITER-P-09: marked where two instances of one parallel activity wrote the same outer name, not their own."""
    facts = [
        (Fact.OPEN, 2, 0, "A", 1, 0, (None, 1, 0)),
        (Fact.GROUP, 2, 0, "A", 1, "fan_out", 2),
        (Fact.OPEN, 2, 0, "A", 2, 1, (0, 1, 0)),
        (Fact.OPEN, 2, 0, "A", 3, 1, (1, 1, 0)),
        (Fact.TRACK, 2, 1, "body:A", 2, -1, -1),
        (Fact.TRACK, 2, 2, "body:A", 3, -1, -1),
        (Fact.DATA, 3, 1, "body:A", 2, "y", (ABSENT, 1)),
        (Fact.DATA, 3, 1, "body:A", 0, "total", (ABSENT, 1)),
        (Fact.DATA, 3, 1, "body:A", 0, "once", (ABSENT, 1)),
        (Fact.DATA, 4, 2, "body:A", 3, "y", (ABSENT, 2)),
        (Fact.DATA, 4, 2, "body:A", 0, "total", (1, 2)),
    ]
    data = handmade(iterated, facts).data()
    assert list(data[["name", "ordinal", "order_dependent"]].itertuples(index=False, name=None)) == [
        ("y", 0, False),
        ("total", 0, True),
        ("once", 0, False),
        ("y", 1, False),
        ("total", 1, True),
    ]


def test_passes_of_a_sequence_do_not_depend_on_order(handmade: Callable[..., Trace], iterated: Model) -> None:
    """ITER-P-09, ITER-SQ-09: one after the other is no race."""
    facts: list[tuple[object, ...]] = [(Fact.OPEN, 2, 0, "A", 1, 0, (None, 1, 0))]
    for number, old in ((0, ABSENT), (1, 1)):
        facts += [
            (Fact.OPEN, 3 + number, 0, "A", 2 + number, 1, (number, 1, 0)),
            (Fact.TRACK, 3 + number, 1 + number, "body:A", 2 + number, -1, -1),
            (Fact.DATA, 3 + number, 1 + number, "body:A", 0, "total", (old, number + 1)),
        ]
    assert handmade(iterated, facts).data()["order_dependent"].tolist() == [False, False]


def test_a_value_set_from_outside_has_no_writer() -> None:
    """Design 6: by is missing where nobody in the process wrote."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.task("A") >> b.end("e")
    scenario = bs.Scenario.open().set("v", 7, at=1.0)
    trace = bs.simulate(b.model(), durations={"A": 2}, scenario=scenario)
    row = trace.data().iloc[0]
    assert (row["name"], row["new"], pd.isna(row["by"]), pd.isna(row["track"]), row["time"]) == (
        "v",
        7,
        True,
        True,
        1.0,
    )


def flaky(times: int) -> Callable[[Any], None]:
    """Return a behavior that fails that many times, then works."""
    left = [times]

    def charge(_: Any) -> None:
        left[0] -= 1
        if left[0] >= 0:
            raise RuntimeError("down")

    return charge


def charge_model() -> Model:
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("charge") >> b.end("e")
    return b.model()


def test_an_open_incident_is_one_row() -> None:
    """INC-02, INC-08: attempts 1, state open, not resolved."""
    trace = bs.simulate(charge_model(), behaviors={"charge": flaky(9)})
    row = trace.incidents().iloc[0]
    assert (row["node"], row["error"], row["attempts"], row["state"]) == ("charge", "RuntimeError: down", 1, "open")
    assert (row["opened"], pd.isna(row["resolved"])) == (2, True)


def test_a_retry_extends_the_incident() -> None:
    """INC-04, INC-05, INC-10: fails once, one retry after 5: attempts 1, resolved at time 5; T1 has parent T0."""
    trace = bs.simulate(charge_model(), behaviors={"charge": flaky(1)}, retries={"charge": (1, 5)})
    row = trace.incidents().iloc[0]
    assert (len(trace.incidents()), row["attempts"], row["state"]) == (1, 1, "resolved")
    assert (row["opened_time"], row["resolved_time"]) == (0.0, 5.0)
    tokens = trace.tokens()
    assert tokens[tokens["node"] == "charge"]["track_state"].tolist() == ["incident", "process_step_results"]
    assert tokens.iloc[-1]["parent"] == 0
    facts = trace.facts()
    actions = facts[(facts["kind"] == "Fault") & (facts["phase"] == "Incident")]["detail"].str.split().str[0].tolist()
    assert actions == ["action=raised", "action=retry-scheduled", "action=retried", "action=resolved"]


def test_a_retry_that_is_due_later_is_scheduled() -> None:
    """INC-04, INC-09: until the delay is over the incident is retry-scheduled."""
    trace = bs.simulate(charge_model(), behaviors={"charge": flaky(1)}, retries={"charge": (1, 5)}, step_limit=2)
    assert trace.incidents()["state"].tolist() == ["retry-scheduled"]


def test_a_second_failure_is_a_second_attempt() -> None:
    """INC-02: attempts count on the same record."""
    trace = bs.simulate(charge_model(), behaviors={"charge": flaky(9)}, retries={"charge": (1, 5)})
    assert trace.incidents()[["attempts", "state"]].values.tolist() == [[2, "open"]]


def test_an_error_thrown_by_a_behavior_is_a_throw() -> None:
    """ERR: kind error with its code; nothing caught it."""

    def decline(_: Any) -> None:
        raise bs.BpmnError("DECLINED")

    throws = bs.simulate(charge_model(), behaviors={"charge": decline}).throws()
    assert throws[["node", "kind", "code", "caught_by"]].values.tolist() == [["charge", "error", "DECLINED", ""]]


def test_what_catches_in_the_same_step_is_named(handmade: Callable[..., Trace], linear: Callable[..., Model]) -> None:
    """ITER-BH-11, ESC-04: the element of the next matching Caught fact; counters stand beside their names."""
    counters = (("member", 1), ("numberOfInstances", 3), ("numberOfActiveInstances", 1), ("loopCounter", 1))
    trace = handmade(
        linear("A", "B"),
        [
            (Fact.REPORT, 1, 0, "A", 0, "Fault Thrown", (("error", "E1"),)),
            (Fact.REPORT, 1, 0, "B", 0, "Escalation Caught", (("escalation", "X"),)),
            (Fact.REPORT, 1, 0, "B", 0, "Fault Caught", (("error", "E1"),)),
            (Fact.REPORT, 2, 0, "A", 0, "Iteration Thrown", (("kind", "signal"), ("code", "S"), *counters)),
            (Fact.REPORT, 3, 0, "B", 0, "Iteration Caught", ()),
        ],
    )
    assert trace.throws()[["kind", "code", "counters", "caught_by"]].values.tolist() == [
        ["error", "E1", "", "B"],
        ["signal", "S", "numberOfInstances=3 numberOfActiveInstances=1 loopCounter=1", ""],
    ]
    assert trace.throws()["ordinal"].tolist()[1] == 1
