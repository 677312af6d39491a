"""Data: scopes of names, commits, their facts (core.md DAT-01 to DAT-13)."""

from __future__ import annotations

from typing import Any

import pytest

import bpmnsim as bs
from bpmnsim.model.inside import Inside

from ..models import changes, count, line, path, rows


def written_in_turn(*values: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return (phase, path) of the changes when one task after the other writes some values."""
    b = bs.ProcessBuilder("p")
    before = b.start("s")
    for number in range(len(values)):
        before = before >> b.service(f"t{number}")
    _ = before >> b.end("e")
    behaviors = {f"t{number}": lambda _, value=value: value for number, value in enumerate(values)}
    trace = bs.simulate(b.model(), behaviors=behaviors)
    assert trace.outcome == "completed"
    return [(phase, where, node) for phase, where, node, _, _ in changes(trace)]


def in_a_sub_process(*, declared: str = "", dialect: str = "bpmn") -> bs.Model:
    """Build s>[sp: inner>after]>outer>e; the sub-process may declare a data object."""
    b = bs.ProcessBuilder("p", dialect=dialect)

    def body(inside: Inside) -> None:
        if declared:
            inside.data(declared)
        _ = inside.start() >> inside.service("inner") >> inside.service("after") >> inside.end()

    _ = b.start("s") >> b.subprocess("sp", body=body) >> b.service("outer") >> b.end("e")
    return b.model()


def test_a_record_that_changes_in_part() -> None:
    """M-11, DAT-07.1, DAT-07.2 (DAT-07): Added receipt@produce, Updated receipt.sum@reprice."""
    assert written_in_turn({"receipt": {"sum": 5}}, {"receipt": {"sum": 6}}) == [
        ("Value_Added", "receipt", "t0"),
        ("Value_Updated", "receipt.sum", "t1"),
    ]


def test_a_map_whose_keys_change() -> None:
    """M-26, DAT-07.3 (DAT-07): Added rates; Updated ["EUR"], Added ["JPY"], Deleted ["GBP"]."""
    found = written_in_turn({"rates": {"EUR": 1, "GBP": 2}}, {"rates": {"EUR": 3, "JPY": 4}})
    assert [(phase, where.replace("\\", "")) for phase, where, _ in found] == [
        ("Value_Added", "rates"),
        ("Value_Updated", '"rates["EUR"]"'),
        ("Value_Added", '"rates["JPY"]"'),
        ("Value_Deleted", '"rates["GBP"]"'),
    ]


def test_an_identical_commit_leaves_no_fact() -> None:
    """DAT-07.4 (DAT-07): []."""
    assert written_in_turn({"v": [1]}, {"v": [1]}) == [("Value_Added", "v", "t0")]


def test_a_value_of_another_type_is_a_change() -> None:
    """DAT-07: 1 and True are equal in Python, but not the same value."""
    assert written_in_turn({"v": 1}, {"v": True}, {"v": 1.0}) == [
        ("Value_Added", "v", "t0"),
        ("Value_Updated", "v", "t1"),
        ("Value_Updated", "v", "t2"),
    ]


def test_a_nested_value_of_another_type_is_a_change() -> None:
    """DAT-07: also inside a list or record."""
    assert written_in_turn({"v": [1]}, {"v": [True]}) == [("Value_Added", "v", "t0"), ("Value_Updated", "v[0]", "t1")]


def test_a_structured_value_decides_a_flow() -> None:
    """M-33, M-42 (DAT-06, DAT-07): order.total=150: premium lane; price 50 is read; completed."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> b.service("price") >> x
    x.flow(b.end("premium"), "order.total > 100 and order.items[0].price == 50")
    x.flow(b.end("standard"), default=True)
    read = []
    trace = bs.simulate(
        b.model(),
        data={"order": {"total": 150, "items": [{"price": 50}]}},
        behaviors={"price": lambda task: read.append(task["order"]["items"][0]["price"])},
    )
    assert (path(trace, 0)[-1], read, trace.outcome) == ("premium", [50], "completed")


def test_an_open_sub_process_has_a_scope_of_its_own() -> None:
    """DAT-01.1 (DAT-01): 2 data scopes while open, 1 after."""
    sim = bs.Simulation(in_a_sub_process())
    sim.run(until="inner")
    assert list(sim._driver.run.state.data) == [0, 1]
    sim.run(until="outer")
    assert list(sim._driver.run.state.data) == [0]


def test_a_visit_reads_once() -> None:
    """DAT-02.1 (DAT-02): v=1 taken, sibling commits v=2: the visit reads 1."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.service("A"), b.service("B")]
    trace = bs.simulate(
        b.model(),
        data={"v": 1},
        durations={"A": 5, "B": 1},
        behaviors={"A": lambda task: {"seen": task["v"]}, "B": lambda _: {"v": 2}},
    )
    assert dict(trace.values) == {"v": 2, "seen": 1}


def test_a_name_declared_inside_stays_inside() -> None:
    """DAT-03.1 (DAT-03, DAT-10): root v=1, v=2 declared in the child: inner reads 2, after close outer reads 1."""
    read = {}
    trace = bs.simulate(
        in_a_sub_process(declared="v"),
        data={"v": 1},
        behaviors={
            "inner": lambda _: {"v": 2},
            "after": lambda task: read.update(after=task["v"]),
            "outer": lambda task: read.update(outer=task["v"]),
        },
    )
    assert (read, dict(trace.values)) == ({"after": 2, "outer": 1}, {"v": 1})


@pytest.mark.parametrize(("dialect", "values"), [("bpmn", {"seen": False}), ("camunda", {"w": 1, "seen": True})])
def test_where_a_new_name_goes_depends_on_the_dialect(dialect: str, values: dict[str, Any]) -> None:
    """DAT-04.2 (DAT-04): new name w written in a sub-process: gone after it in bpmn, at the root in camunda."""
    trace = bs.simulate(
        in_a_sub_process(dialect=dialect),
        behaviors={"inner": lambda _: {"w": 1}, "outer": lambda task: {"seen": "w" in task}},
    )
    assert dict(trace.values) == values


def test_names_resolve_outwards_only() -> None:
    """DAT-03: never sideways, never into children."""
    b = bs.ProcessBuilder("p")
    parts = [b.subprocess(name, body=lambda i, name=name: i.start() >> i.service(f"in_{name}")) for name in "ab"]
    _ = b.start("s") >> b.parallel("split") >> parts
    seen = {}
    bs.simulate(
        b.model(),
        behaviors={"in_a": lambda _: {"w": 1}, "in_b": lambda task: seen.update(b="w" in task)},
        strategy="priority(a,a_start,in_a)",
    )
    assert seen == {"b": False}


def test_initial_data_leaves_no_fact() -> None:
    """DAT-08.1 (DAT-08): initial property v=1: 0 DataChange."""
    assert changes(bs.simulate(line(), data={"v": 1})) == []


def test_data_objects_of_two_branches() -> None:
    """DAT-10.1, M-35 (DAT-10): two branches fill a_result and b_result; both readable at root after completion."""
    b = bs.ProcessBuilder("p")
    for name in ("a_result", "b_result"):
        b.data(name)
    split = b.parallel("split")
    _ = b.start("s") >> split
    _ = split >> b.service("greet-a") >> b.end("e1")
    _ = split >> b.service("greet-b") >> b.end("e2")
    trace = bs.simulate(
        b.model(),
        data={"name": "dr.Dobermann"},
        behaviors={
            "greet-a": lambda task: {"a_result": f"Hello, {task['name']}!"},
            "greet-b": lambda task: {"b_result": f"Welcome, {task['name']}!"},
        },
    )
    assert trace.outcome == "completed"
    assert trace.values["a_result"] == "Hello, dr.Dobermann!"
    assert trace.values["b_result"] == "Welcome, dr.Dobermann!"


def test_a_data_change_holds_both_values() -> None:
    """DAT-13.1 first half (DAT-13): the row of v=5 holds data_path v and 5."""
    trace = bs.simulate(line(), behaviors={"A": lambda _: {"v": 5}})
    assert changes(trace) == [("Value_Added", "v", "A", None, 5)]


def test_a_value_that_cannot_be_copied_is_refused_by_name() -> None:
    """Design section 4: reported by name, never silently ignored."""
    lines = (line for line in "ab")
    with pytest.raises(bs.StateError, match="'lines'"):
        bs.simulate(line(), data={"lines": lines})
    trace = bs.simulate(line(), behaviors={"A": lambda _: {"lines": lines}})
    assert (trace.outcome, "'lines'" in trace.stuck[0].waits_for) == ("incident", True)


def test_what_was_handed_in_or_out_is_never_shared() -> None:
    """Design section 4, Data: changing a value outside changes nothing in the run."""
    kept: list[int] = []
    trace = bs.simulate(line(), behaviors={"A": lambda _: {"v": kept}})
    kept.append(1)
    assert trace.values["v"] == []


@pytest.mark.parametrize("result", [5, [1], {1: 2}, "text"], ids=str)
def test_a_behavior_that_returns_no_outputs_is_an_incident(result: object) -> None:
    """Design section 4, Behaviors: outputs are a dict by name, or None."""
    trace = bs.simulate(line(), behaviors={"A": lambda _: result})
    assert (trace.outcome, "not a dict of outputs" in trace.stuck[0].waits_for) == ("incident", True)


def test_a_value_read_by_a_behavior_that_is_not_there_names_the_nearest() -> None:
    """DAT-03: missing is an error; here an incident with a hint."""
    trace = bs.simulate(line(), data={"amount": 1}, behaviors={"A": lambda task: {"v": task["amont"]}})
    assert "did you mean 'amount'" in trace.stuck[0].waits_for


def test_values_can_be_set_from_outside() -> None:
    """Design section 7: Simulation.set writes where the name is held, or in a scope by path; a fact without node."""
    sim = bs.Simulation(in_a_sub_process(), data={"v": 1})
    sim.run(until="inner")
    sim.set("v", 2)
    sim.set("w", 3, scope="/p/sp")
    facts = sim.trace().facts()
    found = facts[facts.kind == "DataChange"]
    assert rows(found, "scope", "detail", "new", "track") == [
        ("/p", "data_path=v", 2, None),
        ("/p/sp", "data_path=w", 3, None),
    ]
    with pytest.raises(bs.NoSuchTask, match="did you mean '/p'"):
        sim.set("w", 3, scope="/pp")
    assert dict(sim.run().values) == {"v": 2}


def test_a_qualified_name_cannot_be_written() -> None:
    """DAT-05.1 (DAT-05): write RUNTIME/STATE: refused, whoever writes, and nothing of the visit is committed."""
    trace = bs.simulate(line(), behaviors={"A": lambda _: {"v": 1, "RUNTIME/STATE": "Completed"}})
    assert (trace.outcome, "RUNTIME/STATE" in trace.stuck[0].waits_for) == ("incident", True)
    assert (dict(trace.values), changes(trace)) == ({}, [])
    with pytest.raises(bs.SimulationError, match="DAT-05"):
        bs.Simulation(line()).set("a/b", 1)


def test_expression_languages_can_be_mixed() -> None:
    """DAT-12: each expression is read in its own language; an unclaimed one fails by name."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> x
    x.flow(b.end("feel"), bs.model.base.Formal(text="amount > 100", language="feel"))
    x.flow(b.end("python"), bs.model.base.Formal(text="amount > 50", language="python"))
    x.flow(b.end("juel"), bs.model.base.Formal(text="${amount > 10}", language="juel"))
    x.flow(b.end("small"), default=True)
    for amount, end in ((200, "feel"), (60, "python"), (20, "juel"), (1, "small")):
        assert count(bs.simulate(b.model(), data={"amount": amount}), end) == 1


def test_an_unclaimed_expression_language_is_a_failure() -> None:
    """DAT-12.1 (DAT-12): a language that no engine claims fails, naming flow and language."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> x
    x.flow(b.end("e1"), bs.model.base.Formal(text="amount > 100", language="prolog"))
    x.flow(b.end("e2"), default=True)
    trace = bs.simulate(b.model(), data={"amount": 1})
    (stuck,) = trace.stuck
    assert (trace.outcome, stuck.node) == ("incident", "x")
    assert "f_x_e1" in stuck.waits_for
    assert "prolog" in stuck.waits_for
