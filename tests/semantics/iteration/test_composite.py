"""Sub-processes with a marker, iterations inside iterations, re-entry (iteration.md section 9.2)."""

from __future__ import annotations

from typing import Any

import pytest

import bpmnsim as bs

from ...models import count, rows
from .helpers import composite, counted, departures, marked, scope_facts, states

BOTH = pytest.mark.parametrize("shape", [bs.sequential, bs.parallel])


def nested(outer: Any, inner: Any, kind: str = "composite") -> bs.Model:
    """x: a>y>z, y an iterated sub-process b>work>w or an iterated task."""

    def body(x: Any) -> Any:
        if kind == "leaf":
            return x.start("a") >> x.service("work", **marked(inner)) >> x.end("z")
        inside = lambda y: y.start("b") >> y.service("work") >> y.end("w")  # noqa: E731
        return x.start("a") >> x.subprocess("y", body=inside, **marked(inner)) >> x.end("z")

    return composite(outer, body)


def test_host_and_body_tokens() -> None:
    """ITER-C-01.1: parallel N=2, one task each: 1 host token, 2 body tokens, each in the scope of its instance."""
    trace = bs.simulate(composite(bs.parallel(cardinality=2)))
    tokens = trace.tokens()
    assert rows(tokens[tokens.node == "x"], "track", "scope") == [(0, "/p")]
    assert rows(tokens[tokens.node == "work"], "track", "host_track", "scope") == [(1, 0, "/p/x[0]"), (2, 0, "/p/x[1]")]


@pytest.mark.parametrize("outer", [bs.sequential(cardinality=2), bs.parallel(cardinality=2), bs.loop(maximum=2)])
@pytest.mark.parametrize("inner", [bs.sequential(cardinality=3), bs.parallel(cardinality=3), bs.loop(maximum=3)])
@pytest.mark.parametrize("kind", ["leaf", "composite"])
def test_nested_iteration(outer: Any, inner: Any, kind: str) -> None:
    """G-76, ITER-C-03.1: outer 2, inner 3: 6 runs, pairs (0..1, 0..2); the inner counter shadows the outer one."""
    pairs = []

    def behavior(task: Any) -> None:
        pairs.append(task["loopCounter"])

    trace = bs.simulate(nested(outer, inner, kind), behaviors={"work": behavior})
    assert sorted(pairs) == [0, 0, 1, 1, 2, 2]
    node = "y" if kind == "composite" else "work"
    inner_rows = trace.inner_instances()
    assert len(inner_rows[inner_rows.activity == node]) == 6
    assert [total for total, *_ in counted(trace, node)] == [3, 3]
    assert [total for total, *_ in counted(trace)] == [2]
    if kind == "composite":
        assert len([fact for fact in scope_facts(trace) if fact[0] == "Opened"]) == 2
        assert len([fact for fact in scope_facts(trace, "y") if fact[0] == "Opened"]) == 6


def test_counters_of_nested_iterations() -> None:
    """ITER-C-03: the inner counts shadow the outer ones, which are back behind the inner activity."""

    def body(x: Any) -> Any:
        inner = x.service("work", multi_instance=bs.parallel(cardinality=3))
        return x.start("a") >> x.service("first") >> inner >> x.service("last") >> x.end("z")

    seen: dict[str, list[Any]] = {"first": [], "work": [], "last": []}
    behaviors = {
        node: lambda task: seen[task.id].append((task["loopCounter"], task["numberOfInstances"])) for node in seen
    }
    bs.simulate(composite(bs.sequential(cardinality=2), body), behaviors=behaviors)
    assert seen["first"] == seen["last"] == [(0, 2), (1, 2)]
    assert seen["work"] == [(0, 3), (1, 3), (2, 3)] * 2


def test_paths_of_nested_iterations() -> None:
    """ITER-C-03, core SUB-01: /p/x[0]/y[2]."""
    trace = bs.simulate(nested(bs.parallel(cardinality=2), bs.parallel(cardinality=3)))
    scopes = trace.scopes()
    paths = [path for (path,) in rows(scopes[(scopes.role == "instance") & (scopes.node == "y")], "scope")]
    assert paths == [f"/p/x[{i}]/y[{j}]" for i in range(2) for j in range(3)]
    assert rows(trace.inner_instances(), "identity")[2:4] == [("/p/x[0]|y|1|0",), ("/p/x[0]|y|1|1",)]


def twice(marker: Any, kind: str) -> bs.Model:
    """s>+>{A,B}, both to x (uncontrolled), x>e: two tokens reach x."""
    b = bs.ProcessBuilder("p")
    split = b.parallel("split")
    if kind == "leaf":
        x = b.user("x", **marked(marker))
    else:
        x = b.subprocess("x", body=lambda x: x.start("a") >> x.user("work") >> x.end("z"), **marked(marker))
    _ = b.start("s") >> split
    for node in ("A", "B"):
        _ = split >> b.task(node) >> x
    _ = x >> b.end("e")
    return b.model()


@BOTH
@pytest.mark.parametrize("kind", ["leaf", "composite"])
def test_a_second_token_starts_an_activation_of_its_own(shape: Any, kind: str) -> None:
    """G-98, ITER-C-06.1, core SUB-06: activations 1 and 2, both active at once, 4 instances, 2 departures."""
    sim = bs.Simulation(twice(shape(cardinality=2), kind), scenario=bs.Scenario())
    waiting = sim.run()
    assert rows(waiting.iterations(), "activation", "state") == [(1, "active"), (2, "active")]
    for _ in range(4):
        sim.complete("x" if kind == "leaf" else "work")
        trace = sim.run()
    assert (trace.outcome, departures(trace), count(trace, "e")) == ("completed", 2, 2)
    assert rows(trace.iterations(), "activation", "total", "completed") == [(1, 2, 2), (2, 2, 2)]
    assert rows(trace.inner_instances(), "identity") == [(f"/p|x|{n}|{k}",) for n in (1, 2) for k in (0, 1)]
    if kind == "composite" and shape is bs.parallel:
        scopes = trace.scopes()
        paths = rows(scopes[scopes.role == "instance"], "scope")
        assert paths == [("/p/x[0]",), ("/p/x[1]",), ("/p/x~2[0]",), ("/p/x~2[1]",)]


@BOTH
@pytest.mark.parametrize("kind", ["leaf", "composite"])
def test_a_loop_back_into_the_activity(shape: Any, kind: str) -> None:
    """ITER-C-06, lessons B-8: a loop straight back: two full rounds, numbering restarts."""
    b = bs.ProcessBuilder("p")
    marker = marked(shape(cardinality=2))
    x = (
        b.service("x", **marker)
        if kind == "leaf"
        else b.subprocess("x", body=lambda x: x.start("a") >> x.service("work") >> x.end("z"), **marker)
    )
    again = b.exclusive("again")
    _ = b.start("s") >> x >> b.service("count") >> again
    again.flow(x, when="rounds < 2")
    again.flow(b.end("e"), default=True)
    trace = bs.simulate(b.model(), data={"rounds": 0}, behaviors={"count": lambda task: {"rounds": task["rounds"] + 1}})
    assert trace.outcome == "completed"
    assert rows(trace.iterations(), "activation", "completed") == [(1, 2), (2, 2)]
    assert states(trace) == ["completed"] * 4
    assert rows(trace.inner_instances(), "activation", "ordinal") == [(1, 0), (1, 1), (2, 0), (2, 1)]


def test_a_body_with_gateways() -> None:
    """ITER-C-01, SUB-04: joins count per instance scope, also when the instances interleave."""

    def body(x: Any) -> Any:
        split, join = x.parallel("split"), x.parallel("join")
        for node in ("u", "v"):
            _ = split >> x.service(node) >> join
        _ = join >> x.end("z")
        return x.start("a") >> split

    for seed in (None, 1, 2, 3):
        trace = bs.simulate(composite(bs.parallel(cardinality=3), body), seed=seed)
        assert (trace.outcome, count(trace, "join")) == ("completed", 3)


def test_a_body_that_is_stuck() -> None:
    """SUB-04, DLK-01: a dead join in ordinal 1 keeps that instance waiting, and so the activity open: deadlocked."""

    def body(x: Any) -> Any:
        choice, fork, merge, join = x.exclusive("choice"), x.parallel("fork"), x.exclusive("merge"), x.parallel("join")
        choice.flow(merge, when="loopCounter == 1")
        choice.flow(fork, default=True)
        _ = fork >> merge >> join, fork >> x.task("w") >> join, join >> x.end("z")
        return x.start("a") >> choice

    trace = bs.simulate(composite(bs.parallel(cardinality=2), body))
    assert (trace.outcome, departures(trace), states(trace)) == ("deadlocked", 0, ["completed", "waiting"])
    assert counted(trace) == [(2, 1, 0, 1, None)]
