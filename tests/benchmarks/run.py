"""Measure speed and memory and print one table: ``python tests/benchmarks/run.py [--peers] [--quick]``.

Exit code 1 when a goal is missed. Only ratios are printed: between two things measured in turns in the same run, of the
best of several rounds. Compiling a model, and parsing a file, is over before the clock starts, here and at the peers;
the growth of a whole ``simulate`` call, which compiles, is measured besides.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import models
import peers
from bare import Walk
from measure import best, growth, peak, size_of, timed
from ours import Compiled

import bpmnsim as bs
from bpmnsim.facts import STRIDE

SEED = 7


@dataclass(frozen=True)
class Row:
    """One line of the table; ``measured`` is ``None`` where it was skipped."""

    what: str
    goal: float
    measured: float | None
    at_least: bool = False
    unit: str = ""
    why: str = ""

    @property
    def verdict(self) -> str:
        """ok, miss, or skipped and why."""
        if self.measured is None:
            return f"skipped: {self.why}"
        met = self.measured >= self.goal if self.at_least else self.measured <= self.goal
        return "ok" if met else "miss"

    def __str__(self) -> str:
        relation = "at least" if self.at_least else "at most"
        shown = "" if self.measured is None else f"{self.measured:.3g} {self.unit}".strip()
        return f"| {self.what} | {relation} {f'{self.goal:.3g} {self.unit}'.strip()} | {shown} | {self.verdict} |"


at_least = partial(Row, at_least=True)


def counting_loop(k: int) -> Compiled:
    """Return the exclusive loop with the behavior that counts."""
    return Compiled(models.exclusive_loop(k), data={"i": 0}, behaviors={"count": lambda task: {"i": task["i"] + 1}})


GROWING: tuple[tuple[str, Callable[[int], Compiled]], ...] = (
    ("chain(N)", lambda n: Compiled(models.chain(n))),
    ("fork_join(N, 1)", lambda n: Compiled(models.fork_join(n, 1))),
    ("exclusive loop(N)", counting_loop),
    ("N leaf instances", lambda n: Compiled(models.leaf_instances(n))),
    ("N composite instances", lambda n: Compiled(models.composite_instances(n))),
)


def against_bare(rounds: int, n: int) -> Iterator[Row]:
    """Compare with a bare loop over the same model."""
    for what, model in (
        (f"chain({n:,})", models.chain(n)),
        (f"fork_join({n:,}, 1)", models.fork_join(n, 1)),
        (f"fork_join({n // 10:,}, 10)", models.fork_join(n // 10, 10)),
    ):
        walk, ours = Walk(model), Compiled(model)
        assert len(walk.run()) == ours.run().state.step, "both take the same steps"
        bare, mine = best(rounds, partial(timed, walk.run), partial(timed, ours.run))
        yield at_least(f"{what}: nodes/s, share of a bare loop", 1 / 8, bare / mine)


def growing(rounds: int, sizes: Sequence[int]) -> Iterator[Row]:
    """Measure how time and memory grow."""
    for what, compiled in GROWING:
        yield from exponents(what, compiled, rounds, sizes)
    yield from exponents("N open user tasks", lambda n: Compiled(models.user_tasks(n)), rounds, (2_000, 20_000))
    yield from exponents("N nested sub-processes", lambda n: Compiled(models.nested(n)), rounds, (10, 100, 1_000))


def exponents(what: str, compiled: Callable[[int], Compiled], rounds: int, sizes: Sequence[int]) -> Iterator[Row]:
    """Measure how the time of a run, of a whole call, and the memory of a run grow with a shape."""
    of_size = [compiled(size) for size in sizes]
    span = f"{what}, {sizes[0]:,} to {sizes[-1]:,}: growth exponent of"
    for goal, name, runs in (
        (1.1, "time, fifo", [ours.run for ours in of_size]),
        (1.2, "time, seed", [partial(ours.run, SEED) for ours in of_size]),
        (1.1, "time of simulate()", [ours.whole for ours in of_size]),
    ):
        yield Row(f"{span} {name}", goal, growth(sizes, best(rounds, *(partial(timed, run) for run in runs))))
    yield Row(f"{span} memory", 1.1, growth(sizes, [peak(ours.run) for ours in of_size]))


def sizes_in_memory(n: int) -> Iterator[Row]:
    """Measure facts, and inner instances with everything that is kept of them."""
    for what, compiled in GROWING:
        facts: list[Any] = compiled(n).run().facts
        yield Row(f"{what}, N = {n:,}: bytes per fact", 200, size_of(facts) / (len(facts) // STRIDE), unit="B")
    for what, goal, model in (
        ("leaf", 2_048, models.leaf_instances(n)),
        ("composite", 3_072, models.composite_instances(n)),
    ):
        held = peak(Compiled(model).run) / n
        yield Row(f"{n:,} {what} instances: bytes per instance, at the peak", goal, held, unit="B")


def states(rounds: int) -> Iterator[Row]:
    """Measure copies and keys of a state with 200 tokens."""
    state = Compiled(models.fork_join(200, 1)).run(steps=2).state
    assert len(state.tracks) == 200, "there are 200 tokens"
    for what, goal, run in (("copy", 20, state.copy), ("key", 100, state.key)):
        (seconds,) = best(rounds, partial(timed, run))
        yield Row(f"{what} of a state with 200 tokens: share of {goal} µs", 1, seconds * 1e6 / goal)


def importing(rounds: int) -> Iterator[Row]:
    """Compare imports in fresh interpreters, both from bytecode."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(peers.ROOT / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def seconds(name: str) -> float:
        code = f"from time import process_time as t; s = t(); import {name}; print(t() - s)"
        command = [sys.executable, "-c", code]
        return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)

    mine, pandas = best(2 * rounds, partial(seconds, "bpmnsim"), partial(seconds, "pandas"))
    yield Row("import bpmnsim: share of import pandas", 1 / 3, mine / pandas)


AGAINST_PEERS = (
    (
        "SpiffWorkflow 3.2",
        peers.spiffworkflow,
        (
            ("chain(100)", 100, models.chain(100)),
            ("fork_join(100, 1)", 500, models.fork_join(100, 1)),
            ("100 leaf instances", 50, models.leaf_instances(100)),
            ("100 composite instances", 50, models.composite_instances(100)),
        ),
    ),
    (
        "bpmn-engine 25",
        peers.bpmn_engine,
        (
            ("1,000 leaf instances", 20, models.leaf_instances(1_000)),
            ("1,000 composite instances", 20, models.composite_instances(1_000)),
        ),
    ),
)


def against_peers(rounds: int) -> Iterator[Row]:
    """Compare with other engines that run the same file."""
    for name, start, goals in AGAINST_PEERS:
        try:
            with start() as peer:
                for what, goal, model in goals:
                    run = partial(timed, Compiled(model).run, wall=True)
                    theirs, mine = best(rounds, partial(peer.seconds, model), run)
                    yield at_least(f"{what}: times as fast as {name}", goal, theirs / mine)
        except peers.NotThereError as error:
            yield at_least(f"times as fast as {name}", goals[0][1], None, why=str(error))


def main() -> int:
    """Measure, print, and say by the exit code whether every goal is met."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--peers", action="store_true", help="compare with SpiffWorkflow and bpmn-engine as well")
    parser.add_argument("--quick", action="store_true", help="smaller models, fewer rounds")
    asked = parser.parse_args()
    rounds = 3 if asked.quick else 5
    n = 2_000 if asked.quick else 10_000
    sizes = (1_000, 3_000, 10_000) if asked.quick else (1_000, 10_000, 100_000)
    suites = [against_bare(rounds, n), growing(3, sizes), sizes_in_memory(n), states(rounds), importing(rounds)]
    if asked.peers:
        suites.append(against_peers(rounds))
    print(f"bpmnsim {bs.__version__}, Python {sys.version.split()[0]}\n")
    print("| what | goal | measured | |\n|---|---|---|---|")
    missed = False
    for suite in suites:
        for row in suite:
            print(row, flush=True)
            missed = missed or row.verdict == "miss"
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
