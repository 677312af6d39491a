"""Checkpoints: what is in them, what refuses them, where they go on (core.md section 13)."""

from __future__ import annotations

import json
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

import bpmnsim as bs
from bpmnsim.trace.schema import SCHEMAS

from ..models import diamond, line, live, phases, rows


def saved_text(sim: bs.Simulation, *, facts: bool = True) -> str:
    """Return a checkpoint as text, as it would lie in a file."""
    return json.dumps(sim.checkpoint(facts=facts))


def timed() -> bs.Model:
    """Build s>ship>e."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("ship") >> b.end("e")
    return b.model()


def boom(_: Any) -> None:
    """Fail."""
    raise RuntimeError("boom")


def test_the_diamond_restores_after_every_step() -> None:
    """CKP-01.1 (CKP-01): captured after every step of the AND diamond, each restores to the same end."""
    whole = bs.simulate(diamond())
    sim = bs.Simulation(diamond())
    for _ in range(whole.steps):
        assert bs.Simulation.restore(diamond(), saved_text(sim)).run() == whole
        sim.step()
    assert bs.Simulation.restore(diamond(), saved_text(sim)).trace() == whole


@pytest.mark.parametrize("facts", [True, False])
def test_all_tables_are_the_same(facts: bool) -> None:
    """CKP-02.1, CKP-08.1 (CKP-02, CKP-08): run(n) equals restore(checkpoint(k)).run(), frames included."""
    model, run = bs.load_sample("order_handling"), {"seed": 3}
    whole = bs.simulate(model, **run)  # type: ignore[arg-type]
    sim = bs.Simulation(model, **run)  # type: ignore[arg-type]
    sim.run(step_limit=9)
    restored = bs.Simulation.restore(model, saved_text(sim, facts=facts))
    trace = restored.run()
    assert trace == whole
    for table in SCHEMAS:
        if hasattr(trace, table):
            assert getattr(trace, table)().equals(getattr(whole, table)()), table
    assert (trace.schedule, trace.steps, trace.time, trace.values) == (
        *(whole.schedule, whole.steps, whole.time, whole.values),
    )


def test_every_live_state_can_be_stored() -> None:
    """CKP-03.1 (CKP-03): ready, at work, waiting, held at a join, and in an incident: restored equal."""
    b = bs.ProcessBuilder("p")
    split, join = b.parallel("split"), b.parallel("J")
    nodes = [b.task("ready"), b.service("busy"), b.user("waits"), join, b.service("stuck")]
    _ = b.start("s") >> split >> nodes
    for node in nodes[:3]:
        _ = node >> join
    run: dict[str, Any] = {"scenario": bs.Scenario(), "durations": {"busy": 3}, "behaviors": {"stuck": boom}}
    sim = bs.Simulation(b.model(), strategy="depth", **run)
    for name in ("run(p/s)", "run(p/split)", "run(p/busy)", "run(p/waits)", "run(p/J)", "run(p/stuck)"):
        sim.step(name)
    restored = bs.Simulation.restore(b.model(), saved_text(sim), **run)
    states = dict(rows(restored.trace().tokens().query("left.isna()"), "node", "track_state"))
    assert states == {
        "ready": "ready",
        "busy": "executing_step",
        "waits": "wait_for_event",
        "J": "awaiting_merge",
        "stuck": "incident",
    }
    assert restored.trace() == sim.trace()
    assert restored.checkpoint() == sim.checkpoint()


def test_a_token_at_a_join_keeps_its_place() -> None:
    """CKP-04.1 (CKP-04): 3-way AND, T0 and T1 wait, checkpoint, restore, T2 arrives: fires, merged = [T0, T1]."""
    b = bs.ProcessBuilder("p")
    nodes = [b.task("a"), b.task("b"), b.task("c")]
    _ = b.start("s") >> b.parallel("split") >> nodes >> b.parallel("J") >> b.end("e")
    sim = bs.Simulation(b.model(), strategy="priority(a,b,J)")
    sim.run(until=lambda sim: len(live(sim.trace())) == 3 and [each[1] for each in live(sim.trace())].count("J") == 2)
    restored = bs.Simulation.restore(b.model(), saved_text(sim))
    trace = restored.run()
    merged = trace.tokens().query("track_state == 'merged'")
    assert rows(merged, "track", "merged_into") == [(0, 2), (1, 2)]
    assert trace.outcome == "completed"


def test_nothing_completed_is_run_again() -> None:
    """CKP-04 (CKP-04): a restore calls no behavior; what was under way ends when it would have."""
    calls: list[str] = []
    run: dict[str, Any] = {"durations": {"ship": 4}, "behaviors": {"ship": lambda task: calls.append(task.id)}}
    sim = bs.Simulation(timed(), **run)
    _ = sim.step(), sim.step()
    restored = bs.Simulation.restore(timed(), saved_text(sim), **run)
    trace = restored.run()
    assert (calls, trace.outcome, trace.time) == (["ship"], "completed", 4.0)


def test_a_deadline_is_kept() -> None:
    """CKP-05.1, CKP-05.2, M-36 (CKP-05): armed at 0 for 10, restored at 7: fires at 10, not 17, and once."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.service("ship"), b.service("tick")]
    run: dict[str, Any] = {"durations": {"ship": 10, "tick": 7}}
    sim = bs.Simulation(b.model(), **run)
    sim.run(until=7.0)
    assert sim.time == 7.0
    trace = bs.Simulation.restore(b.model(), saved_text(sim), **run).run()
    left = dict(rows(trace.tokens().query("node in ('ship', 'tick')"), "node", "left_time"))
    assert (left, trace.time) == ({"ship": 10.0, "tick": 7.0}, 10.0)
    assert list(trace.visits().node).count("ship") == 1


@pytest.mark.parametrize("table", ["scopes", "tracks", "hosted", "members", "data"])
def test_a_cut_state_is_refused(table: str) -> None:
    """CKP-06 (CKP-06): a scope or a host that is missing is refused loudly."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.subprocess("sp", body=lambda i: i.start() >> i.user("u")) >> b.end("e")
    sim = bs.Simulation(b.model(), scenario=bs.Scenario())
    sim.run()
    saved = sim.checkpoint()
    saved["state"] = {**saved["state"], table: saved["state"][table][:-1]}
    with pytest.raises(bs.StateError, match="was changed or cut"):
        bs.Simulation.restore(b.model(), saved, scenario=bs.Scenario())


@pytest.mark.parametrize(
    "value", [object(), {"deep": [1, object()]}, (object(), 2), lambda: 1], ids=["plain", "deep", "tuple", "function"]
)
@pytest.mark.parametrize("way", ["data", "output"])
def test_a_value_that_cannot_be_written_is_named(way: str, value: Any) -> None:
    """CKP-07.1 (CKP-07): the save fails, saying which value; the run goes on."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("A") >> b.user("u") >> b.end("e")
    run: dict[str, Any] = {"data": {"odd": value}} if way == "data" else {"behaviors": {"A": lambda _: {"odd": value}}}
    sim = bs.Simulation(b.model(), scenario=bs.Scenario(), **run)
    sim.run()
    for facts in (True, False):
        with pytest.raises(bs.StateError, match="'odd' cannot be written: a value of type"):
            sim.checkpoint(facts=facts)
    sim.complete("u")
    assert sim.run().outcome == "completed"


def test_a_value_that_lies_in_a_group_is_named() -> None:
    """CKP-07 (CKP-07): also one that was captured from an inner instance and has not been published."""
    b = bs.ProcessBuilder("p")
    vote = bs.parallel(cardinality=2, output_item="odd", output_collection="all")
    _ = b.start("s") >> b.service("A", multi_instance=vote) >> b.end("e")
    sim = bs.Simulation(b.model(), behaviors={"A": lambda _: {"odd": object()}})
    sim.run(step_limit=3)
    with pytest.raises(bs.StateError, match="'odd' cannot be written"):
        sim.checkpoint(facts=False)


def test_values_of_many_kinds_survive() -> None:
    """CKP-02: value and type, in any depth; also keys that are no text, and numbers that JSON does not know."""
    given = {
        "when": date(2000, 2, 29),
        "span": timedelta(days=1, microseconds=3),
        "sum": Decimal("1.50"),
        "set": {3, 1},
        "tuple": (1, [2, {"k": (None,)}]),
        "keys": {1: "a", "1": "b", (1, 2): "c", None: "d"},
        "floats": [1.0, float("inf"), float("nan"), -0.0, 0.1 + 0.2],
        "text": "ü\u0000\U0001f600",
        "big": 10**40,
    }
    sim = bs.Simulation(line(), data=given)
    restored = bs.Simulation.restore(line(), saved_text(sim), data=given)
    assert repr(restored.run().values) == repr(given)


def test_the_start_is_the_start_of_the_run() -> None:
    """LIF-06.1 (LIF-06): restore keeps when the instance was started; it is not started again."""
    sim = bs.Simulation(timed(), durations={"ship": 4})
    _ = sim.step(), sim.step()
    trace = bs.Simulation.restore(timed(), saved_text(sim), durations={"ship": 4}).run()
    assert [phase for phase, _ in phases(trace, "InstanceState")] == ["Created", "Active", "Completed"]
    facts = trace.facts().query("kind == 'InstanceState'")
    assert list(facts.step) == [0, 0, 4]


def test_a_restored_run_can_be_taken_back() -> None:
    """Design section 10: to the checkpoint and beyond it, with or without the record."""
    whole = bs.simulate(diamond(), seed=3)
    for facts in (True, False):
        sim = bs.Simulation(diamond(), seed=3)
        sim.run(step_limit=4)
        restored = bs.Simulation.restore(diamond(), saved_text(sim, facts=facts))
        _ = restored.step(), restored.back()
        assert restored.checkpoint(facts=facts) == sim.checkpoint(facts=facts)
        restored.goto(1)
        assert restored.trace() == bs.Simulation(diamond(), seed=3).run(step_limit=1)
        assert restored.run() == whole


def test_a_small_checkpoint_does_not_grow_with_the_run() -> None:
    """Design section 10: a checkpoint holds state and strategy; facts on request."""
    b = bs.ProcessBuilder("p")
    again = b.exclusive("again")
    _ = b.start("s") >> again >> b.task("A") >> again
    sim = bs.Simulation(b.model(), strategy="depth")
    sizes = []
    for _ in range(3):
        sim.run(step_limit=300)
        sizes.append((len(saved_text(sim, facts=False)), len(saved_text(sim))))
    assert sizes[2][0] < sizes[0][0] + 20
    assert sizes[2][1] > 2 * sizes[0][1]


def test_a_record_that_cannot_be_made_again_is_an_error() -> None:
    """Design section 10: behaviors that return something else lead to another state: refused, never silently wrong."""
    values = iter(range(9))
    run: dict[str, Any] = {"behaviors": {"A": lambda _: {"v": next(values)}}}
    sim = bs.Simulation(line(), **run)
    _ = sim.step(), sim.step()
    restored = bs.Simulation.restore(line(), saved_text(sim, facts=False), **run)
    with pytest.raises(bs.StateError, match=r"does not lead to the checkpoint(.|\n)*facts=True"):
        restored.trace()
    assert bs.Simulation.restore(line(), saved_text(sim), **run).run().values == {"v": 0}


# What refuses a checkpoint.


def refused(sim: bs.Simulation, model: bs.Model, *parts: str, **run: Any) -> None:
    """Assert that a checkpoint is not restored, for a reason."""
    with pytest.raises(bs.StateError) as caught:
        bs.Simulation.restore(model, saved_text(sim), **run)
    for part in parts:
        assert part in str(caught.value)


def test_another_model_is_refused() -> None:
    """CKP-09.1 (CKP-09): a renamed node is another model; another label or layout is not."""
    sim = bs.Simulation(line())
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.task("B") >> b.end("e")
    refused(sim, b.model(), "of another model", line().digest[:6], b.model().digest[:6], "hint")
    b = bs.ProcessBuilder("p", name="label")
    _ = b.start("s") >> b.task("A", name="label") >> b.end("e")
    assert bs.Simulation.restore(b.model(), saved_text(sim)).run().outcome == "completed"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"data": {"v": 2}}, "other inputs"),
        ({"behaviors": {"A": boom}}, "other inputs"),
        ({"durations": {"A": 1}}, "other inputs"),
        ({"scenario": bs.Scenario()}, "other inputs"),
        ({"retries": {"A": 1}}, "other options"),
        ({"decisions": "free"}, "other options"),
        ({"epoch": "2001-01-01"}, "other options"),
        ({"options": bs.Options(profile="standard")}, "other options"),
        ({"time": "untimed"}, "other time"),
        ({"granularity": "phase"}, "other granularity"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_other_inputs_are_refused(change: dict[str, Any], reason: str) -> None:
    """CKP-02: a checkpoint is continued with what it was made with; the error says what differs."""
    sim = bs.Simulation(line(), data={"v": 1})
    refused(sim, line(), reason, "hint", **{"data": {"v": 1}, **change})


def test_another_version_is_refused() -> None:
    """Design section 4: versioned; a newer or older form is not guessed at."""
    saved = bs.Simulation(line()).checkpoint()
    for version in (0, 2, "1", None):
        with pytest.raises(bs.StateError, match="version"):
            bs.Simulation.restore(line(), {**saved, "version": version})


def test_every_change_is_refused() -> None:
    """CKP-06: any part that was changed, cut or left out."""
    saved = bs.Simulation(diamond(), seed=3).checkpoint()
    for name in saved:
        for wrong in ({**saved, name: None}, {key: cell for key, cell in saved.items() if key != name}):
            with pytest.raises(bs.StateError):
                bs.Simulation.restore(diamond(), wrong)
    for table in saved["state"]:
        wrong = {**saved, "state": {**saved["state"], table: 7}}
        with pytest.raises(bs.StateError, match="was changed or cut"):
            bs.Simulation.restore(diamond(), wrong)


@pytest.mark.parametrize("what", ["", "x", "[]", "null", "{}", 7, None, [], b"{}"], ids=repr)
def test_what_is_no_checkpoint_is_refused(what: Any) -> None:
    """Design section 8: only our own error, with what to hand in."""
    with pytest.raises(bs.StateError, match=r"this is no checkpoint(.|\n)*checkpoint\(\)"):
        bs.Simulation.restore(line(), what)
