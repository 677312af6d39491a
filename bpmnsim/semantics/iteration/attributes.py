"""The names an iteration makes readable, and the values they have at each moment (iteration.md section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from bpmnsim.semantics.iteration.position import Pairs

Names = tuple[dict[str, Any], ...]

LOOP_COUNTER: Final = "loopCounter"
_STANDARD: Final = (
    "numberOfInstances",
    "numberOfActiveInstances",
    "numberOfCompletedInstances",
    "numberOfTerminatedInstances",
)
COUNTS: Final = (*_STANDARD, *(name.replace("numberOf", "nrOf") for name in _STANDARD))
"""The counts under their names, and under those of Camunda, Flowable and Activiti."""

READ_ONLY: Final = frozenset((LOOP_COUNTER, *COUNTS))
"""Nobody may write these (ITER-R-06)."""

ITEM: Final = "\x00item"
ITEMS: Final = "\x00items"
"""Hidden names: the element an inner instance works on, and the elements of a whole activation (ITER-CP-20)."""


def counts(total: int, active: int, completed: int, terminated: int) -> Pairs:
    """Return the four counts under all their names (ITER-R-01).

    Examples
    --------
    >>> dict(counts(3, 2, 1, 0))["nrOfActiveInstances"]
    2
    """
    return tuple(zip(COUNTS, (total, active, completed, terminated) * 2, strict=True))


def counters(total: int, active: int, completed: int, terminated: int, number: int) -> Pairs:
    """Return what a thrown event carries (ITER-BH-07).

    Examples
    --------
    >>> counters(3, 1, 2, 0, 2)[-1]
    ('loopCounter', 2)
    """
    return (*zip(_STANDARD, (total, active, completed, terminated), strict=True), (LOOP_COUNTER, number))


def numbered(number: int, index: str) -> Pairs:
    """Return the loop counter, under the further name *index* as well where there is one (ITER-R-02).

    Examples
    --------
    >>> numbered(2, ""), numbered(2, "i")
    ((('loopCounter', 2),), (('loopCounter', 2), ('i', 2)))
    """
    return ((LOOP_COUNTER, number), (index, number)) if index else ((LOOP_COUNTER, number),)


def starting(numbers: Sequence[int], index: str, item: str, items: Sequence[Any] | None) -> Names:
    """Return the names each inner instance starts with: its counter and its element (ITER-A-02, ITER-D-01).

    Examples
    --------
    >>> starting(range(2), "i", "", None)
    ({'loopCounter': 0, 'i': 0}, {'loopCounter': 1, 'i': 1})
    """
    names = tuple([{LOOP_COUNTER: number} for number in numbers])
    columns = [(index, numbers)] if index else []
    if items is not None:
        columns += [(item, items), (ITEM, items)] if item else [(ITEM, items)]
    for name, values in columns:
        for known, value in zip(names, values, strict=True):
            known[name] = value
    return names
