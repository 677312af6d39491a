"""The two loop markers an activity may carry, as drawn."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bpmnsim.model.base import Element, Formal
from bpmnsim.model.events import ImplicitThrowEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopCharacteristics(Element):
    """Base of the loop markers; ``parent`` names the activity.

    Examples
    --------
    >>> LoopCharacteristics(id="l", parent="task").parent
    'task'
    """

    @property
    def kind(self) -> str:
        """What the marker says, in words."""
        return "loop"


@dataclass(frozen=True, slots=True, kw_only=True)
class StandardLoopCharacteristics(LoopCharacteristics):
    """Repeat while a condition holds (iteration.md section 2).

    Parameters
    ----------
    condition
        Tested before or after each pass.
    maximum
        Greatest number of passes, or ``None``.
    test_before
        Whether the condition is tested before the first pass.

    Examples
    --------
    >>> StandardLoopCharacteristics(id="l", maximum=3).test_before
    False
    """

    condition: Formal | None = None
    maximum: int | None = None
    test_before: bool = False


class Behavior(StrEnum):
    """When a multi-instance activity throws its event (iteration.md ITER-BH-01 to ITER-BH-04).

    Examples
    --------
    >>> Behavior("all").name
    'ALL'
    """

    NONE = "none"
    ONE = "one"
    ALL = "all"
    COMPLEX = "complex"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComplexBehaviorDefinition(Element):
    """A condition and the event thrown whenever it holds after a completion (ITER-BH-04).

    Examples
    --------
    >>> ComplexBehaviorDefinition(id="c", condition=Formal(text="x")).event is None
    True
    """

    condition: Formal | None = None
    event: ImplicitThrowEvent | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiInstanceLoopCharacteristics(LoopCharacteristics):
    """Run an activity once per item, one at a time or all at once (iteration.md sections 3 to 8).

    Parameters
    ----------
    is_sequential
        One at a time.
    loop_cardinality
        Expression that yields the number of inner instances.
    input_collection, output_collection
        Name (or id of a data element) of the list read and the list published.
    input_item, output_item
        Name under which one element is known inside an inner instance.
    completion_condition
        Tested after each completion; true ends the activity.
    behavior
        When an event is thrown.
    none_event, one_event
        Id of the event definition thrown under behavior none and one.
    complex_definitions
        Definitions of behavior complex, in declared order.
    correlation
        Pair of correlation key name and expression, or ``None`` (ITER-IC-01).
    output_key, output_reduce
        Expression of the key of a keyed map result, name of a reduction; at most one result strategy (ITER-B-10).
    unique_keys
        A repeated key is a fault (ITER-D-11).

    Examples
    --------
    >>> MultiInstanceLoopCharacteristics(id="m", loop_cardinality=Formal(text="3")).behavior.value
    'all'
    """

    is_sequential: bool = False
    loop_cardinality: Formal | None = None
    input_collection: str = ""
    input_item: str = ""
    output_collection: str = ""
    output_item: str = ""
    completion_condition: Formal | None = None
    behavior: Behavior = Behavior.ALL
    none_event: str = ""
    one_event: str = ""
    complex_definitions: tuple[ComplexBehaviorDefinition, ...] = ()
    correlation: tuple[str, Formal] | None = None
    output_key: Formal | None = None
    output_reduce: str = ""
    unique_keys: bool = False

    @property
    def kind(self) -> str:
        """What the marker says, in words."""
        return f"{'sequential' if self.is_sequential else 'parallel'} multi-instance"
