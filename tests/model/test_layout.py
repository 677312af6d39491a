"""Layout of models without diagrams: lessons.md section C, checked geometrically."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpmnsim.errors import BpmnSimError
from bpmnsim.model import (
    Association,
    AssociationKind,
    BoundaryEvent,
    Bounds,
    DataAssociation,
    Diagram,
    Edge,
    Element,
    FlowNode,
    Lane,
    MessageFlow,
    Model,
    Participant,
    ProcessBuilder,
    SequenceFlow,
    SubProcess,
)
from bpmnsim.model.layout import layout

from ..clock import slowness


def holds(outer: Bounds, inner: Bounds) -> bool:
    return (
        outer.x <= inner.x
        and outer.y <= inner.y
        and inner.x + inner.width <= outer.x + outer.width
        and inner.y + inner.height <= outer.y + outer.height
    )


def overlap(a: Bounds, b: Bounds) -> bool:
    return a.x < b.x + b.width and b.x < a.x + a.width and a.y < b.y + b.height and b.y < a.y + a.height


def around(model: Model, id: str) -> list[str]:
    """Return the ids of everything an element lies in."""
    found = []
    while id in model.elements:
        id = model.elements[id].parent
        found.append(id)
    return found


def ends(element: Element) -> tuple[str, str]:
    if isinstance(element, DataAssociation):
        given, taken = (element.sources or ("",))[0], element.target
        return (given, element.parent) if element.kind is AssociationKind.INPUT else (element.parent, taken)
    assert isinstance(element, SequenceFlow | MessageFlow | Association)
    return element.source, element.target


def problems(model: Model, diagram: Diagram) -> Iterator[str]:
    """Say what is wrong with a picture: overlaps, lines through foreign shapes, lines that do not reach their ends."""
    places = {shape.element: shape.bounds for shape in diagram.shapes}
    frames = [id for id in places if isinstance(model.elements[id], Participant | Lane)]
    solid = [id for id in places if id not in frames]
    inside = {id: around(model, id) for id in places}
    for a, b in combinations(sorted(solid, key=lambda id: places[id].x), 2):
        if places[b].x >= places[a].x + places[a].width:
            continue
        hosts = [getattr(model.elements[id], "attached_to", "") for id in (b, a)]
        data_inside = any(
            isinstance(model.elements[x], SubProcess)
            and not isinstance(model.elements[y], FlowNode)
            and holds(places[x], places[y])
            for x, y in ((a, b), (b, a))
        )
        if a in inside[b] or b in inside[a] or a == hosts[0] or b == hosts[1] or data_inside:
            continue
        if overlap(places[a], places[b]):
            yield f"{a} overlaps {b}"
    for id in solid:
        node = model.elements[id]
        if isinstance(node, FlowNode) and node.parent in places and not holds(places[node.parent], places[id]):
            yield f"{id} is outside {node.parent}"
    for lane in (model.elements[id] for id in frames):
        for member in getattr(lane, "members", ()):
            if member in places and not holds(places[lane.id], places[member]):
                yield f"{member} is outside {lane.id}"
    pools = [model.elements[id] for id in frames if isinstance(model.elements[id], Participant)]
    for edge in diagram.edges:
        line = model.elements[edge.element]
        own = [*ends(line), *(id for end in ends(line) for id in around(model, end))]
        foreign = [id for id in solid if id not in own]
        if isinstance(line, MessageFlow):
            foreign += [pool.id for pool in pools if pool.id not in own and pool.process not in own]
        for (ax, ay), (bx, by) in pairwise(edge.waypoints):
            if ax != bx and ay != by:
                yield f"{line.id} is slanted"
            # A line has no width; a hair of it tells running along a border from running inside.
            hair = Bounds(min(ax, bx) - 0.1, min(ay, by) - 0.1, abs(ax - bx) + 0.2, abs(ay - by) + 0.2)
            for id in foreign:
                if overlap(hair, places[id]):
                    yield f"{line.id} crosses {id}"
        for end, (x, y) in zip(ends(line), (edge.waypoints[0], edge.waypoints[-1]), strict=True):
            if end in places and not holds(places[end], Bounds(x, y, 0, 0)):
                yield f"{line.id} does not reach {end}"


def check(model: Model) -> tuple[Diagram, ...]:
    """Lay out a model and require that every picture is right and complete."""
    diagrams = layout(model)
    assert [problem for diagram in diagrams for problem in problems(model, diagram)] == []
    shown = [shape.element for diagram in diagrams for shape in diagram.shapes]
    assert len(shown) == len(dict.fromkeys(shown))
    drawn = [edge.element for diagram in diagrams for edge in diagram.edges]
    for element in model.elements.values():
        if isinstance(element, FlowNode):
            assert element.id in shown
        if isinstance(element, SequenceFlow | MessageFlow):
            assert element.id in drawn
    return diagrams


def place(diagram: Diagram, id: str) -> Bounds:
    return next(shape.bounds for shape in diagram.shapes if shape.element == id)


def test_sequence_goes_from_left_to_right_on_one_level() -> None:
    """style.md 1.3: tasks are 100x80, gateways 50x50, events 36x36; a sequence is drawn straight."""
    b = ProcessBuilder("p")
    b.start() >> b.task("A") >> b.exclusive("g") >> b.end()
    (diagram,) = check(b.model())
    assert (diagram.element, len(diagram.edges)) == ("p", 3)
    assert [(s.element, s.bounds.width, s.bounds.height) for s in diagram.shapes] == [
        ("start", 36, 36),
        ("A", 100, 80),
        ("g", 50, 50),
        ("end", 36, 36),
    ]
    assert len({shape.bounds.center[1] for shape in diagram.shapes}) == 1
    assert all(len(edge.waypoints) == 2 for edge in diagram.edges)
    assert diagram.shapes[2].is_marker_visible


def test_columns_follow_the_longest_path_and_loops_run_below() -> None:
    """lessons.md C: longest-path columns over the acyclic part; a flow backwards passes below."""
    b = ProcessBuilder("p")
    g, a = b.exclusive("g"), b.task("A")
    b.start() >> a >> b.task("B") >> b.task("C") >> g >> b.end()
    a >> g
    g >> a
    g.flow(g)
    (diagram,) = check(b.model())
    xs = [place(diagram, id).center[0] for id in ("start", "A", "B", "C", "g", "end")]
    assert xs == sorted(xs)
    back = next(edge for edge in diagram.edges if edge.element == "f_g_A")
    assert max(y for _, y in back.waypoints) > max(place(diagram, id).y + 80 for id in "ABC")
    assert (back.waypoints[0][0], back.waypoints[-1][0]) == (xs[4] + 25, xs[1] - 50)


def test_boundary_events_sit_on_the_lower_border() -> None:
    """lessons.md C: boundary events on the lower border; the host grows where there are many."""
    b = ProcessBuilder("p")
    a = b.task("A")
    b.start() >> a >> b.end()
    for at in range(5):
        b.boundary(a, "timer", f"t{at}", timer=at + 1) >> b.task(f"late{at}") >> b.end()
    (diagram,) = check(b.model())
    host = place(diagram, "A")
    assert [place(diagram, f"t{at}").center[1] for at in range(5)] == [host.y + host.height] * 5
    assert host.width > 100
    assert all(host.x < place(diagram, f"t{at}").center[0] < host.x + host.width for at in range(5))


def crossings(diagram: Diagram) -> list[tuple[str, str]]:
    """Return the pairs of edges of which one passes through the other."""
    found = []
    for first, second in combinations(diagram.edges, 2):
        for a, b in ((first, second), (second, first)):
            for ((left, y), (right, _)), ((x, top), (_, bottom)) in product(steps(a), steps(b)):
                if left < x < right and top < y < bottom:
                    found.append((a.element, b.element))
    return found


def steps(edge: Edge) -> list[tuple[tuple[float, float], ...]]:
    """Return the straight pieces of an edge, each from left to right or from top to bottom."""
    return [tuple(sorted(pair)) for pair in pairwise(edge.waypoints)]


def fork(*targets: str) -> Model:
    """Return a model of a task whose flows lead to these; *t* is the task itself, *first* stands before it."""
    b = ProcessBuilder("p")
    first, t = b.task("first"), b.task("t")
    b.start() >> first >> t
    made = {"first": first, "t": t}
    for target in targets:
        if target not in made:
            made[target] = b.task(target)
        t.flow(made[target], when="a > 1", id=f"{target}_{len(b.model().elements)}")
    return b.model()


@pytest.mark.parametrize(
    "targets", ["a", "ab", "abc", "abcd", "abcdefghi", ["a", "first"], ["t", "a", "first", "b"], ["a", "a", "b"]]
)
def test_flows_of_an_activity_start_below_each_other_and_do_not_cross(targets: Sequence[str]) -> None:
    """Marks of conditional and default flows stand at their beginnings, each on its own flow (BPMN 2.0.2, 7.3)."""
    (diagram,) = check(fork(*targets))
    host = place(diagram, "t")
    starts = sorted(edge.waypoints[0] for edge in diagram.edges if edge.waypoints[0][0] == host.x + host.width)
    assert len(starts) == len(targets)
    assert all(lower[1] - upper[1] >= 16 for upper, lower in pairwise(starts))
    assert (starts[0][1] + starts[-1][1]) / 2 == host.center[1]
    assert crossings(diagram) == []


def test_flows_of_a_gateway_start_at_its_corner() -> None:
    b = ProcessBuilder("p")
    b.exclusive("g") >> [b.task("a"), b.task("b")]
    (diagram,) = check(b.model())
    g = place(diagram, "g")
    assert [edge.waypoints[0] for edge in diagram.edges] == [(g.x + g.width, g.center[1])] * 2


def test_subprocess_boxes_hold_their_content() -> None:
    """lessons.md C: sub-process boxes recursively; one without content is drawn as a closed task."""
    b = ProcessBuilder("p")
    outer = b.subprocess("outer")
    inside = b.inside(outer)
    inner = inside.subprocess("inner", body=lambda s: s.start() >> s.task("A") >> s.end())
    inside.start() >> inner >> inside.end()
    b.boundary(outer, "error") >> b.end()
    b.start() >> outer >> b.subprocess("empty") >> b.end()
    b.subprocess("h", kind="event", body=lambda s: s.start(message="m") >> s.end())
    (diagram,) = check(b.model())
    assert holds(place(diagram, "outer"), place(diagram, "inner"))
    assert holds(place(diagram, "inner"), place(diagram, "A"))
    expanded = {shape.element: shape.is_expanded for shape in diagram.shapes}
    assert (expanded["outer"], expanded["empty"], expanded["A"]) == (True, False, None)
    assert (place(diagram, "empty").width, place(diagram, "empty").height) == (100, 80)
    assert place(diagram, "h").y > place(diagram, "outer").y + place(diagram, "outer").height


def test_data_and_notes_stand_by_what_they_belong_to() -> None:
    """Data and notes above their node, a second connection is routed; those of nothing stand below."""
    b = ProcessBuilder("p")
    order, store = b.data("order", name="Order"), b.store("stock")
    a, g = b.task("A").writes(order).reads(store), b.exclusive("g")
    b.start() >> a >> g >> b.task("B").reads(order) >> b.end()
    b.annotate("why so? " * 20, about=g)
    b.boundary(a, "timer", "t", timer=5)
    b.associate(b.annotate("late", id="late"), "t")
    b.data("loose")
    (diagram,) = check(b.model())
    assert len(diagram.edges) == 4 + 5
    host = place(diagram, "A")
    for id in ("order", "stock_ref"):
        assert host.x < place(diagram, id).x < host.x + host.width
        assert place(diagram, id).y + place(diagram, id).height < host.y
    assert place(diagram, "loose").y > host.y + host.height


def test_compensation_handlers_are_connected() -> None:
    """CMP-02: the association from a compensation boundary to its handler is drawn like a flow."""
    b = ProcessBuilder("p")
    a = b.task("A")
    b.start() >> a >> b.end()
    b.boundary(a, "compensation", handler=b.task("undo"))
    (diagram,) = check(b.model())
    line = next(edge for edge in diagram.edges if edge.element == "a_A_compensation_undo")
    assert line.waypoints[-1] == (place(diagram, "undo").x, place(diagram, "undo").center[1])


def test_lanes_hold_their_members() -> None:
    """Lanes are bands in declared order, outer lanes around inner ones."""
    b = ProcessBuilder("p")
    start, a, c, d = b.start(), b.task("A"), b.task("C"), b.task("D")
    start >> a >> c >> d >> b.end("e")
    d >> a
    b.lane("outer")
    b.lane("top", [start, c], inside="outer")
    b.lane("middle", [a], inside="outer")
    b.lane("bottom", [d])
    b.lane("nobody")
    (diagram,) = check(b.model())
    top, middle, bottom, outer = (place(diagram, id) for id in ("top", "middle", "bottom", "outer"))
    assert place(diagram, "nobody").y == bottom.y + bottom.height
    assert top.y + top.height == middle.y
    assert middle.y + middle.height == bottom.y
    assert (outer.y, outer.y + outer.height, outer.x) == (top.y, bottom.y, top.x - 30)


def pools() -> ProcessBuilder:
    """Return a model of three pools and a black box, with message flows between all of them."""
    b = ProcessBuilder("shop")
    bank = b.process("bank")
    post = b.process("post")
    b.start("s") >> b.send("ask") >> b.receive("paid") >> b.send("ship") >> b.end("e")
    pay = bank.subprocess("pay", body=lambda s: s.start() >> s.send("answer") >> s.end())
    bank.start("sb") >> pay >> bank.end("eb")
    bank.task("alone")
    timer = bank.boundary(pay, "message", "cancel", message="stop")
    timer >> bank.end("ec")
    post.start("sp", message="parcel") >> post.task("carry") >> post.end("ep")
    customer = b.black_box("customer", name="Customer")
    for source, target in [("ask", "sb"), ("answer", "paid"), ("ship", "sp"), ("ship", "cancel"), ("alone", "e")]:
        b.message_flow(source, target)
    b.message_flow("carry", customer)
    b.message_flow(customer, "s")
    b.message_flow(post, customer)
    return b


def test_pools_are_stacked_and_messages_run_between_them() -> None:
    """lessons.md C: pools stacked; a message flow touches no foreign pool or shape."""
    b = pools()
    (diagram,) = check(b.model())
    assert diagram.element == "collaboration"
    bounds = [place(diagram, id) for id in ("customer", "pool_shop", "pool_bank", "pool_post")]
    assert all(above.y + above.height < below.y for above, below in pairwise(bounds))
    assert len({(pool.x, pool.width) for pool in bounds}) == 1
    assert all(holds(place(diagram, "pool_bank"), place(diagram, id)) for id in ("sb", "pay", "cancel", "alone"))


def test_each_process_without_a_pool_has_a_picture() -> None:
    """One diagram per collaboration and per process outside of it; ids differ from those of the model."""
    b = pools()
    b.process("tax").task("diagram_tax")
    diagrams = check(b.model())
    assert [diagram.element for diagram in diagrams] == ["collaboration", "tax"]
    ids = [item.id for diagram in diagrams for item in (diagram, *diagram.shapes, *diagram.edges)]
    assert len(ids) == len(dict.fromkeys(ids))
    assert diagrams[1].id == "diagram_tax_"
    assert layout(Model([])) == ()


def test_drawing_is_deterministic() -> None:
    """Design section 9: the same picture in another process under another hash seed."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from tests.model.test_layout import pools; "
        "from bpmnsim.model.layout import layout; print(layout(pools().model()))"
    )
    folder = str(Path(__file__).parents[2])
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code, folder],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1] == f"{layout(pools().model())}\n"


def test_thousand_nested_levels() -> None:
    """Depth costs no recursion."""
    b = ProcessBuilder("p")
    inside = b
    for level in range(1000):
        inside = inside.inside(inside.subprocess(f"s{level}"))
    inside.start() >> inside.end()
    (diagram,) = layout(b.model())
    assert holds(place(diagram, "s0"), place(diagram, "s999"))
    assert len(diagram.shapes) == 1002


def test_wrong_models_are_drawn_as_far_as_possible() -> None:
    """lessons.md A48: layout never fails; what has no place is left out."""
    b = pools()
    b.task("A") >> b.task("B")
    model = b.model()
    wrong = [
        SequenceFlow(id="across", parent="shop", source="answer", target="ask"),
        SequenceFlow(id="into", parent="shop", source="gone", target="ask"),
        SequenceFlow(id="onto", parent="bank", source="sb", target="cancel"),
        BoundaryEvent(id="lost", parent="shop", attached_to="gone"),
        BoundaryEvent(id="far", parent="shop", attached_to="pay"),
        Association(id="to_flow", parent="shop", source="ask", target="f_A_B"),
        Participant(id="again", parent="collaboration", process="shop"),
        Participant(id="ghost", parent="collaboration", process="gone"),
        MessageFlow(id="same", parent="collaboration", source="ask", target="ship"),
        MessageFlow(id="self", parent="collaboration", source="ask", target="pool_shop"),
        MessageFlow(id="nowhere", parent="collaboration", source="ask", target="gone"),
        MessageFlow(id="alien", parent="gone", source="ask", target="sb"),
        SubProcess(id="a", parent="b"),
        SubProcess(id="b", parent="a"),
        MessageFlow(id="void", parent="collaboration", source="a", target="sb"),
    ]
    bad = Model([*model.elements.values(), *wrong])
    (diagram,) = layout(bad)
    shown = [item.element for item in (*diagram.shapes, *diagram.edges)]
    left_out = ("across", "into", "to_flow", "self", "nowhere", "alien", "a", "b", "void")
    assert [id for id in left_out if id in shown] == []
    assert [id for id in ("onto", "lost", "far", "again", "ghost", "same") if id not in shown] == []
    assert list(problems(bad, replace(diagram, edges=[e for e in diagram.edges if e.element != "onto"]))) == []


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Return a random model of one or two pools with nesting, boundary events, data, notes and messages."""
    b = ProcessBuilder("p")
    builders = [b, *([b.process("q")] if draw(st.booleans()) else [])]
    nodes: list[list] = []
    queue = [(builder, 0) for builder in builders]
    while queue:
        builder, depth = queue.pop(0)
        here = [builder.task(f"t{len(b.model().elements)}")]
        for kind in draw(st.lists(st.sampled_from("tttggesb" if depth < 3 else "tttgge"), min_size=1, max_size=9)):
            if kind == "b":
                here.append(builder.boundary(here[0], "timer", f"b{len(b.model().elements)}", timer=1))
                continue
            id = f"{kind}{len(b.model().elements)}"
            make = {"t": builder.task, "g": builder.exclusive, "e": builder.event, "s": builder.subprocess}[kind]
            here.append(make(id, name=draw(st.sampled_from(["", "A name"]))))
            if kind == "s":
                queue.append((builder.inside(here[-1]), depth + 1))
        nodes.append(here)
        index = st.integers(0, len(here) - 1)
        targets = [node for node in here if not node.id.startswith("b")]
        for source, target in draw(st.lists(st.tuples(index, index), max_size=14)):
            if targets:
                here[source].flow(targets[target % len(targets)])
        for at, (first, second) in enumerate(draw(st.lists(st.tuples(index, index), max_size=3))):
            data = builder.data(f"d{len(b.model().elements)}_{at}")
            here[first].writes(data)
            here[second].reads(data)
            builder.annotate("note", about=here[second])
    if draw(st.booleans()):
        members = [node for node in nodes[0] if not node.id.startswith("b")]
        builders[0].lane("one", members[::2])
        builders[0].lane("two", members[1::4])
    if len(builders) == 2 and nodes[0] and nodes[1]:
        box = b.black_box("box")
        everywhere = [(node, node.id) for here in nodes for node in here]
        for at in draw(st.lists(st.integers(0, len(everywhere) - 1), max_size=4)):
            b.message_flow(box, everywhere[at][0])
        for first, second in draw(st.lists(st.tuples(*[st.integers(0, 99)] * 2), max_size=5)):
            b.message_flow(nodes[0][first % len(nodes[0])], nodes[1][second % len(nodes[1])])
    return b.model()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(models())
def test_random_models_are_drawn_right(model: Model) -> None:
    """No overlap, no line through a foreign shape, whatever the model."""
    check(model)


def test_real_files_are_drawn_right(corpus: Path) -> None:
    """Every well-formed real file, drawn without regard to its own diagram."""
    reader = pytest.importorskip("bpmnsim.xml.reader")
    count = 0
    for path in sorted(path for path in corpus.glob("*/*") if path.suffix in (".bpmn", ".bpmn2", ".xml")):
        try:
            model = reader.read_bpmn(path)
        except BpmnSimError:
            continue
        diagrams = layout(model)
        assert [(path.name, problem) for diagram in diagrams for problem in problems(model, diagram)] == []
        count += 1
    assert count > 100


def test_five_hundred_nodes_take_less_than_a_second() -> None:
    """A long process with forks, boundary events and a loop back to its beginning."""
    b = ProcessBuilder("p")
    first = last = b.exclusive("first")
    b.start() >> first
    for at in range(83):
        fork, join = b.parallel(f"fork{at}"), b.parallel(f"join{at}")
        work = b.task(f"a{at}")
        last >> fork >> [work, b.task(f"b{at}")] >> join
        b.boundary(work, "timer", timer=1) >> b.end()
        last = join
    last >> first
    last >> b.end()
    model = b.model()
    assert len(model.nodes("p")) > 500
    taken = []
    for _ in range(3):
        started = time.process_time()
        layout(model)
        taken.append(time.process_time() - started)
    assert min(taken) < slowness()
