"""The declared columns of every table: type, meaning and, for closed sets, the values. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from bpmnsim.errors import SimulationError, did_you_mean
from bpmnsim.trace.column import (
    CHOICE_KINDS,
    EXIT_REASONS,
    GROUP_EVENTS,
    INCIDENT_STATES,
    INSTANCE_STATES,
    ITERATION_KINDS,
    ROLES,
    SCOPE_OUTCOMES,
    SOURCES,
    TOKEN_STATES,
    TRACK_STATES,
    VISIT_OUTCOMES,
    Column,
    count,
    flag,
    number,
    one_of,
    seconds,
    text,
    value,
)

if TYPE_CHECKING:
    from pandas import DataFrame

Schema = Mapping[str, Column]
"""Column by name, in their order."""

_STEP: Final = {
    "step": count("step in which it happened; 0 is the start"),
    "time": seconds("when it happened"),
    "instance": number("process instance"),
}
_NODE: Final = {"node": text("element id"), "node_name": text("name of the element; missing where it has none")}
_SCOPE: Final = text("path of the scope (core.md SUB-01)")
_ORDINAL: Final = number("number of the innermost inner instance or pass, from 0")
_ACTIVATION: Final = number("entry into the activity of that inner instance, from 1")
_TRACK: Final = number("number of the track")

_TABLES: Final[dict[str, Schema]] = {
    "facts": {
        **_STEP,
        "seq": count("number of the row, from 0 without gaps"),
        "kind": text("kind of the fact (core.md OBS-02)"),
        "phase": text("phase of that kind"),
        **_NODE,
        "scope": _SCOPE,
        "track": _TRACK,
        "ordinal": _ORDINAL,
        "activation": _ACTIVATION,
        "track_state": one_of(TRACK_STATES, "state the track entered, in rows of kind NodeProgress"),
        "detail": text('pairs key=value, space-joined; a value with spaces stands in quotes: chosen_flows="f1 f2"'),
        "old": value("value before, in rows of kind DataChange"),
        "new": value("value after, in rows of kind DataChange"),
    },
    "history": {
        **_STEP,
        "seq": count("number of the row in facts()"),
        "track": count("number of the track"),
        "parent": number("track that created this one"),
        "merged_into": number("track that this one was absorbed by"),
        "host_track": number("track that rests on the activity around"),
        "scope": _SCOPE,
        **_NODE,
        "track_state": one_of(TRACK_STATES, "state entered"),
        "token_state": one_of(TOKEN_STATES, "projection of the track state (core.md TRK-02)"),
    },
    "tokens": {
        "instance": number("process instance"),
        "track": count("number of the track"),
        "parent": number("track that created this one"),
        "host_track": number("track that rests on the activity around"),
        "merged_into": number("track that this one was absorbed by"),
        **_NODE,
        "scope": _SCOPE,
        "ordinal": _ORDINAL,
        "track_state": one_of(TRACK_STATES, "last state of the track in this stay"),
        "token_state": one_of(TOKEN_STATES, "projection of the track state (core.md TRK-02)"),
        "via_flow": text("flow the token came by; missing where it began"),
        "entered": count("step in which the token came to the node"),
        "left": number("step in which it left or was consumed"),
        "entered_time": seconds("when it came"),
        "left_time": seconds("when it left"),
    },
    "visits": {
        "instance": number("process instance"),
        **_NODE,
        "scope": _SCOPE,
        "track": count("number of the track"),
        "ordinal": _ORDINAL,
        "entered_at": count("step in which the visit began"),
        "left_at": number("step in which it ended"),
        "outcome": one_of(VISIT_OUTCOMES, "how it ended"),
    },
    "scopes": {
        "instance": number("process instance"),
        "scope": _SCOPE,
        "parent": text("path of the scope around it"),
        **_NODE,
        "host_track": number("track that rests on the activity"),
        "role": one_of(("process", "sub-process", "iteration", "instance", "pass"), "what it stands for"),
        "ordinal": number("number of the inner instance or pass that it is, from 0"),
        "activation": count("entry into its activity, from 1"),
        "opened": count("step in which it opened"),
        "closed": number("step in which it closed"),
        "opened_time": seconds("when it opened"),
        "closed_time": seconds("when it closed"),
        "outcome": one_of(SCOPE_OUTCOMES, "how it closed"),
        "peak_tokens": count("most tokens that were in it at once, without scopes below"),
    },
    "barriers": {
        **_STEP,
        "host": text("id of the activity"),
        "scope": _SCOPE,
        "activation": _ACTIVATION,
        "event": one_of(GROUP_EVENTS, "what happened at the barrier"),
        "ordinal": number("inner instance concerned, from 0"),
        "n": number("inner instances in all"),
        "open": text("ordinals still open, space-joined; above 1000 instances only how many"),
        "queued": count("drains that wait to be delivered"),
        "pending": count("inner instances that have not been started"),
        "delivered": count("drains delivered so far"),
        "completed": count("completions counted so far"),
        "active": count("inner instances started and not counted yet"),
        "terminated": count("inner instances canceled or terminated so far"),
        "condition": flag("verdict of the completion condition, where it was evaluated"),
        "output": value("output captured or published"),
    },
    "iterations": {
        "instance": number("process instance"),
        "activity": text("element id"),
        "scope": _SCOPE,
        "activation": count("entry into the activity, from 1"),
        "kind": one_of(ITERATION_KINDS, "kind of marker"),
        "source": one_of(SOURCES, "what the number of instances came from"),
        "total": number("inner instances or passes in all, frozen at activation"),
        "completed": count("completed so far"),
        "terminated": count("canceled or terminated so far, those never started included"),
        "active": count("started and not over"),
        "pending": count("not started yet"),
        "state": one_of(("active", "completed", "canceled"), "state of the activation"),
        "exit_reason": one_of(EXIT_REASONS, "why it ended"),
        "opened": count("step of the activation"),
        "closed": number("step of the exit"),
    },
    "inner_instances": {
        "instance": number("process instance"),
        "activity": text("element id"),
        "activation": count("entry into the activity, from 1"),
        "ordinal": count("number of the inner instance or pass, from 0"),
        "identity": text("scope, with passes in brackets|activity|activation|ordinal (iteration.md ITER-R-07)"),
        "state": one_of(INSTANCE_STATES, "last state"),
        "opened": number("step in which it was opened"),
        "started": number("step in which it started"),
        "closed": number("step in which it ended"),
        "item": value("element of the collection"),
        "output": value("captured output"),
        "late": flag("drained, but not delivered when the rest was canceled (iteration.md ITER-CC-08)"),
        "task_id": text("id of the work it offers to a user or worker: its identity"),
    },
    "joins": {
        **_STEP,
        **_NODE,
        "scope": _SCOPE,
        "flow": text("flow of the arrival"),
        "track": _TRACK,
        "filled": text("incoming flows that hold a token, space-joined"),
        "empty": text("incoming flows that hold none, space-joined"),
        "blocking": text("nodes with a token that is still waited for, space-joined"),
        "fired": flag("whether the join fired"),
        "survivor": number("track that went on"),
    },
    "decisions": {
        **_STEP,
        **_NODE,
        "scope": _SCOPE,
        "track": _TRACK,
        "ordinal": _ORDINAL,
        "flow": text("outgoing flow"),
        "condition": text("its condition; missing where none was evaluated"),
        "value": flag("verdict; missing where none was reached"),
        "taken": flag("whether a token left over this flow"),
    },
    "evaluations": {
        **_STEP,
        **_NODE,
        "scope": _SCOPE,
        "track": _TRACK,
        "ordinal": _ORDINAL,
        "role": one_of(ROLES, "what the expression is for"),
        "flow": text("flow whose condition it is"),
        "expression": text("text as written"),
        "values": value("dict of the names it read"),
        "verdict": value("result; missing where it raised"),
        "error": text("error text; empty where it did not raise"),
    },
    "throws": {
        **_STEP,
        **_NODE,
        "scope": _SCOPE,
        "track": _TRACK,
        "ordinal": _ORDINAL,
        "kind": text("error, escalation, compensation, cancel, signal or another event"),
        "code": text("code or name"),
        "counters": text("pairs name=value of the iteration it belongs to, space-joined"),
        "caught_by": text("element that caught it; empty where nothing did"),
    },
    "data": {
        **_STEP,
        "scope": _SCOPE,
        "name": text("name of the value"),
        "path": text("part of it that changed (core.md DAT-07)"),
        "change": one_of(("Value_Added", "Value_Updated", "Value_Deleted"), "what happened to that part"),
        "old": value("value before; missing where there was none"),
        "new": value("value after; missing where there is none"),
        "by": text("element that wrote it; missing where it came from outside"),
        "track": _TRACK,
        "ordinal": _ORDINAL,
        "order_dependent": flag("several inner instances wrote it: the order decided (iteration.md ITER-P-09)"),
    },
    "messages": {
        **_STEP,
        "name": text("name of the message or signal"),
        "key": text("correlation key"),
        "thrown_by": text("element that sent it; missing where it came from outside"),
        "received_by": text("element that received it"),
        "ordinal": _ORDINAL,
        "state": one_of(("sent", "delivered", "dropped"), "what became of it"),
        "flag": text("ambiguous or duplicate_key: another inner instance could have got it; empty otherwise"),
    },
    "waits": {
        "instance": number("process instance"),
        "activity": text("element that waits"),
        "scope": _SCOPE,
        "track": _TRACK,
        "ordinal": _ORDINAL,
        "definition": text("what is awaited"),
        "armed": count("step in which the wait began"),
        "withdrawn": number("step in which it ended"),
        "reason": text("why it ended; empty where it did not"),
        "armed_time": seconds("when it began"),
        "withdrawn_time": seconds("when it ended"),
    },
    "subscriptions": {
        "instance": number("process instance"),
        "activity": text("activity that waits"),
        "scope": _SCOPE,
        "track": number("track that waited first"),
        "ordinal": number("always missing: it belongs to the whole activity"),
        "definition": text("what is awaited"),
        "armed": count("step in which the wait began"),
        "withdrawn": number("step in which it ended"),
        "reason": text("why it ended; empty where it did not"),
        "armed_time": seconds("when it began"),
        "withdrawn_time": seconds("when it ended"),
    },
    "choices": {
        "step": count("step that was chosen"),
        "time": seconds("when it was chosen"),
        "number": count("number of the choice, from 0"),
        "kind": one_of(CHOICE_KINDS, "what was open"),
        "options": text("names of the actions, space-joined, in canonical order"),
        "picked": text("the one that was picked"),
        "strategy": text("who picked"),
    },
    "incidents": {
        "instance": number("process instance"),
        "incident": count("number of the incident"),
        **_NODE,
        "scope": _SCOPE,
        "track": _TRACK,
        "ordinal": _ORDINAL,
        "error": text("error text of the last failure"),
        "attempts": count("failures so far"),
        "state": one_of(INCIDENT_STATES, "state (core.md INC-09)"),
        "opened": count("step of the first failure"),
        "resolved": number("step in which it was closed"),
        "opened_time": seconds("when it first failed"),
        "resolved_time": seconds("when it was closed"),
    },
    "log": {
        "case:concept:name": text("process instance, as process#number"),
        "concept:name": text("name of the activity, its id where it has none"),
        "time:timestamp": Column("datetime64[us, UTC]", "virtual time on the calendar"),
        "lifecycle:transition": one_of(("start", "complete", "ate_abort"), "what the activity did"),
        "org:resource": text("who did it; missing where nobody is known"),
        "node": text("element id"),
        "scope": _SCOPE,
        "ordinal": _ORDINAL,
        "track": _TRACK,
        "step": count("step"),
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
