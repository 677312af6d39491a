"""When an interactive run stops: at an element, at a time, or when a function says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bpmnsim.engine.loop import Engine
from bpmnsim.errors import SimulationError
from bpmnsim.facts import STRIDE, Fact


def reached(simulation: Any, run: Engine, until: Any) -> Callable[[], bool]:
    """Return the function that says, after every step, whether the run is to stop.

    Parameters
    ----------
    simulation
        Handed to *until* where that is a function.
    run
        The run.
    until
        Id of an element, a time in seconds, or a function.

    Raises
    ------
    SimulationError
        If it is none of these.
    """
    if callable(until):
        return lambda: bool(until(simulation))
    if isinstance(until, str):
        return Arrival(run, run.program.index[until])
    if isinstance(until, int | float) and not isinstance(until, bool) and until == until:
        return lambda: run.next_time() > until
    raise SimulationError(f"until={until!r} is no element, time or function", hint='such as until="Ship" or until=5.0')


class Arrival:
    """Whether a token has arrived at a place and not acted there yet; looks only at what is new."""

    def __init__(self, run: Engine, place: int) -> None:
        self._run = run
        self._place = place
        self._seen = -1

    def __call__(self) -> bool:
        """Return whether one stands there now."""
        run, place, seen = self._run, self._place, self._seen
        self._seen = len(run.facts)
        if seen < 0:
            tracks, inbox = run.state.tracks, run.state.inbox
            return any(at[0] == place and at[3] >= 0 and track not in inbox for track, at in tracks.items())
        target = run.program.target
        for at in range(seen, len(run.facts), STRIDE):
            kind, _, _, here, _, flow, _ = run.facts[at : at + STRIDE]
            if (kind == Fact.TRACK and here == place) or (kind == Fact.VISIT and flow >= 0 and target[flow] == place):
                return True
        return False
