"""What ``write_bpmn`` writes: the inverse of reading, for real files and for models that were built."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from lxml import etree

from bpmnsim import model as m
from bpmnsim.errors import ModelError
from bpmnsim.model.layout import layout
from bpmnsim.xml import read_bpmn, write_bpmn

MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"
CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
BROKEN = {"empty.bpmn", "invalid-attributes.bpmn", "not-bpmn.bpmn", "broken.bpmn"}
WHOLE = sorted(
    path.relative_to(CORPUS).as_posix()
    for path in CORPUS.rglob("*")
    if path.suffix in (".bpmn", ".bpmn2", ".xml") and path.name not in BROKEN
)


def written(model: m.Model) -> str:
    """Return the text of a model."""
    text = write_bpmn(model)
    assert text is not None
    return text


def small(*more: m.Element, **options: str) -> m.Model:
    """Return a model of one process with a task."""
    return m.Model([m.Process(id="p"), m.Task(id="a", name="Gr\u00fc\u00dfe", parent="p"), *more], **options)


@pytest.mark.parametrize("name", WHOLE)
def test_a_real_file_survives(corpus: Path, name: str) -> None:
    """read(write(read(file))) == read(file), with diagrams, dialect, foreign attributes and extensions."""
    model = read_bpmn(corpus / name)
    text = written(model)
    again = read_bpmn(text)
    assert again == model
    assert (again.diagrams, again.dialect) == (model.diagrams or layout(model), model.dialect)
    assert written(again) == text


def test_every_kind_of_target(tmp_path: Path) -> None:
    """Design section 7: path or file, without one the text is returned."""
    model = small()
    text = written(model)
    declared = f'<?xml version="1.0" encoding="UTF-8"?>\n{text}'
    binary, plain = io.BytesIO(), io.StringIO()
    for target in (tmp_path / "a.bpmn", str(tmp_path / "b.bpmn"), binary, plain):
        assert write_bpmn(model, target) is None
    assert (tmp_path / "a.bpmn").read_bytes() == (tmp_path / "b.bpmn").read_bytes() == declared.encode()
    assert binary.getvalue() == declared.encode()
    assert plain.getvalue() == declared
    with (tmp_path / "c.bpmn").open("w", encoding="iso-8859-1") as file:
        write_bpmn(model, file)
    assert read_bpmn(tmp_path / "c.bpmn") == model
    with (tmp_path / "d.bpmn").open("w", encoding="utf-8-sig") as file:
        write_bpmn(model, file)
    assert read_bpmn(tmp_path / "d.bpmn") == model
    assert etree.fromstring(text).tag == f"{{{MODEL}}}definitions"


def test_text_for_people() -> None:
    """Deterministic, indented, with the usual prefixes; incoming and outgoing are written."""
    model = small(
        m.EndEvent(id="e", parent="p"),
        m.SequenceFlow(id="f", parent="p", source="a", target="e", condition=m.Formal(text="x < 1", language="feel")),
        target_namespace="urn:t",
    )
    process, _, picture = written(model).split("\n", 1)[1].partition("  <bpmndi:BPMNDiagram")
    assert 'bpmnElement="f"' in picture, "what has no picture is written with its layout"
    assert process + "</bpmn:definitions>\n" == (
        """  <bpmn:process id="p">
    <bpmn:task id="a" name="Gr\u00fc\u00dfe">
      <bpmn:outgoing>f</bpmn:outgoing>
    </bpmn:task>
    <bpmn:endEvent id="e">
      <bpmn:incoming>f</bpmn:incoming>
    </bpmn:endEvent>
    <bpmn:sequenceFlow id="f" sourceRef="a" targetRef="e">
      <bpmn:conditionExpression xsi:type="bpmn:tFormalExpression" language="feel">x &lt; 1</bpmn:conditionExpression>
    </bpmn:sequenceFlow>
  </bpmn:process>
</bpmn:definitions>
"""
    )


def test_children_stand_in_the_order_of_the_standard() -> None:
    """The schema of the standard, which engines check: data before the loop, the loop before what is inside."""
    data = [
        m.DataInput(id="i", parent="s"),
        m.InputSet(id="is", parent="s", members=("i",)),
        m.Property(id="pr", parent="s"),
        m.DataAssociation(id="da", kind=m.AssociationKind.INPUT, parent="s", sources=("pr",), target="i"),
        m.ResourceRole(id="r", parent="s", kind="performer"),
    ]
    model = m.Model(
        [
            m.Process(id="p", supports=("p",)),
            m.Lane(id="l", parent="p", members=("s",)),
            m.Lane(id="ll", parent="l"),
            m.AdHocSubProcess(
                id="s",
                parent="p",
                documentation="D",
                extensions=(m.Extension(name="{urn:x}y"),),
                loop=m.MultiInstanceLoopCharacteristics(id="mi", parent="s", loop_cardinality=m.Formal(text="2")),
                completion_condition=m.Formal(text="done"),
            ),
            *data,
            m.Task(id="a", parent="s"),
            m.TextAnnotation(id="t", parent="s", text="T"),
            m.StartEvent(id="e", parent="p", definitions=(m.MessageEventDefinition(id="d", parent="e"),)),
            m.DataOutput(id="o", parent="e"),
        ]
    )
    root = etree.fromstring(written(model))

    def order(name: str) -> list[str]:
        node = root.find(f".//{{{MODEL}}}{name}")
        assert node is not None
        return [etree.QName(child).localname for child in node]

    assert order("process") == ["laneSet", "adHocSubProcess", "startEvent", "supports"]
    assert order("lane") == ["flowNodeRef", "childLaneSet"]
    assert order("adHocSubProcess") == [
        "documentation", "extensionElements", "ioSpecification", "property", "dataInputAssociation", "performer",
        "multiInstanceLoopCharacteristics", "task", "textAnnotation", "completionCondition",
    ]  # fmt: skip
    assert order("ioSpecification") == ["dataInput", "inputSet"]
    assert order("startEvent") == ["dataOutput", "messageEventDefinition"]
    assert read_bpmn(written(model)) == model


def test_what_the_standard_cannot_say_is_kept_under_our_own_namespace() -> None:
    """ITER-IC-01, ITER-B-10, ITER-D-11: correlation, keyed map, reduction; and the dialect."""
    loop = m.MultiInstanceLoopCharacteristics(
        id="l",
        parent="t",
        input_collection="orders",
        input_item="order",
        output_collection="scores",
        output_item="score",
        correlation=("key", m.Formal(text="order.id", language="feel")),
        output_key=m.Formal(text="order"),
        output_reduce="sum",
        unique_keys=True,
        behavior=m.Behavior.ONE,
        one_event="d",
    )
    model = small(
        m.ReceiveTask(id="t", parent="p", loop=loop), m.SignalEventDefinition(id="d", signal="s"), dialect="camunda"
    )
    again = read_bpmn(written(model))
    assert again == model
    assert 'bpmnsim:dialect="camunda"' in written(model)
    assert "bpmnsim:dialect" not in written(small())


def test_a_name_of_data_is_written_as_a_reference_to_it() -> None:
    """ITER-D-12: other tools want the id of the data object; a name that no data has is written as it is."""
    loop = m.MultiInstanceLoopCharacteristics(id="l", parent="t", input_collection="Orders", output_collection="out")
    model = small(
        m.DataObject(id="D1", parent="p"),
        m.DataObjectReference(id="R1", name="Orders", parent="p", target="D1"),
        m.Task(id="t", parent="p", loop=loop),
    )
    text = written(model)
    assert "<bpmn:loopDataInputRef>R1</bpmn:loopDataInputRef>" in text
    assert "<bpmn:loopDataOutputRef>out</bpmn:loopDataOutputRef>" in text
    assert read_bpmn(text) == model


def test_a_vendor_attribute_is_not_said_twice() -> None:
    """What camunda:collection says needs no loopDataInputRef beside it."""
    model = read_bpmn(
        f"""<definitions xmlns="{MODEL}" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"><process id="p">
        <task id="a"><multiInstanceLoopCharacteristics camunda:collection="${{orders}}"/></task></process>
        </definitions>"""
    )
    text = written(model)
    assert 'camunda:collection="${orders}"' in text
    assert "loopDataInputRef" not in text
    assert read_bpmn(text) == model


def test_a_thousand_levels_and_ten_thousand_tasks() -> None:
    """No recursion over depth or length."""
    deep: list[m.Element] = [m.Process(id="s0")]
    deep += [m.SubProcess(id=f"s{i}", parent=f"s{i - 1}") for i in range(1, 1_500)]
    long: list[m.Element] = [m.Process(id="q")]
    long += [m.Task(id=f"t{i}", parent="q") for i in range(10_000)]
    long += [m.SequenceFlow(id=f"f{i}", parent="q", source=f"t{i}", target=f"t{i + 1}") for i in range(9_999)]
    model = m.Model([*deep, *long])
    assert read_bpmn(written(model)) == model


@pytest.mark.parametrize(
    "element, reason",
    [
        (m.Task(id="b", name="a\0b", parent="p"), "All strings must be XML compatible"),
        (m.Task(id="b", parent="nowhere"), "it lies in 'nowhere', which does not come before it"),
        (m.Gateway(id="b", parent="p"), "Gateway is not an element of a file"),
        (m.ExclusiveGateway(id="b", parent="p", direction="sideways"), "'sideways' is no value of gatewayDirection"),
        (m.Task(id="b", parent="p", attributes=(("{urn:x}a b", ""),)), "Invalid attribute name"),
    ],
)
def test_what_cannot_be_written_is_named(element: m.Element, reason: str) -> None:
    """Design section 8: the error names the element."""
    with pytest.raises(ModelError) as caught:
        write_bpmn(small(element))
    assert caught.value.element_id == "b"
    assert reason in caught.value.message


def test_a_target_that_cannot_be_written_is_a_model_error(tmp_path: Path) -> None:
    """Design section 8."""
    for model in (small(name="a\0"), small(target_namespace="\0")):
        with pytest.raises(ModelError, match="All strings must be XML compatible"):
            write_bpmn(model)
    for target in (tmp_path, tmp_path / "none" / "a.bpmn", 3):
        with pytest.raises(ModelError, match="cannot be written"):
            write_bpmn(small(), target)  # type: ignore[arg-type]
