"""The facts a run emits: one flat list of fixed stride, appended to and never changed.

A fact is seven consecutive cells ``kind, step, track, node, scope, x, y``; a column is a slice. The dense kinds
(:class:`Fact`) say what a track did; what ``x`` and ``y`` hold is in their docstring. Every other observation is a
``REPORT`` whose ``x`` is ``"Kind Phase"`` in the words of core.md OBS-02 and whose ``y`` is a tuple of detail pairs.
Nodes,
flows, scopes and tracks are run-local ints; names and paths are derived by ``trace``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

STRIDE: Final = 7
"""Cells of one fact."""

NOBODY: Final = -1
"""Stands for no track, node, scope or flow."""


class Absent:
    """The value of a name that has none; there is one, :data:`ABSENT`.

    Examples
    --------
    >>> ABSENT
    ABSENT
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent()


class Fact(IntEnum):
    """Kinds of fact.

    ======== =================================================== ===================================
    kind     x                                                   y
    ======== =================================================== ===================================
    VISIT    flow the track left by, ``NOBODY`` where it ended   ``None``
    TRACK    flow the new track stands on                        parent track
    BEGIN    ``NOBODY``                                          what the work is
    WAIT     ``NOBODY``                                          what it waits for
    READY    ``NOBODY``                                          what was delivered
    AWAIT    flow it arrived by                                  ``None``
    MERGE    surviving track                                     flow it had arrived by
    FIRE     flow the survivor arrived by                        number of absorbed tracks
    CANCEL   ``NOBODY``                                          why
    FAIL     ``NOBODY``                                          error text
    STUCK    incident                                            error text
    OPEN     parent scope                                        ``(ordinal, activation, k)``
    CLOSE    parent scope                                        phase
    DATA     name                                                ``(old, new)``
    EVAL     role or flow                                        ``(text, values, verdict, error)``
    CLOCK    ``NOBODY``                                          time in seconds
    INSTANCE process instance                                    phase
    GROUP    event of a barrier                                  its ordinal, how many, or ``None``
    REPORT   ``"Kind Phase"``                                    tuple of detail pairs
    ======== =================================================== ===================================

    Examples
    --------
    >>> Fact.VISIT.name
    'VISIT'

    Notes
    -----
    Design section 10. An instant visit is one fact; the tables expand it (core.md TRK-06).
    """

    VISIT = 0
    TRACK = 1
    BEGIN = 2
    WAIT = 3
    READY = 4
    AWAIT = 5
    MERGE = 6
    FIRE = 7
    CANCEL = 8
    FAIL = 9
    STUCK = 10
    OPEN = 11
    CLOSE = 12
    DATA = 13
    EVAL = 14
    CLOCK = 15
    INSTANCE = 16
    GROUP = 17
    REPORT = 18


@dataclass(frozen=True, slots=True)
class Record:
    """The facts of one run together with what their numbers stand for.

    Parameters
    ----------
    facts
        The flat list.
    places
        Place -> element id.
    bodies
        Places that are the body of another place: the inner work of an activity with a marker.
    flows
        Flow -> element id.
    tracebacks
        Incident -> traceback text, which is no fact because it differs between machines.

    Examples
    --------
    >>> Record([], ("p",), frozenset(), ()).places
    ('p',)
    """

    facts: list[Any]
    places: tuple[str, ...]
    bodies: frozenset[int]
    flows: tuple[str, ...]
    tracebacks: dict[int, str] | None = None
