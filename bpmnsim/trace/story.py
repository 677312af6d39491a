"""What the numbers in a record stand for: scopes with their paths, tracks with their parents, nodes, flows, instances.

One pass over the facts; every table, graph and snapshot reads the record through a :class:`Story`. No pandas here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from bpmnsim.facts import NOBODY, STRIDE, Fact, Record
from bpmnsim.model.activities import Activity, CallActivity, SubProcess
from bpmnsim.model.base import Element, SequenceFlow
from bpmnsim.model.process import Model

Row = tuple[int, int, float, int, int, int, Any, Any]
"""kind, step, time, track, place, scope, x, y."""


@dataclass(slots=True)
class ScopeInfo:
    """One opening of a scope.

    Parameters
    ----------
    parent, host
        Numbers of the scope around it and of the track that rests on it; ``NOBODY`` for the scope of a process.
    role
        process, sub-process, iteration (holds the counters of one activation), instance (of a parallel
        iteration) or pass (of a loop or a sequential iteration).
    own_ordinal
        Ordinal frozen on this scope itself.
    ordinal, activation
        Of the innermost scope with an ordinal, from this one outwards; ``None`` where there is none.
    entry
        Number of the entry into its activity, from 1.
    cut_short
        Whether it closed because the activation around it was canceled.

    Examples
    --------
    >>> ScopeInfo(1, 0, 0, "sp", 0, "/p/sp", "sub-process", None, None, None, 1, 3, 0.0).path
    '/p/sp'
    """

    number: int
    parent: int
    host: int
    node: str
    instance: int
    path: str
    role: str
    own_ordinal: int | None
    ordinal: int | None
    activation: int | None
    entry: int
    opened: int
    opened_time: float
    closed: int | None = None
    closed_time: float | None = None
    phase: str | None = None
    cut_short: bool = False

    @property
    def ended(self) -> str | None:
        """How it ended as an inner instance: one that ends with its activity is canceled (ITER-TM-03)."""
        return "Canceled" if self.cut_short else self.phase


@dataclass(slots=True)
class TrackInfo:
    """One track: where it began, and what became of it.

    Examples
    --------
    >>> TrackInfo(1, 0, None, 2, "b", 0, "f2", 2, None).parent
    0
    """

    number: int
    parent: int | None
    host: int | None
    place: int
    node: str
    scope: int
    flow: str | None
    created: int
    merged_into: int | None


class Story:
    """A record and the names of everything in it.

    Parameters
    ----------
    model
        The model that ran.
    record
        Its facts.

    Attributes
    ----------
    scopes, tracks
        By number, in the order in which they began.
    names
        Element id -> name, ``None`` where it has none.
    iterated
        Ids of the activities with a loop marker.

    Examples
    --------
    >>> from bpmnsim.model import Model, Process
    >>> facts = [Fact.INSTANCE, 0, -1, 0, 0, 0, "Created", Fact.OPEN, 0, -1, 0, 0, -1, (None, 1, 0)]
    >>> story = Story(Model([Process(id="p")]), Record(facts, ("p",), frozenset(), ()))
    >>> story.scopes[0].path
    '/p'
    """

    def __init__(self, model: Model, record: Record) -> None:
        self.model = model
        self.record = record
        self.nodes = record.places
        self.names = {element_id: _name(model.elements.get(element_id)) for element_id in record.places}
        places = {node: place for place, node in enumerate(record.places) if place not in record.bodies}
        self._targets = [places.get(_target(model.elements.get(flow)), NOBODY) for flow in record.flows]
        elements = [model.elements.get(node) for node in record.places]
        self.iterated = frozenset(each.id for each in elements if isinstance(each, Activity) and each.loop is not None)
        self.scopes: dict[int, ScopeInfo] = {}
        self.tracks: dict[int, TrackInfo] = {}
        self.instances: dict[int, str] = {}
        self.fanned: set[int] = set()
        self._read()

    def rows(self) -> Iterator[Row]:
        """Yield every fact with the virtual time at which it happened."""
        now = 0.0
        cells = [self.record.facts[cell::STRIDE] for cell in range(STRIDE)]
        for kind, step, track, place, scope, x, y in zip(*cells, strict=True):
            if kind == Fact.CLOCK:
                now = y
            yield kind, step, now, track, place, scope, x, y

    def _read(self) -> None:
        roots: dict[int, int] = {}
        inside: dict[int, list[ScopeInfo]] = {}
        for kind, step, time, track, place, scope, x, y in self.rows():
            if kind == Fact.TRACK:
                host = self.scopes[scope].host
                self.tracks[track] = TrackInfo(
                    number=track,
                    parent=known(y),
                    host=known(host),
                    place=place,
                    node=self.nodes[place],
                    scope=scope,
                    flow=self.flow(x),
                    created=step,
                    merged_into=None,
                )
            elif kind == Fact.MERGE:
                self.tracks[track].merged_into = known(x)
            elif kind == Fact.OPEN:
                self.scopes[scope] = self._opened(scope, x, track, place, roots.get(scope, NOBODY), y, step, time)
                inside.setdefault(x, []).append(self.scopes[scope])
            elif kind == Fact.CLOSE:
                info = self.scopes[scope]
                info.closed, info.closed_time, info.phase = step, time, y
                if info.role == "iteration" and y != "Completed":
                    for each in inside.pop(scope, []):
                        each.cut_short = each.closed == step
            elif kind == Fact.INSTANCE:
                roots[scope] = x
                self.instances.setdefault(x, self.nodes[place])
            elif kind == Fact.GROUP and x == "fan_out":
                self.fanned.add(scope)

    def _opened(
        self,
        number: int,
        parent: int,
        host: int,
        place: int,
        instance: int,
        frozen: tuple[int | None, int, int],
        step: int,
        time: float,
    ) -> ScopeInfo:
        ordinal, activation, k = frozen
        node = self.nodes[place]
        around = self.scopes.get(parent)
        inside = around is not None and around.node == node
        if around is None:
            role = "process"
        elif ordinal is not None:
            role = "instance" if parent in self.fanned else "pass"
        else:
            role = "iteration" if node in self.iterated else "sub-process"
        path = around.path if around is not None else ""
        if not (inside and ordinal is not None):
            path += f"/{_segment(node)}{f'~{k}' if k else ''}"
        if role == "instance":
            path += f"[{ordinal}]"
        if ordinal is None:
            shown = (around.ordinal, around.activation) if around is not None else (None, None)
        else:
            shown = (ordinal, activation)
        return ScopeInfo(
            number=number,
            parent=parent,
            host=host,
            node=node,
            instance=around.instance if around is not None else instance,
            path=path,
            role=role,
            own_ordinal=ordinal,
            ordinal=shown[0],
            activation=shown[1],
            entry=activation,
            opened=step,
            opened_time=time,
        )

    def where(self, scope: int) -> tuple[int | None, str | None, int | None, int | None]:
        """Return process instance, path, ordinal and activation of a scope; nothing for ``NOBODY``."""
        info = self.scopes.get(scope)
        return (info.instance, info.path, info.ordinal, info.activation) if info is not None else (None,) * 4

    def unique_path(self, scope: int) -> str:
        """Return the path of a scope as identities show it: no two scopes of a process instance share it.

        Every pass carries its number in brackets, as in the names of actions, and ``~k`` marks the k-th entry into an
        activity from the second on, also where the earlier ones are over (iteration.md ITER-R-07, ITER-U-03).
        """
        info, parts = self.scopes[scope], []
        while info.parent != NOBODY:
            entered = f"/{_segment(info.node)}{f'~{info.entry}' if info.entry > 1 else ''}"
            parts.append(entered if info.own_ordinal is None else f"[{info.own_ordinal}]")
            info = self.scopes[info.parent]
        return info.path + "".join(reversed(parts))

    def node(self, place: int) -> tuple[str | None, str | None]:
        """Return id and name of a node; nothing for ``NOBODY``."""
        return (self.nodes[place], self.names[self.nodes[place]]) if place >= 0 else (None, None)

    def inner(self, track: int) -> bool:
        """Tell whether a track is the inner work of an iterated task, which is no token of its own (ITER-R-10)."""
        info = self.tracks.get(track)
        return info is not None and info.place in self.record.bodies

    def flow(self, number: int) -> str | None:
        """Return the id of a flow, ``None`` for ``NOBODY``."""
        return self.record.flows[number] if number >= 0 else None

    def target(self, flow: int) -> int:
        """Return the number of the node that a flow enters."""
        return self._targets[flow]

    def activation_around(self, scope: int) -> int | None:
        """Return the scope of the innermost activation that a scope lies in, ``None`` outside iterations."""
        info = self.scopes.get(scope)
        while info is not None and info.own_ordinal is None:
            info = self.scopes.get(info.parent)
        return info.parent if info is not None else None

    def hidden(self, scope: ScopeInfo) -> bool:
        """Tell whether a scope is only the visit data of one pass of a task: nobody sees it as a scope (ITER-L-02)."""
        element = self.model.elements.get(scope.node)
        return scope.role == "pass" and not isinstance(element, SubProcess | CallActivity)


def known(number: int) -> int | None:
    """Return a number, ``None`` for ``NOBODY``.

    Examples
    --------
    >>> known(-1) is None, known(3)
    (True, 3)
    """
    return None if number == NOBODY else number


def _segment(node: str) -> str:
    return quote(node, safe="", errors="surrogatepass")


def _name(element: Element | None) -> str | None:
    return (element.name or None) if element is not None else None


def _target(element: Element | None) -> str:
    return element.target if isinstance(element, SequenceFlow) else ""
