"""Properties of iterations that hold for every model, schedule and seed (iteration.md section 20)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import bpmnsim as bs
from bpmnsim.facts import STRIDE, Fact
from bpmnsim.model import ProcessBuilder

from ..models import rows
from ..semantics.iteration.helpers import leaf

NC = "numberOfCompletedInstances"
COUNTS = ("numberOfInstances", "numberOfActiveInstances", NC, "numberOfTerminatedInstances")
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SLOW = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@dataclass(frozen=True)
class Case:
    """A model with one multi-instance activity over n elements, and how it runs."""

    parallel: bool
    composite: bool
    n: int
    durations: tuple[int, ...]
    quorum: int | None
    behavior: str
    terminating: frozenset[int]
    profile: str
    strategy: str | None
    seed: int | None

    def model(self) -> bs.Model:
        """s>x>e, x a task or a sub-process that ends by a terminate event in some ordinals."""
        events = {"none": "done", "one": "done", "complex": [(f"{NC} >= 2", "done")]}
        marker = (bs.parallel if self.parallel else bs.sequential)(
            collection="items",
            item="item",
            output_item="out",
            output_collection="outs",
            completion_condition=None if self.quorum is None else f"{NC} >= {self.quorum}",
            behavior=self.behavior,
            events=events.get(self.behavior),
        )
        b = ProcessBuilder("p")
        if not self.composite:
            _ = b.start("s") >> b.service("x", multi_instance=marker) >> b.end("e")
            return b.model()

        def body(x: Any) -> Any:
            choice = x.exclusive("choice")
            choice.flow(x.end("stop", terminate=True), when="item in stopped")
            choice.flow(x.end("z"), default=True)
            return x.start("a") >> x.service("work") >> choice

        _ = b.start("s") >> b.subprocess("x", body=body, multi_instance=marker) >> b.end("e")
        return b.model()

    def run(self) -> dict[str, Any]:
        """Everything besides model and strategy."""
        node = "work" if self.composite else "x"
        more: dict[str, Any] = {}
        if any(self.durations):
            more["durations"] = {node: lambda _, task: self.durations[task.ordinal]}
        return {
            "data": {"items": list(range(self.n)), "stopped": sorted(self.terminating)},
            "behaviors": {node: lambda task: {"out": task["item"] * 10}},
            "options": bs.Options(profile=self.profile),
            **more,
        }

    def choosing(self) -> dict[str, Any]:
        """Who picks."""
        return {"strategy": self.strategy, "seed": self.seed}

    def simulate(self) -> bs.Trace:
        """Run it."""
        return bs.simulate(self.model(), **self.choosing(), **self.run())


@st.composite
def cases(draw: st.DrawFn, *, completing: bool = False) -> Case:
    """Draw a case; a completing one is neither stopped early nor terminated inside."""
    n = draw(st.integers(0, 5))
    composite = draw(st.booleans())
    first = "priority(work,z,x)" if composite else "priority(x)"
    strategy, seed = draw(
        st.one_of(
            st.sampled_from([(None, None), ("depth", None), ("round-robin", None), (first, None)]),
            st.integers(0, 99).map(lambda seed: (None, seed)),
        )
    )
    return Case(
        parallel=draw(st.booleans()),
        composite=composite,
        n=n,
        durations=tuple(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))),
        quorum=None if completing else draw(st.none() | st.integers(0, 6)),
        behavior=draw(st.sampled_from(["all", "none", "one", "complex"])),
        terminating=frozenset() if completing or not composite else draw(st.frozensets(st.integers(0, 4), max_size=2)),
        profile=draw(st.sampled_from(["engine", "standard"])),
        strategy=strategy,
        seed=seed,
    )


def facts(trace: bs.Trace) -> Iterator[tuple[Any, ...]]:
    """Yield the facts with the element id in place of the number of the place."""
    cells, places = trace.record.facts, trace.record.places
    for at in range(0, len(cells), STRIDE):
        kind, step, track, place, scope, x, y = cells[at : at + STRIDE]
        yield Fact(kind), step, track, places[place] if place >= 0 else "", scope, x, y


def details(trace: bs.Trace, what: str) -> dict[str, Any]:
    """Return what the only report of a kind says."""
    (found,) = [dict(y) for kind, *_, x, y in facts(trace) if kind == Fact.REPORT and x == what]
    return found


def ends(trace: bs.Trace) -> dict[int, list[str]]:
    """Return ordinal -> phases of the ends of the scopes of x with that ordinal."""
    opened: dict[int, int] = {}
    found: dict[int, list[str]] = {}
    for kind, _, _, node, scope, _, y in facts(trace):
        if kind == Fact.OPEN and node == "x" and y[0] is not None:
            opened[scope] = y[0]
            found.setdefault(y[0], [])
        elif kind == Fact.CLOSE and scope in opened:
            found[opened[scope]].append(y)
    return found


@QUICK
@given(cases())
def test_one_run(case: Case) -> None:
    """Properties 3, 4, 5, 11, 13 and 15, and the sums of property 2 at the exit."""
    trace = case.simulate()
    assert trace.outcome == "completed"
    closed = ends(trace)
    assert all(len(phases) == 1 for phases in closed.values()), "3: opened, then exactly one end"
    left = [x for kind, _, _, node, _, x, _ in facts(trace) if kind == Fact.VISIT and node == "x" and x >= 0]
    assert len([flow for flow in left if trace.record.flows[flow] == "f_x_e"]) == 1, "4: left once"

    done = [ordinal for ordinal, (phase,) in closed.items() if phase == "Completed"]
    exited = details(trace, "Iteration Exited")
    assert exited["completed"] + exited["terminated"] == exited["total"] == case.n, "2: nC + nT = nI at the exit"
    assert exited["completed"] == len(done)

    published = [y[1] for kind, _, _, _, _, x, y in facts(trace) if kind == Fact.DATA and x == "outs"]
    if case.n == 0 and case.profile == "engine":
        assert published == []
    else:
        assert len(published) == 1, "5: published once, at the exit"
        expected = [ordinal * 10 if ordinal in done else None for ordinal in range(case.n)]
        assert published == [expected], "5, 15: length N, None where an instance did not complete"

    throws = [dict(y)["member"] for kind, *_, x, y in facts(trace) if kind == Fact.REPORT and x == "Iteration Thrown"]
    evals = [y[4] for kind, *_, x, y in facts(trace) if kind == Fact.EVAL and x == "completion"]
    if case.parallel:
        taken = [y for kind, *_, x, y in facts(trace) if kind == Fact.GROUP and x == "deliver"]
        delivered = [ordinal for ordinal in taken if ordinal in done]
    else:
        taken, delivered = sorted(closed), sorted(done)
    if case.behavior == "none":
        assert throws == delivered, "11: none throws once per delivery, in its order"
    elif case.behavior == "one":
        assert throws == delivered[:1], "11: one throws at most once"
    elif case.behavior == "all":
        assert throws == [], "11: all throws nothing"
    assert set(throws) <= set(delivered), "11: nothing is thrown for what was not delivered"
    if case.quorum is None:
        assert evals == []
    else:
        last = delivered[-1:] if len(taken) == case.n and taken[-1:] == delivered[-1:] else []
        expected_evals = delivered if case.profile == "standard" else delivered[: len(delivered) - len(last)]
        assert evals == expected_evals, "13: one evaluation per delivery, without the last one in profile engine"


@QUICK
@given(cases())
def test_counters_at_every_step(case: Case) -> None:
    """Property 2: nC+nT+nA+pending = nI at every step; nA <= 1 in a sequence; all >= 0; nC and nT only rise."""
    sim = bs.Simulation(case.model(), **case.choosing(), **case.run())
    before = (0, 0)
    while sim.enabled:
        sim.step()
        state = sim._driver.run.state
        for scope in state.hosted.values():
            total, active, completed, terminated = (state.data[scope][name] for name in COUNTS)
            assert min(total, active, completed, terminated) >= 0
            if case.parallel:
                assert total == active + completed + terminated
            else:
                assert active <= 1
                assert total - active - completed - terminated >= 0
            assert (completed >= before[0], terminated >= before[1]) == (True, True)
            before = (completed, terminated)
    assert sim.outcome == "completed"


@QUICK
@given(cases(completing=True), st.integers(0, 99), st.permutations(range(5)))
def test_outputs_do_not_depend_on_the_order(case: Case, seed: int, order: list[int]) -> None:
    """Properties 1 and 9: another seed and other durations change orders only: the same outputs and ends."""
    first = case.simulate()
    run = case.run()
    node = "work" if case.composite else "x"
    run["durations"] = {node: lambda _, task: order[task.ordinal]}
    second = bs.simulate(case.model(), seed=seed, **run)
    assert first.values == second.values
    assert ends(first) == ends(second)
    assert case.simulate().digest == first.digest, "9: same seed and inputs, identical facts"


@SLOW
@given(cases(), st.floats(0, 1), st.booleans())
def test_capture_at_any_step(case: Case, where: float, as_text: bool) -> None:
    """Property 8: captured at any step and restored, a run ends with the same facts."""
    whole = case.simulate()
    sim = bs.Simulation(case.model(), **case.choosing(), **case.run())
    for _ in range(round(where * whole.steps)):
        sim.step()
    saved = sim.checkpoint()
    if as_text:
        saved = json.loads(json.dumps(saved))
    assert bs.Simulation.restore(case.model(), saved, **case.run()).run() == whole


@QUICK
@given(st.integers(0, 6), st.none() | st.integers(1, 5), st.booleans(), st.booleans(), st.none() | st.integers(0, 9))
def test_loops(limit: int, maximum: int | None, pre: bool, composite: bool, seed: int | None) -> None:
    """Property 10: passes <= loopMaximum; none only if tested before and the first test is false."""
    seen: list[int] = []
    marker = bs.loop(condition=f"loopCounter < {limit}", maximum=maximum, test_before=pre)
    b = ProcessBuilder("p")
    if composite:
        x = b.subprocess("x", body=lambda x: x.start("a") >> x.service("work") >> x.end("z"), loop=marker)
    else:
        x = b.service("x", loop=marker)
    _ = b.start("s") >> x >> b.end("e")
    node = "work" if composite else "x"
    trace = bs.simulate(b.model(), behaviors={node: lambda task: seen.append(task["loopCounter"])}, seed=seed)
    bound = limit if pre else max(limit, 1)
    assert seen == list(range(min(bound, maximum or bound)))
    assert (not seen) == (pre and limit == 0)
    assert details(trace, "Iteration Exited")["total"] == len(seen)
    assert all(phases == ["Completed"] for phases in ends(trace).values())


KEYED = {"collection": "items", "item": "item", "output_item": "out", "output_collection": "outs"}


def check_waits(sim: bs.Simulation) -> None:
    """Property 6: a waiting instance has a live subscription, and nobody waiting means there is none."""
    state = sim._driver.run.state
    serving = Counter((place, owner) for _, place, _, _, _, owner, _ in state.waits.values())
    assert dict(serving) == state.subscriptions
    assert all(track in state.tracks and track in state.holds for track in state.waits)


@SLOW
@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=4),
    st.lists(st.sampled_from("abcz"), max_size=8),
    st.booleans(),
    st.none() | st.integers(1, 4),
    st.none() | st.integers(0, 20),
)
def test_messages(keys: list[str], sent: list[str], parallel: bool, quorum: int | None, seed: int | None) -> None:
    """Properties 6 and 7: one message changes at most one instance; nobody else reads it."""
    marker = (bs.parallel if parallel else bs.sequential)(
        **KEYED,
        correlation=("key", "item"),
        completion_condition=None if quorum is None else f"{NC} >= {quorum}",
    )
    model = leaf(marker, "receive", message="m")
    sim = bs.Simulation(model, data={"items": keys}, scenario=bs.Scenario(), seed=seed)
    sim.run()
    check_waits(sim)
    taken: list[int] = []
    for number, key in enumerate(sent):
        before = sim._driver.run.state.waits.copy()
        sim.message("m", key=key, payload={"out": number})
        gone = [wait for track, wait in before.items() if track not in sim._driver.run.state.waits]
        assert len(gone) <= 1, "7: at most one instance"
        assert all(wait[3] == key for wait in gone), "7: the one with that key"
        taken += [wait[4] for wait in gone]
        while sim.enabled:
            check_waits(sim)
            sim.step()
        check_waits(sim)
    trace = sim.trace()
    outputs = dict(rows(trace.inner_instances(), "ordinal", "output"))
    read = [output for output in outputs.values() if output is not None]
    assert len(read) == len(set(read)), "7: no payload is read twice"
    if trace.outcome == "completed":
        assert [outputs[ordinal] for ordinal in range(len(keys))] == trace.values["outs"]


@SLOW
@given(
    st.integers(1, 5),
    st.booleans(),
    st.none() | st.integers(1, 4),
    st.lists(st.integers(0, 5), max_size=8),
    st.sampled_from(["user", "job"]),
)
def test_work(n: int, parallel: bool, quorum: int | None, attempts: list[int], kind: str) -> None:
    """Properties 6, 12 and 14: work that is not open is refused and nothing changes; each instance is done once."""
    marker = (bs.parallel if parallel else bs.sequential)(
        cardinality=n, completion_condition=None if quorum is None else f"{NC} >= {quorum}"
    )
    model = leaf(marker, "user") if kind == "user" else leaf(marker, implementation="##external")
    sim = bs.Simulation(model, scenario=bs.Scenario())
    sim.run()
    done: list[int] = []
    for ordinal in attempts:
        state = sim._driver.run.state
        is_open = any(wait[4] == ordinal for wait in state.waits.values())
        before = (state.key(), len(sim._driver.run.facts))
        if is_open:
            sim.complete("x", ordinal=ordinal)
            done.append(ordinal)
            sim.run()
        else:
            with pytest.raises(bs.NoSuchTask):
                sim.complete("x", ordinal=ordinal)
            state = sim._driver.run.state
            assert (state.key(), len(sim._driver.run.facts)) == before, "12, 14: refused, nothing changed"
        check_waits(sim)
    assert len(done) == len(set(done))
    assert [ordinal for ordinal, phases in ends(sim.trace()).items() if phases == ["Completed"]] == sorted(done)


@QUICK
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "cardinality": st.sampled_from([3, "true"]),
            "collection": st.just("items"),
            "item": st.just("item"),
            "output_item": st.just("out"),
            "output_collection": st.just("outs"),
            "completion_condition": st.sampled_from(["done", "3"]),
            "behavior": st.sampled_from(["all", "none", "one", "complex"]),
            "events": st.sampled_from(["done", [("done", "E")], [("3", "E")]]),
            "output_key": st.just("item"),
            "output_reduce": st.just("sum"),
            "correlation": st.sampled_from([("", "item"), ("key", "")]),
        },
    ),
    st.booleans(),
)
def test_refusals_name_a_rule(marker: dict[str, Any], parallel: bool) -> None:
    """Property 12: whatever a marker lacks or has too much, the refusal comes before the run and names a rule id."""
    try:
        built = (bs.parallel if parallel else bs.sequential)(**marker)
        model = leaf(built)
    except (bs.ModelError, ValueError):
        assume(False)
    outcome, refusal = "refused", ""
    try:
        trace = bs.simulate(model, data={"items": [1, 2], "done": False}, behaviors={"x": lambda _: {"out": 1}})
        outcome = trace.outcome
    except (bs.ModelError, bs.UnsupportedError) as error:
        refusal = str(error)
    assert outcome == "completed" or "ITER-" in refusal
