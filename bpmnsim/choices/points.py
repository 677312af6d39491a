"""Choice points: the kind of an open question is the kind that all its options share (scheduling.md 1.1)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class ChoiceKind(StrEnum):
    """What is chosen at a choice point.

    Examples
    --------
    >>> ChoiceKind.STEP.value
    'step'
    """

    STEP = "step"
    GROUP = "group"
    TIMER = "timer"
    MESSAGE = "message"
    RACE = "race"
    DATA = "data"
    DECISION = "decision"


def kind_of(options: Iterable[ChoiceKind]) -> ChoiceKind:
    """Return the kind of a choice: the one all options share, ``race`` for timers against completions, else ``step``.

    Examples
    --------
    >>> kind_of([ChoiceKind.TIMER, ChoiceKind.TIMER]).value
    'timer'
    >>> kind_of([ChoiceKind.RACE, ChoiceKind.TIMER]).value
    'race'
    >>> kind_of([ChoiceKind.TIMER, ChoiceKind.STEP]).value
    'step'
    """
    kinds = list(dict.fromkeys(options))
    if len(kinds) == 1:
        return kinds[0]
    return ChoiceKind.RACE if set(kinds) <= {ChoiceKind.RACE, ChoiceKind.TIMER, ChoiceKind.MESSAGE} else ChoiceKind.STEP
