"""Receive tasks with a marker: waits, subscriptions, correlation (iteration.md sections 10 and 11.3)."""

from __future__ import annotations

from typing import Any

import pytest

import bpmnsim as bs

from ...models import rows
from .helpers import closings, composite, counted, departures, errors, evals, leaf, states

COLLECTING: dict[str, Any] = {
    "collection": "items",
    "item": "item",
    "output_item": "out",
    "output_collection": "outs",
}
KEYED: dict[str, Any] = {**COLLECTING, "correlation": ("order", "item")}
BY_ORDINAL = bs.Options(on_ambiguous_message="ordinal")


def waiting(marker: Any, items: list[Any] | None = None, **more: Any) -> bs.Simulation:
    """Return a run that waits in a receive task with this marker; nothing comes from outside by itself."""
    data = {"items": items} if items is not None else {}
    more.setdefault("scenario", bs.Scenario())
    sim = bs.Simulation(leaf(marker, "receive", message="pay"), data=data, **more)
    sim.run()
    return sim


def send(sim: bs.Simulation, *messages: tuple[Any, Any]) -> bs.Trace:
    """Send messages with these keys and outputs, one after the other."""
    for key, out in messages:
        sim.message("pay", key=key, payload={"out": out})
        sim.run()
    return sim.trace()


def received(trace: bs.Trace) -> list[tuple[Any, ...]]:
    """Return (ordinal, flag) of the messages in order of delivery."""
    return rows(trace.messages(), "ordinal", "flag")


def open_waits(sim: bs.Simulation) -> tuple[list[int], int]:
    """Return the ordinals that wait, and how many subscriptions are open."""
    trace = sim.trace()
    waits, subscriptions = trace.waits(), trace.subscriptions()
    ordinals = rows(waits[waits.withdrawn.isna()], "ordinal")
    return [ordinal for (ordinal,) in ordinals], int(subscriptions.withdrawn.isna().sum())


def test_every_pass_waits_for_itself() -> None:
    """G-55, ITER-W-01.1, ITER-W-08.1: 2-item sequential: open after A, complete after B; outs [A, B]."""
    sim = waiting(bs.sequential(**COLLECTING), ["a", "b"])
    trace = send(sim, (None, "A"))
    assert (trace.outcome, departures(trace)) == ("waiting", 0)
    trace = send(sim, (None, "B"))
    assert (trace.outcome, trace.values["outs"], received(trace)) == ("completed", ["A", "B"], [(0, ""), (1, "")])


@pytest.mark.parametrize("options", [bs.Options(), BY_ORDINAL])
def test_one_subscription_per_activity(options: bs.Options) -> None:
    """ITER-W-02.1, ITER-W-09.1, ITER-W-10.1 to ITER-W-10.3: 3 waiting: 1 row; after 2 deliveries 1, then 0."""
    marker = bs.parallel(**(KEYED if options.on_ambiguous_message == "refuse" else COLLECTING))
    sim = waiting(marker, ["a", "b", "c"], options=options)
    assert open_waits(sim) == ([0, 1, 2], 1)
    send(sim, ("a", 1))
    assert open_waits(sim) == ([1, 2], 1)
    send(sim, ("b", 2))
    assert open_waits(sim) == ([2], 1)
    trace = send(sim, ("c", 3))
    assert open_waits(sim) == ([], 0)
    assert len(trace.subscriptions()) == 1


def test_a_subscription_is_open_while_an_instance_waits() -> None:
    """ITER-W-03: at every step: open if and only if some instance waits; of a sequence never two at once."""
    sim = waiting(bs.sequential(**COLLECTING), ["a", "b"])
    send(sim, (None, "A"), (None, "B"))
    for step in range(sim.steps, 0, -1):
        sim.goto(step)
        ordinals, subscriptions = open_waits(sim)
        assert subscriptions == len(ordinals) <= 1


@pytest.mark.parametrize("marker", [bs.sequential(cardinality=2), bs.loop(maximum=2)])
def test_the_next_one_takes_the_subscription_over(marker: Any) -> None:
    """ITER-W-03.1: 0 parks: registered; A: ordinal 0, 1 parks: same row; B: ordinal 1: withdrawn, exit."""
    sim = waiting(marker)
    parked = sim.steps
    trace = send(sim, (None, "A"), (None, "B"))
    a, b = parked + 1, parked + 2
    assert rows(trace.waits(), "ordinal", "armed", "withdrawn") == [(0, parked, a), (1, a, b)]
    assert rows(trace.subscriptions(), "armed", "withdrawn") == [(parked, b)]
    assert rows(trace.iterations(), "closed") == [(b,)]


def test_a_subscription_ends_where_something_else_follows() -> None:
    """ITER-W-03: open if and only if some inner instance waits: of a composite that goes on to work it is closed."""
    b = bs.ProcessBuilder("p")
    body = b.subprocess(
        "x",
        body=lambda inner: inner.start() >> inner.receive("r", message="pay") >> inner.service("work") >> inner.end(),
        multi_instance=bs.sequential(cardinality=2),
    )
    _ = b.start() >> body >> b.end()
    sim = bs.Simulation(b.model(), scenario=bs.Scenario().message("pay").message("pay"))
    trace = sim.run()
    spans = rows(trace.subscriptions(), "armed", "withdrawn")
    assert len(spans) == 2
    assert all(armed == withdrawn for armed, withdrawn in spans)


def test_a_loop_waits_per_pass() -> None:
    """ITER-W-04.1: a loop lc<3 over a receive task: 3 messages consumed at lc 0, 1, 2."""
    sim = waiting(bs.loop(condition="loopCounter < 3"))
    trace = send(sim, (None, "A"), (None, "B"), (None, "C"))
    assert (trace.outcome, received(trace)) == ("completed", [(0, ""), (1, ""), (2, "")])
    assert trace.values == {"out": "C"}


def test_a_buffered_message_is_consumed_at_arming() -> None:
    """ITER-W-05.1: buffered before arrival: consumed by ordinal 0 at arming."""
    sim = waiting(
        bs.sequential(**COLLECTING), ["a", "b"], scenario=bs.Scenario().message("pay", payload={"out": "early"})
    )
    trace = sim.trace()
    assert received(trace) == [(0, "")]
    assert open_waits(sim) == ([1], 1)


def test_the_lowest_waiting_ordinal_first() -> None:
    """ITER-W-07.1: waiters added 2, 0, 1: deliveries to 0, 1, 2."""
    sim = bs.Simulation(
        leaf(bs.parallel(**COLLECTING), "receive", message="pay"),
        data={"items": ["a", "b", "c"]},
        scenario=bs.Scenario(),
        options=BY_ORDINAL,
    )
    for ordinal in (2, 0, 1):
        while f"run(p/x[{ordinal}])" not in [action.name for action in sim.enabled]:
            sim.step()
        sim.step(f"run(p/x[{ordinal}])")
    assert list(sim.trace().waits().ordinal) == [2, 0, 1]
    trace = send(sim, (None, 1), (None, 2), (None, 3))
    assert [ordinal for ordinal, _ in received(trace)] == [0, 1, 2]


def test_waiting_is_a_state() -> None:
    """ITER-W-12.1: parallel N=3 parked: nA=3, three rows waiting."""
    trace = waiting(bs.parallel(**KEYED), ["a", "b", "c"]).trace()
    assert (counted(trace), states(trace)) == ([(3, 0, 0, 3, None)], ["waiting"] * 3)


def test_a_served_key_is_not_served_again() -> None:
    """ITER-W-13.1: the same envelope twice: the second completes nothing."""
    sim = waiting(bs.parallel(**KEYED), ["a", "b"])
    trace = send(sim, ("a", 1), ("a", 1))
    assert (received(trace), trace.outcome) == ([(0, "")], "waiting")


def test_declaration() -> None:
    """ITER-IC-01.1, ITER-IC-03.1: expression item over a, b, c: three correlation evaluations, one per instance."""
    trace = waiting(bs.parallel(**KEYED), ["a", "b", "c"]).trace()
    assert evals(trace, "correlation") == [(0, "a"), (1, "b"), (2, "c")]
    found = trace.evaluations()
    assert rows(found[found.role == "correlation"], "scope") == [("/p/x[0]",), ("/p/x[1]",), ("/p/x[2]",)]


def test_exact_match_in_any_order() -> None:
    """G-82, ITER-IC-02.1, ITER-M-01.1: a, b, c; arrivals c, a, b: completion 2, 0, 1, outs [pa,pb,pc]."""
    sim = waiting(bs.parallel(**KEYED), ["a", "b", "c"])
    assert departures(send(sim, ("c", "pc"), ("a", "pa"))) == 0
    trace = send(sim, ("b", "pb"))
    assert (closings(trace), trace.values["outs"], departures(trace)) == ([2, 0, 1], ["pa", "pb", "pc"], 1)


def test_an_unmatched_message_stays_buffered() -> None:
    """ITER-IC-04.1: z changes no state; a later waiter with key z gets it."""
    sim = waiting(bs.sequential(**KEYED), ["a", "z"])
    before = states(sim.trace())
    trace = send(sim, ("z", "late"))
    assert (states(trace), received(trace)) == (before, [])
    trace = send(sim, ("a", "first"))
    assert (trace.outcome, trace.values["outs"]) == ("completed", ["first", "late"])


def test_equal_keys() -> None:
    """G-83, ITER-IC-05.1: keys [a,a]; m1, m2 both a: 0 gets m1, 1 gets m2; flagged duplicate_key."""
    trace = send(waiting(bs.parallel(**KEYED), ["a", "a"]), ("a", "m1"), ("a", "m2"))
    assert (trace.outcome, trace.values["outs"]) == ("completed", ["m1", "m2"])
    assert received(trace) == [(0, "duplicate_key"), (1, "")]


def test_sequential_needs_no_key() -> None:
    """ITER-IC-08.1: a sequential receive task without declaration builds and waits."""
    assert waiting(bs.sequential(**COLLECTING), ["a"]).outcome == "waiting"


def test_parallel_without_a_key_is_refused() -> None:
    """ITER-M-02.1: N=3, no key: a build error that names both remedies."""
    with pytest.raises(bs.ModelError, match="ITER-M-02") as caught:
        waiting(bs.parallel(**COLLECTING), ["a", "b", "c"])
    assert "correlation" in str(caught.value)
    assert "on_ambiguous_message='ordinal'" in str(caught.value)


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_parallel_without_a_key_by_ordinal(seed: int | None) -> None:
    """G-95, ITER-M-02.2: N=3 ordinal, m1, m2, m3: 0 gets m1, 1 gets m2, 2 gets m3, whatever the seed; flagged."""
    sim = waiting(bs.parallel(**COLLECTING), ["a", "b", "c"], options=BY_ORDINAL, seed=seed)
    trace = send(sim, (None, "m1"), (None, "m2"), (None, "m3"))
    assert trace.values["outs"] == ["m1", "m2", "m3"]
    assert received(trace) == [(0, "ambiguous"), (1, "ambiguous"), (2, "")]


def test_a_completion_condition_withdraws_unserved_keys() -> None:
    """ITER-M-03.1: 3 keys, nC>=2 after c, a: key b withdrawn, message b stays buffered."""
    marker = bs.parallel(**KEYED, completion_condition="numberOfCompletedInstances >= 2")
    sim = waiting(marker, ["a", "b", "c"])
    trace = send(sim, ("c", "pc"), ("a", "pa"), ("b", "pb"))
    assert (trace.outcome, trace.values["outs"]) == ("completed", ["pa", None, "pc"])
    assert rows(trace.waits(), "ordinal", "reason") == [(0, "delivered"), (1, "withdrawn"), (2, "delivered")]
    assert len(received(trace)) == 2
    assert len(sim._driver.run.state.mail) == 1


def test_a_correlation_that_fails() -> None:
    """ITER-IC-01: an expression that cannot be evaluated is an incident of its instance, before anything is armed."""
    marker = bs.parallel(**{**KEYED, "correlation": ("order", "item + missing")})
    sim = waiting(marker, ["a", "b"])
    assert [(node, ordinal) for node, ordinal, _ in errors(sim.trace())] == [("x", 0), ("x", 1)]
    assert open_waits(sim) == ([], 0)


def in_bodies(**more: Any) -> bs.Simulation:
    """Return a run of a parallel sub-process over a and b whose bodies wait for a message: a>work>z."""
    marker = bs.parallel(**{**COLLECTING, **more})
    model = composite(marker, lambda x: x.start("a") >> x.receive("work", message="pay") >> x.end("z"))
    return bs.Simulation(model, data={"items": ["a", "b"]}, scenario=bs.Scenario())


@pytest.mark.parametrize("restored", [False, True])
def test_bodies_wait_by_key(restored: bool) -> None:
    """ITER-IC-02.1, ITER-IC-07.1, ITER-P-10.1, G-56 with a receive task: deliver b, a: b=b, a=a, also restored."""
    sim = in_bodies(correlation=("order", "item"))
    sim.run()
    if restored:
        saved = sim.checkpoint()
        sim = bs.Simulation.restore(sim.model, saved, data={"items": ["a", "b"]}, scenario=bs.Scenario())
    trace = send(sim, ("b", "for b"), ("a", "for a"))
    assert (trace.outcome, trace.values["outs"]) == ("completed", ["for a", "for b"])
    assert closings(trace) == [1, 0]


def test_bodies_that_nothing_tells_apart() -> None:
    """ITER-IC-06.1, G-57 with a receive task: N=2, no key: a fault that names the remedy, 0 deliveries."""
    sim = in_bodies()
    trace = sim.run()
    ((node, ordinal, error),) = errors(trace)
    assert (node, ordinal, departures(trace), trace.messages().empty) == ("work", 1, 0, True)
    assert "ambiguous" in error
    assert "on_ambiguous_message='ordinal'" in error


@pytest.mark.parametrize("seed", [None, 1, 5])
def test_an_open_scenario_serves_every_key(seed: int | None) -> None:
    """Design 4: in an open scenario each awaited message comes once, with the key of the waiting side."""
    marker = bs.parallel(collection="items", item="item", correlation=("order", "item"))
    trace = bs.simulate(leaf(marker, "receive", message="pay"), data={"items": ["a", "b", "c"]}, seed=seed)
    assert (trace.outcome, sorted(closings(trace))) == ("completed", [0, 1, 2])
