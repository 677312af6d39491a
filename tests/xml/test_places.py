"""Ids and references: missing, repeated, qualified and unresolved ones."""

from __future__ import annotations

from bpmnsim import model as m
from bpmnsim.xml import read_bpmn

MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"


def read(body: str) -> m.Model:
    """Read a file with this inside."""
    return read_bpmn(f'<definitions xmlns="{MODEL}" xmlns:tns="urn:t">{body}</definitions>')


def notes(model: m.Model) -> list[str]:
    """Return the notes as text."""
    return [f"{note.element_id}: {note.text}" for note in model.notes]


def test_missing_ids_come_from_kind_and_position() -> None:
    """The same bytes give the same ids; an id of the file is never taken."""
    text = """<process id="p"><task/><task id="task_3"/><task/><task id="b"/>
      <sequenceFlow sourceRef="b" targetRef="task_3"/><startEvent><timerEventDefinition/></startEvent></process>"""
    model = read(text)
    assert [element.id for element in model.elements.values()] == [
        "p", "task_1", "task_3", "task_3_", "b", "sequenceFlow_1", "startEvent_1",
    ]  # fmt: skip
    assert model == read(text)
    named = "was named after its position, because it has no id"
    assert notes(model) == [f"task_1: {named}", f"task_3_: {named}", f"startEvent_1: {named}"]


def test_a_repeated_id_stays_with_the_first() -> None:
    """Later ones get a new stable id and a note."""
    model = read('<process id="p"><task id="a" name="1"/><task id="a" name="2"/><task id="a_2"/></process>')
    assert [(node.id, node.name) for node in model.nodes("p")] == [("a", "1"), ("a_2_", "2"), ("a_2", "")]
    assert notes(model) == ["a_2_: was renamed, because another element has the id 'a'"]


def test_references_to_a_repeated_id_mean_the_one_in_the_same_scope() -> None:
    """Two processes pasted into one file keep their own flows."""
    one = """<process id="{}"><startEvent id="s"/><task id="t" default="f"/><endEvent id="e"/>
      <sequenceFlow id="f" sourceRef="t" targetRef="e"/><sequenceFlow id="g" sourceRef="s" targetRef="t"/></process>"""
    model = read(one.format("p") + one.format("q"))
    ends = [[(flow.id, flow.source, flow.target) for flow in model.flows(name)] for name in ("p", "q")]
    assert ends == [[("f", "t", "e"), ("g", "s", "t")], [("f_2", "t_2", "e_2"), ("g_2", "s_2", "t_2")]]
    assert model.element("t_2").default == "f_2"  # type: ignore[attr-defined]


def test_qualified_names_mean_their_local_part() -> None:
    """A prefix is resolved, whatever it is called."""
    model = read(
        """<message id="m"/><process id="p"><receiveTask id="r" messageRef="tns:m"/><callActivity id="c"
        calledElement="tns:p"/><callActivity id="d" calledElement="tns:other"/></process>"""
    )
    assert model.element("r") == m.ReceiveTask(id="r", parent="p", message="m")
    assert model.element("c") == m.CallActivity(id="c", parent="p", called_element="p")
    assert model.element("d") == m.CallActivity(id="d", parent="p", called_element="other")
    assert read('<process id="p"><callActivity id="c" calledElement="a:b"/></process>').element("c") == m.CallActivity(
        id="c", parent="p", called_element="a:b"
    )
    assert notes(model) == ["d: calledElement names 'tns:other', which is not in the file; it was kept as text"]


def test_unresolved_references_are_kept_as_text_or_left_out() -> None:
    """Names that an engine may know are kept; a default or member that does not exist is left out."""
    model = read(
        """<task id="top"/><process id="p"><laneSet><lane id="l"><flowNodeRef>ghost</flowNodeRef></lane></laneSet>
        <exclusiveGateway id="x" default="ghost"/>
        <endEvent id="e"><errorEventDefinition id="d" errorRef="E1"/></endEvent>
        <boundaryEvent id="b" attachedToRef="ghost"/><boundaryEvent id="c"/>
        <startEvent id="s"><eventDefinitionRef>ghost</eventDefinitionRef></startEvent>
        <startEvent id="n"><eventDefinitionRef>d</eventDefinitionRef></startEvent></process>"""
    )
    assert model.element("l") == m.Lane(id="l", parent="p")
    assert model.element("x") == m.ExclusiveGateway(id="x", parent="p")
    assert model.element("e").definitions == (  # type: ignore[attr-defined]
        m.ErrorEventDefinition(id="d", parent="e", error="E1"),
    )
    assert model.element("b") == m.BoundaryEvent(id="b", parent="p", attached_to="ghost")
    assert model.element("c") == m.BoundaryEvent(id="c", parent="p", attached_to="")
    assert model.element("s") == m.StartEvent(id="s", parent="p")
    assert model.element("n") == m.StartEvent(id="n", parent="p")
    assert notes(model) == [
        ": element <task> is not known here and was passed over",
        "l: flowNodeRef names 'ghost', which is not in the file; it was passed over",
        "x: default names 'ghost', which is not in the file; it was passed over",
        "d: errorRef names 'E1', which is not in the file; it was kept as text",
        "b: attachedToRef names 'ghost', which is not in the file; it was kept as text",
        "s: eventDefinitionRef names 'ghost', which is not in the file; it was passed over",
        "n: eventDefinitionRef names 'd', which belongs to another event; it was passed over",
    ]


def test_nothing_refers_to_a_dropped_flow_with_a_repeated_id() -> None:
    """The flow f of q is gone; the default there must not mean it."""
    model = read(
        """<process id="p"><task id="a"/><sequenceFlow id="f" sourceRef="a" targetRef="a"/></process>
        <process id="q"><task id="b" default="f"/><sequenceFlow id="f" sourceRef="b" targetRef="nowhere"/></process>"""
    )
    assert [element.id for element in model.elements.values()] == ["p", "a", "f", "q", "b"]
    assert model.element("b").default in model.elements  # type: ignore[attr-defined]


def test_a_reference_to_the_wrong_kind_of_element_is_unresolved() -> None:
    """An error event does not catch a task."""
    model = read('<process id="p"><task id="a"/><sendTask id="s" messageRef="a"/></process>')
    assert notes(model) == ["s: messageRef names 'a', which is not in the file; it was kept as text"]


def test_flows_without_two_ends_are_dropped_with_a_note() -> None:
    """They are gone from lookups too: nothing refers to a dropped flow."""
    model = read(
        """<collaboration id="c"><participant id="a1"/><messageFlow id="m" sourceRef="a1" targetRef="x"/>
        </collaboration><process id="p"><task id="a" default="f"/><dataObject id="d"/>
        <sequenceFlow id="f" sourceRef="a" targetRef="x"/><sequenceFlow id="g" sourceRef="d" targetRef="a"/>
        <sequenceFlow id="h"/><association id="s" sourceRef="f" targetRef="a"/></process>"""
    )
    assert list(model.elements) == ["c", "a1", "p", "a", "d"]
    assert [(note.element_id, note.line) for note in model.notes] == [
        ("m", 1), ("a", 2), ("f", 3), ("g", 3), ("h", 4), ("s", 4),
    ]  # fmt: skip
    assert model.notes[2].text == "was dropped, because targetRef 'x' is no flow node in this file"
    assert model.notes[4].text == "was dropped, because sourceRef '' and targetRef '' is no flow node in this file"
    assert model.notes[0].text == "was dropped, because targetRef 'x' is nothing in this file"
