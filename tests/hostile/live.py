"""A run in progress in the hands of somebody who calls whatever there is, with whatever there is."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import bpmnsim as bs

from .case import Case
from .pipeline import Defect, allowed
from .seeds import runnable
from .values import odd

_NAMES = ("u", "r", "paid", "a", "sub", "p", "nonsense", "", "run(iterate_all/u)", "/nested", "x\ud800")

_METHODS = (
    *("step", "step", "step", "run", "back", "goto", "message", "signal", "complete", "fail", "set", "start"),
    *("retry", "resolve", "drop", "why", "cancel", "checkpoint"),
)


def _argument(random: Random) -> Any:
    return random.choice((random.choice(odd()), random.choice(_NAMES), random.randint(-1, 3), None, {"v": 1}))


def _calls(run: bs.Simulation, random: Random) -> tuple[str, list[Any]]:
    """Return a method and its arguments; half of them make sense."""
    name = random.choice(_METHODS)
    if name == "step" and random.random() < 0.8:
        enabled = run.enabled
        return name, [random.choice(enabled).name] if enabled else []
    if name == "cancel" and random.random() < 0.9:
        name = "step"
    if name == "goto":  # a number of steps has no limit: whoever asks for a billion gets them
        return name, [random.choice((-1, 0, 2, 5, 0.5, None, "x", True, []))]
    counts = {"set": 2, "fail": 2, "cancel": 0, "checkpoint": 0}
    return name, [_argument(random) for _ in range(counts.get(name, 1))]


def case(random: Random) -> Case:
    """Return a run and up to twenty calls."""
    model = random.choice(runnable())
    seed = random.randrange(1_000_000)
    return Case("live", f"{model!r} {seed}".encode(), lambda: attempt(model, seed))


def attempt(model: bs.Model, seed: int) -> str:
    """Make the calls; in the end the schedule must repeat what happened."""
    random = Random(seed)
    run = bs.Simulation(model, seed=1)
    for _ in range(random.randint(1, 20)):
        name, arguments = _calls(run, random)
        limit = {"step_limit": 300} if name == "run" else {}
        allowed(name, partial(getattr(run, name), *arguments, **limit))
        allowed("look", lambda: (run.enabled, run.time, run.outcome, run.steps, repr(run)))
    trace = allowed("trace", run.trace)
    if trace is None:
        raise Defect("trace: there is none")
    allowed("tables", lambda: (trace.facts(), trace.tokens(), trace.snapshot()))
    again = allowed("replay", lambda: bs.simulate(model, schedule=trace.schedule, step_limit=trace.steps))
    if again is None or again != trace:
        raise Defect(f"replay: another run than {trace.schedule}")
    return trace.outcome
