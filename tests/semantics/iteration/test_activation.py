"""How many inner instances there are, and when that is decided (iteration.md section 3)."""

from __future__ import annotations

from typing import Any

import pytest

import bpmnsim as bs
from bpmnsim.model.markers import Marker

from ...models import rows
from .helpers import before, composite, counted, departures, errors, evals, leaf, log_of, marked, scope_facts, states

BOTH = pytest.mark.parametrize("shape", [bs.sequential, bs.parallel])


@BOTH
def test_the_count_is_frozen(shape: Any) -> None:
    """G-75, ITER-A-01.1: items [1,2] grow to [1,2,3] while the first instance runs: 2 instances, one evaluation."""
    trace = bs.simulate(
        leaf(shape(collection="items", item="item")),
        data={"items": [1, 2]},
        behaviors={"x": lambda task: {"items": [*task["items"], 3]}},
    )
    assert counted(trace) == [(2, 2, 0, 0, "exhausted")]
    assert evals(trace, "cardinality") == [(None, [1, 2])]
    assert trace.values == {"items": [1, 2, 3, 3]}


@BOTH
def test_a_cardinality_gives_ordinals_and_no_item(shape: Any) -> None:
    """G-11, ITER-A-02.1: cardinality 3 gives ordinals 0, 1, 2; instances have a counter but no item."""
    seen = []
    model = leaf(shape(cardinality=3))
    trace = bs.simulate(
        model, behaviors={"x": lambda task: seen.append((task.ordinal, task["loopCounter"], task.item))}
    )
    assert seen == [(0, 0, None), (1, 1, None), (2, 2, None)]
    assert rows(trace.iterations(), "source", "total") == [("cardinality", 3)]


@BOTH
def test_a_collection_gives_one_instance_per_element(shape: Any) -> None:
    """G-13, ITER-A-03.1: items [10,20,30,40] gives N=4, ordinal i gets element i."""
    log, behavior = log_of("loopCounter", "item")
    trace = bs.simulate(
        leaf(shape(collection="items", item="item")), data={"items": [10, 20, 30, 40]}, behaviors={"x": behavior}
    )
    assert log == [(0, 10), (1, 20), (2, 30), (3, 40)]
    assert rows(trace.iterations(), "source", "total") == [("collection", 4)]


def test_elements_are_copied_at_activation() -> None:
    """ITER-A-03.2, NR-19: pass 0 overwrites element 2 with z, pass 2 still reads c."""
    log, behavior = log_of("item")

    def overwrite(task: Any) -> Any:
        behavior(task)
        return {"items": ["a", "b", "z"]}

    marker = bs.sequential(collection="items", item="item")
    bs.simulate(leaf(marker), data={"items": ["a", "b", "c"]}, behaviors={"x": overwrite})
    assert log == ["a", "b", "c"]


@BOTH
@pytest.mark.parametrize("model_of", [leaf, composite])
@pytest.mark.parametrize("profile", ["engine", "standard"])
def test_zero_instances(shape: Any, model_of: Any, profile: str) -> None:
    """G-12, ITER-A-04.1, ITER-BH-12.1, ITER-L-05.2: no run, no scope, no throw, no evaluation; completed, left once."""
    log, behavior = log_of("loopCounter")
    marker = shape(cardinality=0, completion_condition="missing", behavior="none", events="done")
    node = "x" if model_of is leaf else "work"
    trace = bs.simulate(model_of(marker), behaviors={node: behavior}, options=bs.Options(profile=profile))
    assert (trace.outcome, log, departures(trace)) == ("completed", [], 1)
    assert rows(trace.iterations(), "total", "state") == [(0, "completed")]
    assert scope_facts(trace) == []
    assert evals(trace, "completion") == []
    assert trace.throws().empty


@BOTH
def test_zero_instances_and_the_output(shape: Any) -> None:
    """G-74, G-48, ITER-A-05.1: profile engine publishes nothing, standard the empty list."""
    marker = shape(collection="items", item="item", output_item="out", output_collection="outs")
    engine, standard = bs.Options(), bs.Options(profile="standard")
    for data, options, expected in (
        ({}, engine, {}),
        ({}, standard, {"outs": []}),
        ({"outs": [7]}, engine, {"outs": [7]}),
        ({"outs": [7]}, standard, {"outs": []}),
    ):
        trace = bs.simulate(leaf(marker), data={"items": [], **data}, options=options)
        assert trace.outcome == "completed"
        assert trace.values == {"items": [], **expected}


@BOTH
def test_a_negative_count(shape: Any) -> None:
    """G-73, ITER-A-06.1, ITER-E-03.1: engine: completed with 0 runs; standard: fault NegativeCardinality, 0 runs."""
    log, behavior = log_of("loopCounter")
    engine = bs.simulate(leaf(shape(cardinality="-1")), behaviors={"x": behavior})
    assert (engine.outcome, counted(engine)) == ("completed", [(0, 0, 0, 0, "exhausted")])
    standard = bs.simulate(
        leaf(shape(cardinality="-1")), behaviors={"x": behavior}, options=bs.Options(profile="standard")
    )
    assert standard.outcome == "incident"
    assert errors(standard) == [("x", None, "NegativeCardinality: the cardinality is -1 (ITER-A-06)")]
    assert log == []


@BOTH
@pytest.mark.parametrize(
    ("marker", "told"),
    [
        pytest.param({"cardinality": "missing + 1"}, "'missing' has no value", id="G-18 ITER-E-01"),
        pytest.param({"cardinality": "word"}, "the cardinality is 'not-an-int', not an integer", id="G-18 ITER-E-02"),
        pytest.param({"cardinality": "half"}, "the cardinality is 2.5, not an integer", id="ITER-E-02 float"),
        pytest.param({"cardinality": "yes"}, "the cardinality is True, not an integer", id="ITER-E-02 bool"),
        pytest.param(
            {"collection": "five", "item": "i"}, "the input collection is int, not a list", id="G-19 ITER-E-05"
        ),
        pytest.param({"collection": "nothing", "item": "i"}, "the input collection is null", id="ITER-E-05 null"),
        pytest.param({"collection": "word", "item": "i"}, "the input collection is str", id="ITER-E-05 text"),
        pytest.param({"collection": "absent", "item": "i"}, "'absent' has no value", id="G-19 ITER-E-04"),
    ],
)
def test_activation_faults(shape: Any, marker: dict[str, str], told: str) -> None:
    """G-18, G-19, ITER-E-01.1, ITER-E-02.1, ITER-E-04.1, ITER-E-05.1: 0 runs, not completed."""
    log, behavior = log_of("loopCounter")
    data = {"word": "not-an-int", "half": 2.5, "yes": True, "five": 5, "nothing": None}
    trace = bs.simulate(leaf(shape(**marker)), data=data, behaviors={"x": behavior})
    assert (trace.outcome, log, departures(trace)) == ("incident", [], 0)
    ((node, ordinal, error),) = errors(trace)
    assert (node, ordinal) == ("x", None)
    assert told in error
    assert trace.iterations().empty


@BOTH
@pytest.mark.parametrize("value", [None, "two"])
def test_a_retry_evaluates_again(shape: Any, value: Any) -> None:
    """ITER-A-07.1, ITER-IN-05: the cardinality fails, is fixed, retry: 2 evaluations, all N run, activation 1."""
    log, behavior = log_of("loopCounter")
    data = {} if value is None else {"n": value}
    sim = bs.Simulation(leaf(shape(cardinality="n")), data=data, behaviors={"x": behavior})
    sim.run()
    assert (sim.outcome, log) == ("incident", [])
    sim.set("n", 3)
    sim.retry(0)
    trace = sim.run()
    assert (trace.outcome, log) == ("completed", [0, 1, 2])
    assert [verdict for _, verdict in evals(trace, "cardinality")] == [value, 3]
    assert rows(trace.iterations(), "activation", "total") == [(1, 3)]
    assert rows(trace.incidents(), "state") == [("resolved",)]


@BOTH
@pytest.mark.parametrize("name", ["numberOfInstances", "nrOfInstances", "loopCounter"])
def test_nothing_of_the_iteration_is_visible_behind_it(shape: Any, name: str) -> None:
    """G-97, ITER-A-08.1, ITER-SQ-08.1, NR-15: a task behind reads neither counters nor loopCounter."""
    trace = bs.simulate(before(shape(cardinality=3)), behaviors={"after": lambda task: task[name]})
    ((node, _, error),) = errors(trace)
    assert node == "after"
    assert f"{name!r} has no value" in error
    assert counted(trace) == [(3, 3, 0, 0, "exhausted")]


def test_the_iteration_scope_lasts_as_long_as_the_activation() -> None:
    """ITER-A-08: one scope per activation, opened before instance 0 and closed at exit."""
    trace = bs.simulate(leaf(bs.parallel(cardinality=2)))
    assert rows(trace.scopes(), "scope", "parent", "role", "opened", "closed") == [
        ("/p", None, "process", 0, 7),
        ("/p/x", "/p", "iteration", 2, 6),
        ("/p/x[0]", "/p/x", "instance", 2, 3),
        ("/p/x[1]", "/p/x", "instance", 2, 4),
    ]


@pytest.mark.parametrize("over", ["cardinality", "collection"])
def test_the_width_guard(over: str) -> None:
    """ITER-A-09.1: more instances than max_parallel_width: incident WidthExceeded; a sequence is not guarded."""
    log, behavior = log_of("loopCounter")
    marker: dict[str, Any] = {"cardinality": 100_001} if over == "cardinality" else {"collection": "items", "item": "i"}
    data = {"items": [0] * 100_001}
    trace = bs.simulate(leaf(bs.parallel(**marker)), data=data, behaviors={"x": behavior})
    assert (trace.outcome, log) == ("incident", [])
    assert errors(trace) == [("x", None, "WidthExceeded: 100001 inner instances at once (ITER-A-09)")]
    narrow = bs.Options(max_parallel_width=2)
    assert bs.simulate(leaf(bs.parallel(cardinality=2)), options=narrow).outcome == "completed"
    assert bs.simulate(leaf(bs.parallel(cardinality=3)), options=narrow).outcome == "incident"
    assert bs.simulate(leaf(bs.sequential(cardinality=3)), options=narrow).outcome == "completed"


def test_a_declared_name_needs_no_letters_only() -> None:
    """ITER-D-12.1: a collection that the model declares is found under its name, whatever signs that has."""
    b = bs.ProcessBuilder("p")
    b.property("open_orders", name="open orders (today)")
    marker: Marker = bs.parallel(collection="open orders (today)", item="order")
    _ = b.start("s") >> b.service("x", **marked(marker)) >> b.end("e")
    log, behavior = log_of("order")
    trace = bs.simulate(b.model(), data={"open orders (today)": ["o1", "o2"]}, behaviors={"x": behavior})
    assert (log, trace.outcome) == (["o1", "o2"], "completed")
    assert errors(bs.simulate(b.model()))[0][2].startswith("EXPRESSION [x]: 'open orders (today)' has no value")
    assert states(trace) == ["completed", "completed"]
