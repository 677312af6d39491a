"""The run as an object-centric event log: OCEL 2.0, as JSON."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime
from typing import Any

from bpmnsim.facts import Fact
from bpmnsim.trace.logs import at, case_of, log_events, shown_value
from bpmnsim.trace.story import ScopeInfo, Story

_TYPES: dict[type, str] = {bool: "boolean", int: "integer", float: "float"}
_OBJECTS = ("process instance", "sub-process", "inner instance")


def to_ocel(story: Story, start: datetime, mask: Collection[str]) -> str:
    """Return the log as OCEL 2.0 JSON text.

    Objects are the process instances, the sub-processes that opened and the inner instances of iterated activities;
    their attributes are the values of their data over time. Events are what the activities did.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> from bpmnsim.trace.logs import calendar
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.task("pack") >> b.end()
    >>> read = json.loads(to_ocel(bs.simulate(b.model()).story, calendar("2000-01-01"), ()))
    >>> [(event["type"], event["relationships"]) for event in read["events"]]
    [('pack', [{'objectId': 'p#0', 'qualifier': 'case'}])]

    Notes
    -----
    OCEL 2.0: objectTypes, eventTypes, objects, events. An attribute whose values have several types is text.
    """
    values = _values(story, start, mask)
    objects = [
        _object(story, info, values.get(number, [])) for number, info in story.scopes.items() if _is_object(info)
    ]
    types: dict[str, dict[str, str]] = {name: {} for name in _OBJECTS}
    for each in objects:
        for value in each["attributes"]:
            kind = _TYPES.get(type(value["value"]), "string")
            known = types[each["type"]].setdefault(value["name"], kind)
            types[each["type"]][value["name"]] = kind if kind == known else "string"
    for each in objects:
        for value in each["attributes"]:
            if types[each["type"]][value["name"]] == "string" and not isinstance(value["value"], str):
                value["value"] = json.dumps(value["value"])
    events = []
    for number, event in enumerate(log_events(story)):
        attributes = [{"name": "lifecycle", "value": event.transition}, {"name": "node", "value": event.node}]
        if event.resource is not None:
            attributes.append({"name": "resource", "value": event.resource})
        events.append(
            {
                "id": f"e{number}",
                "type": event.activity,
                "time": _moment(start, event.time),
                "attributes": attributes,
                "relationships": _relations(story, event.scope),
            }
        )
    names = [{"name": name, "type": "string"} for name in ("lifecycle", "node", "resource")]
    written = {
        "objectTypes": [
            {"name": name, "attributes": [{"name": key, "type": kind} for key, kind in declared.items()]}
            for name, declared in types.items()
        ],
        "eventTypes": [{"name": name, "attributes": names} for name in dict.fromkeys(each["type"] for each in events)],
        "objects": objects,
        "events": events,
    }
    return json.dumps(written, indent=1)


def _is_object(info: ScopeInfo) -> bool:
    return info.role != "iteration"


def _id(story: Story, info: ScopeInfo) -> str:
    case = case_of(story, info.instance)
    return case if info.role == "process" else f"{case}{info.path}#{info.number}"


def _object(story: Story, info: ScopeInfo, attributes: list[dict[str, Any]]) -> dict[str, Any]:
    kind = {"process": "process instance", "sub-process": "sub-process"}.get(info.role, "inner instance")
    around = _relations(story, info.parent)
    return {"id": _id(story, info), "type": kind, "attributes": attributes, "relationships": around}


def _relations(story: Story, scope: int) -> list[dict[str, str]]:
    """Return the objects that a scope lies in, from the inside out."""
    found = []
    info = story.scopes.get(scope)
    while info is not None:
        if _is_object(info):
            found.append({"objectId": _id(story, info), "qualifier": "case" if info.role == "process" else "inside"})
        info = story.scopes.get(info.parent)
    return found


def _values(story: Story, start: datetime, mask: Collection[str]) -> dict[int, list[dict[str, Any]]]:
    """Return for each scope every value that was written to it, with the moment."""
    values: dict[int, list[dict[str, Any]]] = {}
    for kind, _, time, _, _, scope, x, y in story.rows():
        if kind == Fact.DATA:
            written = {"name": x, "time": _moment(start, time), "value": shown_value(x, y[1], mask)}
            values.setdefault(scope, []).append(written)
    return values


def _moment(start: datetime, seconds: float) -> str:
    return at(start, seconds).isoformat().replace("+00:00", "Z")
