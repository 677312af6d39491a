"""Rows of facts(): the expansion of core.md section 12 and iteration.md section 14."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

import bpmnsim as bs
from bpmnsim.facts import Fact
from bpmnsim.model import Model
from bpmnsim.trace import Trace


def said(trace: Trace, *kinds: str) -> list[tuple[str, str, str]]:
    """Kind, phase and node of the facts of these kinds, of all if none is named."""
    facts = trace.facts()
    chosen = facts[facts["kind"].isin(kinds)] if kinds else facts
    return list(chosen[["kind", "phase", "node"]].itertuples(index=False, name=None))


def details(trace: Trace, kind: str) -> list[str]:
    facts = trace.facts()
    return facts[facts["kind"] == kind]["detail"].tolist()


def phases(trace: Trace, kind: str, node: str) -> list[str]:
    return [phase for _, phase, where in said(trace, kind) if where == node]


def test_a_linear_run_gives_ten_facts(linear: Callable[..., Model]) -> None:
    """OBS-04, OBS-05, LIF-02: the minimal stream of s>A>e."""
    assert said(bs.simulate(linear("A"))) == [
        ("InstanceState", "Created", "p"),
        ("InstanceState", "Active", "p"),
        ("NodeProgress", "Executing", "s"),
        ("NodeProgress", "Executing", "s"),
        ("NodeProgress", "Executing", "A"),
        ("NodeProgress", "Executing", "A"),
        ("NodeProgress", "Executing", "e"),
        ("NodeProgress", "Executing", "e"),
        ("NodeProgress", "Completed", "e"),
        ("InstanceState", "Completed", "p"),
    ]


def test_rows_are_numbered_without_gaps(diamond: Model) -> None:
    """OBS-06: seq is 0..n-1."""
    facts = bs.simulate(diamond).facts()
    assert facts["seq"].tolist() == list(range(len(facts)))


def test_an_and_split_reports_its_flows_and_a_pure_join_none(diamond: Model) -> None:
    """GW-02: chosen_flows are the flow ids in selection order, space-joined."""
    trace = bs.simulate(diamond)
    assert said(trace, "GatewayDecision") == [("GatewayDecision", "BranchesChosen", "split")]
    assert details(trace, "GatewayDecision") == ['chosen_flows="f_split_a f_split_b"']


def test_an_exclusive_gateway_reports_the_flow_it_took() -> None:
    """GW-02: XOR to f_x_B."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> x
    x.flow(b.end("A"), when="v > 0")
    x.flow(b.end("B"), default=True)
    assert details(bs.simulate(b.model(), data={"v": 0}), "GatewayDecision") == ["chosen_flows=f_x_B"]


def test_a_self_loop_is_named_in_declared_order(handmade: Callable[..., Trace], diamond: Model) -> None:
    """GW-02, FRK-02: whichever flow the track keeps, flows stand in declared order; a later child is no choice."""
    trace = handmade(
        diamond,
        [
            *((Fact.VISIT, 1, 0, "split", 0, 3, None), (Fact.TRACK, 1, 1, "a", 0, 1, 0)),
            *((Fact.VISIT, 2, 0, "split", 0, 1, None), (Fact.TRACK, 2, 2, "b", 0, 3, 1)),
            (Fact.TRACK, 3, 3, "b", 0, 3, 0),
        ],
    )
    flows = trace.record.flows
    assert details(trace, "GatewayDecision") == [f'chosen_flows="{flows[1]} {flows[3]}"', f"chosen_flows={flows[1]}"]


def test_a_token_at_an_and_join_parks_and_merges(diamond: Model) -> None:
    """AND-04, AND-05, TRK-02: Parked as awaiting_merge, then Merged into the survivor, which alone executes."""
    facts = bs.simulate(diamond).facts()
    join = facts[(facts["node"] == "join") & (facts["kind"] == "NodeProgress")]
    assert list(join[["phase", "track", "track_state", "detail"]].itertuples(index=False, name=None)) == [
        ("Parked", 0, "awaiting_merge", "flow=f_a_join"),
        ("Merged", 0, "merged", "merged_into=1"),
        ("Executing", 1, "executing_step", ""),
        ("Executing", 1, "process_step_results", ""),
    ]


def test_a_wait_parks_before_it_is_delivered() -> None:
    """TRK-08: wait_for_event, ready, executing_step, process_step_results."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.user("R") >> b.end("e")
    history = bs.simulate(b.model()).history()
    assert history[history["node"] == "R"]["track_state"].tolist() == [
        "wait_for_event",
        "ready",
        "executing_step",
        "process_step_results",
    ]
    assert len(history) == 9


def test_work_that_takes_time_executes_once() -> None:
    """TRK-06: executing_step is recorded once per visit, when the work begins."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.task("A") >> b.end("e")
    facts = bs.simulate(b.model(), durations={"A": 4}).facts()
    rows = facts[(facts["node"] == "A") & (facts["kind"] == "NodeProgress")]
    assert list(rows[["phase", "time"]].itertuples(index=False, name=None)) == [("Executing", 0.0), ("Executing", 4.0)]


def test_a_commit_stands_between_the_two_executing_rows() -> None:
    """EXE-06, DAT-08: the change is a fact of the visit, with committer, path, old and new value."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("A") >> b.end("e")
    trace = bs.simulate(b.model(), behaviors={"A": lambda _: {"v": 5}})
    assert [row for row in said(trace) if row[2] == "A"] == [
        ("NodeProgress", "Executing", "A"),
        ("DataChange", "Value_Added", "A"),
        ("NodeProgress", "Executing", "A"),
    ]
    facts = trace.facts()
    row = facts[facts["kind"] == "DataChange"].iloc[0]
    assert (row["detail"], row["old"], row["new"]) == ("data_path=v", None, 5)


def test_start_data_is_no_change(linear: Callable[..., Model]) -> None:
    """DAT-08: initial values emit none."""
    assert said(bs.simulate(linear("A"), data={"v": 1}), "DataChange") == []


def test_a_failed_visit_commits_nothing_and_is_an_incident() -> None:
    """EXE-04, INC-02, OBS-07: Uncaught after the failing visit began, then Fault Incident with action raised."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("charge") >> b.end("e")
    trace = bs.simulate(b.model(), behaviors={"charge": lambda _: 1 / 0})
    assert [row[:2] for row in said(trace) if row[2] == "charge"] == [
        ("NodeProgress", "Executing"),
        ("Fault", "Uncaught"),
        ("NodeProgress", "Incident"),
        ("Fault", "Incident"),
    ]
    assert details(trace, "Fault")[-1] == ('action=raised incident_id=0 error="ZeroDivisionError: division by zero"')


def sub_process(inner: Iterable[str] = ("A",)) -> Model:
    b = bs.ProcessBuilder("p")
    body = list(inner)

    def fill(sp: bs.ProcessBuilder) -> None:
        node = sp.start()
        for task in body:
            node = node >> sp.task(task)
        _ = node >> sp.end()

    _ = b.start("s") >> b.subprocess("sp", body=fill) >> b.end("e")
    return b.model()


def test_a_scope_is_opened_before_anything_inside_and_closed_once() -> None:
    """SUB-02, SUB-05, SUB-10: Opened, the inner nodes, Completed, then the host goes on."""
    trace = bs.simulate(sub_process())
    assert said(trace, "Scope") == [("Scope", "Opened", "sp"), ("Scope", "Completed", "sp")]
    order = [f"{kind} {phase} {node}" for kind, phase, node in said(trace)]
    opened, closed = order.index("Scope Opened sp"), order.index("Scope Completed sp")
    inside = [at for at, row in enumerate(order) if row.endswith(("A", "_start", "_end"))]
    assert opened < min(inside)
    assert max(inside) < closed < order.index("NodeProgress Executing sp")


def test_a_host_rests_until_its_scope_has_drained() -> None:
    """SUB-02, SUB-05, TRK-08: the host parks, is delivered the end of its scope, executes."""
    history = bs.simulate(sub_process()).history()
    assert history[history["node"] == "sp"]["track_state"].tolist() == [
        "wait_for_event",
        "ready",
        "executing_step",
        "process_step_results",
    ]


def test_a_host_of_passes_parks_once() -> None:
    """ITER-F-06: one interval for the whole iteration, no arrival and no parking per pass."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.task("A", multi_instance=bs.sequential(cardinality="3")) >> b.end("e")
    history = bs.simulate(b.model()).history()
    assert history[history["node"] == "A"]["track_state"].tolist() == [
        "wait_for_event",
        "executing_step",
        "process_step_results",
    ]


def test_a_throw_of_an_iteration_belongs_to_its_activation(handmade: Callable[..., Trace], iterated: Model) -> None:
    """ITER-ES-01, ITER-R-07: ordinal and activation of the instance that completed, though the host throws."""
    activated = (("activation", 2), ("kind", "mi_parallel"), ("source", "collection"), ("total", 1))
    trace = handmade(
        iterated,
        [
            (Fact.REPORT, 1, 0, "A", 0, "Iteration Activated", activated),
            (Fact.REPORT, 2, 0, "A", 0, "Iteration Thrown", (("member", 1), ("code", "S"))),
        ],
    )
    row = trace.facts().iloc[-1]
    assert (row["phase"], row["ordinal"], row["activation"], row["detail"]) == ("Thrown", 1, 2, "code=S")


def test_a_scope_fact_names_its_path() -> None:
    """OBS-03, SUB-01: the scope column is the path; the process has no scope facts of its own."""
    facts = bs.simulate(sub_process()).facts()
    assert facts[facts["kind"] == "Scope"]["scope"].unique().tolist() == ["/p/sp"]
    assert facts[facts["node"] == "A"]["scope"].unique().tolist() == ["/p/sp"]


def test_a_terminated_process_closes_open_scopes_as_synthetic() -> None:
    """TRM-01, SUB-10: Terminating, Canceled tracks, a synthetic Terminated scope, Terminated."""
    b = bs.ProcessBuilder("p")
    split = b.parallel("split")
    _ = b.start("s") >> split
    _ = split >> b.subprocess("sp", body=lambda sp: sp.start() >> sp.user("U") >> sp.end()) >> b.end("e")
    _ = split >> b.end("stop", kind="terminate")
    trace = bs.simulate(b.model(), scenario=bs.Scenario())
    assert phases(trace, "InstanceState", "p") == ["Created", "Active", "Terminating", "Terminated"]
    assert said(trace, "Scope") == [("Scope", "Opened", "sp"), ("Scope", "Terminated", "sp")]
    assert details(trace, "Scope") == ["", "synthetic=true"]
    assert trace.outcome == "terminated"


def test_time_is_the_virtual_time_of_the_fact() -> None:
    """OBS-01: a fact carries the moment at which it happened."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.task("A") >> b.task("B") >> b.end("e")
    facts = bs.simulate(b.model(), durations={"A": 2, "B": 3}).facts()
    times = facts.groupby("node", sort=False)["time"].max()
    assert times[["s", "A", "B", "e"]].tolist() == [0.0, 2.0, 5.0, 5.0]


def test_names_are_shown_beside_ids() -> None:
    """OBS-01: node_name is the drawn name, missing where there is none."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.task("A", name="Pack it") >> b.end("e")
    facts = bs.simulate(b.model()).facts()
    assert facts[facts["node"] == "A"]["node_name"].unique().tolist() == ["Pack it"]
    assert facts[facts["node"] == "s"]["node_name"].isna().all()
    assert isinstance(facts["node_name"].dtype, pd.StringDtype)
