"""Activations and inner instances in a run: where they stand, how they end, and what they are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import bpmnsim as bs
from bpmnsim.model import Model
from bpmnsim.model.markers import Marker

BOTH = pytest.mark.parametrize("shape", [bs.sequential, bs.parallel])
Body = Callable[[Any], Any]


def cells(frame: Any, *columns: str) -> list[tuple[Any, ...]]:
    return list(frame[list(columns)].itertuples(index=False, name=None))


def around(marker: Marker, body: Body) -> Model:
    """s>[x: body]>e, x with a marker."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.subprocess("x", body=body, multi_instance=marker) >> b.end("e")
    return b.model()


def only(kind: str, **more: Any) -> Body:
    """a>u>z, u a task."""
    return lambda x: x.start("a") >> getattr(x, kind)("u", **more) >> x.end("z")


def states(trace: bs.Trace, activity: str) -> list[str]:
    found = trace.inner_instances()
    return found[found["activity"] == activity]["state"].tolist()


def ends(trace: bs.Trace, activity: str) -> list[tuple[Any, ...]]:
    found = trace.iterations()
    return cells(found[found["activity"] == activity], "state", "exit_reason", "active", "terminated", "closed")


def at_rest(model: Model, **more: Any) -> bs.Simulation:
    sim = bs.Simulation(model, scenario=bs.Scenario(), **more)
    sim.run()
    return sim


# Where the host of an activation has an incident, or is canceled with what is around it.


def test_an_activation_in_an_incident_ends_with_the_activity_around_it() -> None:
    """ITER-CC-11, ITER-IN-06: canceled by the condition of the activity around it, its cause kept; no boundary."""
    inner = bs.parallel(cardinality=2, completion_condition="nothere if i == 1 else False")
    outer = bs.parallel(collection="items", item="i", completion_condition="numberOfCompletedInstances >= 2")
    trace = bs.simulate(around(outer, only("service", multi_instance=inner)), data={"items": [0, 1, 2]})
    assert trace.outcome == "completed"
    assert states(trace, "x") == ["completed", "canceled", "completed"]
    assert [row[:4] for row in ends(trace, "u")] == [
        ("completed", "exhausted", 0, 0),
        ("canceled", "terminated", 0, 0),
        ("completed", "exhausted", 0, 0),
    ]
    assert ends(trace, "u")[1][4] == ends(trace, "x")[0][4]
    assert trace.incidents()["error"].str.contains("'nothere' has no value").tolist() == [True]


@pytest.mark.parametrize("dropped", [False, True])
@BOTH
def test_an_activation_in_an_incident_ends_with_the_run(shape: Any, dropped: bool) -> None:
    """ITER-TM-03: canceled, also after it was dead-lettered; what it still had open is canceled, too."""
    sim = at_rest(around(shape(cardinality=3, completion_condition="missing"), only("user")))
    sim.complete("u", ordinal=0)
    sim.run()
    if dropped:
        sim.drop(0)
    sim.cancel()
    trace = sim.trace()
    assert states(trace, "x") == ["completed", "canceled", "canceled"]
    assert ends(trace, "x") == [("canceled", "terminated", 0, 2, trace.steps)]
    facts = trace.facts()
    phases = facts[(facts["kind"] == "Iteration") & (facts["node"] == "x")]["phase"].tolist()
    assert phases.count("InstanceCanceled") == (2 if shape is bs.parallel else 0)
    assert "InstanceTerminated" not in phases


def test_an_activation_that_cannot_publish_ends_with_the_run() -> None:
    """ITER-TM-03: its scope is closed already, its result cannot be written; the run is canceled, and it with it."""
    marker = bs.parallel(cardinality=2, output_item="r", output_collection="a/b")
    sim = at_rest(around(marker, only("service")), behaviors={"u": lambda _: {"r": 1}})
    assert ends(sim.trace(), "x")[0][0] == "active"
    sim.cancel()
    assert ends(sim.trace(), "x") == [("canceled", "terminated", 0, 0, sim.steps)]
    assert states(sim.trace(), "x") == ["completed", "completed"]


def test_a_terminate_end_ends_an_activation_in_an_incident() -> None:
    """ITER-TM-03: a terminate of the process cancels the open instances of an activation in an incident."""
    b = bs.ProcessBuilder("p")
    fork = b.parallel("fork")
    marker = bs.parallel(cardinality=2, completion_condition="missing")
    _ = b.start("s") >> fork >> b.user("x", multi_instance=marker) >> b.end("e")
    _ = fork >> b.user("stop") >> b.end("t", terminate=True)
    sim = at_rest(b.model())
    sim.complete("x", ordinal=1)
    sim.complete("stop")
    trace = sim.run()
    assert (trace.outcome, states(trace, "x")) == ("terminated", ["canceled", "completed"])
    assert [row[:4] for row in ends(trace, "x")] == [("canceled", "terminated", 0, 1)]


def test_an_instance_that_terminates_itself_beside_an_incident_is_terminated() -> None:
    """ITER-TM-02, ITER-TM-03: it ended by itself, before the activity in an incident was canceled."""

    def body(x: Any) -> Any:
        choice = x.exclusive("choice")
        choice.flow(x.end("stop", terminate=True), when="loopCounter == 1")
        choice.flow(x.end("z"), default=True)
        return x.start("a") >> x.user("u") >> choice

    sim = at_rest(around(bs.parallel(cardinality=3, completion_condition="missing"), body))
    for ordinal in (0, 1):
        sim.complete("u", ordinal=ordinal)
        sim.run()
    sim.cancel()
    assert states(sim.trace(), "x") == ["completed", "terminated", "canceled"]


@BOTH
def test_an_activation_ends_with_the_condition_around_it(shape: Any) -> None:
    """ITER-CC-03, section 0.2: canceled with its instance by the outer condition: terminated, there is no boundary."""
    outer = bs.parallel(collection="items", item="i", completion_condition="True")
    trace = bs.simulate(
        around(outer, only("service", multi_instance=shape(cardinality=2))),
        data={"items": [1, 50]},
        durations={"u": lambda _, task: task["i"]},
    )
    assert (trace.outcome, states(trace, "x")) == ("completed", ["completed", "canceled"])
    assert [row[:4] for row in ends(trace, "u")] == [
        ("completed", "exhausted", 0, 0),
        ("canceled", "terminated", 0, 2),
    ]


# The state of an instance whose body is a sub-process.


@BOTH
def test_a_body_on_a_user_task_waits(shape: Any) -> None:
    """ITER-W-12, section 0.2: waiting while all in it is parked, also in what is nested; then completed."""
    nested = bs.parallel(cardinality=2)

    def deeper(x: Any) -> Any:
        inside = x.subprocess("y", body=only("user", multi_instance=nested))
        return x.start("begin") >> inside >> x.end("done")

    sim = at_rest(around(shape(cardinality=2), deeper))
    first = ["waiting", "waiting" if shape is bs.parallel else "pending"]
    assert states(sim.trace(), "x") == first
    sim.complete("u")
    assert states(sim.trace(), "x") == ["running", first[1]]
    sim.run()
    assert states(sim.trace(), "x") == first
    while sim.outcome != "completed":
        sim.complete("u")
        sim.run()
    assert states(sim.trace(), "x") == ["completed", "completed"]


def test_a_branch_that_waits_and_a_branch_that_acts() -> None:
    """ITER-W-12: running while anything in the body can act, as why() says; waiting at a join and at a user task."""

    def body(x: Any) -> Any:
        fork, join = x.parallel("fork"), x.parallel("join")
        return x.start("a") >> fork >> [x.user("u"), x.service("w")] >> join >> x.end("z")

    model = around(bs.parallel(cardinality=1), body)
    sim = bs.Simulation(model, scenario=bs.Scenario(), durations={"w": 5})
    seen = []
    while sim.enabled:
        sim.step()
        seen += [each for each in [*states(sim.trace(), "x"), f"time {sim.time:g}"] if each not in seen]
    assert seen == ["time 0", "running", "time 5", "waiting"]
    sim.complete("u")
    assert states(sim.trace(), "x") == ["running"]


def test_a_body_in_an_incident() -> None:
    """ITER-W-12, ITER-IN-02: incident, also dropped; running when retried, and completed without it."""

    def behavior(task: Any) -> None:
        if task["broken"]:
            raise ValueError("broken")

    model = around(bs.parallel(cardinality=2), only("service"))
    sim = at_rest(model, data={"broken": True}, behaviors={"u": behavior})
    assert states(sim.trace(), "x") == ["incident", "incident"]
    sim.drop(0)
    assert states(sim.trace(), "x") == ["incident", "incident"]
    sim.set("broken", False)
    sim.retry(1)
    assert states(sim.trace(), "x") == ["incident", "running"]
    sim.run()
    assert states(sim.trace(), "x") == ["incident", "completed"]


def test_a_resolved_incident_leaves_nothing_behind() -> None:
    """INC-06, ITER-W-12: resolved, the token goes on to a user task: the instance waits."""

    def behavior(_: Any) -> None:
        raise ValueError("broken")

    def body(x: Any) -> Any:
        return x.start("a") >> x.service("u") >> x.user("v") >> x.end("z")

    sim = at_rest(around(bs.parallel(cardinality=1), body), behaviors={"u": behavior})
    sim.resolve(0)
    sim.run()
    assert states(sim.trace(), "x") == ["waiting"]


def test_an_incident_that_was_canceled_leaves_nothing_behind() -> None:
    """ITER-CC-11, ITER-W-12: closed by the condition of the inner activity; the outer instance goes on and waits."""

    def behavior(task: Any) -> None:
        if task.ordinal == 0:
            raise ValueError("broken")

    def body(x: Any) -> Any:
        inner = bs.parallel(cardinality=2, completion_condition="True")
        return x.start("a") >> x.service("u", multi_instance=inner) >> x.user("v") >> x.end("z")

    sim = at_rest(around(bs.parallel(cardinality=1), body), behaviors={"u": behavior})
    assert states(sim.trace(), "u") == ["canceled", "completed"]
    assert states(sim.trace(), "x") == ["waiting"]


def test_a_nested_activation_that_goes_on_after_a_retry_waits() -> None:
    """ITER-IN-05, ITER-W-12: the condition is repaired and retried; the rest of the inner instances is parked."""
    inner = bs.parallel(cardinality=2, completion_condition="numberOfCompletedInstances > limit")
    sim = at_rest(around(bs.parallel(cardinality=1), only("user", multi_instance=inner)))
    sim.complete("u", ordinal=0)
    sim.run()
    assert states(sim.trace(), "x") == ["incident"]
    sim.set("limit", 9)
    sim.retry(0)
    sim.run()
    assert states(sim.trace(), "x") == ["waiting"]


# Names.


def work(trace: bs.Trace) -> list[Any]:
    found = trace.inner_instances()
    return found[found["activity"] == "u"]["task_id"].tolist()


@pytest.mark.parametrize("marker", [bs.sequential(cardinality=2), bs.loop(maximum=2)])
def test_every_pass_has_its_own_task_ids(marker: Marker) -> None:
    """ITER-U-03, ITER-R-07, ITER-SQ-07: the passes share the path /p/x, their tasks are told apart by the pass."""
    b = bs.ProcessBuilder("p")
    kind = "loop" if marker == bs.loop(maximum=2) else "multi_instance"
    inside = only("user", multi_instance=bs.parallel(cardinality=2))
    more: dict[str, Any] = {kind: marker}
    _ = b.start("s") >> b.subprocess("x", body=inside, **more) >> b.end("e")
    sim = at_rest(b.model())
    for _ in range(4):
        sim.complete("u")
        sim.run()
    trace = sim.trace()
    assert trace.outcome == "completed"
    assert work(trace) == ["/p/x[0]|u|1|0", "/p/x[0]|u|1|1", "/p/x[1]|u|1|0", "/p/x[1]|u|1|1"]
    scopes = trace.scopes()
    assert scopes[scopes["role"] == "pass"]["scope"].tolist() == ["/p/x", "/p/x"]


def test_every_entry_has_its_own_task_ids() -> None:
    """ITER-U-03, ITER-R-07: a sub-process that is entered again has the same path, and counts its entries."""
    b = bs.ProcessBuilder("p")
    merge, again = b.exclusive("merge"), b.exclusive("again")
    inside = only("user", multi_instance=bs.parallel(cardinality=1))
    _ = b.start("s") >> merge >> b.subprocess("x", body=inside) >> again
    again.flow(merge, when="more")
    again.flow(b.end("e"), default=True)
    sim = at_rest(b.model(), data={"more": True})
    sim.complete("u")
    sim.run()
    sim.set("more", False)
    sim.complete("u")
    trace = sim.run()
    assert (trace.outcome, work(trace)) == ("completed", ["/p/x|u|1|0", "/p/x~2|u|1|0"])
