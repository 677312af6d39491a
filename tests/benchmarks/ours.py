"""A compiled model of ours, ready to be run again and again with full recording."""

from __future__ import annotations

from functools import partial
from typing import Any, Unpack

import bpmnsim as bs
from bpmnsim.engine.loop import Engine
from bpmnsim.simulation.driver import drive
from bpmnsim.simulation.inputs import RunOptions, checked

STEPS = 10_000_000


class Compiled:
    """A model with its inputs; compiling is over when a run begins."""

    def __init__(self, model: bs.Model, **run: Unpack[RunOptions]) -> None:
        self.whole = partial(bs.simulate, model, step_limit=STEPS, **run)
        self._inputs = checked(model, **run)

    def run(self, seed: int | None = None, steps: int = STEPS) -> Engine:
        """Run to the end, or for some steps."""
        driver = drive(self._inputs, seed, None, None, snapshots=False)
        driver.advance(steps)
        return driver.run

    def facts(self) -> list[Any]:
        """Return the facts of a run."""
        return self.run().facts
