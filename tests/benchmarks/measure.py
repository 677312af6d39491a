"""Measuring: seconds, memory, growth, size of facts."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable, Sequence
from math import log
from time import perf_counter, process_time
from typing import Any

SPAN = 0.02
"""Seconds that are measured at least: a shorter run is repeated."""


def timed(run: Callable[[], object], *, wall: bool = False) -> float:
    """Return the seconds that one *run* takes, the mean of as many runs as *SPAN* holds.

    Processor time, so that others may work beside it; wall time where another process is measured by its own clock.
    """
    clock = perf_counter if wall else process_time
    gc.collect()
    runs, start = 0, clock()
    while True:
        run()
        runs += 1
        taken = clock() - start
        if taken > SPAN:
            return taken / runs


def best(repeats: int, *measured: Callable[[], float]) -> list[float]:
    """Return the least result of each of *measured*, which take turns: A B A B."""
    rounds = [[measure() for measure in measured] for _ in range(repeats)]
    return [min(results) for results in zip(*rounds, strict=True)]


def peak(run: Callable[[], object]) -> int:
    """Return the most bytes that *run* holds at once; tracing is slow, so time is never taken from the same run."""
    gc.collect()
    tracemalloc.start()
    try:
        kept = run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        del kept


def growth(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """Return the exponent p of cost = c * size ** p that fits best, by least squares on the logarithms."""
    xs, ys = [log(size) for size in sizes], [log(cost) for cost in costs]
    x0, y0 = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - x0) * (y - y0) for x, y in zip(xs, ys, strict=True)) / sum((x - x0) ** 2 for x in xs)


def size_of(facts: list[Any]) -> int:
    """Return the bytes of a list with everything in it, each object once."""
    seen: dict[int, int] = {}
    pending: list[Any] = [facts]
    while pending:
        thing = pending.pop()
        if id(thing) in seen:
            continue
        seen[id(thing)] = sys.getsizeof(thing)
        if isinstance(thing, list | tuple):
            pending.extend(thing)
        elif isinstance(thing, dict):
            pending.extend([*thing, *thing.values()])
    return sum(seen.values())
