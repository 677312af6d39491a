"""Exclusive gateways, and what all gateways share (core.md XOR-01 to XOR-05, GW-01 to GW-03)."""

from __future__ import annotations

import pytest

import bpmnsim as bs

from ..models import count, details, path


def approval() -> bs.Model:
    """Review where amount > 1000, approve by default."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> x
    x.flow(b.task("review"), "amount > 1000")
    x.flow(b.task("approve"), default=True)
    return b.model()


def conditionless(dialect: str = "bpmn") -> bs.Model:
    """x→B without a condition, x→C if false, no default."""
    b = bs.ProcessBuilder("p", dialect=dialect)
    x = b.exclusive("x")
    _ = b.start("s") >> x
    x.flow(b.task("B"))
    x.flow(b.task("C"), "${false}" if dialect == "camunda" else "False")
    return b.model()


def test_the_first_true_flow_is_taken_and_later_ones_are_not_evaluated() -> None:
    """XOR-01.1 (XOR-01): c1 (v > 0), c2 (raises), v=1: c1 taken, no error."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> x
    x.flow(b.task("B"), "v > 0")
    x.flow(b.task("C"), "no_such_name > 0")
    trace = bs.simulate(b.model(), data={"v": 1})
    assert (trace.outcome, count(trace, "B"), count(trace, "C")) == ("completed", 1, 0)
    bad = bs.simulate(b.model(), data={"v": 0})
    assert (bad.outcome, [s.node for s in bad.stuck]) == ("incident", ["x"])


def test_a_large_amount_is_reviewed() -> None:
    """M-21, XOR-02.1 (XOR-02): amount=2500: review; completed."""
    trace = bs.simulate(approval(), data={"amount": 2500})
    assert (path(trace, 0), trace.outcome) == (["s", "x", "review"], "completed")


def test_the_default_is_taken_where_nothing_holds() -> None:
    """XOR-02.2 (XOR-02): amount=1000: approve. One track in all."""
    trace = bs.simulate(approval(), data={"amount": 1000})
    assert path(trace, 0) == ["s", "x", "approve"]
    assert trace.tokens().track.nunique() == 1


def test_the_condition_of_a_default_is_not_evaluated() -> None:
    """XOR-02: the default is no candidate even if it has a condition that holds."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> x
    x.flow(b.task("D"), "True", default=True)
    x.flow(b.task("B"), "v > 0")
    assert path(bs.simulate(b.model(), data={"v": 1}), 0) == ["s", "x", "B"]


def test_a_flow_without_condition_is_never_selected() -> None:
    """XOR-03.1, M-55 (XOR-03): x→B (none), x→C (false), no default: routing fault."""
    trace = bs.simulate(conditionless())
    assert (trace.outcome, [s.node for s in trace.stuck]) == ("incident", ["x"])
    assert (count(trace, "B"), count(trace, "C")) == (0, 0)


def test_a_flow_without_condition_holds_in_the_camunda_dialect() -> None:
    """XOR-03.2, M-55 (XOR-03): the same in the Camunda dialect takes B."""
    assert path(bs.simulate(conditionless("camunda")), 0) == ["s", "x", "B"]


def test_an_only_flow_needs_no_condition() -> None:
    """XOR-03.3 (XOR-03): x→B alone takes B."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.exclusive("x") >> b.task("B")
    assert path(bs.simulate(b.model()), 0) == ["s", "x", "B"]


def test_nothing_true_and_no_default_is_an_incident() -> None:
    """XOR-04.1 (XOR-04): v=0 with c1 (v > 0) only and no default: incident at x."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> x
    x.flow(b.task("B"), "v > 0")
    trace = bs.simulate(b.model(), data={"v": 0})
    assert (trace.outcome, [s.node for s in trace.stuck], count(trace, "B")) == ("incident", ["x"], 0)


def test_a_merge_passes_every_token() -> None:
    """XOR-05.1, GW-03.1 (XOR-05, GW-03): 2 tokens into a merging gateway: next node twice, none consumed."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.task("a"), b.task("b")] >> b.exclusive("m") >> b.task("next")
    trace = bs.simulate(b.model())
    assert count(trace, "next") == 2
    at_merge = trace.history().query("node == 'm'")
    assert list(at_merge.token_state) == ["alive"] * 4


def test_a_mixed_gateway_decides_for_each_token() -> None:
    """XOR-05: pass through, then choose, per token."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> b.parallel("split") >> [b.service("a"), b.service("b")] >> x
    x.flow(b.end("one"), "v == 1")
    x.flow(b.end("two"), default=True)
    trace = bs.simulate(b.model(), strategy="depth", behaviors={"a": lambda _: {"v": 1}, "b": lambda _: {"v": 2}})
    assert (count(trace, "x"), count(trace, "one"), count(trace, "two")) == (2, 1, 1)


def test_a_diverging_gateway_with_two_incoming_flows_is_refused() -> None:
    """GW-01.1 (GW-01): diverging with 2 incoming."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x", direction="diverging")
    _ = b.start("s") >> b.parallel("split") >> [b.task("a"), b.task("b")] >> x >> b.end("e")
    with pytest.raises(bs.ModelError, match=r"x.*GW-01"):
        bs.simulate(b.model())


def test_the_chosen_flow_is_a_fact() -> None:
    """GW-02.1 (GW-02): chosen_flows is f_x_review."""
    trace = bs.simulate(approval(), data={"amount": 2500})
    assert details(trace, "GatewayDecision") == ["chosen_flows=f_x_review"]


def test_without_any_condition_the_flow_is_a_choice() -> None:
    """Design section 4, Decisions: a model without conditions leaves the flow to the strategy."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.exclusive("x") >> [b.end("e1"), b.end("e2")]
    sim = bs.Simulation(b.model())
    _ = sim.step(), sim.step()
    assert [(action.name, action.kind) for action in sim.enabled] == [
        ("take(p/f_x_e1)", "take"),
        ("take(p/f_x_e2)", "take"),
    ]
    sim.step("take(p/f_x_e2)")
    trace = sim.run()
    assert path(trace, 0) == ["s", "x", "e2"]
    assert bs.simulate(b.model(), schedule=str(trace.schedule)) == trace


def test_free_decisions_include_the_default() -> None:
    """Design section 4: with decisions="free" conditions are not evaluated and every flow is an option."""
    sim = bs.Simulation(approval(), decisions="free")
    _ = sim.step(), sim.step()
    assert [action.name for action in sim.enabled] == ["take(p/f_x_review)", "take(p/f_x_approve)"]
