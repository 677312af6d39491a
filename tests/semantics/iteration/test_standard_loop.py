"""Standard loops (iteration.md section 2)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import bpmnsim as bs

from ...models import count, rows
from .helpers import before, composite, counted, departures, errors, evals, leaf, log_of, scope_facts, states

T, F = True, False


def looped(condition: str | None, maximum: int | None = None, *, pre: bool = False) -> Any:
    """Return the marker."""
    return bs.loop(condition=condition, maximum=maximum, test_before=pre)


@pytest.mark.parametrize(
    ("condition", "maximum", "pre", "seen", "tests", "reason"),
    [
        pytest.param("loopCounter < 3", None, F, [0, 1, 2], [(1, T), (2, T), (3, F)], "condition", id="G-01"),
        pytest.param("loopCounter < 0", None, F, [0], [(1, F)], "condition", id="G-04"),
        pytest.param("loopCounter < 3", None, T, [0, 1, 2], [(0, T), (1, T), (2, T), (3, F)], "condition", id="G-05"),
        pytest.param("loopCounter < 0", None, T, [], [(0, F)], "condition", id="G-02"),
        pytest.param("loopCounter < 1000", 2, F, [0, 1], [(1, T)], "maximum", id="G-03"),
        pytest.param("loopCounter < 1000", 2, T, [0, 1], [(0, T), (1, T)], "maximum", id="SL-04.2"),
        pytest.param("loopCounter < 1000", 1, F, [0], [], "maximum", id="SL-04.3"),
        pytest.param("loopCounter < 3", 3, F, [0, 1, 2], [(1, T), (2, T)], "maximum", id="G-06"),
        pytest.param("loopCounter < 3", 10, F, [0, 1, 2], [(1, T), (2, T), (3, F)], "condition", id="SL-05.1"),
        pytest.param("loopCounter < 10", 3, F, [0, 1, 2], [(1, T), (2, T)], "maximum", id="SL-05.2"),
        pytest.param(None, 2, F, [0, 1], [], "maximum", id="B-04.2"),
        pytest.param(None, 2, T, [0, 1], [], "maximum", id="B-04.2-pre"),
    ],
)
@pytest.mark.parametrize("profile", ["engine", "standard"])
def test_passes_and_tests_of_a_leaf(
    condition: str | None,
    maximum: int | None,
    pre: bool,
    seen: list[int],
    tests: list[Any],
    reason: str,
    profile: str,
) -> None:
    """G-01 to G-06, ITER-SL-01.1 to ITER-SL-06.1, ITER-SL-16.1, ITER-B-04.2, M-32: passes, tests, exit."""
    log, behavior = log_of("loopCounter")
    model = leaf(looped(condition, maximum, pre=pre))
    trace = bs.simulate(model, behaviors={"x": behavior}, options=bs.Options(profile=profile))
    assert log == seen
    assert evals(trace, "loop") == tests
    assert counted(trace) == [(len(seen), len(seen), 0, 0, reason)]
    assert (trace.outcome, departures(trace), count(trace, "e")) == ("completed", 1, 1)
    assert trace.incidents().empty


@pytest.mark.parametrize(
    ("condition", "maximum", "pre", "ordinals"),
    [
        ("loopCounter < 3", None, F, [0, 1, 2]),
        ("loopCounter < 0", None, T, []),
        ("loopCounter < 1000", 2, F, [0, 1]),
    ],
)
def test_passes_of_a_composite(condition: str, maximum: int | None, pre: bool, ordinals: list[int]) -> None:
    """G-07, ITER-SL-10.1, ITER-SL-11.1: Opened and Completed alternate with the counter; zero passes open no scope."""
    log, behavior = log_of("loopCounter")
    trace = bs.simulate(composite(looped(condition, maximum, pre=pre)), behaviors={"work": behavior})
    assert log == ordinals
    assert scope_facts(trace) == [(phase, k) for k in ordinals for phase in ("Opened", "Completed")]
    assert departures(trace) == 1


def test_the_scope_of_a_pass_has_the_same_path_each_time() -> None:
    """ITER-SL-10: the path is the same on every pass, and two are never open at once."""
    trace = bs.simulate(composite(looped("loopCounter < 3")))
    scopes = trace.scopes()
    passes = rows(scopes[scopes.role == "pass"], "scope", "ordinal", "opened", "closed")
    assert [(path, k) for path, k, _, _ in passes] == [("/p/x", 0), ("/p/x", 1), ("/p/x", 2)]
    assert all(closed <= opened for (_, _, _, closed), (_, _, opened, _) in pairwise(passes))


def test_one_token_rests_on_the_loop() -> None:
    """ITER-SL-01, ITER-F-06.1: one arrival and one departure in the history of the token."""
    trace = bs.simulate(leaf(looped("loopCounter < 3")))
    tokens = trace.tokens()
    assert rows(tokens[tokens.node == "x"], "track", "via_flow") == [(0, "f_s_x")]
    assert rows(tokens[tokens.node == "e"], "track") == [(0,)]


@pytest.mark.parametrize(("pre", "runs"), [(T, 0), (F, 1)])
@pytest.mark.parametrize(
    ("condition", "told"),
    [("missing > 1", "'missing' has no value"), ("one", "returned 1, not a boolean"), ("text", "returned 'true'")],
)
def test_a_condition_that_fails(pre: bool, runs: int, condition: str, told: str) -> None:
    """G-08, G-09, ITER-E-09.1, ITER-E-10.1, ITER-E-11.1: incident at the first test; nothing is taken for a boolean."""
    log, behavior = log_of("loopCounter")
    model = leaf(looped(condition, pre=pre))
    trace = bs.simulate(model, data={"one": 1, "text": "true"}, behaviors={"x": behavior})
    assert (len(log), trace.outcome, departures(trace)) == (runs, "incident", 0)
    ((node, ordinal, error),) = errors(trace)
    assert (node, ordinal) == ("x", None)
    assert told in error
    assert [ordinal for ordinal, _ in evals(trace, "loop")] == [runs]


def test_a_body_that_raises_leaves_the_loop_open() -> None:
    """G-10, ITER-BD-07.1: an error on pass 0 of 3 without a boundary: one run, not completed."""
    trace = bs.simulate(leaf(looped("loopCounter < 3")), behaviors={"x": lambda _: 1 / 0})
    assert trace.outcome == "incident"
    assert errors(trace) == [("x", 0, "ZeroDivisionError: division by zero")]
    assert states(trace) == ["incident"]


def test_no_residue() -> None:
    """ITER-SL-07.1: a task after the loop cannot read loopCounter."""
    trace = bs.simulate(before(looped("loopCounter < 3")), behaviors={"after": lambda task: task["loopCounter"]})
    ((node, _, error),) = errors(trace)
    assert node == "after"
    assert "'loopCounter' has no value" in error
    assert trace.values == {}


def test_a_pass_starts_with_fresh_visit_data() -> None:
    """ITER-SL-08.1: only committed outputs reach the next pass; a failed visit commits nothing."""
    seen = []

    def behavior(task: Any) -> Any:
        seen.append("kept" in task)
        if len(seen) == 1:
            raise ValueError("before any commit")
        return {"kept": 1} if task.ordinal else None

    sim = bs.Simulation(leaf(looped("loopCounter < 3")), behaviors={"x": behavior})
    sim.run()
    sim.retry(0)
    sim.run()
    assert (seen, sim.outcome) == ([False, False, False, True], "completed")


def test_committed_outputs_accumulate() -> None:
    """ITER-SL-09.1: total=0, each pass total:=total+lc, lc<4 gives 0,1,3,6, in the scope around the loop."""
    trace = bs.simulate(
        leaf(looped("loopCounter < 4")),
        data={"total": 0},
        behaviors={"x": lambda task: {"total": task["total"] + task["loopCounter"]}},
    )
    data = trace.data()
    assert rows(data[data.name == "total"], "scope", "new") == [("/p", 1), ("/p", 3), ("/p", 6)]
    assert trace.values == {"total": 6}


def test_a_zero_pass_loop_leaves_by_the_normal_rule() -> None:
    """ITER-SL-12.1, NR-11: zero-pass leaf with flows v>10 to B and default to C, v=5: only C."""
    b = bs.ProcessBuilder("p")
    x = b.service("x", loop=looped("loopCounter < 0", pre=True))
    _ = b.start("s") >> x
    x.flow(b.task("B"), when="v > 10")
    x.flow(b.task("C"), default=True)
    trace = bs.simulate(b.model(), data={"v": 5})
    assert (count(trace, "B"), count(trace, "C")) == (0, 1)


def test_data_of_the_body_dies_between_passes() -> None:
    """ITER-SL-13.1: body data acc starts anew each pass: each ends with acc=1."""

    def body(x: Any) -> Any:
        x.property("acc")
        return x.start("a") >> x.service("set") >> x.service("add") >> x.end("z")

    seen = []

    def first(task: Any) -> dict[str, int]:
        seen.append("acc" in task)
        return {"acc": 0}

    trace = bs.simulate(
        composite(looped("loopCounter < 3"), body),
        behaviors={"set": first, "add": lambda task: {"acc": task["acc"] + 1}},
    )
    assert seen == [False] * 3
    data = trace.data()
    assert rows(data[data.name == "acc"], "scope", "new") == [("/p/x", value) for _ in range(3) for value in (0, 1)]
    assert "acc" not in trace.values


def test_a_pass_ends_when_all_its_tokens_are_gone() -> None:
    """ITER-SL-14.1: the body forks to two ends, one slow: the next pass opens after both."""

    def body(x: Any) -> Any:
        split = x.parallel("split")
        _ = split >> x.service("quick") >> x.end("z1"), split >> x.service("slow") >> x.end("z2")
        return x.start("a") >> split

    trace = bs.simulate(composite(looped("loopCounter < 2"), body), durations={"slow": 5})
    scopes = trace.scopes()
    assert rows(scopes[scopes.role == "pass"], "opened_time", "closed_time") == [(0.0, 5.0), (5.0, 10.0)]
    assert count(trace, "quick") == 2


def test_two_looped_leaves_count_for_themselves() -> None:
    """ITER-C-03.2, NR-12: two looped leaves on parallel branches, lc<3 each: 3+3 passes."""
    b = bs.ProcessBuilder("p")
    split = b.parallel("split")
    _ = b.start("s") >> split
    for node in ("u", "v"):
        _ = split >> b.service(node, loop=looped("loopCounter < 3")) >> b.end(f"e_{node}")
    seen: dict[str, list[int]] = {"u": [], "v": []}
    behaviors = {node: lambda task: seen[task.id].append(task["loopCounter"]) for node in seen}
    trace = bs.simulate(b.model(), behaviors=behaviors, seed=3)
    assert seen == {"u": [0, 1, 2], "v": [0, 1, 2]}
    assert counted(trace, "u") == counted(trace, "v") == [(3, 3, 0, 0, "condition")]
