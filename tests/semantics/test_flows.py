"""Sequence flows and forking (core.md FRK-01 to FRK-05, FLW-01 to FLW-08)."""

from __future__ import annotations

import pytest

import bpmnsim as bs
from bpmnsim.model.activities import Task

from ..models import count, details, line, path, rows


def three_ways(*, unconditional: bool = True) -> bs.Model:
    """A→B without a condition, A→C if v > 10, A→D by default."""
    b = bs.ProcessBuilder("p")
    a = b.task("A")
    _ = b.start("s") >> a
    if unconditional:
        a.flow(b.end("B"))
    a.flow(b.end("C"), "v > 10")
    a.flow(b.end("D"), default=True)
    return b.model()


def one_way(condition: str) -> bs.Model:
    """A→B under a condition."""
    b = bs.ProcessBuilder("p")
    a = b.task("A")
    _ = b.start("s") >> a
    a.flow(b.end("B"), condition)
    return b.model()


def test_the_parent_keeps_the_first_flow() -> None:
    """FRK-02.1 (FRK-01, FRK-02): T0 ends at e1, T1 (parent T0) at e2, T1 never visits s."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> [b.end("e1"), b.end("e2")]
    trace = bs.simulate(b.model())
    assert (path(trace, 0), path(trace, 1)) == (["s", "e1"], ["e2"])
    assert rows(trace.tokens(), "track", "parent")[-1] == (1, 0)


def test_the_parent_prefers_a_loop_to_the_node_itself() -> None:
    """FRK-02.2 (FRK-02): A→B, A→A, A→C: T0 re-enters A; T1 at B, T2 at C."""
    b = bs.ProcessBuilder("p")
    a = b.task("A")
    _ = b.start("s") >> a
    for target in (b.end("B"), a, b.end("C")):
        a.flow(target)
    trace = bs.Simulation(b.model()).run(step_limit=2)
    assert (path(trace, 0), path(trace, 1), path(trace, 2)) == (["s", "A", "A"], ["B"], ["C"])


def test_a_fork_child_records_its_flow_and_scope() -> None:
    """FRK-04.1 (FRK-04): the child's flow is f_split_b; its scope is that of its parent."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.task("a"), b.task("b")]
    tokens = bs.simulate(b.model()).tokens()
    assert rows(tokens[tokens.track == 1], "node", "via_flow", "scope") == [("b", "f_split_b", "/p")]


def test_a_split_over_three_makes_three_tracks() -> None:
    """FRK-05.1 (FRK-05): 3 tracks in all; no node type matters, a task forks like a gateway."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.task("A") >> [b.end("e1"), b.end("e2"), b.end("e3")]
    trace = bs.simulate(b.model())
    assert trace.tokens().track.nunique() == 3
    assert rows(trace.tokens().query("track > 0"), "track", "parent", "node") == [(1, 0, "e2"), (2, 0, "e3")]


def test_flows_are_chosen_in_declared_order() -> None:
    """FLW-01.1 (FLW-01): flows declared f2, f1 are selected in this order."""
    b = bs.ProcessBuilder("p")
    split = b.parallel("split")
    _ = b.start("s") >> split
    split.flow(b.end("e2"), id="f2")
    split.flow(b.end("e1"), id="f1")
    trace = bs.simulate(b.model())
    assert details(trace, "GatewayDecision") == ['chosen_flows="f2 f1"']
    assert path(trace, 0) == ["s", "split", "e2"]


@pytest.mark.parametrize(
    ("value", "taken"),
    [(20, {"B": 1, "C": 1, "D": 0}), (5, {"B": 1, "C": 0, "D": 1})],
    ids=["a condition holds", "no condition holds"],
)
def test_the_default_of_an_activity_needs_every_condition_to_fail(value: int, taken: dict[str, int]) -> None:
    """FLW-02.1, FLW-02.2 (FLW-02): v=20 takes B and C; v=5 takes B and the default D."""
    trace = bs.simulate(three_ways(), data={"v": value})
    assert {node: count(trace, node) for node in "BCD"} == taken
    assert trace.outcome == "completed"


def test_an_activity_without_any_flow_to_take_is_a_routing_fault() -> None:
    """FLW-02.2 (FLW-02): all false, no default, no unconditional flow: routing fault "no outgoing flow"."""
    b = bs.ProcessBuilder("p")
    a = b.task("A")
    _ = b.start("s") >> a
    a.flow(b.end("B"), "v > 10")
    a.flow(b.end("C"), "v > 20")
    trace = bs.simulate(b.model(), data={"v": 5})
    assert trace.outcome == "incident"
    assert [(s.node, "no outgoing flow" in s.waits_for) for s in trace.stuck] == [("A", True)]


def test_every_condition_of_an_activity_is_evaluated() -> None:
    """FLW-02: an activity has no short circuit; every true flow is taken, in declared order."""
    b = bs.ProcessBuilder("p")
    a = b.task("A")
    _ = b.start("s") >> a
    a.flow(b.end("B"), "v > 1")
    a.flow(b.end("C"), "v > 2")
    trace = bs.simulate(b.model(), data={"v": 5})
    assert (path(trace, 0), path(trace, 1)) == (["s", "A", "B"], ["C"])


def test_a_false_condition_on_the_only_flow_is_honored() -> None:
    """FLW-03.1, M-54 (FLW-03): B not visited, incident at A."""
    trace = bs.simulate(one_way("v > 10"), data={"v": 5})
    assert (trace.outcome, [s.node for s in trace.stuck], count(trace, "B")) == ("incident", ["A"], 0)


def test_a_true_condition_on_the_only_flow_lets_the_token_pass() -> None:
    """FLW-03.2 (FLW-03): condition true: B."""
    trace = bs.simulate(one_way("v > 10"), data={"v": 11})
    assert (trace.outcome, count(trace, "B")) == ("completed", 1)


def test_a_condition_that_is_no_boolean_is_an_incident() -> None:
    """FLW-04.1 (FLW-04): returns 1: the incident carries a ConditionTypeError that names node and flow; no raise."""
    trace = bs.simulate(one_way("1"))
    (stuck,) = trace.stuck
    assert (trace.outcome, stuck.node) == ("incident", "A")
    assert "f_A_B" in stuck.waits_for
    assert "not a boolean" in stuck.waits_for
    assert "ConditionTypeError" in (trace.record.tracebacks or {})[0]


def test_a_condition_that_cannot_be_evaluated_is_an_incident_that_names_the_flow() -> None:
    """FLW-04 (INC-01): the incident names flow, text and missing name, and both remedies (design section 4)."""
    (stuck,) = bs.simulate(one_way("amount > 10")).stuck
    for part in ("f_A_B", "'amount'", "amount > 10", "set the name in data", 'decisions="free"'):
        assert part in stuck.waits_for


def test_a_condition_sees_what_the_visit_has_just_written() -> None:
    """FLW-05.1 (FLW-05): the task commits v=7; v > 5 is true in the same visit."""
    trace = bs.simulate(one_way("v > 5"), data={"v": 1}, behaviors={"A": lambda _: {"v": 7}})
    assert (trace.outcome, count(trace, "B")) == ("completed", 1)


def test_an_uncontrolled_merge_runs_once_per_token() -> None:
    """FLW-06.1 (FLW-06, SRD-005 FR-7): C twice, e twice, 2 tracks ended."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.task("A"), b.task("B")] >> b.task("C") >> b.end("e")
    trace = bs.simulate(b.model())
    assert (count(trace, "C"), count(trace, "e")) == (2, 2)
    assert list(trace.history().query("track_state == 'ended'").track) == [0, 1]


def test_a_start_quantity_is_refused() -> None:
    """FLW-07.1 (FLW-07): startQuantity 2 is refused."""
    b = bs.ProcessBuilder("p")
    b.add(Task(id="A", start_quantity=2))
    _ = b.start("s") >> b.end("e")
    with pytest.raises(bs.ModelError, match=r"A.*start quantity is 2 \(FLW-07\)"):
        bs.simulate(b.model())


def test_a_flow_across_the_border_of_a_sub_process_is_refused() -> None:
    """FLW-08.1 (FLW-08): a flow from inside a sub-process to a node outside."""
    b = bs.ProcessBuilder("p")
    inner = b.inside(b.subprocess("sp")).task("inner")
    with pytest.raises(bs.ModelError, match="inner"):
        inner.flow(b.end("e"))


def test_free_decisions_offer_every_combination_of_conditional_flows() -> None:
    """Design section 4, Decisions: the unconditional flow is always among them, the default stands for none."""
    sim = bs.Simulation(three_ways(), decisions="free")
    _ = sim.step(), sim.step()
    assert [action.name for action in sim.enabled] == ["take(p/f_A_B+f_A_D)", "take(p/f_A_B+f_A_C)"]
    trace = sim.run()
    assert [count(trace, node) for node in "BCD"] == [1, 0, 1]
    assert [row.kind for row in trace.choices().itertuples()][:1] == ["decision"]


def test_free_decisions_take_an_only_flow_without_asking() -> None:
    """Design section 4: one option is no choice; a condition nobody can evaluate does not stop a free run."""
    trace = bs.simulate(one_way("no_such_name"), decisions="free")
    assert (trace.outcome, count(trace, "B"), trace.steps) == ("completed", 1, 3)


def test_free_decisions_over_many_flows_are_refused() -> None:
    """Design section 8: what would need too many options is refused by name instead of filling the memory."""
    b = bs.ProcessBuilder("p")
    a = b.task("A")
    _ = b.start("s") >> a
    for number in range(30):
        a.flow(b.end(f"e{number}"), f"v == {number}")
    with pytest.raises(bs.UnsupportedError, match=r"A.*30 flows"):
        bs.simulate(b.model(), decisions="free")
    assert bs.simulate(b.model(), data={"v": 3}).outcome == "completed"


def test_the_trace_of_a_line_is_exact() -> None:
    """NON-01.1 (NON-01): s>A>e completes."""
    trace = bs.simulate(line())
    assert (trace.outcome, path(trace, 0), trace.steps) == ("completed", ["s", "A", "e"], 3)
