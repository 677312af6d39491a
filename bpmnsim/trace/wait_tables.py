"""Rows of the tables about the outside world and the scopes: waits, messages, choices, scopes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bpmnsim.facts import NOBODY, Fact
from bpmnsim.trace.story import Story, known

if TYPE_CHECKING:
    from bpmnsim.trace.parts import ChoiceRow

Cells = tuple[Any, ...]

_WAITS = ("Wait Armed", "Boundary Armed")
_SUBSCRIPTIONS = ("EventFlow Registered",)
_ENDS = {
    "Wait Withdrawn": "withdrawn",
    "Boundary Disarmed": "withdrawn",
    "Boundary Fired": "delivered",
    "EventFlow Unregistered": "withdrawn",
}


@dataclass(slots=True)
class _Span:
    track: int
    place: int
    scope: int
    definition: str
    begun: int
    begun_time: float
    ended: int | None = None
    ended_time: float | None = None
    reason: str = ""


def wait_rows(story: Story) -> Iterator[Cells]:
    """Yield the rows of ``waits()``: when each wait was armed, and why it ended.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.user("approve") >> b.end()
    >>> [row[5:9] for row in wait_rows(bs.simulate(b.model()).story)]
    [('user task', 2, 3, 'delivered')]

    Notes
    -----
    Core.md TRK-09, EVT; iteration.md section 0.2, ITER-W-09.
    """
    return _spans(story, _WAITS)


def subscription_rows(story: Story) -> Iterator[Cells]:
    """Yield the rows of ``subscriptions()``: one per definition and activity, open while anybody waits.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.user("approve") >> b.end()
    >>> [row[5:8] for row in subscription_rows(bs.simulate(b.model()).story)]
    [('user task', 2, 3)]

    Notes
    -----
    Iteration.md section 0.2, ITER-W-02, ITER-W-03.
    """
    return _spans(story, _SUBSCRIPTIONS)


def _spans(story: Story, begins: Collection[str]) -> Iterator[Cells]:
    """Yield what begins with one of these reports and ends with its counterpart.

    A wait ends on the track that armed it; a subscription may be ended by another track of the same activity.
    """
    shared = begins is _SUBSCRIPTIONS
    found: list[_Span] = []
    open_spans: dict[tuple[object, ...], list[_Span]] = {}
    for kind, step, time, track, place, scope, x, y in story.rows():
        if kind != Fact.REPORT:
            continue
        owner: tuple[object, ...] = (story.nodes[place], track, x.partition(" ")[0])
        around = story.activation_around(scope) if shared else None
        if around is not None:
            owner = (story.nodes[place], around)
        if x in begins:
            span = _Span(track, place, scope, str(dict(y).get("definition", "")), step, time)
            found.append(span)
            open_spans.setdefault(owner, []).append(span)
        elif x in _ENDS and (x == "EventFlow Unregistered") == shared:
            for span in open_spans.pop(owner, ()):
                span.ended, span.ended_time = step, time
                span.reason = dict(y).get("reason", _ENDS[x])
    for each in found:
        instance, path, ordinal, _ = story.where(each.scope)
        yield (
            instance,
            story.node(each.place)[0],
            path,
            known(each.track),
            None if shared else ordinal,
            each.definition,
            each.begun,
            each.ended,
            each.reason,
            each.begun_time,
            each.ended_time,
        )


def message_rows(story: Story) -> Iterator[Cells]:
    """Yield the rows of ``messages()``: what was delivered to a node that waited for it.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.receive("pay", message="payment") >> b.end()
    >>> [row[3:] for row in message_rows(bs.simulate(b.model()).story)]
    [('payment', None, None, 'pay', None, 'delivered', '')]

    Notes
    -----
    Core.md MSG-02, MSG-05; iteration.md ITER-IC-05, ITER-M-02.
    """
    awaited: dict[int, tuple[str | None, str | None]] = {}
    flags: dict[int, str] = {}
    for kind, step, time, track, place, scope, x, y in story.rows():
        if kind == Fact.REPORT and x == "Wait Armed":
            said = dict(y)
            key = said.get("key")
            awaited[track] = (said.get("definition"), None if key is None else str(key))
            flags.pop(track, None)
        elif kind == Fact.REPORT and x == "Wait Flagged":
            flags[track] = " ".join(dict(y))
        elif kind == Fact.READY and y == "deliver":
            instance, _, ordinal, _ = story.where(scope)
            name, key = awaited.get(track, (None, None))
            received_by, flag = story.node(place)[0], flags.get(track, "")
            yield (step, time, instance, name, key, None, received_by, ordinal, "delivered", flag)


def choice_rows(choices: Iterable[ChoiceRow]) -> Iterator[Cells]:
    """Yield the rows of ``choices()``.

    Examples
    --------
    >>> from bpmnsim.trace import ChoiceRow
    >>> list(choice_rows([ChoiceRow(0, 3, 0.0, "step", ("run(p/a)", "run(p/b)"), "run(p/a)", "fifo")]))
    [(3, 0.0, 0, 'step', 'run(p/a) run(p/b)', 'run(p/a)', 'fifo')]
    """
    for each in choices:
        yield (each.step, each.time, each.number, each.kind, " ".join(each.options), each.picked, each.strategy)


def scope_rows(story: Story) -> Iterator[Cells]:
    """Yield the rows of ``scopes()``, in the order in which they opened.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.subprocess("sp", body=lambda sp: sp.start() >> sp.task("A") >> sp.end()) >> b.end()
    >>> [(row[1], row[13]) for row in scope_rows(bs.simulate(b.model()).story)]
    [('/p', 'Completed'), ('/p/sp', 'Completed')]

    Notes
    -----
    Core.md SUB-01, SUB-10.
    """
    peaks = _peaks(story)
    for number, info in story.scopes.items():
        if story.hidden(info):
            continue
        yield (
            info.instance,
            info.path,
            story.where(info.parent)[1],
            info.node,
            story.names[info.node],
            known(info.host),
            info.role,
            info.own_ordinal,
            info.entry if info.own_ordinal is None else info.activation,
            info.opened,
            info.closed,
            info.opened_time,
            info.closed_time,
            info.phase,
            peaks.get(number, 0),
        )


def _peaks(story: Story) -> dict[int, int]:
    """Return for each scope the most tracks that were in it at once."""
    inside: dict[int, dict[int, None]] = {}
    peaks: dict[int, int] = {}
    for kind, _, _, track, _, scope, x, y in story.rows():
        if kind == Fact.TRACK:
            here = inside.setdefault(scope, {})
            here[track] = None
            peaks[scope] = max(peaks.get(scope, 0), len(here))
        elif (
            kind in (Fact.MERGE, Fact.CANCEL, Fact.FAIL)
            or (kind == Fact.VISIT and x == NOBODY)
            or (x == "Fault Incident" and dict(y)["action"] in ("retried", "resolved"))
        ):
            inside[scope].pop(track, None)
    return peaks
