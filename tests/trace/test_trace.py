"""A trace as a value: digest, equality, JSON, provenance, light import."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

import bpmnsim as bs
from bpmnsim.choices.schedule import Schedule
from bpmnsim.errors import StateError
from bpmnsim.facts import ABSENT, STRIDE, Fact, Record
from bpmnsim.model import Model
from bpmnsim.plain import from_plain, to_plain
from bpmnsim.trace import Stuck, Trace
from bpmnsim.trace.codec import digest_of

VALUES: list[Any] = [
    (1, [2, (3,)]),
    {"b": 1, 2: {"c": None}},
    [float("inf"), -0.0, 1e300],
    {1, 2},
    frozenset({"a"}),
    datetime(2024, 1, 2, 3, 4, tzinfo=UTC),
    date(2024, 1, 2),
    timedelta(days=-1, microseconds=5),
    Decimal("1.50"),
    ABSENT,
    "\ud800",
    {"tuple": [1]},
]


def writes(value: Any) -> Trace:
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("A") >> b.end("e")
    return bs.simulate(b.model(), behaviors={"A": lambda _: {"v": value}})


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    """Design 9: tuples, sets, dates and numbers are restored exactly."""
    back = from_plain(json.loads(json.dumps(to_plain(value))))
    assert back == value
    assert type(back) is type(value)
    assert repr(back) == repr(value)


@pytest.mark.parametrize("value", [1, (1, 2), {"k": [date(2024, 1, 2)]}, float("nan")], ids=repr)
def test_a_trace_comes_back_as_it_was(value: Any) -> None:
    """Design 7: to_json/from_json; equal, with every table the same."""
    trace = writes(value)
    back = Trace.from_json(json.dumps(trace.to_json()), trace.model)
    assert back == trace
    assert back.digest == trace.digest
    assert repr(back.record.facts[STRIDE - 1 :: STRIDE]) == repr(trace.record.facts[STRIDE - 1 :: STRIDE])
    assert repr(back) == repr(trace)
    assert back.schedule == trace.schedule
    assert back.facts().astype(str).equals(trace.facts().astype(str))
    assert repr(back.values) == repr(dict(trace.values))


def test_what_got_stuck_comes_back(handmade: Callable[..., Trace], diamond: Model) -> None:
    """DLK-05: the report is part of the trace."""
    made = handmade(diamond, [])
    trace = Trace(
        diamond,
        made.record,
        outcome="deadlocked",
        stuck=(Stuck(0, "join", "/p", "f_b_join"),),
        schedule=Schedule(base="7"),
        seed=7,
        steps=4,
        time=2.5,
        values={"v": (1,)},
    )
    back = Trace.from_json(trace.to_json(), diamond)
    assert (back.stuck, back.seed, back.steps, back.time, back.values) == (trace.stuck, 7, 4, 2.5, {"v": (1,)})


def test_a_value_that_is_not_plain_is_named() -> None:
    """Design 4: reported by name, never silently ignored; equality does not need the digest."""

    class Thing:
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Thing)

        __hash__ = None  # type: ignore[assignment]

    trace = writes([Thing()])
    for ask in (lambda: trace.digest, trace.to_json):
        with pytest.raises(StateError, match="the value of 'v' cannot be written: a value of type Thing"):
            ask()
    assert trace == writes([Thing()])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version 2 cannot be read"),
        ({"model": "0"}, "belongs to another model"),
        ({"facts": None}, "this is no trace"),
        ({"schedule": {}}, "no schedule"),
        ({"stuck": [[1]]}, "this is no trace"),
    ],
)
def test_something_else_is_no_trace(linear: Callable[..., Model], change: dict[str, Any], message: str) -> None:
    """Design 8: a file from outside can raise only our errors."""
    trace = bs.simulate(linear("A"))
    with pytest.raises(bs.BpmnSimError, match=message):
        Trace.from_json(trace.to_json() | change, trace.model)
    with pytest.raises(StateError, match="this is no trace"):
        Trace.from_json("[", trace.model)


def test_equal_runs_are_equal(diamond: Model) -> None:
    """Design 2: the same inputs and schedule give the same trace; another order gives another."""
    one, same = bs.simulate(diamond, seed=1), bs.simulate(diamond, seed=1)
    other = next(trace for trace in (bs.simulate(diamond, seed=seed) for seed in range(2, 20)) if trace != one)
    assert one == same
    assert hash(one) == hash(same)
    assert other.digest != one.digest
    assert one != "trace"


def test_model_and_outcome_count(linear: Callable[..., Model]) -> None:
    """Design 7: == compares model hash, facts and outcome."""
    trace = bs.simulate(linear("A"))
    facts = trace.record.facts
    assert trace.digest == digest_of(trace.model.digest, "completed", facts)
    assert len({digest_of("a", "x", facts), digest_of("b", "x", facts), digest_of("a", "y", facts)}) == 3


@pytest.mark.parametrize(
    ("one", "other"), [((1,), [1]), (1, True), (1, 1.0), ({"a": 1}, {"a": "1"}), ({1: 0}, {"1": 0})]
)
def test_values_that_differ_have_different_digests(one: Any, other: Any) -> None:
    """Design 9: no two values look the same in JSON."""
    assert writes(one).digest != writes(other).digest


def test_the_order_of_keys_does_not_count() -> None:
    """Design 9: equal values give one digest."""
    assert writes({"a": 1, "b": {2, 3}}).digest == writes({"b": {3, 2}, "a": 1}).digest


def test_the_digest_is_the_same_in_every_process() -> None:
    """Design 9: under two hash seeds, in other processes."""
    code = (
        "import bpmnsim as bs\n"
        "b = bs.ProcessBuilder('p')\n"
        "_ = b.start() >> b.service('A') >> b.end()\n"
        "print(bs.simulate(b.model(), seed=3, behaviors={'A': lambda _: {'v': {'x', 'y', 'z'}, 'w': 0.1}}).digest)"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 32


def test_tracebacks_are_no_part_of_the_digest(linear: Callable[..., Model]) -> None:
    """Design 9: they name files of one machine."""
    trace = bs.simulate(linear("A"))
    record = Record(trace.record.facts, trace.record.places, frozenset(), trace.record.flows, {0: "File elsewhere"})
    moved = Trace(
        trace.model,
        record,
        outcome="completed",
        stuck=(),
        schedule=trace.schedule,
        seed=None,
        steps=3,
        time=0.0,
        values={},
    )
    assert moved == trace


def test_a_line_says_what_it_is(linear: Callable[..., Model]) -> None:
    """Style 4.2: one line that fits a cell."""
    assert repr(bs.simulate(linear("A"), seed=7)) == "Trace(p, seed=7, 3 steps, completed)"
    assert repr(bs.simulate(linear("A"), step_limit=1)) == "Trace(p, fifo, 1 step, truncated)"


def test_provenance_identifies_the_run(linear: Callable[..., Model]) -> None:
    """Style 5.6: version, model, seed, schedule, digest."""
    trace = bs.simulate(linear("A"), seed=7)
    provenance = trace.provenance()
    assert provenance["digest"] == trace.digest
    assert provenance["model"] == trace.model.digest
    assert provenance["seed"] == 7
    assert Schedule.parse(str(provenance["schedule"])) == trace.schedule


def test_nothing_heavy_is_loaded_before_a_table_is_asked_for() -> None:
    """Design 3: simulating, comparing and writing need neither pandas nor networkx."""
    code = (
        "import sys, bpmnsim as bs\n"
        "b = bs.ProcessBuilder('p')\n"
        "_ = b.start() >> b.end()\n"
        "trace = bs.simulate(b.model())\n"
        "trace.digest, trace == trace, trace.to_json(), trace.to_xes(), trace.snapshot(1), repr(trace)\n"
        "print(sorted({'pandas', 'networkx', 'lxml', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def long_trace(visits: int) -> Trace:
    """Return the trace of a token that goes round for a long time, without running anything."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> x
    x.flow(b.task("A"), when="v")
    _ = b.end("e")
    model = b.model()
    facts: list[Any] = [Fact.INSTANCE, 0, -1, 0, 0, 0, "Created", Fact.OPEN, 0, -1, 0, 0, -1, (None, 1, 0)]
    facts += [Fact.TRACK, 0, 0, 1, 0, -1, -1]
    for step in range(1, visits + 1):
        facts += [0, step, 0, 2 if step % 2 else 3, 0, step % 2, None]
    record = Record(facts, ("p", "s", "x", "A"), frozenset(), ("f_s_x", "f_x_A"))
    return Trace(
        model, record, outcome="truncated", stuck=(), schedule=Schedule(), seed=None, steps=visits, time=0.0, values={}
    )


@pytest.mark.slow
def test_long_runs_are_read_in_seconds() -> None:
    """Design 10: 100,000 facts: the digest well under a second, a table in a few seconds."""
    trace = long_trace(100_000)
    assert len(trace.record.facts) // STRIDE == 100_003
    begun = time.perf_counter()
    assert len(trace.digest) == 32
    assert time.perf_counter() - begun < 1
    begun = time.perf_counter()
    assert len(trace.tokens()) == 100_001
    assert len(trace.facts()) > 200_000
    assert time.perf_counter() - begun < 15
