"""Graphs of a run; the only module of the trace that loads networkx.

Every graph is a ``MultiDiGraph``: nodes are text, the key of an edge says what it stands for, attributes are plain
values and are left out where there is none, because GraphML has no word for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import networkx as nx

from bpmnsim.errors import SimulationError, did_you_mean
from bpmnsim.facts import NOBODY, Fact
from bpmnsim.model.base import FlowNode, SequenceFlow
from bpmnsim.model.events import BoundaryEvent
from bpmnsim.trace.barrier_tables import barrier_rows
from bpmnsim.trace.causality import Footprint, footprints, happens_before
from bpmnsim.trace.codec import xml_text
from bpmnsim.trace.column import TOKEN_OF
from bpmnsim.trace.iteration_tables import activations
from bpmnsim.trace.schema import schema_of
from bpmnsim.trace.stays import stays
from bpmnsim.trace.story import Story, known

if TYPE_CHECKING:
    Graph = nx.MultiDiGraph[str]


def _graph(name: str) -> Graph:
    return nx.MultiDiGraph(schema=f"{name}/1")


def _said(**attributes: Any) -> dict[str, Any]:
    """Return the attributes that have a value, texts as GraphML can hold them."""
    said = {name: value for name, value in attributes.items() if value is not None}
    return {name: xml_text(value) if isinstance(value, str) else value for name, value in said.items()}


def process_graph(story: Story) -> Graph:
    """Return the nodes and flows of the processes that ran, with how often each was visited and taken.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start("s") >> b.end("e")
    >>> list(process_graph(bs.simulate(b.model()).story).edges(keys=True, data="flow"))
    [('s', 'e', 'flow', 'f_s_e')]

    Notes
    -----
    Edge keys: ``flow``, ``boundary`` from an activity to the event on its border, ``contains``; a second flow between
    the same nodes is ``flow#2``.
    """
    visits: dict[str, int] = {}
    taken: dict[str, int] = {}
    for stay in stays(story):
        visits[story.nodes[stay.place]] = visits.get(story.nodes[stay.place], 0) + 1
        flow = story.flow(stay.flow)
        if flow is not None:
            taken[flow] = taken.get(flow, 0) + 1
    graph = _graph("process_graph")
    for node in story.names:
        element = story.model.elements.get(node)
        if isinstance(element, FlowNode):
            said = _said(type=type(element).__name__, name=element.name or None, parent=element.parent)
            graph.add_node(node, **said, visits=visits.get(node, 0))
    for element in story.model.elements.values():
        if isinstance(element, SequenceFlow) and element.source in graph:
            number = graph.number_of_edges(element.source, element.target)
            condition = element.condition.text if element.condition is not None else None
            said = _said(
                flow=element.id, name=element.name or None, condition=condition, taken=taken.get(element.id, 0)
            )
            key = "flow" if number == 0 else f"flow#{number + 1}"
            graph.add_edge(element.source, element.target, key=key, **said)
    for node in list(graph):
        element = story.model.elements[node]
        if isinstance(element, BoundaryEvent):
            graph.add_edge(element.attached_to, node, key="boundary")
        if element.parent in graph:
            graph.add_edge(element.parent, node, key="contains")
    return graph


def token_graph(story: Story) -> Graph:
    """Return who created whom, and who was merged into whom.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> split, join = b.parallel("split"), b.parallel("join")
    >>> _ = b.start() >> split >> b.task("a") >> join, split >> join, join >> b.end()
    >>> sorted(token_graph(bs.simulate(b.model()).story).edges(keys=True))
    [('T0', 'T1', 'created'), ('T1', 'T0', 'merged')]

    Notes
    -----
    Core.md HIS-03, HIS-04: the edges ``created`` alone form a forest.
    """
    ends: dict[int, str] = {stay.track: stay.state for stay in stays(story)}
    graph = _graph("token_graph")
    for track, info in story.tracks.items():
        if story.inner(track):
            continue
        instance, path, ordinal, _ = story.where(info.scope)
        state = ends.get(track, "ready")
        graph.add_node(
            f"T{track}",
            track=track,
            **_said(instance=instance, scope=path, ordinal=ordinal, host_track=info.host, via_flow=info.flow),
            node=info.node,
            created_step=info.created,
            track_state=state,
            token_state=TOKEN_OF[state],
        )
    for track, info in story.tracks.items():
        for source, target, key in ((info.parent, track, "created"), (track, info.merged_into, "merged")):
            if source is not None and target is not None and not story.inner(track):
                graph.add_edge(f"T{source}", f"T{target}", key=key)
    return graph


def scope_tree(story: Story, step: int | None = None) -> Graph:
    """Return the scopes, each below the one around it.

    Parameters
    ----------
    step
        Only the scopes open after this step; every one that ever opened if not given.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.subprocess("sp", body=lambda sp: sp.start() >> sp.end()) >> b.end()
    >>> list(scope_tree(bs.simulate(b.model()).story).edges(keys=True))
    [('/p', '/p/sp', 'contains')]

    Notes
    -----
    Core.md SUB-11: a path that opens again is a node of its own, ``/p/sp#2``.
    """
    graph = _graph("scope_tree")
    keys: dict[int, str] = {}
    openings: dict[str, int] = {}
    for number, info in story.scopes.items():
        if story.hidden(info):
            continue
        count = openings[info.path] = openings.get(info.path, 0) + 1
        keys[number] = info.path if count == 1 else f"{info.path}#{count}"
        if step is not None and not info.opened <= step < (step + 1 if info.closed is None else info.closed):
            continue
        closed = info.closed if step is None else None
        graph.add_node(
            keys[number],
            scope=info.path,
            node=info.node,
            role=info.role,
            opened=info.opened,
            **_said(instance=info.instance, host_track=known(info.host), ordinal=info.own_ordinal, closed=closed),
            phase="Opened" if closed is None else info.phase,
        )
        if info.parent in keys:
            graph.add_edge(keys[info.parent], keys[number], key="contains")
    return graph


def barrier_graph(story: Story, activity: str) -> Graph:
    """Return the events of the barriers of an activity, and what followed from what.

    Parameters
    ----------
    activity
        Element id of a parallel iterated activity.

    Raises
    ------
    SimulationError
        If it is no parallel iterated activity that ran.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.task("A", multi_instance=bs.parallel(cardinality="2")) >> b.end()
    >>> graph = barrier_graph(bs.simulate(b.model()).story, "A")
    >>> sorted(graph.successors("A#1/fan_out"))
    ['A#1/drain[0]', 'A#1/drain[1]']

    Notes
    -----
    Edge keys: ``opens`` from the fan-out to each drain or cancellation, ``drains`` from a drain to its delivery,
    ``then`` along what the host does; nothing where there was no inner instance. Iteration.md section 0.2.
    """
    columns = list(schema_of("barriers"))
    rows = [dict(zip(columns, row, strict=True)) for row in barrier_rows(story)]
    hosts = list(dict.fromkeys(each.activity for each in activations(story) if each.details["kind"] == "mi_parallel"))
    if activity not in hosts:
        hint = did_you_mean(activity, hosts) or f"those with one are {', '.join(hosts) or 'none'}"
        raise SimulationError("the activity has no barrier in this run", element_id=activity, hint=hint)
    graph = _graph("barrier_graph")
    latest: dict[str, str] = {}
    groups: dict[tuple[Any, ...], str] = {}
    seen: dict[str, int] = {}

    def fresh(key: str) -> str:
        seen[key] = seen.get(key, 0) + 1
        return key if seen[key] == 1 else f"{key}~{seen[key]}"

    for row in rows:
        if row["host"] != activity or row["event"] == "queue":
            continue
        whose = (row["instance"], row["scope"], row["activation"])
        if row["event"] == "fan_out":
            groups[whose] = fresh(f"{activity}#{row['activation']}")
        group = groups[whose]
        ordinal = "" if row["ordinal"] is None else f"[{row['ordinal']}]"
        key = fresh(f"{group}/{row['event']}{ordinal}")
        shown = ("step", "time", "instance", "activation", "event", "ordinal", "completed", "terminated", "condition")
        graph.add_node(key, **_said(**{name: row[name] for name in shown}))
        opening, drained = f"{group}/fan_out", f"{group}/drain{ordinal}"
        if row["event"] in ("drain", "cancel"):
            graph.add_edge(opening, key, key="opens")
        if row["event"] in ("fan_out", "drain"):
            continue
        if row["event"] == "deliver" and drained in graph:
            graph.add_edge(drained, key, key="drains")
        if group in latest:
            graph.add_edge(latest[group], key, key="then")
        latest[group] = key
    return graph


def causality_graph(story: Story, given: Iterable[Footprint] | None = None) -> Graph:
    """Return which step had to happen before which.

    Parameters
    ----------
    given
        Step, what it reads, what it writes; what the facts show if not given.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.end()
    >>> list(causality_graph(bs.simulate(b.model()).story).edges(keys=True))
    [('0', '1', 'token'), ('1', '2', 'token')]

    Notes
    -----
    Edge keys: ``token``, ``scope``, ``data``, ``message``, ``time``. ``layer`` is the place of a step in the Foata
    normal form.
    """
    order = happens_before(footprints(story) if given is None else given)
    acted: dict[int, dict[str, Any]] = {}
    for kind, step, time, track, place, scope, _, _ in story.rows():
        said = acted.setdefault(step, {"time": time})
        if track != NOBODY and kind != Fact.CLOSE:
            said |= {name: value for name, value in _actor(story, track, place, scope).items() if name not in said}
    graph = _graph("causality_graph")
    for step, layer in order.layers.items():
        graph.add_node(str(step), step=step, layer=layer, **acted.get(step, {}))
    for earlier, later, key in order.edges:
        graph.add_edge(str(earlier), str(later), key=key)
    return graph


def _actor(story: Story, track: int, place: int, scope: int) -> dict[str, Any]:
    instance, path, ordinal, _ = story.where(scope)
    return _said(node=story.node(place)[0], track=track, instance=instance, scope=path, ordinal=ordinal)
