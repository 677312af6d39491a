"""Every BPMN shape is drawn, and none looks like another (BPMN 2.0.2 sections 7.3 and 10 to 12)."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from bpmnsim import model as m
from bpmnsim.views.markup import text_width
from bpmnsim.views.svg import render_svg

SVG = "{http://www.w3.org/2000/svg}"
Grid = Callable[..., m.Model]

TASKS = [
    m.Task, m.UserTask, m.ManualTask, m.ServiceTask, m.ScriptTask, m.SendTask, m.ReceiveTask, m.BusinessRuleTask,
]  # fmt: skip
POSITIONS = [m.StartEvent, m.IntermediateCatchEvent, m.IntermediateThrowEvent, m.EndEvent]
DEFINITIONS = [
    m.MessageEventDefinition, m.TimerEventDefinition, m.ErrorEventDefinition, m.EscalationEventDefinition,
    m.CancelEventDefinition, m.CompensateEventDefinition, m.ConditionalEventDefinition, m.LinkEventDefinition,
    m.SignalEventDefinition, m.TerminateEventDefinition,
]  # fmt: skip
NEVER_FILLED = {m.TimerEventDefinition, m.ConditionalEventDefinition, m.TerminateEventDefinition}


def look(model: m.Model, element: str) -> ElementTree.Element:
    """Group of a drawn element."""
    root = ElementTree.fromstring(render_svg(model))
    return next(g for g in root.iter(f"{SVG}g") if g.get("data-element") == element)


def drawing(model: m.Model, element: str) -> str:
    """Markup of an element without what only names it."""
    group = look(model, element)
    for named in [*group.iter(f"{SVG}text")]:
        named.clear()
    return "".join(ElementTree.tostring(child, encoding="unicode") for child in group if child.tag != f"{SVG}title")


def classes(model: m.Model, element: str) -> list[str]:
    return look(model, element).get("class", "").split()


def markers(model: m.Model, element: str) -> list[str]:
    found = [g.get("class", "").split() for g in look(model, element).iter(f"{SVG}g")]
    return [names[1] for names in found if names[:1] == ["marker"]]


def alone(grid: Grid, element: m.Element, *more: m.Element, **options: object) -> str:
    return drawing(grid([element, *more], **options), element.id)


def test_every_kind_of_task_has_its_own_icon(grid: Grid) -> None:
    looks = {kind.__name__: alone(grid, kind(id="a")) for kind in TASKS}
    looks["starting receive"] = alone(grid, m.ReceiveTask(id="a", instantiate=True))
    assert len(set(looks.values())) == len(looks)
    assert 'class="icon"' not in looks["Task"]
    assert all('class="icon"' in drawn for name, drawn in looks.items() if name != "Task")


def test_every_kind_of_gateway_has_its_own_sign(grid: Grid) -> None:
    gateways = [
        m.ExclusiveGateway(id="g"),
        m.ParallelGateway(id="g"),
        m.InclusiveGateway(id="g"),
        m.ComplexGateway(id="g"),
        m.EventBasedGateway(id="g"),
        m.EventBasedGateway(id="g", instantiate=True),
        m.EventBasedGateway(id="g", instantiate=True, is_parallel=True),
    ]
    assert len({alone(grid, gateway) for gateway in gateways}) == len(gateways)


@pytest.mark.parametrize(("visible", "signs"), [(None, 1), (True, 1), (False, 0)])
def test_the_cross_of_an_exclusive_gateway_can_be_hidden(visible: bool | None, signs: int) -> None:
    """BPMN DI: isMarkerVisible."""
    shape = m.Shape(element="x", bounds=m.Bounds(0, 0, 50, 50), is_marker_visible=visible)
    model = m.Model([m.ExclusiveGateway(id="x")], diagrams=[m.Diagram(shapes=(shape,))])
    assert [g.get("class") for g in look(model, "x")[1:] if g.tag == f"{SVG}g"] == ["symbol exclusive"] * signs


def test_events_of_every_kind_and_position_differ(grid: Grid) -> None:
    """A kind is told by its symbol, a position by its border; throws are filled, catches hollow."""
    looks = {
        (position, kind): alone(grid, position(id="e", definitions=(kind(id="d"),) if kind else ()))
        for position in POSITIONS
        for kind in [None, *DEFINITIONS]
    }
    alike = {drawn: [key for key, other in looks.items() if other == drawn] for drawn in looks.values()}
    for keys in alike.values():
        # What is drawn the same for throw and catch has no hollow and filled form.
        assert len(keys) == 1 or {kind for _, kind in keys} <= {None, *NEVER_FILLED}, keys
        assert len({kind for _, kind in keys}) == 1


@pytest.mark.parametrize("kind", [kind for kind in DEFINITIONS if kind not in NEVER_FILLED])
def test_throws_are_filled_and_catches_hollow(kind: type[m.EventDefinition], grid: Grid) -> None:
    symbols = []
    for position in POSITIONS:
        group = look(grid([position(id="e", definitions=(kind(id="d"),))]), "e")
        [symbol] = [g for g in group.iter(f"{SVG}g") if g.get("class") == "symbol"]
        symbols.append(symbol[0].get("fill"))
    assert symbols == ["#FFFFFF", "#FFFFFF", "#000000", "#000000"]


def borders(grid: Grid, event: m.Event) -> list[tuple[str | None, str | None]]:
    """Width and dashes of the circles of an event."""
    circles = look(grid([event]), event.id).iter(f"{SVG}circle")
    return [(circle.get("stroke-width"), circle.get("stroke-dasharray")) for circle in circles]


def test_borders_tell_the_position(grid: Grid) -> None:
    """Start single, intermediate double, end thick; non-interrupting dashed."""
    assert borders(grid, m.StartEvent(id="e")) == [(None, None)]
    assert borders(grid, m.EndEvent(id="e")) == [("4", None)]
    for event in (
        m.IntermediateCatchEvent(id="e"),
        m.IntermediateThrowEvent(id="e"),
        m.BoundaryEvent(id="e", attached_to="a"),
    ):
        assert borders(grid, event) == [(None, None)] * 2
    assert borders(grid, m.StartEvent(id="e", interrupting=False)) == [(None, "5 3")]
    assert borders(grid, m.BoundaryEvent(id="e", attached_to="a", interrupting=False)) == [(None, "5 3")] * 2


def test_classes_tell_the_kind_of_an_event(grid: Grid) -> None:
    both = (m.MessageEventDefinition(id="d"), m.SignalEventDefinition(id="f"))
    events = [
        (m.StartEvent(id="e"), ["start-event", "event", "none"]),
        (m.EndEvent(id="e", definitions=both[:1]), ["end-event", "event", "message"]),
        (m.StartEvent(id="e", definitions=both), ["start-event", "event", "multiple"]),
        (m.StartEvent(id="e", definitions=both, parallel_multiple=True), ["start-event", "event", "parallel-multiple"]),
        (
            m.BoundaryEvent(id="e", attached_to="a", interrupting=False, definitions=both[1:]),
            ["boundary-event", "event", "signal", "non-interrupting"],
        ),
    ]
    assert [classes(grid([event]), "e") for event, _ in events] == [["bpmn", *names] for _, names in events]
    assert alone(grid, events[2][0]) != alone(grid, events[3][0])


def test_markers_stand_at_the_foot_in_a_fixed_order(grid: Grid) -> None:
    parallel = m.MultiInstanceLoopCharacteristics(id="l")
    sequential = m.MultiInstanceLoopCharacteristics(id="l", is_sequential=True)
    loop = m.StandardLoopCharacteristics(id="l")
    cases: list[tuple[m.Activity, list[str]]] = [
        (m.Task(id="a"), []),
        (m.Task(id="a", loop=loop), ["loop"]),
        (m.Task(id="a", loop=parallel), ["parallel-multi-instance"]),
        (m.UserTask(id="a", loop=sequential, is_for_compensation=True), ["sequential-multi-instance", "compensation"]),
        (m.CallActivity(id="a", loop=parallel), ["parallel-multi-instance", "collapsed"]),
        (m.SubProcess(id="a"), ["collapsed"]),
        (
            m.AdHocSubProcess(id="a", loop=loop, is_for_compensation=True),
            ["loop", "compensation", "ad-hoc", "collapsed"],
        ),
    ]
    assert [markers(grid([activity]), "a") for activity, _ in cases] == [expected for _, expected in cases]
    assert len({alone(grid, activity) for activity, _ in cases}) == len(cases)


def rects(model: m.Model, element: str) -> list[tuple[str | None, str | None]]:
    found = look(model, element).findall(f"{SVG}rect")
    return [(rect.get("stroke-width"), rect.get("stroke-dasharray")) for rect in found]


def test_borders_tell_the_kind_of_an_activity(grid: Grid) -> None:
    """Call activity thick, transaction double, event sub-process dotted."""
    assert rects(grid([m.Task(id="a")]), "a") == [(None, None)]
    assert rects(grid([m.CallActivity(id="a")]), "a") == [("4", None)]
    assert rects(grid([m.Transaction(id="a")]), "a") == [(None, None)] * 2
    assert rects(grid([m.SubProcess(id="a", triggered_by_event=True)]), "a") == [(None, "1.5 3")]


def test_a_collapsed_event_sub_process_shows_its_start(grid: Grid) -> None:
    start = m.StartEvent(id="s", parent="a", definitions=(m.TimerEventDefinition(id="d"),))
    with_start = alone(grid, m.SubProcess(id="a", triggered_by_event=True), start)
    assert 'class="icon"' in with_start
    assert 'class="icon"' not in alone(grid, m.SubProcess(id="a"), start)


def box(element: str, x: float, y: float, width: float, height: float, is_expanded: bool | None = None) -> m.Shape:
    return m.Shape(element=element, bounds=m.Bounds(x, y, width, height), is_expanded=is_expanded)


@pytest.mark.parametrize(
    ("expanded", "size", "inner", "names"),
    [
        (True, (100, 80), None, ["expanded"]),
        (False, (100, 80), None, ["collapsed"]),
        (None, (350, 200), None, ["collapsed"]),
        (None, (350, 200), (20, 20), ["expanded"]),
        (None, (350, 200), (900, 900), ["expanded"]),
        (False, (350, 200), (20, 20), ["expanded"]),
        (False, (140, 90), (20, 10), ["collapsed"]),
        (False, (350, 200), (900, 900), ["collapsed"]),
    ],
)
def test_open_or_closed_is_judged_by_what_the_file_draws(
    expanded: bool | None, size: tuple[float, float], inner: tuple[float, float] | None, names: list[str]
) -> None:
    """Files of several tools leave isExpanded out, or write false although they draw the content."""
    shapes = [box("s", 0, 0, *size, expanded)] + ([box("t", *inner, 100, 80)] if inner else [])
    model = m.Model([m.SubProcess(id="s"), m.Task(id="t", parent="s")], diagrams=[m.Diagram(shapes=tuple(shapes))])
    assert classes(model, "s") == ["bpmn", "sub-process", "activity", *names]
    assert ('data-element="t"' in render_svg(model)) == (inner is not None and names == ["expanded"])


def test_what_touches_a_closed_sub_process_stays() -> None:
    """Only what lies inside is hidden: not its data associations, not the events on its border."""
    elements = [
        m.SubProcess(id="s"),
        m.Task(id="t", parent="s"),
        m.DataObject(id="d"),
        m.DataAssociation(id="a", parent="s", kind=m.AssociationKind.INPUT, sources=("d",), target="i"),
        m.BoundaryEvent(id="b", attached_to="s"),
    ]
    shapes = (
        box("s", 100, 0, 100, 80, False),
        box("t", 110, 0, 50, 50),
        box("d", 0, 0, 36, 50),
        box("b", 150, 60, 36, 36),
    )
    edges = (m.Edge(element="a", waypoints=((36, 25), (100, 25))),)
    picture = render_svg(m.Model(elements, diagrams=[m.Diagram(shapes=shapes, edges=edges)]))
    assert re.findall(r'class="bpmn [^"]*" data-element="(\w+)"', picture) == ["a", "s", "d", "b"]


def test_an_open_call_activity_lies_behind_what_it_shows() -> None:
    """The called process drawn inside belongs to another parent, so its size and the file decide."""
    shapes = (box("t", 20, 20, 100, 80), box("c", 0, 0, 350, 200, True))
    model = m.Model([m.CallActivity(id="c"), m.Task(id="t")], diagrams=[m.Diagram(shapes=shapes)])
    assert markers(model, "c") == []
    assert render_svg(model).index('data-element="c"') < render_svg(model).index('data-element="t"')


def test_data_shapes_differ(grid: Grid) -> None:
    many = m.DataObject(id="many", is_collection=True)
    shapes: list[m.Element] = [
        m.DataObject(id="a"),
        m.DataObject(id="a", is_collection=True),
        m.DataStoreReference(id="a"),
        m.DataInput(id="a"),
        m.DataOutput(id="a"),
    ]
    assert len({alone(grid, shape) for shape in shapes}) == len(shapes)
    assert alone(grid, m.DataObjectReference(id="a", target="many"), many) == alone(grid, shapes[1])
    assert alone(grid, m.DataStore(id="a")) == alone(grid, shapes[2])


def test_pools_and_lanes_are_horizontal_or_vertical() -> None:
    """The title stands along the left or the upper side; a pool without a process is a black box."""
    elements = [
        m.Process(id="p"),
        m.Task(id="t", parent="p"),
        m.Participant(id="a", name="Shop", process="p"),
        m.Participant(id="b", name="Customer", maximum=2),
        m.Lane(id="l", name="Clerk", parent="p"),
    ]

    def pictured(*, across: bool | None) -> m.Model:
        bounds = m.Bounds(0, 0, 600, 250)
        shapes = [m.Shape(element=at, bounds=bounds, is_horizontal=across) for at in "lab"]
        return m.Model(elements, diagrams=[m.Diagram(shapes=tuple(shapes))])

    def turned(model: m.Model, element: str) -> list[bool]:
        return ["rotate" in text.get("transform", "") for text in look(model, element).iter(f"{SVG}text")]

    for across in (None, True):
        model = pictured(across=across)
        assert classes(model, "a") == ["bpmn", "participant", "pool", "horizontal"]
        assert (turned(model, "a"), turned(model, "l")) == ([True], [True])
    model = pictured(across=False)
    assert classes(model, "a") == ["bpmn", "participant", "pool", "vertical"]
    assert classes(model, "l") == ["bpmn", "lane", "vertical"]
    assert (turned(model, "a"), turned(model, "l"), turned(model, "b")) == ([False], [False], [False])
    assert classes(model, "b") == ["bpmn", "participant", "pool", "black-box"]
    assert markers(model, "b") == ["parallel-multi-instance"]
    order = re.findall(r'class="bpmn [^"]*" data-element="(\w+)"', render_svg(model))
    assert order == ["a", "b", "l"]


def test_artifacts(grid: Grid) -> None:
    note, group = m.TextAnnotation(id="t", text="mind the gap"), m.Group(id="g", category_value="v")
    model = grid([note, group, m.Category(id="c", values=(("v", "Urgent"),))])
    assert [text.text for text in look(model, "t").iter(f"{SVG}text")] == ["mind the gap"]
    [frame] = look(model, "g").iter(f"{SVG}rect")
    assert (frame.get("fill"), frame.get("stroke-dasharray")) == ("none", "8 3 1.5 3")
    assert ">Urgent</text>" in render_svg(model)


def test_anything_else_that_has_a_shape_is_still_drawn() -> None:
    """Robust: a message or conversation drawn by a tool is a dotted box with its name."""
    shape = m.Shape(element="m", bounds=m.Bounds(0, 0, 80, 40))
    model = m.Model([m.Message(id="m", name="Order")], diagrams=[m.Diagram(shapes=(shape,))])
    assert classes(model, "m") == ["bpmn", "message"]
    assert [text.text for text in look(model, "m").iter(f"{SVG}text")] == ["Order"]


def test_text_stands_beside_the_icon_of_a_low_task() -> None:
    """Seen in a real file: tasks 50 high, whose name ran into the icon."""

    def widest(height: float) -> float:
        model = m.Model(
            [m.UserTask(id="t", name="Approve the invoice at once")],
            diagrams=[m.Diagram(shapes=(box("t", 0, 0, 100, height),))],
        )
        [text] = look(model, "t").iter(f"{SVG}text")
        size = float(text.get("font-size", ""))
        return max(text_width(line or "", size) for line in (text.text, *(span.text for span in text)))

    assert 54 < widest(80) <= 92
    assert widest(40) <= 54


@pytest.mark.parametrize("kind", [m.Task, m.UserTask, m.CallActivity, m.SubProcess, m.Transaction])
@pytest.mark.parametrize("is_open", [True, False])
def test_an_activity_without_a_name_shows_its_id_in_italics(kind: type[m.Activity], is_open: bool) -> None:
    """Tables speak of ids: a picture of a model without names must be matched with them."""

    def text(**names: str) -> tuple[str | None, str | None]:
        shape = m.Shape(element="<a & b>", bounds=m.Bounds(0, 0, 300, 200), is_expanded=is_open)
        model = m.Model([kind(id="<a & b>", **names)], diagrams=[m.Diagram(shapes=(shape,))])
        [text] = look(model, "<a & b>").iter(f"{SVG}text")
        return text.text, text.get("font-style")

    assert text() == text(name=" ") == ("<a & b>", "italic")
    assert text(name="Check") == ("Check", None)


def test_only_activities_show_their_id(grid: Grid) -> None:
    nodes = [m.StartEvent(id="s"), m.ExclusiveGateway(id="g"), m.SequenceFlow(id="f", source="s", target="g")]
    assert "<text" not in render_svg(grid(nodes))


def test_text_keeps_clear_of_an_event_on_the_lower_edge() -> None:
    """Seen in real files: the second line of a name was hidden behind a boundary event."""

    def lowest(*more: m.Shape) -> float:
        shapes = (box("t", 0, 0, 120, 60), *more)
        elements = [m.UserTask(id="t", name="Perform repair (premium level)"), m.BoundaryEvent(id="b", attached_to="t")]
        group = look(m.Model(elements, diagrams=[m.Diagram(shapes=shapes)]), "t")
        [text] = group.iter(f"{SVG}text")
        return float(text.get("y", "")) + sum(float(span.get("dy", "")) for span in text)

    assert lowest() > 42
    assert lowest(box("b", 42, 42, 36, 36)) < 42
