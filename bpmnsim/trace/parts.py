"""Small records that a run hands to its trace."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stuck:
    """A token that can never go on (core.md DLK-01, DLK-05).

    Parameters
    ----------
    track
        Number of its track.
    node
        Element on which it stands.
    scope
        Path of its scope.
    waits_for
        What never comes: ids of flows, space-joined, or words.

    Examples
    --------
    >>> Stuck(0, "J", "/p", "f_B_J").waits_for
    'f_B_J'
    """

    track: int
    node: str
    scope: str
    waits_for: str


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """One choice of a run: what was open, and what was picked.

    Parameters
    ----------
    number
        Number of the choice, from 0.
    step, time
        Step that was chosen, and when.
    kind
        step, group, timer, message, race, decision or data.
    options
        Names of the actions in canonical order.
    picked
        One of them.
    strategy
        Who picked.

    Examples
    --------
    >>> ChoiceRow(0, 3, 0.0, "step", ("run(p/a)", "run(p/b)"), "run(p/a)", "fifo").picked
    'run(p/a)'
    """

    number: int
    step: int
    time: float
    kind: str
    options: tuple[str, ...]
    picked: str
    strategy: str
