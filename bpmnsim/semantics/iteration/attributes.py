"""The names an iteration makes readable, and the values they have at each moment (iteration.md section 8)."""

from __future__ import annotations

from typing import Any, Final

LOOP_COUNTER: Final = "loopCounter"
INSTANCES: Final = ("numberOfInstances", "nrOfInstances")
ACTIVE: Final = ("numberOfActiveInstances", "nrOfActiveInstances")
COMPLETED: Final = ("numberOfCompletedInstances", "nrOfCompletedInstances")
TERMINATED: Final = ("numberOfTerminatedInstances", "nrOfTerminatedInstances")
READ_ONLY: Final = frozenset((LOOP_COUNTER, *INSTANCES, *ACTIVE, *COMPLETED, *TERMINATED))
"""Nobody may write these (ITER-R-06); each count goes by its BPMN name and by that of Camunda and Flowable."""

ITEM: Final = "\x00item"
ITEMS: Final = "\x00items"
"""Hidden names: the element an inner instance works on, and the elements still to come (ITER-CP-20)."""


def counts(total: int, active: int, completed: int, terminated: int) -> tuple[tuple[str, Any], ...]:
    """Return the four counts under all their names (ITER-R-01).

    Examples
    --------
    >>> dict(counts(3, 2, 1, 0))["numberOfActiveInstances"]
    2
    """
    values = ((INSTANCES, total), (ACTIVE, active), (COMPLETED, completed), (TERMINATED, terminated))
    return tuple((name, value) for names, value in values for name in names)


def instance_bindings(number: int, item_name: str, item: Any, *, has_item: bool) -> tuple[tuple[str, Any], ...]:
    """Return what the scope of one inner instance starts with (ITER-A-02, ITER-D-01).

    Examples
    --------
    >>> instance_bindings(2, "order", "o3", has_item=True)[:2]
    (('loopCounter', 2), ('order', 'o3'))
    """
    if not has_item:
        return ((LOOP_COUNTER, number),)
    named = ((item_name, item),) if item_name else ()
    return ((LOOP_COUNTER, number), *named, (ITEM, item))
