"""Happens-before between the steps of a run: who touched what, and in which order it had to be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bpmnsim.facts import NOBODY, Fact
from bpmnsim.trace.story import Row, Story

Thing = tuple[str, object]
"""What a step reads or writes: its kind (token, scope, data, message, time) and which one."""

Footprint = tuple[int, Iterable[Thing], Iterable[Thing]]
"""A step, what it reads, what it writes."""


@dataclass(slots=True)
class Order:
    """Happens-before: the layer of every step, and the edges that cannot be otherwise.

    Parameters
    ----------
    layers
        Step -> length of the longest chain of steps before it.
    edges
        (earlier step, later step, kind of the thing they share), each once.

    Examples
    --------
    >>> Order({1: 0}, {}).layers
    {1: 0}
    """

    layers: dict[int, int] = field(default_factory=dict)
    edges: dict[tuple[int, int, str], None] = field(default_factory=dict)


def happens_before(footprints: Iterable[Footprint]) -> Order:
    """Order steps by what they share: a write before each later use, a use before the next write.

    Parameters
    ----------
    footprints
        Step, what it reads, what it writes; in the order of the run.

    Returns
    -------
    Order
        Only the nearest earlier step counts: the last one that wrote, and those that read since.

    Examples
    --------
    >>> x = ("data", "x")
    >>> order = happens_before([(1, [], [x]), (2, [x], []), (3, [x], []), (4, [], [x])])
    >>> list(order.edges), order.layers
    ([(1, 2, 'data'), (1, 3, 'data'), (2, 4, 'data'), (3, 4, 'data')], {1: 0, 2: 1, 3: 1, 4: 2})

    Notes
    -----
    The layers are those of the Foata normal form: steps of one layer could have happened in any order.
    """
    order = Order()
    wrote: dict[Thing, int] = {}
    read: dict[Thing, dict[int, None]] = {}
    for step, reads, writes in footprints:
        before: dict[tuple[int, str], None] = {}
        written = dict.fromkeys(writes)
        for thing in dict.fromkeys([*reads, *written]):
            users = read.pop(thing, {}) if thing in written else {}
            if thing in wrote and not users:
                users = {wrote[thing]: None}
            before.update(((user, thing[0]), None) for user in users if user != step)
            if thing in written:
                wrote[thing] = step
            else:
                read.setdefault(thing, {})[step] = None
        order.layers[step] = 1 + max((order.layers[earlier] for earlier, _ in before), default=-1)
        order.edges.update(((earlier, step, kind), None) for earlier, kind in before)
    return order


def footprints(story: Story) -> Iterator[tuple[int, list[Thing], list[Thing]]]:
    """Yield what each step read and wrote, as far as the facts show.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.end()
    >>> [step for step, _, _ in footprints(bs.simulate(b.model()).story)]
    [0, 1, 2]

    Notes
    -----
    Tokens: a track is written by whatever creates, moves, absorbs or resumes it; so what opens a scope stands before
    everything inside. Drains of one barrier are independent; the host depends on the one it is handed. Scopes: the end
    of each track in a scope stands before its closing. Data: commits write, evaluations read; what a behavior reads is
    no fact.
    """
    reader = _Reader(story)
    step = 0
    for row in story.rows():
        if row[1] != step:
            yield step, list(reader.reads), list(reader.writes)
            reader.reads.clear()
            reader.writes.clear()
            step = row[1]
        reader.note(row)
    if story.record.facts:
        yield step, list(reader.reads), list(reader.writes)


class _Reader:
    """Collects what one step touches."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.reads: dict[Thing, None] = {}
        self.writes: dict[Thing, None] = {}
        self.holders: dict[str, dict[int, None]] = {}

    def note(self, row: Row) -> None:
        """Take one fact into account."""
        kind, _, _, track, _, scope, x, y = row
        match kind:
            case Fact.GROUP if x == "drain":
                self.writes["token", (track, y)] = None
                return
            case Fact.GROUP if x == "deliver":
                self.reads["token", (track, y)] = None
            case Fact.CLOSE:
                self.writes["scope", scope] = None
                if self.story.scopes[scope].role == "instance":
                    return
            case Fact.VISIT | Fact.CANCEL | Fact.FAIL if x == NOBODY:
                self.reads["scope", scope] = None
            case Fact.MERGE if x != NOBODY:
                self.writes["token", x] = None
            case Fact.DATA:
                self.holders.setdefault(x, {})[scope] = None
                self.writes["data", (scope, x)] = None
            case Fact.EVAL:
                for name, _ in y[1]:
                    self.reads["data", (self.home(scope, name), name)] = None
        if track != NOBODY:
            self.writes["token", track] = None

    def home(self, scope: int, name: str) -> int:
        """Return the innermost scope around that has been seen to hold *name*; the outermost one where none has."""
        holders = self.holders.get(name, {})
        while scope not in holders and self.story.scopes[scope].parent != NOBODY:
            scope = self.story.scopes[scope].parent
        return scope
