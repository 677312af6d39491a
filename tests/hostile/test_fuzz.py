"""Five hundred inputs of strangers; ``make fuzz`` tries ten thousand others."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bpmnsim as bs

from . import live, saved, values
from .fuzz import file, make
from .pipeline import allowed, export, memory, put_through

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3) | st.tuples(inner)
    ),
    max_leaves=8,
)
QUICK = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """Load every library once, so that no input is charged for it."""
    put_through(file(Random(0)).data, 20)


def tried(maker: Any, count: int, first: int = 0) -> Counter[str]:
    """Try so many inputs of one kind; return how they ended."""
    with memory(400):
        return Counter(maker(Random(f"suite/{index}")).attempt() for index in range(first, first + count))


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_mutated_files(first: int) -> None:
    """Issue text: mutated corpus files; 200 in all."""
    ended = tried(file, 50, first)
    assert ended["refused"] < 40, "most mutations must reach further than the parser"
    assert sum(ended.values()) == 50


def test_changed_files_of_runs() -> None:
    """Issue text: schedules, checkpoints and traces mutated; 110 in all."""
    assert tried(saved.case, 110)["refused"] > 20


def test_values_and_calls() -> None:
    """Issue text: data given to a run; 50 values and 40 runs in the hands of somebody who calls anything."""
    assert len(tried(values.case, 50)) > 2
    assert len(tried(live.case, 40)) > 2


@QUICK
@given(st.binary(max_size=300) | st.text(max_size=300))
def test_any_bytes(data: bytes | str) -> None:
    """Issue text: 50 files that are nothing at all."""
    assert put_through(data if isinstance(data, bytes) else f"<{data}") == "refused"


@QUICK
@given(PLAIN, st.text(max_size=20))
def test_any_data(value: Any, name: str) -> None:
    """Issue text: 50 values under any name, as data and as output, through every export."""
    given = {name: value, "v": 0}
    trace = allowed(
        "simulate", lambda: bs.simulate(values.model(), data=given, behaviors={"a": lambda _: {name: value}})
    )
    if trace is not None:
        export(trace)


def test_an_input_is_known_by_seed_and_index() -> None:
    """A report can be repeated: equal seed and index give equal input."""
    for index in range(20):
        one, other = make(7, index), make(7, index)
        assert (one.name, one.data) == (other.name, other.data)
    assert make(7, 0).data != make(8, 0).data
