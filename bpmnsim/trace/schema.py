"""The declared columns of every table: type, meaning and, for closed sets, the values. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from bpmnsim.errors import SimulationError, did_you_mean

if TYPE_CHECKING:
    from pandas import DataFrame

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


Schema = Mapping[str, Column]


def _text(doc: str) -> Column:
    return Column("string", doc)


def _count(doc: str) -> Column:
    return Column("int64", doc)


def _number(doc: str) -> Column:
    return Column("Int64", f"{doc}; missing where there is none")


def _seconds(doc: str) -> Column:
    return Column("float64", f"{doc}, virtual seconds")


def _flag(doc: str) -> Column:
    return Column("boolean", doc)


def _value(doc: str) -> Column:
    return Column("object", f"{doc}; a value of the user's data, as it is")


def _one_of(categories: tuple[str, ...], doc: str) -> Column:
    return Column("category", doc, categories)


_STEP: Final = {
    "step": _count("step in which it happened; 0 is the start"),
    "time": _seconds("when it happened"),
    "instance": _number("process instance"),
}
_NODE: Final = {"node": _text("element id"), "node_name": _text("name of the element; missing where it has none")}
_SCOPE: Final = _text("path of the scope (core.md SUB-01)")
_ORDINAL: Final = _number("number of the innermost inner instance or pass, from 0")
_ACTIVATION: Final = _number("entry into the activity of that inner instance, from 1")
_TRACK: Final = _number("number of the track")

_TABLES: Final[dict[str, Schema]] = {
    "facts": {
        **_STEP,
        "seq": _count("number of the row, from 0 without gaps"),
        "kind": _text("kind of the fact (core.md OBS-02)"),
        "phase": _text("phase of that kind"),
        **_NODE,
        "scope": _SCOPE,
        "track": _TRACK,
        "ordinal": _ORDINAL,
        "activation": _ACTIVATION,
        "track_state": _one_of(TRACK_STATES, "state the track entered, in rows of kind NodeProgress"),
        "detail": _text('pairs key=value, space-joined; a value with spaces stands in quotes: chosen_flows="f1 f2"'),
        "old": _value("value before, in rows of kind DataChange"),
        "new": _value("value after, in rows of kind DataChange"),
    },
    "history": {
        **_STEP,
        "seq": _count("number of the row in facts()"),
        "track": _count("number of the track"),
        "parent": _number("track that created this one"),
        "merged_into": _number("track that this one was absorbed by"),
        "host_track": _number("track that rests on the activity around"),
        "scope": _SCOPE,
        **_NODE,
        "track_state": _one_of(TRACK_STATES, "state entered"),
        "token_state": _one_of(TOKEN_STATES, "projection of the track state (core.md TRK-02)"),
    },
    "tokens": {
        "instance": _number("process instance"),
        "track": _count("number of the track"),
        "parent": _number("track that created this one"),
        "host_track": _number("track that rests on the activity around"),
        "merged_into": _number("track that this one was absorbed by"),
        **_NODE,
        "scope": _SCOPE,
        "ordinal": _ORDINAL,
        "track_state": _one_of(TRACK_STATES, "last state of the track in this stay"),
        "token_state": _one_of(TOKEN_STATES, "projection of the track state (core.md TRK-02)"),
        "via_flow": _text("flow the token came by; missing where it began"),
        "entered": _count("step in which the token came to the node"),
        "left": _number("step in which it left or was consumed"),
        "entered_time": _seconds("when it came"),
        "left_time": _seconds("when it left"),
    },
    "visits": {
        "instance": _number("process instance"),
        **_NODE,
        "scope": _SCOPE,
        "track": _count("number of the track"),
        "ordinal": _ORDINAL,
        "entered_at": _count("step in which the visit began"),
        "left_at": _number("step in which it ended"),
        "outcome": _one_of(VISIT_OUTCOMES, "how it ended"),
    },
    "scopes": {
        "instance": _number("process instance"),
        "scope": _SCOPE,
        "parent": _text("path of the scope around it"),
        **_NODE,
        "host_track": _number("track that rests on the activity"),
        "role": _one_of(("process", "sub-process", "iteration", "instance", "pass"), "what it stands for"),
        "ordinal": _number("number of the inner instance or pass that it is, from 0"),
        "activation": _count("entry into its activity, from 1"),
        "opened": _count("step in which it opened"),
        "closed": _number("step in which it closed"),
        "opened_time": _seconds("when it opened"),
        "closed_time": _seconds("when it closed"),
        "outcome": _one_of(SCOPE_OUTCOMES, "how it closed"),
        "peak_tokens": _count("most tokens that were in it at once, without scopes below"),
    },
    "barriers": {
        **_STEP,
        "host": _text("id of the activity"),
        "scope": _SCOPE,
        "activation": _ACTIVATION,
        "event": _one_of(GROUP_EVENTS, "what happened at the barrier"),
        "ordinal": _number("inner instance concerned, from 0"),
        "n": _number("inner instances in all"),
        "open": _text("ordinals still open, space-joined; above 1000 instances only how many"),
        "queued": _count("drains that wait to be delivered"),
        "pending": _count("inner instances that have not been started"),
        "delivered": _count("drains delivered so far"),
        "completed": _count("completions counted so far"),
        "active": _count("inner instances started and not counted yet"),
        "terminated": _count("inner instances canceled or terminated so far"),
        "condition": _flag("verdict of the completion condition, where it was evaluated"),
        "output": _value("output captured or published"),
    },
    "iterations": {
        "instance": _number("process instance"),
        "activity": _text("element id"),
        "scope": _SCOPE,
        "activation": _count("entry into the activity, from 1"),
        "kind": _one_of(ITERATION_KINDS, "kind of marker"),
        "source": _one_of(SOURCES, "what the number of instances came from"),
        "total": _number("inner instances or passes in all, frozen at activation"),
        "completed": _count("completed so far"),
        "terminated": _count("canceled or terminated so far, those never started included"),
        "active": _count("started and not over"),
        "pending": _count("not started yet"),
        "state": _one_of(("active", "completed", "canceled"), "state of the activation"),
        "exit_reason": _one_of(EXIT_REASONS, "why it ended"),
        "opened": _count("step of the activation"),
        "closed": _number("step of the exit"),
    },
    "inner_instances": {
        "instance": _number("process instance"),
        "activity": _text("element id"),
        "activation": _count("entry into the activity, from 1"),
        "ordinal": _count("number of the inner instance or pass, from 0"),
        "identity": _text("scope|activity|activation|ordinal (iteration.md ITER-R-07)"),
        "state": _one_of(INSTANCE_STATES, "last state"),
        "opened": _number("step in which it was opened"),
        "started": _number("step in which it started"),
        "closed": _number("step in which it ended"),
        "item": _value("element of the collection"),
        "output": _value("captured output"),
        "late": _flag("drained, but not delivered when the rest was canceled (iteration.md ITER-CC-08)"),
        "task_id": _text("id of its open work"),
    },
    "joins": {
        **_STEP,
        **_NODE,
        "scope": _SCOPE,
        "flow": _text("flow of the arrival"),
        "track": _TRACK,
        "filled": _text("incoming flows that hold a token, space-joined"),
        "empty": _text("incoming flows that hold none, space-joined"),
        "blocking": _text("nodes with a token that is still waited for, space-joined"),
        "fired": _flag("whether the join fired"),
        "survivor": _number("track that went on"),
    },
    "decisions": {
        **_STEP,
        **_NODE,
        "scope": _SCOPE,
        "track": _TRACK,
        "ordinal": _ORDINAL,
        "flow": _text("outgoing flow"),
        "condition": _text("its condition; missing where none was evaluated"),
        "value": _flag("verdict; missing where none was reached"),
        "taken": _flag("whether a token left over this flow"),
    },
    "evaluations": {
        **_STEP,
        **_NODE,
        "scope": _SCOPE,
        "track": _TRACK,
        "ordinal": _ORDINAL,
        "role": _one_of(ROLES, "what the expression is for"),
        "flow": _text("flow whose condition it is"),
        "expression": _text("text as written"),
        "values": _value("dict of the names it read"),
        "verdict": _value("result; missing where it raised"),
        "error": _text("error text; empty where it did not raise"),
    },
    "throws": {
        **_STEP,
        **_NODE,
        "scope": _SCOPE,
        "track": _TRACK,
        "ordinal": _ORDINAL,
        "kind": _text("error, escalation, compensation, cancel, signal or another event"),
        "code": _text("code or name"),
        "counters": _text("pairs name=value of the iteration it belongs to, space-joined"),
        "caught_by": _text("element that caught it; empty where nothing did"),
    },
    "data": {
        **_STEP,
        "scope": _SCOPE,
        "name": _text("name of the value"),
        "path": _text("part of it that changed (core.md DAT-07)"),
        "change": _one_of(("Value_Added", "Value_Updated", "Value_Deleted"), "what happened to that part"),
        "old": _value("value before; missing where there was none"),
        "new": _value("value after; missing where there is none"),
        "by": _text("element that wrote it; missing where it came from outside"),
        "track": _TRACK,
        "ordinal": _ORDINAL,
        "order_dependent": _flag("several inner instances wrote it: the order decided (iteration.md ITER-P-09)"),
    },
    "messages": {
        **_STEP,
        "name": _text("name of the message or signal"),
        "key": _text("correlation key"),
        "thrown_by": _text("element that sent it; missing where it came from outside"),
        "received_by": _text("element that received it"),
        "ordinal": _ORDINAL,
        "state": _one_of(("sent", "delivered", "dropped"), "what became of it"),
    },
    "waits": {
        "instance": _number("process instance"),
        "activity": _text("element that waits"),
        "scope": _SCOPE,
        "track": _TRACK,
        "ordinal": _ORDINAL,
        "definition": _text("what is awaited"),
        "armed": _count("step in which the wait began"),
        "withdrawn": _number("step in which it ended"),
        "reason": _text("why it ended; empty where it did not"),
        "armed_time": _seconds("when it began"),
        "withdrawn_time": _seconds("when it ended"),
    },
    "choices": {
        "step": _count("step that was chosen"),
        "time": _seconds("when it was chosen"),
        "number": _count("number of the choice, from 0"),
        "kind": _one_of(CHOICE_KINDS, "what was open"),
        "options": _text("names of the actions, space-joined, in canonical order"),
        "picked": _text("the one that was picked"),
        "strategy": _text("who picked"),
    },
    "incidents": {
        "instance": _number("process instance"),
        "incident": _count("number of the incident"),
        **_NODE,
        "scope": _SCOPE,
        "track": _TRACK,
        "ordinal": _ORDINAL,
        "error": _text("error text of the last failure"),
        "attempts": _count("failures so far"),
        "state": _one_of(INCIDENT_STATES, "state (core.md INC-09)"),
        "opened": _count("step of the first failure"),
        "resolved": _number("step in which it was closed"),
        "opened_time": _seconds("when it first failed"),
        "resolved_time": _seconds("when it was closed"),
    },
    "log": {
        "case:concept:name": _text("process instance, as process#number"),
        "concept:name": _text("name of the activity, its id where it has none"),
        "time:timestamp": Column("datetime64[us, UTC]", "virtual time on the calendar"),
        "lifecycle:transition": _one_of(("start", "complete", "ate_abort"), "what the activity did"),
        "org:resource": _text("who did it; missing where nobody is known"),
        "node": _text("element id"),
        "scope": _SCOPE,
        "ordinal": _ORDINAL,
        "track": _TRACK,
        "step": _count("step"),
    },
}

SCHEMAS: Final[Mapping[str, Schema]] = MappingProxyType(
    {name: MappingProxyType(dict(schema)) for name, schema in _TABLES.items()}
)
"""Table -> columns in their order."""


def schema_of(table: str) -> Schema:
    """Return the declared columns of a table.

    Raises
    ------
    SimulationError
        If there is no such table; the hint names the nearest.

    Examples
    --------
    >>> list(schema_of("choices"))[:3]
    ['step', 'time', 'number']
    """
    if table not in SCHEMAS:
        hint = did_you_mean(table, SCHEMAS) or f"the tables are {', '.join(SCHEMAS)}"
        raise SimulationError(f"there is no table {table!r}", hint=hint)
    return SCHEMAS[table]


def columns(table: str) -> DataFrame:
    """Return what the columns of a table mean.

    Parameters
    ----------
    table
        Name of a method of a trace: ``"tokens"``, ``"facts"``; ``"log"`` for the exported log.

    Returns
    -------
    DataFrame
        Columns column, dtype, meaning; one row per column, in their order.

    Raises
    ------
    SimulationError
        If there is no such table.

    Examples
    --------
    >>> columns("choices")["column"].tolist()
    ['step', 'time', 'number', 'kind', 'options', 'picked', 'strategy']

    Notes
    -----
    Design section 6: the schema of a table is the same when it is empty.
    """
    from pandas import DataFrame

    rows = []
    for name, column in schema_of(table).items():
        values = f" ({', '.join(column.categories)})" if column.categories else ""
        rows.append((name, column.dtype, column.doc + values))
    return DataFrame(rows, columns=["column", "dtype", "meaning"]).astype("string")
