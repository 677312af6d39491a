"""Event logs: the work done in a run, for process mining tools; as rows and as XES."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree as Xml

from bpmnsim.errors import SimulationError, shown
from bpmnsim.facts import ABSENT, NOBODY, Fact
from bpmnsim.model.activities import Activity, CallActivity, SubProcess
from bpmnsim.trace.codec import MASKED, xml_text
from bpmnsim.trace.story import Story, known

_EXTENSIONS = ("Concept", "Lifecycle", "Time", "Organizational")


@dataclass(frozen=True, slots=True)
class LogEvent:
    """Something an activity did.

    Parameters
    ----------
    case
        Process instance, as ``process#number``.
    activity
        Name of the activity, its id where it has none.
    transition
        start, complete or ate_abort (XES lifecycle).
    values
        Name -> value of what the visit wrote, with the scope each was written to.

    Examples
    --------
    >>> LogEvent("p#0", "Pack", "complete", None, 2, 0.0, 0, "pack", 0, {}).activity
    'Pack'
    """

    case: str
    activity: str
    transition: str
    resource: str | None
    step: int
    time: float
    track: int
    node: str
    scope: int
    values: dict[str, Any]


def log_events(story: Story) -> Iterator[LogEvent]:
    """Yield what the activities of a run did, in order.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.user("approve") >> b.end()
    >>> [(event.activity, event.transition) for event in log_events(bs.simulate(b.model()).story)]
    [('approve', 'start'), ('approve', 'complete')]

    Notes
    -----
    Work that is done in one go has no start of its own. An iterated task shows the work of its inner instances instead
    of its own.
    """
    elements = [story.model.elements.get(node) for node in story.nodes]
    shown = [isinstance(each, Activity) for each in elements]
    composite = [isinstance(each, SubProcess | CallActivity) for each in elements]
    started: dict[int, None] = {}
    written: dict[int, dict[str, Any]] = {}
    resources: dict[int, str] = {}
    for kind, step, time, track, place, scope, x, y in story.rows():
        if track == NOBODY or not shown[place]:
            continue
        node = story.nodes[place]
        if node in story.iterated and not composite[place] and not story.inner(track):
            continue
        transition = None
        if kind == Fact.DATA:
            written.setdefault(track, {})[x] = y[1]
        elif kind == Fact.REPORT and "user_id" in dict(y):
            resources[track] = str(dict(y)["user_id"])
        elif kind in (Fact.BEGIN, Fact.WAIT) and track not in started:
            started[track] = None
            transition = "start"
        elif kind == Fact.VISIT:
            transition = "complete"
        elif kind == Fact.CANCEL and (track in started or composite[place]):
            transition = "ate_abort"
        if transition is None:
            continue
        instance = story.scopes[scope].instance
        yield LogEvent(
            case_of(story, instance),
            story.names[node] or node,
            transition,
            resources.get(track),
            step,
            time,
            track,
            node,
            scope,
            written.pop(track, {}),
        )
        if transition != "start":
            started.pop(track, None)
            resources.pop(track, None)


def case_of(story: Story, instance: int) -> str:
    """Return the name of a process instance.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.end()
    >>> case_of(bs.simulate(b.model()).story, 0)
    'p#0'
    """
    return f"{story.instances[instance]}#{instance}"


def calendar(epoch: str) -> datetime:
    """Return the moment at which the virtual calendar starts.

    Parameters
    ----------
    epoch
        ISO 8601; without a time zone it is UTC.

    Raises
    ------
    SimulationError
        If it is no date.

    Examples
    --------
    >>> calendar("2000-01-01T00:00Z")
    datetime.datetime(2000, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)
    """
    try:
        moment = datetime.fromisoformat(epoch)
    except ValueError as error:
        raise SimulationError(f"{epoch!r} is no moment", hint='write it like "2000-01-01T00:00Z"') from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def at(start: datetime, seconds: float) -> datetime:
    """Return the moment *seconds* after *start*.

    Raises
    ------
    SimulationError
        If the calendar has no such year.

    Examples
    --------
    >>> at(calendar("2000-01-01"), 90.5).isoformat()
    '2000-01-01T00:01:30.500000+00:00'
    """
    try:
        return start + timedelta(seconds=seconds)
    except OverflowError as error:
        raise SimulationError(
            f"{seconds} seconds after {start.isoformat()} is beyond the calendar", hint="choose an earlier epoch"
        ) from error


def log_rows(story: Story, start: datetime) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the log.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.task("pack") >> b.end()
    >>> [row[:2] for row in log_rows(bs.simulate(b.model()).story, calendar("2000-01-01"))]
    [('p#0', 'pack')]
    """
    for event in log_events(story):
        _, path, ordinal, _ = story.where(event.scope)
        moment = at(start, event.time)
        standard = (event.case, event.activity, moment, event.transition, event.resource)
        yield (*standard, event.node, path, ordinal, known(event.track), event.step)


def shown_value(name: str, value: Any, mask: Collection[str]) -> str | int | float | bool:
    """Return a value as an export shows it: plain as it is, anything else as JSON text, a masked one as stars.

    Examples
    --------
    >>> shown_value("x", [1, "a"], ()), shown_value("x", 5, ("x",))
    ('[1, "a"]', '***')
    """
    if name in mask:
        return MASKED
    if value is ABSENT or value is None:
        return ""
    if isinstance(value, str | bool | int | float):
        return value
    try:
        return json.dumps(value, default=shown, ensure_ascii=False)
    except TypeError:  # a key that JSON has no place for
        return shown(value)


def to_xes(story: Story, start: datetime, mask: Collection[str]) -> str:
    """Return the log as XES text: one trace per process instance, what a visit wrote as attributes of its event.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.task("pack") >> b.end()
    >>> '<string key="concept:name" value="pack" />' in to_xes(bs.simulate(b.model()).story, calendar("2000-01-01"), ())
    True

    Notes
    -----
    IEEE 1849. Characters that XML has no place for become U+FFFD.
    """
    root = Xml.Element("log", {"xes.version": "1849.2016", "xes.features": "", "xmlns": "http://www.xes-standard.org/"})
    for name in _EXTENSIONS:
        prefix = "org" if name == "Organizational" else name.lower()
        uri = f"http://www.xes-standard.org/{prefix}.xesext"
        Xml.SubElement(root, "extension", {"name": name, "prefix": prefix, "uri": uri})
    Xml.SubElement(root, "classifier", {"name": "Activity", "keys": "concept:name"})
    traces: dict[str, Xml.Element] = {}
    for number in story.instances:
        case = case_of(story, number)
        traces[case] = Xml.SubElement(root, "trace")
        _attribute(traces[case], "concept:name", case)
    for event in log_events(story):
        element = Xml.SubElement(traces[event.case], "event")
        _attribute(element, "concept:name", event.activity)
        _attribute(element, "lifecycle:transition", event.transition)
        moment = at(start, event.time).isoformat(timespec="milliseconds")
        Xml.SubElement(element, "date", {"key": "time:timestamp", "value": moment})
        if event.resource is not None:
            _attribute(element, "org:resource", event.resource)
        _, path, ordinal, _ = story.where(event.scope)
        _attribute(element, "node", event.node)
        _attribute(element, "scope", path or "")
        if ordinal is not None:
            _attribute(element, "ordinal", ordinal)
        for name, value in event.values.items():
            _attribute(element, f"data.{name}", shown_value(name, value, mask))
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _attribute(element: Xml.Element, key: str, value: str | int | float | bool) -> None:
    kinds: dict[type, str] = {bool: "boolean", int: "int", float: "float"}
    kind = kinds.get(type(value), "string")
    text = str(value).lower() if kind == "boolean" else str(value)
    Xml.SubElement(element, kind, {"key": xml_text(key), "value": xml_text(text)})
