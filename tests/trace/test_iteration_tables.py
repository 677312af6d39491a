"""Rows of barriers(), iterations() and inner_instances(), and the facts of iterated activities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import bpmnsim as bs
from bpmnsim.facts import ABSENT, Fact
from bpmnsim.model import Model
from bpmnsim.trace import Trace

Facts = list[tuple[Any, ...]]


def opened(n: int, *, total: int | None = None, kind: str = "mi_parallel") -> Facts:
    """Facts of an activation of A by track 0 with n inner instances in scopes 2 and up, each with a track."""
    said = (("activation", 1), ("kind", kind), ("source", "collection"), ("total", n if total is None else total))
    items = [f"i{number}" for number in range(n if total is None else total)]
    facts: Facts = [
        (Fact.EVAL, 1, 0, "A", 0, "cardinality", ("xs", (), items, "", None)),
        (Fact.OPEN, 1, 0, "A", 1, 0, (None, 1, 0)),
        (Fact.REPORT, 1, 0, "A", 0, "Iteration Activated", said),
    ]
    if kind == "mi_parallel":
        facts.append((Fact.GROUP, 1, 0, "A", 1, "fan_out", n))
    facts += [(Fact.OPEN, 1, 0, "A", 2 + number, 1, (number, 1, 0)) for number in range(n)]
    facts += [(Fact.TRACK, 1, 1 + number, "body:A", 2 + number, -1, -1) for number in range(n)]
    return [*facts, (Fact.WAIT, 1, 0, "A", 0, -1, "inner instances")]


def drained(step: int, number: int, phase: str = "Completed") -> Facts:
    """Facts of an inner instance that ends with result y = 10 * number."""
    scope, track = 2 + number, 1 + number
    return [
        (Fact.DATA, step, track, "body:A", scope, "y", (ABSENT, 10 * number)),
        (Fact.VISIT, step, track, "body:A", scope, -1, None),
        (Fact.CLOSE, step, 0, "A", scope, 1, phase),
        (Fact.GROUP, step, 0, "A", 1, "drain", number),
    ]


def delivered(step: int, number: int, verdict: bool | None = None) -> Facts:
    facts: Facts = [(Fact.GROUP, step, 0, "A", 1, "deliver", number)]
    if verdict is not None:
        facts.append((Fact.EVAL, step, 0, "A", 1, "completion", ("c", (), verdict, "", number)))
    return facts


def left(step: int, completed: int, terminated: int, output: list[Any] | None, reason: str = "exhausted") -> Facts:
    said = (("total", completed + terminated), ("completed", completed), ("terminated", terminated), ("reason", reason))
    facts: Facts = [(Fact.CLOSE, step, 0, "A", 1, 0, "Completed")]
    if output is not None:
        facts.append((Fact.DATA, step, 0, "A", 0, "ys", (ABSENT, output)))
    return [*facts, (Fact.REPORT, step, 0, "A", 0, "Iteration Exited", said), (Fact.VISIT, step, 0, "A", 0, 1, None)]


def cells(frame: pd.DataFrame, *columns: str) -> list[tuple[object, ...]]:
    chosen = frame[list(columns)].astype(object)
    return list(chosen.where(chosen.notna(), None).itertuples(index=False, name=None))


def test_each_drain_is_delivered_by_itself(handmade: Callable[..., Trace], iterated: Model) -> None:
    """ITER-P-04, ITER-P-06, ITER-D-04: three drains, three deliveries with re-arms between, one publication."""
    rearm = (Fact.GROUP, 6, 0, "A", 1, "rearm", None)
    facts = [
        *opened(3),
        *drained(2, 2),
        *drained(3, 0),
        *drained(4, 1),
        *delivered(5, 2, False),
        rearm,
        *delivered(6, 0, False),
        rearm,
        *delivered(7, 1),
        *left(7, 3, 0, [0, 10, 20]),
    ]
    barriers = handmade(iterated, facts).barriers()
    assert cells(barriers, "event", "ordinal", "open", "delivered", "completed", "active", "condition") == [
        ("fan_out", None, "0 1 2", 0, 0, 3, None),
        ("drain", 2, "0 1", 0, 0, 3, None),
        ("drain", 0, "1", 0, 0, 3, None),
        ("queue", 0, "1", 0, 0, 3, None),
        ("drain", 1, "", 0, 0, 3, None),
        ("queue", 1, "", 0, 0, 3, None),
        ("deliver", 2, "", 1, 1, 2, None),
        ("condition", 2, "", 1, 1, 2, False),
        ("rearm", None, "", 1, 1, 2, None),
        ("deliver", 0, "", 2, 2, 1, None),
        ("condition", 0, "", 2, 2, 1, False),
        ("rearm", None, "", 2, 2, 1, None),
        ("deliver", 1, "", 3, 3, 0, None),
        ("publish", None, "", 3, 3, 0, None),
        ("complete", None, "", 3, 3, 0, None),
    ]
    assert barriers["queued"].tolist() == [0, 1, 2, 2, 3, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0]
    assert barriers["output"].tolist()[-2:] == [[0, 10, 20], None]
    assert set(barriers["host"]) == {"A"}
    assert set(barriers["n"]) == {3}


def quorum() -> Facts:
    """Five instances, two complete, the condition holds, the other three are canceled."""
    facts = [*opened(5), *drained(2, 0), *delivered(3, 0, False), *drained(4, 1), *delivered(5, 1, True)]
    for number in (2, 3, 4):
        facts += [
            (Fact.CANCEL, 5, 1 + number, "body:A", 2 + number, -1, "completion condition"),
            (Fact.CLOSE, 5, 0, "A", 2 + number, 1, "Canceled"),
            (Fact.GROUP, 5, 0, "A", 1, "cancel", number),
        ]
    return [*facts, *left(5, 2, 3, [0, 10, None, None, None], "completion_condition")]


def test_a_true_condition_cancels_the_rest(handmade: Callable[..., Trace], iterated: Model) -> None:
    """ITER-CC-03, ITER-R-03: nC=2, nT=3, nA=0; three Canceled facts with ordinals 2, 3, 4 before the publication."""
    trace = handmade(iterated, quorum())
    assert cells(trace.iterations(), "kind", "source", "total", "completed", "terminated", "active", "pending") == [
        ("mi_parallel", "collection", 5, 2, 3, 0, 0)
    ]
    assert cells(trace.iterations(), "state", "exit_reason", "opened", "closed") == [
        ("completed", "completion_condition", 1, 5)
    ]
    assert trace.inner_instances()["state"].tolist() == ["completed"] * 2 + ["canceled"] * 3
    barriers = trace.barriers()
    canceling = barriers[barriers["event"] == "cancel"]
    assert cells(canceling, "ordinal", "open", "terminated") == [(2, "3 4", 1), (3, "4", 2), (4, "", 3)]
    assert trace.evaluations()["ordinal"].astype(object).tolist()[1:] == [0, 1]
    facts = trace.facts()
    canceled = facts[(facts["kind"] == "Scope") & (facts["phase"] == "Canceled")]
    published = facts[facts["detail"] == "data_path=ys"]
    assert canceled["ordinal"].tolist() == [2, 3, 4]
    assert canceled["seq"].max() < published["seq"].item()


def test_each_instance_is_opened_and_ends_once(handmade: Callable[..., Trace], iterated: Model) -> None:
    """ITER-F-01 to ITER-F-03, ITER-P-02: N=5 quorum 2: 5 Opened, 2 Completed, 3 Canceled, with ordinal and path."""
    facts = handmade(iterated, quorum()).facts()
    scopes = facts[facts["kind"] == "Scope"]
    assert scopes["phase"].value_counts().to_dict() == {"Opened": 5, "Canceled": 3, "Completed": 2}
    assert scopes[scopes["phase"] == "Opened"]["ordinal"].tolist() == [0, 1, 2, 3, 4]
    assert scopes[scopes["phase"] == "Opened"]["scope"].tolist() == [f"/p/A[{number}]" for number in range(5)]
    assert scopes["activation"].tolist() == [1] * 10


def test_outputs_stand_with_their_instances(handmade: Callable[..., Trace], iterated: Model) -> None:
    """ITER-D-01, ITER-D-03, ITER-D-07, ITER-R-07: item and output by ordinal, nothing for a canceled one."""
    instances = handmade(iterated, quorum()).inner_instances()
    assert instances["item"].tolist() == ["i0", "i1", "i2", "i3", "i4"]
    assert instances["output"].tolist() == [0, 10, None, None, None]
    assert instances["identity"].tolist()[1] == "/p|A|1|1"
    assert cells(instances, "opened", "started", "closed")[:3] == [(1, 2, 2), (1, 4, 4), (1, 5, 5)]


def test_only_the_output_item_of_a_completed_instance_is_its_output(
    handmade: Callable[..., Trace], iterated: Model
) -> None:
    """ITER-D-02, ITER-CC-10: other names do not count, nor what an instance wrote that did not complete."""
    other = (Fact.DATA, 2, 1, "body:A", 2, "z", (ABSENT, 99))
    canceled = [(Fact.DATA, 2, 2, "body:A", 3, "y", (ABSENT, 7)), (Fact.CLOSE, 3, 0, "A", 3, 1, "Canceled")]
    completed = drained(2, 0)
    trace = handmade(iterated, [*opened(2), completed[0], other, *completed[1:], *canceled])
    assert trace.inner_instances()["output"].tolist() == [0, None]


def test_a_queued_drain_is_not_late_while_the_activity_runs(handmade: Callable[..., Trace], iterated: Model) -> None:
    """ITER-CC-08: late is said of drains that the exit overtook."""
    trace = handmade(iterated, [*opened(2), *drained(2, 0), *drained(3, 1)])
    assert trace.inner_instances()["late"].tolist() == [False, False]


def test_a_drain_not_delivered_is_late_and_counts(handmade: Callable[..., Trace], iterated: Model) -> None:
    """ITER-CC-08, ITER-D-09: all three drain, nC>=2: completed 3, the undelivered one is late."""
    facts = [
        *opened(3),
        *drained(2, 0),
        *drained(3, 1),
        *drained(4, 2),
        *delivered(5, 0, False),
        *delivered(6, 1, True),
        *left(6, 3, 0, [0, 10, 20], "completion_condition"),
    ]
    trace = handmade(iterated, facts)
    assert trace.inner_instances()["late"].tolist() == [False, False, True]
    assert trace.inner_instances()["state"].tolist() == ["completed"] * 3
    last = trace.barriers().iloc[-1]
    assert (last["completed"], last["terminated"], last["active"], last["delivered"]) == (3, 0, 0, 2)


def test_a_terminated_instance_counts_as_terminated(handmade: Callable[..., Trace], iterated: Model) -> None:
    """ITER-TM-02: its delivery raises nT, not nC."""
    facts = [*opened(2), *drained(2, 0, phase="Terminated"), *delivered(3, 0), *drained(4, 1), *delivered(5, 1)]
    trace = handmade(iterated, [*facts, *left(5, 1, 1, [None, 10])])
    barriers = trace.barriers()
    assert cells(barriers[barriers["event"] == "deliver"], "completed", "terminated") == [(0, 1), (1, 1)]
    assert trace.inner_instances()["state"].tolist() == ["terminated", "completed"]


def test_an_activity_that_is_cut_short_cancels_its_instances(handmade: Callable[..., Trace], iterated: Model) -> None:
    """ITER-TM-03: a terminate of the process: the instances are canceled, the activity ends as terminated."""
    facts = opened(2)
    facts += [
        (Fact.CANCEL, 2, track, node, scope, -1, "terminated")
        for track, node, scope in ((0, "A", 0), (1, "body:A", 2), (2, "body:A", 3))
    ]
    facts += [(Fact.CLOSE, 2, 0, "A", scope, parent, "Terminated") for scope, parent in ((2, 1), (3, 1), (1, 0))]
    trace = handmade(iterated, facts)
    assert trace.inner_instances()["state"].tolist() == ["canceled", "canceled"]
    assert cells(trace.iterations(), "state", "exit_reason", "terminated", "closed") == [
        ("canceled", "terminated", 2, 2)
    ]


def test_instances_that_never_ran_are_canceled_at_the_exit(handmade: Callable[..., Trace], iterated: Model) -> None:
    """ITER-SQ-04, ITER-R-04: pending while the activity runs, canceled without opened step after an early stop."""
    running = opened(1, total=3, kind="mi_sequential")
    trace = handmade(iterated, running)
    assert trace.inner_instances()["state"].tolist() == ["running", "pending", "pending"]
    assert cells(trace.iterations(), "completed", "active", "pending", "state") == [(0, 1, 2, "active")]
    over = handmade(iterated, [*running, *drained(2, 0)[:3], *left(3, 1, 2, None, "completion_condition")])
    assert over.inner_instances()["state"].tolist() == ["completed", "canceled", "canceled"]
    assert over.inner_instances()["opened"].isna().tolist() == [False, True, True]
    assert cells(over.iterations(), "completed", "terminated", "pending") == [(1, 2, 0)]
    assert len(over.barriers()) == 0


def test_a_pass_of_a_task_is_no_scope(handmade: Callable[..., Trace], iterated: Model) -> None:
    """ITER-L-02, ITER-F-04: Activated, Started 0, Completed 0, Exited; no Scope fact, no scope row for the pass."""
    facts = [*opened(1, kind="mi_sequential"), *drained(2, 0)[:3], *left(3, 1, 0, None)]
    trace = handmade(iterated, facts)
    shown = trace.facts()
    assert shown[shown["kind"] == "Iteration"]["phase"].tolist() == [
        "Activated",
        "InstanceStarted",
        "InstanceCompleted",
        "Exited",
    ]
    assert "Scope" not in shown["kind"].tolist()
    assert trace.scopes()["role"].tolist() == ["process", "iteration"]


def test_a_waiting_and_a_failed_instance(handmade: Callable[..., Trace], iterated: Model) -> None:
    """ITER-W-12, ITER-IN-01: waiting while parked, running when delivered, incident of its ordinal."""
    waiting = [*opened(2), (Fact.WAIT, 2, 1, "body:A", 2, -1, "user task")]
    trace = handmade(iterated, waiting)
    assert trace.inner_instances()["state"].tolist() == ["waiting", "running"]
    facts = trace.facts()
    assert facts[facts["phase"] == "InstanceWaiting"]["ordinal"].tolist() == [0]
    ready = [*waiting, (Fact.READY, 3, 1, "body:A", 2, -1, "complete")]
    assert handmade(iterated, ready).inner_instances()["state"].tolist() == ["running", "running"]
    stuck = handmade(iterated, [*waiting, (Fact.STUCK, 3, 2, "body:A", 3, 0, "boom")])
    assert stuck.inner_instances()["state"].tolist() == ["waiting", "incident"]
    assert cells(stuck.incidents(), "node", "ordinal") == [("A", 1)]


def test_many_open_ordinals_are_counted(handmade: Callable[..., Trace], iterated: Model) -> None:
    """Design 10: above 1000 instances the open set is a number; up to there it is named."""
    assert handmade(iterated, opened(1000)).barriers()["open"].item().split()[-1] == "999"
    many = handmade(iterated, [*opened(1001), *drained(2, 7)]).barriers()
    assert many["open"].tolist() == ["1001 open", "1000 open"]


# The same, as the engine tells it.


def sub_process(**marker: Any) -> Model:
    b = bs.ProcessBuilder("p")
    _ = (
        b.start("s")
        >> b.subprocess("x", body=lambda sp: sp.start() >> sp.task("t") >> sp.end(), **marker)
        >> b.end("e")
    )
    return b.model()


def test_passes_share_a_path() -> None:
    """ITER-SQ-07, ITER-SQ-01: path /p/x opened once per pass, with ordinals 0 and 1; the passes do not overlap."""
    scopes = bs.simulate(sub_process(multi_instance=bs.sequential(cardinality="2"))).scopes()
    passes = scopes[scopes["role"] == "pass"]
    assert passes["scope"].tolist() == ["/p/x", "/p/x"]
    assert passes["ordinal"].tolist() == [0, 1]
    assert passes["closed"].iloc[0] <= passes["opened"].iloc[1]


def test_a_loop_counts_its_passes() -> None:
    """ITER-SL-10, ITER-SL-02: lc<2 gives two passes, Opened and Completed with ordinals 0 and 1; reason condition."""
    trace = bs.simulate(sub_process(loop=bs.loop(condition="loopCounter < 2")))
    facts = trace.facts()
    assert facts[(facts["kind"] == "Scope") & (facts["phase"] == "Opened")]["ordinal"].tolist() == [0, 1]
    assert cells(trace.iterations(), "kind", "source", "completed", "exit_reason") == [
        ("std_loop", "condition", 2, "condition")
    ]
    assert trace.evaluations()["verdict"].tolist() == [True, False]


def test_instances_of_a_sub_process_have_ordinary_tokens() -> None:
    """ITER-C-01, ITER-P-02: one token on the activity, those of the bodies in /p/x[0] and /p/x[1]."""
    tokens = bs.simulate(sub_process(multi_instance=bs.parallel(cardinality="2"))).tokens()
    assert tokens["node"].value_counts()[["x", "t"]].tolist() == [1, 2]
    assert tokens[tokens["node"] == "t"]["scope"].tolist() == ["/p/x[0]", "/p/x[1]"]
    assert tokens[tokens["node"] == "t"]["host_track"].tolist() == [0, 0]


@pytest.mark.parametrize("marker", [bs.parallel(cardinality="0"), bs.sequential(cardinality="0")])
def test_no_instance_at_all(marker: Any) -> None:
    """ITER-A-04: total 0, completed; no barrier, no inner instance."""
    trace = bs.simulate(sub_process(multi_instance=marker))
    assert cells(trace.iterations(), "total", "completed", "terminated", "state") == [(0, 0, 0, "completed")]
    assert (len(trace.inner_instances()), len(trace.barriers())) == (0, 0)
    assert trace.visits()["node"].tolist() == ["s", "x", "e"]


def test_two_tokens_are_two_activations() -> None:
    """ITER-C-06: activations 1 and 2, four instances."""
    b = bs.ProcessBuilder("p")
    split, merge = b.parallel("split"), b.exclusive("m")
    _ = b.start("s") >> split
    for name in ("a", "b"):
        _ = split >> b.task(name) >> merge
    body = b.subprocess(
        "x", body=lambda sp: sp.start() >> sp.task("t") >> sp.end(), multi_instance=bs.parallel(cardinality="2")
    )
    _ = merge >> body >> b.end("e")
    trace = bs.simulate(b.model())
    assert cells(trace.iterations(), "activation", "completed") == [(1, 2), (2, 2)]
    assert trace.inner_instances()["identity"].tolist() == ["/p|x|1|0", "/p|x|1|1", "/p|x|2|0", "/p|x|2|1"]


def test_the_engine_tells_collection_items_and_outputs(iterated: Model) -> None:
    """ITER-D-03, ITER-D-04: nums [2,3,4], y=2*x: outputs by ordinal, one change of ys, after every instance."""
    trace = bs.simulate(iterated, data={"xs": [2, 3, 4]}, behaviors={"A": lambda task: {"y": 2 * task["x"]}}, seed=5)
    assert trace.inner_instances()["item"].tolist() == [2, 3, 4]
    assert trace.inner_instances()["output"].tolist() == [4, 6, 8]
    data = trace.data()
    assert data[data["name"] == "ys"]["new"].tolist() == [[4, 6, 8]]
    assert data["name"].tolist()[-1] == "ys"
    assert trace.barriers()["event"].value_counts()[["drain", "deliver", "complete"]].tolist() == [3, 3, 1]
