"""Rows of ``iterations()`` and ``inner_instances()``: the activations of activities with a loop marker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bpmnsim.facts import ABSENT, Fact
from bpmnsim.model.activities import Activity
from bpmnsim.model.loops import MultiInstanceLoopCharacteristics
from bpmnsim.trace.standing import Standing
from bpmnsim.trace.story import Row, Story

Cells = tuple[Any, ...]

_CUT_SHORT = ("terminated", "fault")


@dataclass(slots=True)
class Inner:
    """One inner instance or pass.

    Examples
    --------
    >>> Inner(2).state
    'pending'
    """

    ordinal: int
    item: Any = None
    state: str = "pending"
    opened: int | None = None
    started: int | None = None
    closed: int | None = None
    written: Any = None
    queued: bool = False
    task_id: str | None = None


@dataclass(slots=True)
class Activation:
    """One entry into an activity with a loop marker.

    Parameters
    ----------
    items
        The elements of its collection, in order; empty where it has none.
    named
        Path of the scope around it, with what tells apart scopes that have one path: the start of its identities.
    output_item
        Name under which an inner instance leaves its result.

    Examples
    --------
    >>> Activation(0, "/p", "approve", 1, 4, {"total": 3}, [], "", "/p").identity(1)
    '/p|approve|1|1'
    """

    instance: int | None
    path: str | None
    activity: str
    number: int
    opened: int
    details: dict[str, Any]
    items: list[Any]
    output_item: str
    named: str
    closed: int | None = None
    inner: dict[int, Inner] = field(default_factory=dict)

    def identity(self, ordinal: int) -> str:
        """Return the name of an inner instance that is stable across restores (ITER-R-07)."""
        return f"{self.named}|{self.activity}|{self.number}|{ordinal}"

    def member(self, ordinal: int) -> Inner:
        """Return the inner instance with this number."""
        if ordinal not in self.inner:
            item = self.items[ordinal] if ordinal < len(self.items) else None
            self.inner[ordinal] = Inner(ordinal, item)
        return self.inner[ordinal]

    def exit(self, step: int, details: dict[str, Any]) -> None:
        """End the activation; what was never started is canceled (ITER-SQ-04)."""
        self.closed = step
        self.details |= details
        for each in self.inner.values():
            if each.opened is None:
                each.state = "canceled"


def activations(story: Story) -> list[Activation]:
    """Return every activation with its inner instances, in the order in which they began.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.task("A", multi_instance=bs.parallel(cardinality="2")) >> b.end()
    >>> [(each.activity, list(each.inner)) for each in activations(bs.simulate(b.model()).story)]
    [('A', [0, 1])]

    Notes
    -----
    Iteration.md ITER-F-04, ITER-R-04, ITER-W-12.
    """
    fold = _Fold(story)
    for row in story.rows():
        fold.read(row)
        fold.settle(row)
    return fold.found


class _Fold:
    """Reads the facts about iterated activities, one after the other."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.found: list[Activation] = []
        self.of_host: dict[int, Activation] = {}
        self.collections: dict[int, Any] = {}
        self.begun_in: dict[int, list[Activation]] = {}
        self.member_of: dict[int, Inner] = {}
        self.standing = Standing(story)

    def settle(self, row: Row) -> None:
        """Set the state of the inner instances that a fact is about, unless they are over (ITER-W-12)."""
        for scope in self.standing.read(row):
            inner = self.member_of.get(scope)
            if inner is not None and inner.closed is None:
                inner.state = self.standing.state(scope) or inner.state

    def read(self, row: Row) -> None:
        """Take one fact into account."""
        kind, step, _, track, place, scope, x, y = row
        match kind:
            case Fact.EVAL if x == "cardinality":
                self.collections[track] = y[2]
            case Fact.REPORT if x == "Iteration Activated":
                self.activated(row)
            case Fact.REPORT if x == "Iteration Exited":
                self.of_host[track].exit(step, dict(y))
            case Fact.REPORT if x == "Wait Armed" and self.story.inner(track) and scope in self.member_of:
                if dict(y).get("verb") == "complete":
                    host = self.story.scopes[scope].host
                    self.member_of[scope].task_id = self.of_host[host].identity(self.member_of[scope].ordinal)
            case Fact.GROUP if x in ("drain", "deliver"):
                self.of_host[track].member(y).queued = x == "drain"
            case Fact.OPEN if y[0] is not None and track in self.of_host:
                inner = self.member_of[scope] = self.of_host[track].member(y[0])
                inner.opened, inner.state = step, "running"
            case Fact.CLOSE if self.story.scopes[scope].role == "iteration" and y != "Completed":
                self.cut_short(self.of_host[track], step)
            case Fact.CLOSE:
                if scope in self.member_of:
                    inner = self.member_of[scope]
                    inner.closed, inner.state = step, str(self.story.scopes[scope].ended).lower()
                for each in self.begun_in.pop(scope, ()):  # also one whose own scope was closed, but that never left
                    self.cut_short(each, step)
            case Fact.REPORT if x == "Fault Incident" and track in self.of_host:
                if dict(y)["action"] == "resolved" and self.of_host[track].closed is None:
                    self.of_host[track].exit(step, {"reason": "fault"})
            case Fact.TRACK:
                if y in self.of_host and self.story.nodes[place] == self.of_host[y].activity:
                    self.of_host[track] = self.of_host[y]
            case Fact.DATA if scope in self.member_of and track in self.story.tracks:
                if x == self.owner_output(scope):
                    self.member_of[scope].written = y[1]
            case _ if scope in self.member_of and track in self.story.tracks:
                inner = self.member_of[scope]
                inner.started = step if inner.started is None else inner.started

    def activated(self, row: Row) -> None:
        """Begin an activation; where the total is known, every inner instance is pending."""
        _, step, _, track, place, scope, _, y = row
        said = dict(y)
        instance, path, _, _ = self.story.where(scope)
        element = self.story.model.elements.get(self.story.nodes[place])
        loop = element.loop if isinstance(element, Activity) else None
        collection = self.collections.pop(track, None)
        begun = Activation(
            instance,
            path,
            self.story.nodes[place],
            said["activation"],
            step,
            said,
            list(collection) if isinstance(collection, list | tuple) else [],
            loop.output_item if isinstance(loop, MultiInstanceLoopCharacteristics) else "",
            self.story.unique_path(scope),
        )
        self.found.append(begun)
        self.begun_in.setdefault(scope, []).append(begun)
        self.of_host[track] = begun
        for ordinal in range(said["total"] or 0):
            begun.member(ordinal)

    def cut_short(self, activation: Activation, step: int) -> None:
        """End an activation with what is around it, unless it has ended by itself (ITER-TM-03)."""
        if activation.closed is None:
            activation.exit(step, {"reason": "terminated"})

    def owner_output(self, scope: int) -> str:
        """Return the name under which an inner instance leaves its result."""
        return self.of_host[self.story.scopes[scope].host].output_item


def iteration_rows(story: Story) -> Iterator[Cells]:
    """Yield the rows of ``iterations()``.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.task("A", multi_instance=bs.sequential(cardinality="2")) >> b.end()
    >>> [row[4:9] for row in iteration_rows(bs.simulate(b.model()).story)]
    [('mi_sequential', 'cardinality', 2, 2, 0)]

    Notes
    -----
    Iteration.md section 0.2, ITER-R-03, ITER-R-04: completed, terminated, active and pending add up to the total.
    """
    for each in activations(story):
        states = [inner.state for inner in each.inner.values()]
        completed, pending = states.count("completed"), states.count("pending")
        terminated = states.count("canceled") + states.count("terminated")
        reason = each.details.get("reason")
        yield (
            each.instance,
            each.activity,
            each.path,
            each.number,
            each.details["kind"],
            each.details["source"],
            each.details["total"],
            completed,
            terminated,
            len(states) - completed - terminated - pending,
            pending,
            "active" if each.closed is None else "canceled" if reason in _CUT_SHORT else "completed",
            reason,
            each.opened,
            each.closed,
        )


def inner_rows(story: Story) -> Iterator[Cells]:
    """Yield the rows of ``inner_instances()``, by activation and ordinal.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.task("A", multi_instance=bs.parallel(collection="xs", item="x")) >> b.end()
    >>> [(row[4], row[5], row[9]) for row in inner_rows(bs.simulate(b.model(), data={"xs": ["a"]}).story)]
    [('/p|A|1|0', 'completed', 'a')]

    Notes
    -----
    Iteration.md section 0.2, ITER-R-07, ITER-CC-08: late is an instance that had drained when the rest was canceled.
    """
    for each in activations(story):
        for ordinal, inner in sorted(each.inner.items()):
            output = inner.written if inner.state == "completed" else None
            yield (
                each.instance,
                each.activity,
                each.number,
                ordinal,
                each.identity(ordinal),
                inner.state,
                inner.opened,
                inner.started,
                inner.closed,
                inner.item,
                None if output is ABSENT else output,
                inner.queued and each.closed is not None,
                inner.task_id,
            )
