"""SRD-090.B, iterated waits: its tests T-1 to T-10, as iteration.md states them; T-5 is retired.

T-2 is ITER-W-01, T-6 ITER-M-01, T-7 ITER-IC-06 and ITER-M-02, T-8 ITER-W-09, T-9 ITER-W-07; T-1, T-3, T-4 and T-10 are
the keyed matching of section 1, the announcements of section 7, and the restore of FR-5.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import bpmnsim as bs

from ..models import rows
from ..semantics.iteration.helpers import closings, composite, departures, errors, leaf, states

COLLECTING: dict[str, Any] = {
    "collection": "items",
    "item": "item",
    "output_item": "out",
    "output_collection": "outs",
}
KEYED: dict[str, Any] = {**COLLECTING, "correlation": ("order", "item")}


def resting(model: bs.Model, items: list[str], **more: Any) -> bs.Simulation:
    """Return a run that has come to rest; nothing comes from outside by itself."""
    sim = bs.Simulation(model, data={"items": items}, scenario=bs.Scenario(), **more)
    sim.run()
    return sim


def receive(marker: Any) -> bs.Model:
    """s>x>e, x a receive task."""
    return leaf(marker, "receive", message="pay")


def send(sim: bs.Simulation, *messages: tuple[Any, str]) -> bs.Trace:
    """Send messages with these keys and outputs."""
    for key, out in messages:
        sim.message("pay", key=key, payload={"out": out})
        sim.run()
    return sim.trace()


def open_subscriptions(sim: bs.Simulation) -> int:
    """Return how many subscriptions are open."""
    return int(sim.trace().subscriptions().withdrawn.isna().sum())


def test_t_1_messages_find_their_instance() -> None:
    """T-1, section 1, ITER-IC-02: bodies over a, b wait by key; deliver b, a: each gets its own."""
    model = composite(bs.parallel(**KEYED), lambda x: x.start("a") >> x.receive("work", message="pay") >> x.end("z"))
    sim = resting(model, ["a", "b"])
    assert departures(send(sim, ("b", "pb"))) == 0
    trace = send(sim, ("a", "pa"))
    assert (trace.outcome, trace.values["outs"], closings(trace)) == ("completed", ["pa", "pb"], [1, 0])


def test_t_2_every_pass_waits_for_itself() -> None:
    """T-2, section 1, ITER-W-01: a 2-item sequential receive task: open after A, complete after B."""
    sim = resting(receive(bs.sequential(**COLLECTING)), ["a", "b"])
    assert send(sim, (None, "A")).outcome == "waiting"
    trace = send(sim, (None, "B"))
    assert (trace.outcome, trace.values["outs"]) == ("completed", ["A", "B"])


def test_t_3_parallel_tasks_are_all_announced() -> None:
    """T-3, FR-4, ITER-U-02, ITER-U-07, ITER-U-14: 3 announcements; 2 done: open; the third: one exit."""
    sim = resting(leaf(bs.parallel(collection="items", item="item"), "user"), ["a", "b", "c"])
    assert list(sim.trace().waits().ordinal) == [0, 1, 2]
    for ordinal in (2, 0):
        sim.complete("x", ordinal=ordinal)
    assert (sim.run().outcome, departures(sim.trace())) == ("waiting", 0)
    sim.complete("x", ordinal=1)
    assert (sim.run().outcome, departures(sim.trace())) == ("completed", 1)


@pytest.mark.parametrize(
    "marker", [bs.sequential(collection="items", item="item"), bs.loop(condition="loopCounter < 3")]
)
def test_t_4_a_sequence_announces_one_at_a_time(marker: Any) -> None:
    """T-4, section 7, ITER-U-02, ITER-U-15: announcements 1, 2, 3 in total, the next after each completion."""
    sim = resting(leaf(marker, "user"), ["a", "b", "c"])
    for ordinal in range(3):
        assert list(sim.trace().waits().ordinal) == list(range(ordinal + 1))
        sim.complete("x", ordinal=ordinal)
        sim.run()
    assert sim.outcome == "completed"


def test_t_6_a_correlated_parallel_receive_task() -> None:
    """T-6, FR-4, ITER-M-01: arrivals c, a, b: completion 2, 0, 1, outs [pa,pb,pc], one exit."""
    sim = resting(receive(bs.parallel(**KEYED)), ["a", "b", "c"])
    assert departures(send(sim, ("c", "pc"), ("a", "pa"))) == 0
    trace = send(sim, ("b", "pb"))
    assert (closings(trace), trace.values["outs"], departures(trace)) == ([2, 0, 1], ["pa", "pb", "pc"], 1)


def test_t_7_without_a_key() -> None:
    """T-7, FR-4, ITER-M-02, ITER-IC-06: a task is refused before the run, bodies fault before any delivery."""
    with pytest.raises(bs.ModelError, match="ITER-M-02"):
        resting(receive(bs.parallel(**COLLECTING)), ["a", "b"])
    body = lambda x: x.start("a") >> x.receive("work", message="pay") >> x.end("z")  # noqa: E731
    sim = resting(composite(bs.parallel(**COLLECTING), body), ["a", "b"])
    trace = sim.trace()
    assert (departures(trace), trace.messages().empty) == (0, True)
    assert "ambiguous" in errors(trace)[0][2]


def test_t_8_siblings_are_isolated() -> None:
    """T-8, ITER-W-09: 3 waiting, 1 served: the subscription stays open for the other two."""
    sim = resting(receive(bs.parallel(**KEYED)), ["a", "b", "c"])
    trace = send(sim, ("b", "pb"))
    assert (states(trace), open_subscriptions(sim)) == (["waiting", "completed", "waiting"], 1)
    waits = trace.waits()
    assert rows(waits[waits.withdrawn.isna()], "ordinal") == [(0,), (2,)]


def test_t_9_the_lowest_ordinal_first() -> None:
    """T-9, FR-3, ITER-W-07: waiters added 2, 0, 1: deliveries to 0, 1, 2."""
    model = receive(bs.parallel(**COLLECTING))
    sim = bs.Simulation(
        model,
        data={"items": ["a", "b", "c"]},
        scenario=bs.Scenario(),
        options=bs.Options(on_ambiguous_message="ordinal"),
    )
    sim.step()
    sim.step()
    for ordinal in (2, 0, 1):
        sim.step(f"run(p/x[{ordinal}])")
    assert list(sim.trace().waits().ordinal) == [2, 0, 1]
    trace = send(sim, (None, "m1"), (None, "m2"), (None, "m3"))
    assert list(trace.messages().ordinal) == [0, 1, 2]
    assert trace.values["outs"] == ["m1", "m2", "m3"]


@pytest.mark.parametrize("kind", ["receive", "user"])
def test_t_10_waits_are_restored_before_anything_is_delivered(kind: str) -> None:
    """T-10, FR-5, ITER-IC-07, ITER-CP-16: restored, all three wait again, each for its own."""
    items = ["a", "b", "c"]
    model = receive(bs.parallel(**KEYED)) if kind == "receive" else leaf(bs.parallel(**COLLECTING), "user")
    sim = resting(model, items)
    saved = json.loads(json.dumps(sim.checkpoint()))
    again = bs.Simulation.restore(model, saved, data={"items": items}, scenario=bs.Scenario())
    assert (states(again.trace()), open_subscriptions(again)) == (["waiting"] * 3, 1)
    for ordinal in (1, 2, 0):
        if kind == "receive":
            again.message("pay", key=items[ordinal], payload={"out": f"p{ordinal}"})
        else:
            again.complete("x", ordinal=ordinal, outputs={"out": f"p{ordinal}"})
        trace = again.run()
    assert (trace.outcome, closings(trace), trace.values["outs"]) == ("completed", [1, 2, 0], ["p0", "p1", "p2"])
