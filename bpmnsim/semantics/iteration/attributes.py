"""The names an iteration makes readable, and the values they have at each moment (iteration.md section 8)."""

from __future__ import annotations

from typing import Any, Final

from bpmnsim.facts import ABSENT
from bpmnsim.semantics.iteration.position import Pairs

LOOP_COUNTER: Final = "loopCounter"
_COUNTS: Final = (
    "numberOfInstances",
    "numberOfActiveInstances",
    "numberOfCompletedInstances",
    "numberOfTerminatedInstances",
)
_NAMES: Final = (*_COUNTS, *(name.replace("numberOf", "nrOf") for name in _COUNTS))
"""The counts under their names, and under those of Camunda, Flowable and Activiti."""

READ_ONLY: Final = frozenset((LOOP_COUNTER, *_NAMES))
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
    return tuple(zip(_NAMES, (total, active, completed, terminated) * 2, strict=True))


def counters(total: int, active: int, completed: int, terminated: int, number: int) -> Pairs:
    """Return what a thrown event carries (ITER-BH-07).

    Examples
    --------
    >>> counters(3, 1, 2, 0, 2)[-1]
    ('loopCounter', 2)
    """
    return (*zip(_COUNTS, (total, active, completed, terminated), strict=True), (LOOP_COUNTER, number))


def numbered(number: int, index: str) -> Pairs:
    """Return the loop counter, under the further name *index* as well where there is one (ITER-R-02).

    Examples
    --------
    >>> numbered(2, ""), numbered(2, "i")
    ((('loopCounter', 2),), (('loopCounter', 2), ('i', 2)))
    """
    return ((LOOP_COUNTER, number), (index, number)) if index else ((LOOP_COUNTER, number),)


def element(name: str, item: Any) -> Pairs:
    """Return what an inner instance knows of its element: nothing where it has none (ITER-A-02, ITER-D-01).

    Examples
    --------
    >>> element("order", "o3")[0]
    ('order', 'o3')
    """
    if item is ABSENT:
        return ()
    return ((name, item), (ITEM, item)) if name else ((ITEM, item),)
