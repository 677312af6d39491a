"""How long a second is: on a slow machine, or one that others use as well, everything takes longer."""

from __future__ import annotations

from time import process_time

USUAL = 0.004
"""Processor time, in seconds, that the loop below takes on a machine at rest."""


def slowness() -> float:
    """Return how many times slower than usual this machine is at the moment, 1 at least."""
    start = process_time()
    sum(number * number for number in range(50_000))
    return max(1.0, (process_time() - start) / USUAL)
