"""What tells the waits of one activity apart: any value as a key, none at all, and markers around each other."""

from __future__ import annotations

from typing import Any

import pytest

import bpmnsim as bs

from ...models import rows
from .helpers import closings, composite, errors, leaf
from .test_waits import open_waits, received

NESTED = [bs.loop(maximum=1), bs.sequential(cardinality=1)]
BY_ORDINAL = bs.Options(on_ambiguous_message="ordinal")


def keyed(items: list[Any], **more: Any) -> bs.Simulation:
    """Return a run in which a receive task waits for a message with each of these keys."""
    marker = bs.parallel(collection="items", item="i", correlation=("ref", "i"))
    more.setdefault("scenario", bs.Scenario())
    sim = bs.Simulation(leaf(marker, "receive", message="M"), data={"items": items}, **more)
    sim.run()
    return sim


def served(sim: bs.Simulation, key: Any = None, **payload: Any) -> list[int]:
    """Send a message and return the ordinals that are completed after it."""
    sim.message("M", key=key, payload=payload)
    return closings(sim.run())


@pytest.mark.parametrize("items", [[[1], [2]], [{"a": 1}, {"a": 2}], [[[1, {}]], [[2]]]])
def test_a_key_may_be_a_list_or_a_record(items: list[Any]) -> None:
    """ITER-IC-02: keys are compared by value, whatever they are; a key that differs serves nobody."""
    trace = bs.simulate(keyed(items).model, data={"items": items})
    assert (trace.outcome, sorted(closings(trace))) == ("completed", [0, 1])
    sim = keyed(items)
    assert served(sim, key=[3]) == []
    assert served(sim, key=items[1]) == [1]
    assert served(sim, ref=items[0]) == [1, 0]


def test_equal_lists_are_equal_keys() -> None:
    """ITER-IC-05: two equal lists: the lowest ordinal first, flagged."""
    sim = keyed([[1], [1]])
    assert served(sim, key=[1]) == [0]
    assert received(sim.trace()) == [(0, "duplicate_key")]


def test_a_key_without_canonical_form() -> None:
    """ITER-IC-02: a key that cannot be compared is an incident of its inner instance that names the problem."""
    sim = keyed([object(), "b"])
    ((node, ordinal, error),) = errors(sim.trace())
    assert (node, ordinal) == ("x", 0)
    assert "has no canonical form" in error


def test_null_is_a_key() -> None:
    """ITER-IC-02, ITER-IC-04: a key that is null waits for the message whose key is null, not for any message."""
    sim = keyed([None, "b"])
    assert served(sim, ref="z", v=1) == []
    assert served(sim, v=2) == []
    assert served(sim, ref=None) == [0]
    assert served(sim, ref="b") == [0, 1]


def test_equal_nulls() -> None:
    """ITER-IC-05: two null keys are equal keys, not keys that are missing: the lowest ordinal first, flagged."""
    sim = keyed([None, None])
    assert errors(sim.trace()) == []
    assert (served(sim, ref=None), served(sim, ref=None)) == ([0], [0, 1])
    assert received(sim.trace()) == [(0, "duplicate_key"), (1, "")]


def test_what_waits_for_null_says_so() -> None:
    """ITER-IC-02: what a token waits for is told with its key, also where the key is null."""
    stuck = keyed([None]).trace().stuck
    assert [each.waits_for for each in stuck if each.node == "x"][-1] == "message M with key None"


@pytest.mark.parametrize(("key", "other"), [(1, True), (True, 1), (0, False), ("1", 1)])
def test_keys_of_another_type_differ(key: Any, other: Any) -> None:
    """ITER-IC-02: the match is exact: true is not 1, a text is no number."""
    sim = keyed([key])
    assert served(sim, key=other) == []
    assert served(sim, key=key) == [0]


def test_null_keys_survive_a_checkpoint() -> None:
    """ITER-IC-07: a restored run still tells a null key from none."""
    sim = keyed([None, "b"])
    run: dict[str, Any] = {"data": {"items": [None, "b"]}, "scenario": bs.Scenario()}
    sim = bs.Simulation.restore(sim.model, sim.checkpoint(), **run)
    assert served(sim, ref="z") == []
    assert served(sim, ref=None) == [0]


def test_equal_keys_in_an_open_scenario() -> None:
    """ITER-IC-05: whichever of them a message arrives for, the lowest waiting ordinal of equal keys gets it."""
    sim = bs.Simulation(keyed([]).model, data={"items": ["a", "a", "a"]}, scenario=bs.Scenario.open())
    while "deliver(p/x[2])" not in [action.name for action in sim.enabled]:
        sim.step()
    sim.step("deliver(p/x[2])")
    trace = sim.run()
    assert received(trace) == [(0, "duplicate_key"), (1, "duplicate_key"), (2, "")]


def nested(marker: bs.model.markers.Marker, outer: Any, **more: Any) -> bs.Simulation:
    """Return a run of x over [r], r a receive task with a marker of its own, after all is armed."""
    kind = "loop" if marker is NESTED[0] else "multi_instance"
    more.setdefault("scenario", bs.Scenario())
    model = composite(outer, lambda x: x.start("a") >> x.receive("r", message="M", **{kind: marker}) >> x.end("z"))
    sim = bs.Simulation(model, **more)
    sim.run()
    return sim


@pytest.mark.parametrize("marker", NESTED)
def test_a_marker_inside_tells_nothing_apart(marker: Any) -> None:
    """ITER-IC-06: parallel bodies that wait without a key are refused, also where a marker is on the wait itself."""
    sim = nested(marker, bs.parallel(cardinality=2))
    ((node, _, error),) = errors(sim.trace())
    assert node == "r"
    assert "(ITER-IC-06)" in error
    assert sim.trace().messages().empty


@pytest.mark.parametrize("marker", NESTED)
def test_a_sequence_inside_a_sequence_needs_no_key(marker: Any) -> None:
    """ITER-IC-08: one at a time inside one at a time: nothing is ambiguous, nothing is flagged."""
    sim = nested(marker, bs.sequential(cardinality=2))
    for _ in range(2):
        sim.message("M")
        sim.run()
    assert (sim.outcome, received(sim.trace())) == ("completed", [(0, ""), (0, "")])


@pytest.mark.parametrize("marker", [*NESTED, bs.parallel(cardinality=1)])
def test_nested_waits_by_ordinal(marker: Any) -> None:
    """ITER-IC-06, ITER-M-02: on_ambiguous_message='ordinal' lifts the refusal; what another could get is flagged."""
    sim = nested(marker, bs.parallel(cardinality=2), options=BY_ORDINAL)
    for _ in range(2):
        sim.message("M")
        sim.run()
    assert (sim.outcome, closings(sim.trace())) == ("completed", [0, 1])
    assert received(sim.trace()) == [(0, "ambiguous"), (0, "")]


def test_two_tokens_of_one_pass_are_not_ambiguous() -> None:
    """ITER-IC-06, ITER-IC-08: where instances come one at a time, two waits of one of them need no key."""

    def body(x: Any) -> Any:
        split, wait = x.parallel("split"), x.receive("r", message="M")
        _ = x.start("a") >> split
        for name in ("t", "u"):
            _ = split >> x.task(name) >> wait
        return wait >> x.end("z")

    sim = bs.Simulation(composite(bs.sequential(cardinality=1), body), scenario=bs.Scenario())
    sim.run()
    assert open_waits(sim) == ([0, 0], 1)
    for _ in range(2):
        sim.message("M")
        sim.run()
    assert (sim.outcome, received(sim.trace())) == ("completed", [(0, ""), (0, "")])


def retried(kind: str, **more: Any) -> bs.Simulation:
    """Return a run of three bodies a>u in which ordinal 1 is done, its condition failed once, and 0 and 2 go on."""
    marker = bs.parallel(cardinality=3, completion_condition="flag and False")
    wait: dict[str, Any] = {"message": "M"} if kind == "receive" else {}
    model = composite(marker, lambda x: x.start("s0") >> x.user("a") >> getattr(x, kind)("u", **wait) >> x.end("z"))
    sim = bs.Simulation(model, scenario=bs.Scenario(), **more)
    sim.run()
    return sim


def by_hand(sim: bs.Simulation, *work: tuple[str, int]) -> None:
    """Complete the work of these nodes and ordinals, one after the other."""
    for node, ordinal in work:
        sim.complete(node, ordinal)
        sim.run()


def test_a_retry_keeps_the_subscription() -> None:
    """ITER-W-02, ITER-W-03, ITER-W-10: after the retry of its host an activity still has one subscription."""
    sim = retried("user")
    by_hand(sim, ("a", 0), ("a", 1), ("u", 1))
    assert [(node, "flag" in error) for node, _, error in errors(sim.trace())] == [("x", True)]
    sim.set("flag", value=True)
    sim.retry(0)
    sim.run()
    by_hand(sim, ("a", 2))
    found = sim.trace().subscriptions()
    assert rows(found[found.activity == "u"], "activity", "withdrawn") == [("u", None)]
    assert open_waits(sim) == ([0, 2], 1)
    by_hand(sim, ("u", 0), ("u", 2))
    assert (sim.outcome, open_waits(sim), len(sim._driver.run.state.subscriptions)) == ("completed", ([], 0), 0)


def test_a_retry_keeps_the_ambiguity_check() -> None:
    """ITER-IC-06: a wait armed before the retry of the host and one armed behind it are ambiguous."""
    sim = retried("receive")
    by_hand(sim, ("a", 1))
    sim.message("M")
    sim.run()
    by_hand(sim, ("a", 0))
    sim.set("flag", value=True)
    sim.retry(0)
    sim.run()
    by_hand(sim, ("a", 2))
    assert [(node, ordinal) for node, ordinal, _ in errors(sim.trace())] == [("x", None), ("u", 2)]
    assert "(ITER-IC-06)" in errors(sim.trace())[1][2]


def test_early_stimuli_are_taken_in_order() -> None:
    """ITER-U-15: work takes the first stimulus that names its ordinal or none, and each only once."""
    said = bs.Scenario()
    for number, ordinal in enumerate((1, None, 0, None)):
        said = said.complete("x", ordinal, outputs={"out": number})
    marker = bs.parallel(cardinality=4, output_item="out", output_collection="outs")
    trace = bs.simulate(leaf(marker, "user"), scenario=said)
    assert trace.outcome == "waiting"
    waits = trace.waits()
    assert rows(waits[waits.withdrawn.isna()], "ordinal") == [(3,)]
    done = trace.facts()
    done = done[(done.kind == "Iteration") & (done.phase == "InstanceCompleted")]
    assert rows(done, "ordinal") == [(0,), (1,), (2,)]


def test_early_stimuli_survive_a_checkpoint() -> None:
    """ITER-U-15: what came before its work is not lost where a run is restored in between."""
    run: dict[str, Any] = {"scenario": bs.Scenario().complete("x", 1).complete("x")}
    sim = bs.Simulation(leaf(bs.parallel(cardinality=3), "user"), **run)
    sim.step()
    assert open_waits(sim) == ([], 0)
    sim = bs.Simulation.restore(sim.model, sim.checkpoint(), **run)
    sim.run()
    assert open_waits(sim) == ([2], 1)
    assert closings(sim.trace()) == [0, 1]
