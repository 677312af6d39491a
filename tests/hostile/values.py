"""Values and options that a caller, a behavior or a partner may hand to a run, and the attempt to run with them."""

from __future__ import annotations

import datetime
import decimal
import math
import threading
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import bpmnsim as bs
from bpmnsim.errors import shown

from .case import Case
from .mutations import NAMES
from .pipeline import allowed, export


class Uncopied:
    """Cannot be copied."""

    def __deepcopy__(self, memo: object) -> Uncopied:
        raise RuntimeError("no copy")


class Unequal:
    """Cannot be compared and has no hash."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    __hash__ = None  # type: ignore[assignment]


class Unwritten:
    """Has no text."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


def nested(levels: int, around: Callable[[Any], Any] = lambda inner: [inner]) -> Any:
    """Return a value in so many lists or records."""
    value: Any = 1
    for _ in range(levels):
        value = around(value)
    return value


def endless() -> list[Any]:
    """Return a list that holds itself."""
    found: list[Any] = []
    found.append(found)
    return found


@cache
def odd() -> tuple[Any, ...]:
    """Return values that nobody expects; copies of them are of no use to a test, so they are shared."""
    return (
        *(None, True, False, 0, -1, 2, 0.5, -0.0, 1e308, math.nan, math.inf, -math.inf),
        *(10**5000, -(10**5000), 2**9_999, 1j, "", "\x00", "\ud800", "x" * 100_000, b"bytes", bytearray(b"x")),
        *(nested(50), nested(101), nested(100_000), nested(99, lambda inner: {"a": inner}), endless()),
        *({"a": [1, {"b": (2,)}]}, {1: 2, "1": 3}, {None: 1}, {(1, 2): 3}, {math.nan: 1}, {1, "a"}),
        *(Uncopied(), Unequal(), Unwritten(), {"a": Unwritten()}, threading.Lock(), object(), iter([1])),
        *(decimal.Decimal("NaN"), datetime.timedelta.max, datetime.datetime.min, range(10**9), frozenset({(1, 2)})),
        *(np.array([1, 2]), np.float64(1.5), pd.DataFrame({"a": [1]}), pd.NaT, pd.NA, type, bs, NotImplemented, ...),
        *(ValueError("x"), lambda *_: 1, "PT5M", "x", "-PT1S", "P9999999Y", "fifo", "depth@7", "open", [1, 2]),
        *("2000-01-01", "9999-12-31T23:59:59Z", "bs1;s=fifo~0000", *NAMES[:4]),
    )


@cache
def model() -> bs.Model:
    """Return a model that reads ``v`` in a condition and in an iteration, and waits for a user and a message."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> b.service("a") >> b.service("again") >> x
    each = bs.parallel(collection="v", item="i")
    _ = x.flow(b.service("b"), "v == v and v > 1") >> b.service("each", multi_instance=each) >> b.end("e")
    _ = x.flow(b.user("u"), default=True) >> b.receive("r", message="m") >> b.end("f")
    return b.model()


_OPTIONS = (
    *("process", "start", "data", "scenario", "behaviors", "durations", "retries", "decisions", "time", "epoch"),
    *("granularity", "options", "seed", "strategy", "schedule", "step_limit", "nonsense"),
)


def _scenarios(value: Any) -> dict[str, Callable[[], bs.Scenario]]:
    said = bs.Scenario()
    return {
        "complete": lambda: said.complete("u", outputs={"v": value}).message("m", payload={"w": value}),
        "key": lambda: said.message("m", key=value),
        "outputs": lambda: said.complete("u", outputs=value),
        "ordinal": lambda: said.complete("u", ordinal=value),
        "target": lambda: said.signal(value),
        "fail": lambda: said.fail("u", value),
        "at": lambda: said.signal("x", at=value),
        "after": lambda: said.signal("x", after=value),
        "set": lambda: said.set("v", value),
        "name": lambda: said.set(value, 1),
        "open": lambda: bs.Scenario.open().complete("u", outputs={"v": value}),
    }


def runs(value: Any) -> dict[str, Callable[[], bs.Trace]]:
    """Return every way to hand a value to a run, by name."""
    ways: dict[str, Callable[[], bs.Trace]] = {}

    def way(name: str, **run: Any) -> None:
        ways[name] = lambda: bs.simulate(model(), **({"data": {"v": 0}, "step_limit": 300} | run))

    way("data", data={"v": value})
    way("outputs", behaviors=dict.fromkeys(("a", "again"), lambda _: {"v": value}))
    way("result", behaviors={"a": lambda _: value})
    way("read", data={"v": value}, behaviors={"a": lambda task: {"w": [task["v"], task.data, task.get("v")]}})
    way("duration", durations={"a": value})
    way("drawn", durations={"a": lambda _, __: value})
    way("retries", retries={"a": value}, behaviors={"a": lambda _: 1 / 0})
    way("escalation", behaviors={"a": lambda task: task.escalate(value)})
    way("fault", behaviors={"a": lambda _: _raise(bs.BpmnError(value))})
    for name in _OPTIONS:
        way(name, **{name: value})
    for name, make in _scenarios(value).items():
        ways[f"scenario {name}"] = lambda make=make: bs.simulate(model(), data={"v": 0}, scenario=make())
    return ways


def _raise(error: Exception) -> None:
    raise error


def attempt(name: str, value: Any, *, everything: bool = True) -> str:
    """Run with a value and ask for everything, or for little; return the outcome."""
    trace = allowed(name, runs(value)[name])
    if trace is None:
        return "refused"
    if everything:
        export(trace)
    allowed("little", lambda: (trace.digest, str(trace.schedule), repr(trace)))
    return str(trace.outcome)


def case(random: Random) -> Case:
    """Return a value handed to a run."""
    value = random.choice(odd())
    if random.random() < 0.3:
        value = random.choice(([value, value], {"a": value}, (value,), {"v": {"w": value}}))
    name = random.choice(list(runs(None)))
    return Case(f"value as {name}", f"{name}: {shown(value)}".encode("utf-8", "replace"), lambda: attempt(name, value))
