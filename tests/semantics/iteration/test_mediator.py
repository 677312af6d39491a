"""Items in, outputs out (iteration.md section 6)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import bpmnsim as bs
from bpmnsim.model import Formal
from bpmnsim.model.markers import Marker

from ...models import rows
from .helpers import closings, composite, counted, errors, evals, in_order, leaf, states

BOTH = pytest.mark.parametrize("shape", [bs.sequential, bs.parallel])
ABC = {"items": ["a", "b", "c"]}


def collecting(shape: Any, **more: Any) -> Marker:
    """Return a marker over items that collects out into outs."""
    marker: Marker = shape(collection="items", item="item", output_item="out", output_collection="outs", **more)
    return marker


def result(task: Any) -> dict[str, str]:
    """Return R:item."""
    return {"out": f"R:{task['item']}"}


@BOTH
@pytest.mark.parametrize("model_of", [leaf, composite])
def test_split(shape: Any, model_of: Any) -> None:
    """ITER-D-01.1: items [10,20,30]: seen {0:10, 1:20, 2:30}; the item is what task.item says, too."""
    seen: dict[int, Any] = {}

    def behavior(task: Any) -> None:
        assert task.item == task["item"]
        assert [name for name in task.data if not name.isidentifier()] == []
        seen[task.ordinal] = task["item"]

    node = "x" if model_of is leaf else "work"
    marker = shape(collection="items", item="item")
    trace = bs.simulate(model_of(marker), data={"items": [10, 20, 30]}, behaviors={node: behavior})
    assert seen == {0: 10, 1: 20, 2: 30}
    assert rows(trace.inner_instances(), "item") == [(10,), (20,), (30,)]


@BOTH
def test_output_is_captured_before_the_scope_closes(shape: Any) -> None:
    """ITER-D-02.1: the body writes score in its own scope: captured, scope gone."""
    marker = shape(cardinality=2, output_item="score", output_collection="scores")
    trace = bs.simulate(composite(marker), behaviors={"work": lambda task: {"score": task.ordinal}})
    assert trace.values == {"scores": [0, 1]}
    data = trace.data()
    paths = ["/p/x[0]", "/p/x[1]"] if shape is bs.parallel else ["/p/x", "/p/x"]
    assert rows(data[data.name == "score"], "scope") == [(path,) for path in paths]
    assert rows(trace.inner_instances(), "output") == [(0,), (1,)]


def test_the_slot_is_the_ordinal() -> None:
    """ITER-D-03.1: nums [2,3,4], out=2*n, completion order 2, 0, 1: [4,6,8]."""
    marker = bs.parallel(collection="nums", item="n", output_item="out", output_collection="outs")
    trace = bs.simulate(
        leaf(marker),
        data={"nums": [2, 3, 4]},
        behaviors={"x": lambda task: {"out": 2 * task["n"]}},
        durations=in_order(2, 3, 1),
    )
    assert (closings(trace), trace.values["outs"]) == ([2, 0, 1], [4, 6, 8])


@BOTH
def test_the_output_is_published_once_at_exit(shape: Any) -> None:
    """G-16, ITER-D-04.1: probed mid-run it is never found; afterwards [0,1,4]; one DataChange, at the exit step."""
    found = []

    def behavior(task: Any) -> dict[str, int]:
        found.append("squares" in task)
        return {"out": task["loopCounter"] ** 2}

    marker = shape(cardinality=3, output_item="out", output_collection="squares")
    trace = bs.simulate(leaf(marker), behaviors={"x": behavior})
    assert (found, trace.values) == ([False] * 3, {"squares": [0, 1, 4]})
    data = trace.data()
    assert rows(data[data.name == "squares"], "step", "scope") == [(trace.iterations().closed[0], "/p")]


@BOTH
def test_a_prior_value_stays_until_exit(shape: Any) -> None:
    """ITER-D-05.1: outs=[] before: [] during the run, then replaced whole."""
    during = []

    def behavior(task: Any) -> dict[str, str]:
        during.append(task["outs"])
        return result(task)

    trace = bs.simulate(leaf(collecting(shape)), data={**ABC, "outs": []}, behaviors={"x": behavior})
    assert during == [[], [], []]
    assert trace.values["outs"] == ["R:a", "R:b", "R:c"]


@BOTH
def test_a_missing_output_faults(shape: Any) -> None:
    """G-21, ITER-D-06.1, ITER-E-07.1: incident at the drain of ordinal 0; of a sequence pass 1 never starts."""
    runs = []
    marker = shape(cardinality=3, output_item="out", output_collection="outs")
    trace = bs.simulate(leaf(marker), behaviors={"x": lambda task: runs.append(task.ordinal)})
    assert trace.outcome == "incident"
    assert errors(trace) == [("x", None, "inner instance 0 produced no 'out' (ITER-D-06)")]
    assert runs == ([0] if shape is bs.sequential else [0, 1, 2])
    assert "outs" not in trace.values


@BOTH
def test_a_missing_output_may_become_none(shape: Any) -> None:
    """ITER-D-06: missing_output='none' stores None instead."""
    marker = shape(cardinality=3, output_item="out", output_collection="outs")
    trace = bs.simulate(
        leaf(marker),
        behaviors={"x": lambda task: {"out": 1} if task.ordinal == 1 else None},
        options=bs.Options(missing_output="none"),
    )
    assert (trace.outcome, trace.values) == ("completed", {"outs": [None, 1, None]})


@BOTH
def test_what_never_completed_has_no_output(shape: Any) -> None:
    """G-47, ITER-D-07.1, ITER-D-08.1, NR-18: the condition holds after ordinal 0: [R:a, None, None], length N."""
    marker = collecting(shape, completion_condition="numberOfCompletedInstances >= 1")
    trace = bs.simulate(leaf(marker), data=ABC, behaviors={"x": result}, durations=in_order(1, 5, 5))
    assert trace.values["outs"] == ["R:a", None, None]
    assert counted(trace) == [(3, 1, 2, 0, "completion_condition")]
    assert states(trace) == ["completed", "canceled", "canceled"]


def test_a_late_drain_keeps_its_value() -> None:
    """ITER-D-09.1: all drain before the host acts, nC>=2: all three slots filled."""
    marker = collecting(bs.parallel, completion_condition="numberOfCompletedInstances >= 2")
    trace = bs.simulate(leaf(marker), data=ABC, behaviors={"x": result})
    assert trace.values["outs"] == ["R:a", "R:b", "R:c"]
    assert rows(trace.inner_instances(), "late") == [(False,), (False,), (True,)]


def keyed(shape: Any, *, strict: bool = False, **more: Any) -> Marker:
    """Return a marker over people that collects their verdicts in a map by name."""
    marker: Marker = shape(
        collection="people",
        item="who",
        output_item="verdict",
        output_collection="verdicts",
        output_key="who",
        unique_keys=strict,
        **more,
    )
    return marker


def vote(task: Any) -> dict[str, str]:
    """Return the verdict of this ordinal."""
    return {"verdict": ["approved", "approved", "rejected"][task.ordinal]}


@BOTH
@pytest.mark.parametrize("strict", [False, True])
def test_a_keyed_map(shape: Any, strict: bool) -> None:
    """ITER-D-11.1, G-66: alice, bob, carol with approved, approved, rejected: a map of three, published once."""
    people = {"people": ["alice", "bob", "carol"]}
    trace = bs.simulate(leaf(keyed(shape, strict=strict)), data=people, behaviors={"x": vote}, seed=4)
    expected = {"alice": "approved", "bob": "approved", "carol": "rejected"}
    assert trace.values == {**people, "verdicts": expected}
    data = trace.data()
    assert len(data[data.name == "verdicts"]) == 1
    kind = "mi_sequential" if shape is bs.sequential else "mi_parallel"
    assert rows(trace.iterations(), "kind", "total", "completed", "terminated") == [(kind, 3, 3, 0)]


@BOTH
def test_a_repeated_key(shape: Any) -> None:
    """ITER-D-11.2, ITER-E-18.1, ITER-U-10: keys alice, alice, carol: 2 entries, total 3; strict: a fault."""
    people = {"people": ["alice", "alice", "carol"]}
    loose = bs.simulate(leaf(keyed(shape)), data=people, behaviors={"x": vote})
    assert loose.values["verdicts"] == {"alice": "approved", "carol": "rejected"}
    assert counted(loose) == [(3, 3, 0, 0, "exhausted")]
    runs: list[int] = []

    def behavior(task: Any) -> dict[str, str]:
        runs.append(task.ordinal)
        return vote(task)

    strict = bs.simulate(leaf(keyed(shape, strict=True)), data=people, behaviors={"x": behavior})
    assert strict.outcome == "incident"
    assert errors(strict) == [("x", None, "inner instances 0 and 1 have the key 'alice' (ITER-E-18)")]
    assert runs == ([0, 1] if shape is bs.sequential else [0, 1, 2])
    assert "verdicts" not in strict.values


@BOTH
@pytest.mark.parametrize(
    ("key", "told"),
    [("", "an empty key"), (None, "an empty key"), (["a"], "the key ['a'], which is no text or number")],
)
def test_an_empty_key_faults(shape: Any, key: Any, told: str) -> None:
    """ITER-E-17.1: empty, missing or no key at all: incident at the drain."""
    trace = bs.simulate(leaf(keyed(shape)), data={"people": ["alice", key]}, behaviors={"x": vote})
    assert trace.outcome == "incident"
    assert errors(trace) == [("x", None, f"inner instance 1 has {told} (ITER-E-17)")]


def test_a_key_is_evaluated_in_the_data_of_its_instance() -> None:
    """ITER-D-11: what the body writes under a name the key reads stays its own, also where instances race."""
    marker = bs.parallel(cardinality=2, output_item="vote", output_collection="votes", output_key="region + voter")
    trace = bs.simulate(
        leaf(marker),
        data={"region": "eu:"},
        behaviors={"x": lambda task: {"vote": task.ordinal, "voter": "ab"[task.ordinal]}},
    )
    assert trace.values == {"region": "eu:", "votes": {"eu:a": 0, "eu:b": 1}}
    assert evals(trace, "key") == [(0, "eu:a"), (1, "eu:b")]


def test_late_drains_reach_the_map() -> None:
    """ITER-D-11, ITER-CC-08: an early stop collects the late ones too; cancelled ones are absent."""
    marker = keyed(bs.parallel, strict=True, completion_condition="numberOfCompletedInstances >= 1")
    people = {"people": ["alice", "bob", "carol"]}
    both = bs.simulate(leaf(marker), data=people, behaviors={"x": vote})
    assert both.values["verdicts"] == {"alice": "approved", "bob": "approved", "carol": "rejected"}
    one = bs.simulate(leaf(marker), data=people, behaviors={"x": vote}, durations=in_order(2, 1, 3))
    assert one.values["verdicts"] == {"bob": "approved"}


def test_no_instance_publishes_an_empty_map() -> None:
    """ITER-A-05, ITER-D-11: profile standard publishes {} where results are keyed."""
    trace = bs.simulate(leaf(keyed(bs.parallel)), data={"people": []}, options=bs.Options(profile="standard"))
    assert trace.values == {"people": [], "verdicts": {}}


def test_a_reduction_is_refused() -> None:
    """ITER-B-10: a named reduction is refused before the run, not ignored."""
    marker = collecting(bs.parallel, output_reduce="sum")
    with pytest.raises(bs.UnsupportedError, match="ITER-B-10"):
        bs.simulate(leaf(marker), data=ABC)


def test_an_output_expression() -> None:
    """ITER-D-12: the Zeebe form may compute the output from what the instance holds, also of a late drain."""
    marker = bs.parallel(
        collection="items", item="item", output_item="={name: item, size: n * 2}", output_collection="outs"
    )
    b = bs.ProcessBuilder("p", dialect="zeebe")
    _ = b.start("s") >> b.service("x", multi_instance=marker) >> b.end("e")
    trace = bs.simulate(b.model(), data={"items": ["a", "b"]}, behaviors={"x": lambda task: {"n": task.ordinal + 1}})
    assert trace.values == {"items": ["a", "b"], "outs": [{"name": "a", "size": 2}, {"name": "b", "size": 4}]}


def test_an_output_goes_where_its_name_is_declared() -> None:
    """ITER-D-04, core DAT-04: published from the scope of the host, into the innermost scope that declares the name."""
    b = bs.ProcessBuilder("p")

    def body(outer: Any) -> Any:
        outer.property("outs")
        return outer.start("a") >> outer.service("x", multi_instance=collecting(bs.parallel)) >> outer.end("z")

    _ = b.start("s") >> b.subprocess("outer", body=body) >> b.end("e")
    trace = bs.simulate(b.model(), data=ABC, behaviors={"x": result})
    data = trace.data()
    assert rows(data[data.name == "outs"], "scope") == [("/p/outer",)]
    assert "outs" not in trace.values


def test_a_camunda_file_publishes_into_the_process() -> None:
    """Core DAT-04: in the dialects of engines a new name goes to the process scope; item and output item stay local."""
    b = bs.ProcessBuilder("p", dialect="camunda")
    marker = replace(
        collecting(bs.parallel),
        characteristics=replace(
            collecting(bs.parallel).characteristics, completion_condition=Formal(text="${nrOfCompletedInstances == 5}")
        ),
    )
    inner = lambda outer: outer.start("a") >> outer.service("x", multi_instance=marker) >> outer.end("z")  # noqa: E731
    _ = b.start("s") >> b.subprocess("outer", body=inner) >> b.end("e")
    trace = bs.simulate(b.model(), data=ABC, behaviors={"x": result})
    assert trace.values == {**ABC, "outs": ["R:a", "R:b", "R:c"]}
