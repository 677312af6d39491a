"""Build-time refusals of iteration.md sections 1 and 18, one test per golden row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from bpmnsim.errors import ModelError
from bpmnsim.model import (
    Behavior,
    ComplexBehaviorDefinition,
    Formal,
    MultiInstanceLoopCharacteristics,
    ProcessBuilder,
    loop,
    parallel,
    sequential,
)
from bpmnsim.model.markers import Marker
from bpmnsim.model.rules import check_model
from bpmnsim.simulation import simulate


def marked(marker: Marker, profile: str = "engine") -> list[tuple[str, str]]:
    """Rule and problem of every finding about a task with this marker."""
    b = ProcessBuilder("p")
    b.task("A", multi_instance=marker)
    return [(finding.rule, finding.problem) for finding in check_model(b.model(), profile=profile)]


def changed(**values: object) -> Marker:
    """Return a marker over 3 instances as a file could hold it."""
    base = parallel(cardinality=3).characteristics
    return Marker(replace(base, **values))


def test_iter_b_01() -> None:
    """ITER-B-01.1: attaching a loop, then a multi-instance marker leaves the latter and no trace of the loop."""
    b = ProcessBuilder("p")
    b.task("A", loop=loop(maximum=2), multi_instance=parallel(cardinality=2))
    assert isinstance(b.model().element("A").loop, MultiInstanceLoopCharacteristics)
    assert check_model(b.model()) == ()


def test_iter_b_02() -> None:
    """ITER-B-02.1: a marker on an intermediate catch event is refused with the element's id."""
    with pytest.raises(ModelError, match="ITER-B-02") as caught:
        ProcessBuilder("p").event("c", message="m", loop=loop(maximum=2))
    assert caught.value.element_id == "c"


def test_iter_b_03() -> None:
    """ITER-B-03.1: an event sub-process with a marker is refused."""
    b = ProcessBuilder("p")
    b.subprocess("h", kind="event", body=lambda h: h.start(message="m"), multi_instance=parallel(cardinality=2))
    ((finding),) = check_model(b.model())
    assert (finding.element_id, finding.rule) == ("h", "ITER-B-03")
    assert "loop characteristics" in finding.problem


@pytest.mark.parametrize(
    ("marker", "problem"),
    [
        (loop(), "neither a condition nor a maximum"),
        (loop(condition="3"), "not a boolean"),
        (loop(condition=Formal(text="n", evaluates_to="int")), "not a boolean"),
        (loop(maximum=0), "not positive"),
        (loop(maximum=-1), "not positive"),
        (loop(maximum=2), None),
        (loop(condition="loopCounter < 3"), None),
        (loop(condition="loopCounter < 3", maximum=10, test_before=True), None),
    ],
)
def test_iter_b_04(marker: Marker, problem: str | None) -> None:
    """ITER-B-04.1 to ITER-B-04.4: condition or positive maximum; the condition is boolean."""
    findings = marked(marker)
    assert [rule for rule, _ in findings] == ([] if problem is None else ["ITER-B-04"])
    assert problem is None or problem in findings[0][1]


def test_iter_b_05() -> None:
    """ITER-B-05.1, ITER-B-05.2: exactly one count source."""
    assert marked(parallel(cardinality=2, collection="items", item="i")) == [
        ("ITER-B-05", "its multi-instance marker has both a cardinality and a collection")
    ]
    assert marked(sequential()) == [
        ("ITER-B-05", "its multi-instance marker has neither a cardinality nor a collection")
    ]
    assert marked(parallel(collection="items", item="i")) == []


@pytest.mark.parametrize(
    ("marker", "word"),
    [
        (parallel(cardinality="true"), "integer"),
        (parallel(cardinality=Formal(text="n", evaluates_to="xsd:boolean")), "integer"),
        (parallel(cardinality=3, completion_condition=42), "boolean"),
        (parallel(cardinality=3, output_collection="out"), "required"),
        (parallel(cardinality=3, output_item="o"), "required"),
        (parallel(collection="items"), "required"),
        (changed(behavior=Behavior.COMPLEX, complex_definitions=(ComplexBehaviorDefinition(id="c"),)), "an event"),
        (parallel(cardinality=3, behavior="complex", events=[(1, "S")]), "boolean"),
        (parallel(cardinality="count", completion_condition="done"), None),
        (parallel(cardinality="'not-an-int'"), None),
        (sequential(collection="items", item="i", output_collection="out", output_item="o"), None),
    ],
)
def test_iter_b_06(marker: Marker, word: str | None) -> None:
    """ITER-B-06.1 to ITER-B-06.3: static types, and both names of a collection."""
    findings = marked(marker)
    assert [rule for rule, _ in findings] == ([] if word is None else ["ITER-B-06"])
    assert word is None or word in findings[0][1]


def test_iter_b_06_in_dialects() -> None:
    """ITER-B-06: Camunda and its relatives iterate over a collection without naming the item."""
    b = ProcessBuilder("p", dialect="camunda")
    b.task("A", multi_instance=parallel(collection="items"))
    assert check_model(b.model()) == ()


def test_iter_b_07() -> None:
    """ITER-B-07.1 to ITER-B-07.3, G-94: a behavior has exactly its own events; profile standard needs none."""
    for behavior in ("none", "one"):
        silent = parallel(cardinality=3, behavior=behavior)
        assert [rule for rule, _ in marked(silent)] == ["ITER-B-07"]
        assert marked(silent, profile="standard") == []
        assert marked(parallel(cardinality=3, behavior=behavior, events="done")) == []
    assert [rule for rule, _ in marked(parallel(cardinality=3, events="done"))] == ["ITER-B-07"]
    none_with_one = parallel(cardinality=3, behavior="one", events="done")
    as_none = replace(none_with_one, characteristics=replace(none_with_one.characteristics, behavior=Behavior.NONE))
    assert marked(as_none) == []
    b = ProcessBuilder("p")
    b.task("A", multi_instance=none_with_one)
    event = b.model().element("A").loop.one_event
    b.task("B", multi_instance=changed(behavior=Behavior.NONE, one_event=event))
    for profile, count in (("engine", 2), ("standard", 1)):
        assert [f.rule for f in check_model(b.model(), profile=profile)] == ["ITER-B-07"] * count
    assert [rule for rule, _ in marked(parallel(cardinality=3, behavior="complex"))] == ["ITER-B-07"]
    with pytest.raises(ModelError, match="unknown behavior"):
        parallel(cardinality=3, behavior="some")


def test_iter_b_09() -> None:
    """ITER-B-09.1, ITER-B-09.2: reserved names are refused for data, not for a field of a record."""
    b = ProcessBuilder("p")
    b.property("x", name="loopCounter")
    b.data("numberOfInstances")
    b.store("numberOfActiveInstances")
    b.task("A").writes(b.data("d", name="ITERATION_ID"))
    b.exclusive("g").flow(b.task("B"), when="order.loopCounter > 1")
    findings = check_model(b.model())
    assert {(f.element_id, f.rule) for f in findings} == {
        ("x", "ITER-B-09"),
        ("numberOfInstances", "ITER-B-09"),
        ("numberOfActiveInstances_ref", "ITER-B-09"),
        ("d", "ITER-B-09"),
        ("A_output_d", "ITER-B-09"),
    }


@pytest.mark.parametrize(
    ("marker", "problem"),
    [
        (parallel(collection="v", item="loopCounter"), "its input item has the name loopCounter"),
        (sequential(collection="v", item="nrOfInstances"), "its input item has the name nrOfInstances"),
        (parallel(collection="v", item="ITERATION_ID"), "its input item has the name ITERATION_ID"),
        (
            parallel(cardinality=2, output_item="o", output_collection="numberOfInstances"),
            "its output collection has the name numberOfInstances",
        ),
        (
            parallel(cardinality=2, output_item="loopCounter", output_collection="o"),
            "its output item has the name loopCounter",
        ),
    ],
)
def test_iter_b_09_in_a_marker(marker: Marker, problem: str) -> None:
    """ITER-B-09, ITER-R-02, ITER-R-06: what a marker names may not hide a counter either."""
    assert marked(marker) == [("ITER-B-09", f"{problem}, which is reserved for iterations")]


def test_iter_b_09_in_an_expression() -> None:
    """ITER-B-09: an expression of the result may read a counter, and the collection may be a field of a record."""
    reading = parallel(collection="order.loopCounter", item="i", output_item="=loopCounter", output_collection="o")
    assert marked(reading) == []


def test_iter_b_09_stops_the_run() -> None:
    """ITER-B-09: refused before the run, with the element and what to do."""
    b = ProcessBuilder("p")
    _ = b.start() >> b.task("A", multi_instance=parallel(collection="v", item="loopCounter")) >> b.end()
    with pytest.raises(ModelError, match="ITER-B-09") as caught:
        simulate(b.model(), data={"v": [1]})
    assert (caught.value.element_id, caught.value.hint) == ("A", "choose another name")


def test_iter_b_10() -> None:
    """ITER-B-10.1: two result strategies on one activity are refused."""
    both = parallel(
        collection="v", item="i", output_item="o", output_collection="m", output_key="i", output_reduce="sum"
    )
    assert [rule for rule, _ in marked(both)] == ["ITER-B-10"]
    keyed = parallel(collection="v", item="i", output_item="o", output_collection="m", output_key="i")
    assert marked(keyed) == []


@pytest.mark.parametrize(("pair", "rules"), [(("k", ""), 1), ((" ", "x"), 1), (("k", "x"), 0)])
def test_iter_b_11(pair: tuple[str, str], rules: int) -> None:
    """ITER-B-11.1: half an iteration correlation is refused."""
    assert [rule for rule, _ in marked(parallel(cardinality=2, correlation=pair))] == ["ITER-B-11"] * rules


def test_iter_sl_15() -> None:
    """ITER-SL-15.1: a loop takes no output collection."""
    make: Callable[..., Marker] = loop
    with pytest.raises(TypeError, match="output_collection"):
        make(maximum=2, output_collection="out")


def test_iter_m_02() -> None:
    """ITER-M-02.1, ITER-IC-08.1: a parallel receive task needs a key, a sequential one does not."""
    b = ProcessBuilder("p")
    b.receive("A", message="m", multi_instance=parallel(cardinality=3))
    b.receive("B", message="m", multi_instance=sequential(cardinality=3))
    b.receive("C", message="m", multi_instance=parallel(cardinality=3, correlation=("k", "item")))
    b.user("D", multi_instance=parallel(cardinality=3))
    ((finding),) = check_model(b.model())
    assert (finding.element_id, finding.rule) == ("A", "ITER-M-02")
    assert "correlation" in finding.hint
    assert "on_ambiguous_message='ordinal'" in finding.hint
    assert check_model(b.model(), on_ambiguous_message="ordinal") == ()
