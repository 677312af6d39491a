"""Rows of the tables about data and failures: changes of values, throws, incidents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bpmnsim.facts import ABSENT, NOBODY, Fact
from bpmnsim.trace.changes import changes
from bpmnsim.trace.story import Story, known

Cells = tuple[Any, ...]

_CLOSED = ("resolved", "dead-lettered", "overtaken")
_COUNTERS = (
    "numberOfInstances",
    "numberOfActiveInstances",
    "numberOfCompletedInstances",
    "numberOfTerminatedInstances",
    "loopCounter",
)
_CODES = ("error", "escalation", "code")


def data_rows(story: Story) -> Iterator[Cells]:
    """Yield the rows of ``data()``: the smallest parts that changed.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.service("produce") >> b.end()
    >>> trace = bs.simulate(b.model(), behaviors={"produce": lambda task: {"receipt": {"sum": 5}}})
    >>> [row[4:10] for row in data_rows(trace.story)]
    [('receipt', 'receipt', 'Value_Added', None, {'sum': 5}, 'produce')]

    Notes
    -----
    Core.md DAT-07, DAT-08; iteration.md ITER-P-09.
    """
    raced = _raced(story)
    for kind, step, time, track, place, scope, x, y in story.rows():
        if kind != Fact.DATA:
            continue
        instance, path, _, _ = story.where(scope)
        writer = story.tracks.get(track)
        for phase, part, old, new in changes(x, *y):
            yield (
                step,
                time,
                instance,
                path,
                x,
                part,
                phase,
                None if old is ABSENT else old,
                None if new is ABSENT else new,
                story.nodes[place] if writer is not None else None,
                known(track),
                story.where(writer.scope)[2] if writer is not None else None,
                (scope, x) in raced,
            )


def _raced(story: Story) -> dict[tuple[int, str], None]:
    """Return the (scope, name) that two inner instances of one parallel activity wrote (ITER-P-09)."""
    wrote: dict[tuple[int, str, int], int] = {}
    raced: dict[tuple[int, str], None] = {}
    for kind, _, _, track, _, home, name, _ in story.rows():
        if kind != Fact.DATA or track == NOBODY:
            continue
        scope = story.tracks[track].scope
        while scope not in (home, NOBODY):
            info = story.scopes[scope]
            if info.role == "instance" and wrote.setdefault((home, name, info.parent), scope) != scope:
                raced[home, name] = None
            scope = info.parent
    return raced


def throw_rows(story: Story) -> Iterator[Cells]:
    """Yield the rows of ``throws()``: what was thrown, and what caught it in the same step.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.service("review") >> b.end()
    >>> trace = bs.simulate(b.model(), behaviors={"review": lambda task: task.escalate("OVER_BUDGET")})
    >>> [row[8:] for row in throw_rows(trace.story)]
    [('escalation', 'OVER_BUDGET', '', '')]

    Notes
    -----
    Core.md ERR, ESC; iteration.md ITER-BH-07, ITER-BH-11.
    """
    rows: list[list[Any]] = []
    open_throws: list[tuple[str, int, list[Any]]] = []
    for fact, step, time, track, place, scope, what, details in story.rows():
        if fact != Fact.REPORT:
            continue
        kind, _, phase = what.partition(" ")
        said = dict(details)
        if phase == "Caught":
            caught = next((each for each in open_throws if each[:2] == (kind, step)), None)
            if caught is not None:
                open_throws.remove(caught)
                caught[2][-1] = story.node(place)[0]
        elif phase == "Thrown":
            instance, path, ordinal, _ = story.where(scope)
            rows.append(
                [
                    step,
                    time,
                    instance,
                    *story.node(place),
                    path,
                    known(track),
                    said.get("member", ordinal),
                    "error" if kind == "Fault" else said.get("kind", kind.lower()),
                    next((str(said[key]) for key in _CODES if key in said), ""),
                    " ".join(f"{name}={said[name]}" for name in _COUNTERS if name in said),
                    said.get("caught_by", ""),
                ]
            )
            if not rows[-1][-1]:
                open_throws = [each for each in open_throws if each[1] == step]
                open_throws.append((kind, step, rows[-1]))
    yield from map(tuple, rows)


@dataclass(slots=True)
class _Incident:
    track: int
    place: int
    scope: int
    error: str
    opened: int
    opened_time: float
    attempts: int = 0
    state: str = "open"
    resolved: int | None = None
    resolved_time: float | None = None


def incident_rows(story: Story) -> Iterator[Cells]:
    """Yield the rows of ``incidents()``: one per incident, a repeated failure extends it.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.service("charge") >> b.end()
    >>> trace = bs.simulate(b.model(), behaviors={"charge": lambda task: 1 / 0})
    >>> [row[7:10] for row in incident_rows(trace.story)]
    [('ZeroDivisionError: division by zero', 1, 'open')]

    Notes
    -----
    Core.md INC-02, INC-09, INC-10.
    """
    found: dict[int, _Incident] = {}
    for kind, step, time, track, place, scope, x, y in story.rows():
        if kind == Fact.STUCK:
            failed = found.setdefault(x, _Incident(track, place, scope, y, step, time))
            failed.track, failed.error, failed.state = track, y, "open"
            failed.attempts += 1
        elif kind == Fact.REPORT and x == "Fault Incident":
            said = dict(y)
            incident = found[said["incident_id"]]
            if said["action"] in _CLOSED:
                incident.state, incident.resolved, incident.resolved_time = said["action"], step, time
            elif said["action"] == "retry-scheduled":
                incident.state = "retry-scheduled"
    for number, each in found.items():
        instance, path, ordinal, _ = story.where(each.scope)
        yield (
            instance,
            number,
            *story.node(each.place),
            path,
            each.track,
            ordinal,
            each.error,
            each.attempts,
            each.state,
            each.opened,
            each.resolved,
            each.opened_time,
            each.resolved_time,
        )
