"""Embedded sub-processes: open a scope, rest until it is empty, leave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bpmnsim.engine import requests


@dataclass(frozen=True, slots=True)
class Embedded:
    """Runs the nodes inside a sub-process in a scope of their own (core.md SUB-02 to SUB-05).

    Parameters
    ----------
    place
        Place of the sub-process.
    seeds
        Places at which a track starts.
    """

    place: int
    seeds: tuple[int, ...]

    def resume(self, record: tuple[Any, ...] | None, reply: Any) -> tuple[tuple[Any, ...], requests.Request]:
        """Open the scope and rest in it; leave when it has drained."""
        del reply
        if record is None:
            return ("opened",), requests.OpenScope(self.place, self.seeds)
        return ("left",), requests.Leave()
