"""Graphs: declared keys and attributes, plain values, and the causality of a run."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import networkx as nx
import pytest

import bpmnsim as bs
from bpmnsim.errors import SimulationError
from bpmnsim.model import Model
from bpmnsim.trace import Trace
from bpmnsim.trace.causality import happens_before


def nested() -> Trace:
    """Return a run of a sub-process with a parallel activity inside, entered twice."""
    b = bs.ProcessBuilder("p")
    split, merge = b.parallel("split"), b.exclusive("m")
    _ = b.start("s") >> split
    for name in ("a", "b"):
        _ = split >> b.task(name) >> merge
    marker = bs.parallel(cardinality="2")
    inner = b.subprocess("x", body=lambda sp: sp.start() >> sp.task("t", multi_instance=marker) >> sp.end())
    _ = merge >> inner >> b.end("e")
    return bs.simulate(b.model(), seed=1)


GRAPHS: dict[str, Callable[[Trace], nx.MultiDiGraph]] = {
    "process_graph": lambda trace: trace.process_graph(),
    "token_graph": lambda trace: trace.token_graph(),
    "scope_tree": lambda trace: trace.scope_tree(),
    "barrier_graph": lambda trace: trace.barrier_graph("t"),
    "causality_graph": lambda trace: trace.causality_graph(),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_can_be_written_as_graphml(name: str) -> None:
    """Style 4.4: text nodes, plain attributes, no missing ones; the graph says which schema it has."""
    graph = GRAPHS[name](nested())
    target = io.BytesIO()
    nx.write_graphml(graph, target)
    read = nx.read_graphml(io.BytesIO(target.getvalue()), force_multigraph=True)
    assert set(read.nodes) == set(graph.nodes)
    assert read.number_of_edges() == graph.number_of_edges() > 0
    assert isinstance(graph, nx.MultiDiGraph)
    assert graph.graph == {"schema": f"{name}/1"}
    assert all(isinstance(node, str) for node in graph)


def test_creation_is_a_forest_and_merges_are_edges_of_their_own(diamond: Model) -> None:
    """HIS-04: T1 was created by T0, T0 was merged into T1."""
    graph = bs.simulate(diamond).token_graph()
    assert sorted(graph.edges(keys=True)) == [("T0", "T1", "created"), ("T0", "T1", "merged")]
    created = nx.DiGraph([edge[:2] for edge in graph.edges(keys=True) if edge[2] == "created"])
    assert nx.is_forest(created)
    assert graph.nodes["T0"]["track_state"] == "merged"
    assert graph.nodes["T1"]["node"] == "b"


def test_creation_edges_of_a_bigger_run_form_a_forest() -> None:
    """HIS-04, V3a: every track has at most one parent, and no track is its own ancestor."""
    graph = nested().token_graph()
    created = nx.DiGraph()
    created.add_nodes_from(graph)
    created.add_edges_from(edge[:2] for edge in graph.edges(keys=True) if edge[2] == "created")
    assert nx.is_forest(created)
    assert max(degree for _, degree in created.in_degree()) == 1


def test_a_path_that_opens_again_is_a_node_of_its_own() -> None:
    """SUB-11: [sp] opened twice gives two nodes."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    y = b.exclusive("y")
    _ = b.start("s") >> x >> b.subprocess("sp", body=lambda sp: sp.start() >> sp.service("A") >> sp.end()) >> y
    y.flow(x, when="n < 2")
    y.flow(b.end("e"), default=True)
    trace = bs.simulate(b.model(), data={"n": 0}, behaviors={"A": lambda task: {"n": task["n"] + 1}})
    tree = trace.scope_tree()
    assert sorted(tree.edges(keys=True)) == [("/p", "/p/sp", "contains"), ("/p", "/p/sp#2", "contains")]
    assert [tree.nodes[node]["scope"] for node in tree] == ["/p", "/p/sp", "/p/sp"]
    assert tree.nodes["/p/sp#2"]["phase"] == "Completed"
    assert tree.nodes["/p/sp"]["host_track"] == 0


def test_the_tree_at_a_step_holds_the_open_scopes() -> None:
    """SUB-11: scope_tree(step) shows what is open after that step."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.subprocess("sp", body=lambda sp: sp.start() >> sp.end()) >> b.end("e")
    trace = bs.simulate(b.model())
    assert [list(trace.scope_tree(step)) for step in range(trace.steps + 1)] == [
        ["/p"],
        ["/p"],
        ["/p", "/p/sp"],
        ["/p", "/p/sp"],
        ["/p"],
        ["/p"],
        [],
    ]
    assert trace.scope_tree(2).nodes["/p/sp"]["phase"] == "Opened"


def test_an_iteration_stands_between_activity_and_instances() -> None:
    """ITER-L-03, iteration.md 0.2: host scope, iteration scope, instances with their ordinals."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.task("A", multi_instance=bs.parallel(cardinality="2")) >> b.end("e")
    tree = bs.simulate(b.model()).scope_tree()
    assert list(tree.successors("/p")) == ["/p/A"]
    assert {node: tree.nodes[node]["ordinal"] for node in tree.successors("/p/A")} == {"/p/A[0]": 0, "/p/A[1]": 1}


def test_the_process_graph_counts_visits_and_flows(diamond: Model) -> None:
    """Design 6: how often each node was visited, each flow taken."""
    graph = bs.simulate(diamond).process_graph()
    assert graph.nodes["join"]["visits"] == 2
    assert graph.nodes["a"] == {"type": "Task", "parent": "p", "visits": 1}
    assert graph.edges["a", "join", "flow"] == {"flow": "f_a_join", "taken": 1}


def test_two_flows_between_the_same_nodes_are_two_edges() -> None:
    """Style 4.4: the key tells them apart."""
    b = bs.ProcessBuilder("p")
    x, y = b.exclusive("x"), b.exclusive("y")
    _ = b.start("s") >> x
    x.flow(y, when="True")
    x.flow(y, default=True)
    _ = y >> b.end("e")
    graph = bs.simulate(b.model()).process_graph()
    assert {key: said["taken"] for key, said in graph["x"]["y"].items()} == {"flow": 1, "flow#2": 0}


def test_a_barrier_as_a_graph() -> None:
    """ITER-P-04: the fan-out opens each drain, each drain is delivered, the host goes from one delivery to the next."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.task("A", multi_instance=bs.parallel(cardinality="2")) >> b.end("e")
    graph = bs.simulate(b.model()).barrier_graph("A")
    assert sorted((a, z) for a, z, key in graph.edges(keys=True) if key == "opens") == [
        ("A#1/fan_out", "A#1/drain[0]"),
        ("A#1/fan_out", "A#1/drain[1]"),
    ]
    assert sorted((a, z) for a, z, key in graph.edges(keys=True) if key == "drains") == [
        ("A#1/drain[0]", "A#1/deliver[0]"),
        ("A#1/drain[1]", "A#1/deliver[1]"),
    ]
    assert sorted(graph.successors("A#1/fan_out")) == ["A#1/drain[0]", "A#1/drain[1]"]
    assert nx.has_path(graph, "A#1/deliver[0]", "A#1/complete")
    assert nx.is_directed_acyclic_graph(graph)


def test_a_barrier_without_instances_is_an_empty_graph() -> None:
    """ITER-A-04, style 4.7: an activity that had no inner instance has a barrier at which nothing happened."""
    b = bs.ProcessBuilder("p")
    none, one = bs.parallel(cardinality=0), bs.sequential(cardinality=1)
    _ = b.start("s") >> b.task("A", multi_instance=none) >> b.task("B", multi_instance=one) >> b.end("e")
    trace = bs.simulate(b.model())
    assert (len(trace.barrier_graph("A")), trace.barrier_graph("A").graph) == (0, {"schema": "barrier_graph/1"})
    with pytest.raises(SimulationError, match="no barrier in this run"):
        trace.barrier_graph("B")


def test_an_activity_without_barrier_is_named(diamond: Model) -> None:
    """Style 4.3: the error says which activities have one."""
    with pytest.raises(SimulationError, match="no barrier in this run"):
        bs.simulate(diamond).barrier_graph("a")


def causality(trace: Trace) -> nx.MultiDiGraph:
    """Happens-before as far as the facts show: that of a trace that cannot run again."""
    return Trace.from_json(trace.to_json(), trace.model).causality_graph()


def layers(trace: Trace) -> dict[str, set[int]]:
    """Layer -> steps, by the element that acted."""
    found: dict[str, set[int]] = {}
    for _, said in causality(trace).nodes(data=True):
        found.setdefault(said.get("node", ""), set()).add(said["layer"])
    return found


def test_branches_of_a_fork_are_not_ordered(diamond: Model) -> None:
    """Scheduling.md 1: a and b share a layer, the split stands before both, the join after both."""
    graph = causality(bs.simulate(diamond))
    by_node = {said["node"]: step for step, said in graph.nodes(data=True)}
    assert not nx.has_path(graph, by_node["a"], by_node["b"])
    assert not nx.has_path(graph, by_node["b"], by_node["a"])
    assert nx.has_path(graph, by_node["split"], by_node["a"])
    assert nx.has_path(graph, by_node["a"], by_node["join"])
    assert nx.has_path(graph, by_node["b"], by_node["join"])
    found = layers(bs.simulate(diamond))
    assert found["a"] == found["b"] == {3}
    assert nx.is_directed_acyclic_graph(graph)


def test_a_value_orders_its_writer_and_its_reader() -> None:
    """Data write before read: the branch that tests v comes after the branch that wrote it."""
    b = bs.ProcessBuilder("p")
    split = b.parallel("split")
    _ = b.start("s") >> split
    _ = split >> b.service("A") >> b.end("e1")
    x = b.exclusive("x")
    _ = split >> x
    x.flow(b.end("e2"), when="v > 0")
    x.flow(b.end("e3"), default=True)
    graph = causality(bs.simulate(b.model(), behaviors={"A": lambda _: {"v": 1}}))
    assert [(a, z) for a, z, key in graph.edges(keys=True) if key == "data"] == [("3", "4")]


def test_everything_inside_stands_between_opening_and_drain() -> None:
    """Scopes: the opening before the inner nodes, their ends before the host goes on."""
    b = bs.ProcessBuilder("p")
    two: dict[str, Any] = {"body": lambda sp: sp.start("i") >> [sp.end("x"), sp.end("y")]}
    _ = b.start("s") >> b.subprocess("sp", **two) >> b.end("e")
    trace = bs.simulate(b.model())
    graph = causality(trace)
    steps: dict[str, list[str]] = {}
    for step, said in graph.nodes(data=True):
        steps.setdefault(said.get("node", ""), []).append(step)
    opening, leaving = steps["sp"]
    for end in ("x", "y"):
        assert nx.has_path(graph, opening, steps[end][0])
        assert nx.has_path(graph, steps[end][0], leaving)
    assert "scope" in {key for _, _, key in graph.edges(keys=True)}


def test_drains_of_a_barrier_are_not_ordered() -> None:
    """Design 4: a drain does not depend on its siblings; what the host does depends on the drain it is handed."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.task("A", multi_instance=bs.parallel(cardinality="3")) >> b.end("e")
    trace = bs.simulate(b.model())
    graph = causality(trace)
    barriers = trace.barriers()
    drains = [str(step) for step in barriers[barriers["event"] == "drain"]["step"]]
    assert all(not nx.has_path(graph, one, other) for one in drains for other in drains if one != other)
    leaving = str(barriers[barriers["event"] == "complete"]["step"].item())
    assert all(nx.has_path(graph, drain, leaving) for drain in drains)


def test_better_footprints_can_be_handed_in(diamond: Model) -> None:
    """The graph is computed over any (step, reads, writes)."""
    graph = bs.simulate(diamond).causality_graph([(1, [], [("token", 0)]), (4, [("token", 0)], [])])
    assert list(graph.edges(keys=True)) == [("1", "4", "token")]
    assert graph.nodes["4"]["layer"] == 1


def test_a_write_follows_the_reads_since_the_last_write() -> None:
    """Only the nearest use counts; a step is never before itself."""
    x, y = ("data", "x"), ("token", "y")
    order = happens_before([(1, [x], [x]), (2, [x], [y]), (3, [x, y], []), (4, [], [x, y]), (5, [y], [])])
    assert list(order.edges) == [
        (1, 2, "data"),
        (1, 3, "data"),
        (2, 3, "token"),
        (2, 4, "data"),
        (3, 4, "data"),
        (3, 4, "token"),
        (4, 5, "token"),
    ]
    assert order.layers == {1: 0, 2: 1, 3: 2, 4: 3, 5: 4}
