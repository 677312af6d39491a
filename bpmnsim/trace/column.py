"""What a column is, and the closed sets of values that columns draw on."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

TOKEN_OF: Final = MappingProxyType(
    {
        "created": "alive",
        "ready": "alive",
        "executing_step": "alive",
        "process_step_results": "alive",
        "wait_for_event": "waiting",
        "awaiting_merge": "alive",
        "await_sync": "alive",
        "merged": "consumed",
        "ended": "consumed",
        "canceled": "consumed",
        "failed": "consumed",
        "dehydrated": "waiting",
        "incident": "incident",
    }
)
"""Track state -> token state, in the order of core.md TRK-01 (TRK-02)."""

TRACK_STATES: Final = tuple(TOKEN_OF)
TOKEN_STATES: Final = ("alive", "waiting", "consumed", "incident")
GROUP_EVENTS: Final = (
    "fan_out",
    "drain",
    "deliver",
    "queue",
    "condition",
    "rearm",
    "cancel",
    "publish",
    "complete",
)
ITERATION_KINDS: Final = ("std_loop", "mi_sequential", "mi_parallel")
SOURCES: Final = ("cardinality", "collection", "condition")
EXIT_REASONS: Final = (
    "exhausted",
    "condition",
    "maximum",
    "completion_condition",
    "boundary",
    "terminated",
    "fault",
)
INSTANCE_STATES: Final = (
    "pending",
    "running",
    "waiting",
    "completed",
    "canceled",
    "terminated",
    "failed",
    "incident",
)
ROLES: Final = (
    "condition",
    "cardinality",
    "completion",
    "loop",
    "behavior",
    "output",
    "key",
    "correlation",
    "timer",
)
SCOPE_OUTCOMES: Final = ("Completed", "Canceled", "Terminated")
VISIT_OUTCOMES: Final = ("open", "completed", "merged", "canceled", "failed", "incident")
INCIDENT_STATES: Final = ("open", "retry-scheduled", "resolved", "dead-lettered", "overtaken")
CHOICE_KINDS: Final = ("step", "group", "timer", "message", "race", "decision", "data")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    dtype
        pandas dtype by name; ``"category"`` for a closed set.
    doc
        What its cells mean.
    categories
        The values of a closed set, in their order.

    Examples
    --------
    >>> Column("int64", "number of the step").dtype
    'int64'
    """

    dtype: str
    doc: str
    categories: tuple[str, ...] = ()


def text(doc: str) -> Column:
    """Return a column of text.

    Examples
    --------
    >>> text("element id").dtype
    'string'
    """
    return Column("string", doc)


def count(doc: str) -> Column:
    """Return a column of whole numbers, none missing.

    Examples
    --------
    >>> count("number of the step").dtype
    'int64'
    """
    return Column("int64", doc)


def number(doc: str) -> Column:
    """Return a column of whole numbers, some of them missing.

    Examples
    --------
    >>> number("track").dtype
    'Int64'
    """
    return Column("Int64", f"{doc}; missing where there is none")


def seconds(doc: str) -> Column:
    """Return a column of moments in virtual time.

    Examples
    --------
    >>> seconds("when").doc
    'when, virtual seconds'
    """
    return Column("float64", f"{doc}, virtual seconds")


def flag(doc: str) -> Column:
    """Return a column of yes and no, some of them missing.

    Examples
    --------
    >>> flag("whether it fired").dtype
    'boolean'
    """
    return Column("boolean", doc)


def value(doc: str) -> Column:
    """Return a column that holds values of the user.

    Examples
    --------
    >>> value("value after").dtype
    'object'
    """
    return Column("object", f"{doc}; a value of the user's data, as it is")


def one_of(categories: tuple[str, ...], doc: str) -> Column:
    """Return a column of a closed set.

    Examples
    --------
    >>> one_of(("a", "b"), "which").categories
    ('a', 'b')
    """
    return Column("category", doc, categories)
