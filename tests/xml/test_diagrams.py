"""BPMN DI: every diagram of a file with its shapes, edges and labels."""

from __future__ import annotations

from bpmnsim import model as m
from bpmnsim.xml import read_bpmn

HEAD = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:b="http://www.omg.org/spec/BPMN/20100524/DI" xmlns:i="http://www.omg.org/spec/DD/20100524/DI"
  xmlns:c="http://www.omg.org/spec/DD/20100524/DC">"""
PROCESS = """<process id="p"><task id="a"/><task id="x"/><sequenceFlow id="f" sourceRef="a" targetRef="x"/></process>"""
BOUNDS = '<c:Bounds x="1" y="2.5" width="100" height="80"/>'


def read(planes: str) -> m.Model:
    """Read a file with diagrams before the process."""
    return read_bpmn(f"{HEAD}{planes}{PROCESS}</definitions>")


def test_several_diagrams_with_everything() -> None:
    """lessons.md A 37: one picture per BPMNDiagram, wherever it stands."""
    model = read(
        f"""<b:BPMNDiagram id="d1" name="One"><b:BPMNPlane id="pl" bpmnElement="p">
          <b:BPMNShape id="s" bpmnElement="a" isHorizontal="true" isExpanded="false" isMarkerVisible="true">{BOUNDS}
            <b:BPMNLabel><c:Bounds x="0" y="0" width="10" height="5"/></b:BPMNLabel></b:BPMNShape>
          <b:BPMNEdge id="e" bpmnElement="f"><i:waypoint x="1" y="2"/><i:waypoint x="3" y="-4.5"/><b:BPMNLabel/>
          </b:BPMNEdge></b:BPMNPlane></b:BPMNDiagram><b:BPMNDiagram id="d2"/>"""
    )
    assert model.diagrams == (
        m.Diagram(
            id="d1",
            name="One",
            element="p",
            plane_id="pl",
            shapes=(
                m.Shape(
                    element="a",
                    id="s",
                    bounds=m.Bounds(1, 2.5, 100, 80),
                    label=m.Bounds(0, 0, 10, 5),
                    is_horizontal=True,
                    is_expanded=False,
                    is_marker_visible=True,
                ),
            ),
            edges=(m.Edge(element="f", id="e", waypoints=((1, 2), (3, -4.5))),),
        ),
        m.Diagram(id="d2"),
    )
    assert model.notes == ()


def test_what_cannot_be_drawn_is_noted_and_left_out() -> None:
    """Views may rely on it: every shape and edge shows an element and has a finite place."""
    model = read(
        f"""<b:BPMNDiagram id="d"><b:BPMNPlane id="pl" bpmnElement="q">
        <b:BPMNShape bpmnElement="ghost">{BOUNDS}</b:BPMNShape>
        <b:BPMNShape bpmnElement="a"/>
        <b:BPMNShape bpmnElement="a"><c:Bounds x="NaN" y="1" width="1" height="1"/></b:BPMNShape>
        <b:BPMNShape bpmnElement="a"><c:Bounds x="1e999" y="1" width="1" height="1"/></b:BPMNShape>
        <b:BPMNEdge bpmnElement="f"><i:waypoint x="1" y="2"/><i:waypoint x="one" y="2"/></b:BPMNEdge>
        </b:BPMNPlane></b:BPMNDiagram>"""
    )
    assert model.diagrams == (m.Diagram(id="d", plane_id="pl"),)
    unusable = "the shape of 'a' has no usable bounds and was passed over"
    assert [(note.line, note.text) for note in model.notes] == [
        (3, "<BPMNPlane> shows 'q', which is not in the model"),
        (4, "<BPMNShape> shows 'ghost', which is not in the model"),
        (5, unusable),
        (6, unusable),
        (7, unusable),
        (8, "the edge of 'f' has fewer than two usable points and was passed over"),
    ]
