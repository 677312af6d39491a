"""Values of strangers: what callers, behaviors and partners hand to a run, and runs that were saved."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bpmnsim as bs
from bpmnsim.errors import StateError
from bpmnsim.plain import digest

from .pipeline import memory
from .values import Unequal, Unwritten, attempt, endless, model, nested, odd, runs


@pytest.mark.parametrize("way", list(runs(None)))
def test_any_value_in_any_place(way: str) -> None:
    """Issue text: hostile types in data, scenarios, durations and options; behaviors that return nonsense."""
    with memory(300):
        for value in odd():
            attempt(way, value, everything=False)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (10**5000, "'v' is a number of more than 10000 bits"),
        ([10**5000], "'v' is a number of more than 10000 bits"),
        (nested(101), "'v' nests deeper than 100 levels"),
        (nested(100_000), "'v' nests deeper than 100 levels"),
        (endless(), "'v' nests deeper than 100 levels"),
        (itertools.count().__next__, None),
        ((i for i in ()), "'v' cannot be copied"),
    ],
    ids=range(7),
)
def test_what_no_run_can_hold(value: Any, problem: str | None) -> None:
    """Design 4: a value that cannot be copied is reported by name; so is what could not be written out."""
    if problem is None:
        assert bs.simulate(model(), data={"v": value}).outcome
        return
    with pytest.raises(StateError, match=problem):
        bs.simulate(model(), data={"v": value})
    trace = bs.simulate(model(), data={"v": 0}, behaviors={"a": lambda _: {"v": value}})
    assert problem in trace.incidents().error[0]


@pytest.mark.parametrize("value", [pd.DataFrame({"a": [1]}), np.array([1, 2]), Unequal(), Unwritten()])
def test_values_that_cannot_be_compared_are_changes(value: Any) -> None:
    """A behavior may return a frame or an array, also twice: what cannot be compared is another value."""
    trace = bs.simulate(model(), data={"v": 0}, behaviors=dict.fromkeys(("a", "again"), lambda _: {"w": value}))
    assert trace.outcome == "waiting" or trace.incidents().empty
    assert trace.data().name.tolist().count("w") == 2
    assert len(trace.causality_graph()) == trace.steps


class Stop(BaseException):
    """Somebody wants out."""


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit, Stop])
def test_an_interrupt_passes_through_and_leaves_the_run_whole(error: type[BaseException]) -> None:
    """Issue text: KeyboardInterrupt must pass through; the run in progress then goes on as if it had not come."""

    def raises(_: object) -> None:
        raise error

    with pytest.raises(error):
        bs.simulate(model(), data={"v": 0}, behaviors={"again": raises})
    calls = itertools.count()
    run = bs.Simulation(
        model(), data={"v": 0}, seed=1, behaviors={"again": lambda _: raises(_) if not next(calls) else None}
    )
    with pytest.raises(error):
        run.run()
    assert run.trace().outcome == "truncated"
    assert run.run() == bs.simulate(model(), data={"v": 0}, seed=1, behaviors={"again": lambda _: None})


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RecursionError(),
        StopIteration(),
        AssertionError("x"),
        Warning("x"),
        bs.LimitReached("x"),
        bs.BpmnError("E"),
    ],
)
def test_whatever_a_behavior_raises_is_an_incident(error: Exception) -> None:
    """Design 4, Behaviors: any other exception is an incident."""

    def raises(_: object) -> None:
        raise error

    trace = bs.simulate(model(), data={"v": 0}, behaviors={"a": raises})
    assert trace.outcome == "incident"
    assert type(error).__name__ in trace.incidents().error[0] or str(error) in trace.incidents().error[0]


class Speechless(Exception):  # noqa: N818
    """Cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError


def test_an_error_without_a_text_is_an_incident() -> None:
    """Whatever an exception of a behavior does when it is shown."""

    def raises(_: object) -> None:
        raise Speechless

    assert bs.simulate(model(), data={"v": 0}, behaviors={"a": raises}).incidents().error.tolist() == ["Speechless"]


def test_a_changed_file_of_a_run_is_seen() -> None:
    """Design 8: every cell of a trace or a checkpoint counts."""
    run = bs.Simulation(model(), data={"v": 0})
    run.step()
    for saved, read in (
        (run.trace().to_json(), lambda saved: bs.Trace.from_json(saved, model())),
        (run.checkpoint(), lambda saved: bs.Simulation.restore(model(), saved, data={"v": 0})),
    ):
        assert read(saved) is not None
        for name in saved:
            for changed in ({**saved, name: "0"}, {key: cell for key, cell in saved.items() if key != name}):
                with pytest.raises(bs.BpmnSimError):
                    read(changed)


def test_a_checkpoint_that_was_signed_again_is_an_error_of_ours() -> None:
    """Issue text: restoring changed JSON is a StateError, also where its digest fits."""
    run = bs.Simulation(model(), data={"v": 0})
    run.step()
    saved = run.checkpoint()
    names = ("state", "strategy", "schedule", "facts", "fact_count", "tracebacks")
    for cell in (None, 5, "x", [[1]]):
        for name in ("state", "strategy", "tracebacks"):
            changed = {**saved, name: cell}
            changed["digest"] = digest({each: changed[each] for each in names})
            with pytest.raises(StateError) as raised:
                bs.Simulation.restore(model(), changed, data={"v": 0})
            assert raised.value.hint
