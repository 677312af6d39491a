"""Which dialect a file has, and what is read from where a vendor keeps it (core.md section 0.1; ITER-D-12)."""

from __future__ import annotations

import pytest

from bpmnsim import model as m
from bpmnsim.xml import read_bpmn

MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"
SPACES = {
    "camunda": "http://camunda.org/schema/1.0/bpmn",
    "operaton": "http://operaton.org/schema/1.0/bpmn",
    "flowable": "http://flowable.org/bpmn",
    "activiti": "http://activiti.org/bpmn",
    "zeebe": "http://camunda.org/schema/zeebe/1.0",
    "jbpm": "http://www.jboss.org/drools",
}
MODELER = 'xmlns:modeler="http://camunda.org/schema/modeler/1.0" modeler:executionPlatform='


def read(body: str = "", attributes: str = "", **options: str) -> m.Model:
    """Read a file with one process with this inside, every vendor prefix at hand."""
    return read_bpmn(
        f'<definitions xmlns="{MODEL}" {attributes}><process id="p">{body}</process></definitions>', **options
    )


def declare(*names: str) -> str:
    """Return the declarations of vendor namespaces, each under the name of its dialect."""
    return " ".join(f'xmlns:{name}="{SPACES[name]}"' for name in names)


@pytest.mark.parametrize("name", SPACES)
def test_a_used_namespace_tells_the_dialect(name: str) -> None:
    """An attribute or an element is enough; the prefix does not matter."""
    by_attribute = f'<task id="a" x:async="true" xmlns:x="{SPACES[name]}"/>'
    by_element = f'<task id="a"><extensionElements><x xmlns="{SPACES[name]}"/></extensionElements></task>'
    assert [read(by_attribute).dialect, read(by_element).dialect] == [name, name]


def test_what_else_tells_the_dialect() -> None:
    """The platform before use, use before declaration, declaration before the exporter; the caller before all."""
    task = '<task id="a" flowable:x="1" flowable:y="1"/><task id="b" camunda:x="1"/>'
    assert read(task, declare("camunda", "flowable")).dialect == "flowable"
    assert read(task, declare("camunda", "flowable") + f' {MODELER}"Camunda Cloud"').dialect == "zeebe"
    assert read("", f'{MODELER}"Camunda Platform"').dialect == "camunda"
    assert read("", declare("flowable")).dialect == "flowable"
    assert read("", declare("jbpm")).dialect == "bpmn"
    assert read("", 'exporter="jBPM Process Modeler"').dialect == "jbpm"
    assert read("", 'exporter="Camunda Modeler"').dialect == "bpmn"
    assert read(task, declare("camunda", "flowable"), dialect="bpmn").dialect == "bpmn"


@pytest.mark.parametrize("name", ["camunda", "operaton", "flowable", "activiti"])
@pytest.mark.parametrize(
    "text, collection",
    [
        ("orders", "orders"),
        ("${orders}", "orders"),
        ("#{ orders }", "orders"),
        ("${cart.orders}", "${cart.orders}"),
        ("${a + b}", "${a + b}"),
    ],
)
def test_collection_and_element_variable(name: str, text: str, collection: str) -> None:
    """ITER-D-12: the extension form gives the same loop as the standard one."""
    model = read(
        f"""<task id="a"><multiInstanceLoopCharacteristics id="l" {name}:collection="{text}"
        {name}:elementVariable="order" x:collection="other" xmlns:x="urn:x"/></task>""",
        declare(name),
    )
    loop = model.element("a").loop  # type: ignore[attr-defined]
    assert (loop.input_collection, loop.input_item) == (collection, "order")
    assert loop.attributes == (
        (f"{{{SPACES[name]}}}collection", text),
        (f"{{{SPACES[name]}}}elementVariable", "order"),
        ("{urn:x}collection", "other"),
    )


def test_zeebe_loop_and_called_element() -> None:
    """ITER-D-12; the called process of a Zeebe call."""
    model = read(
        """<callActivity id="c"><extensionElements><zeebe:calledElement processId="child"/></extensionElements>
        <multiInstanceLoopCharacteristics><extensionElements><zeebe:loopCharacteristics inputCollection="=items"
          inputElement="item" outputCollection="results" outputElement="= result.score"/></extensionElements>
        </multiInstanceLoopCharacteristics></callActivity>""",
        declare("zeebe"),
    )
    call = model.element("c")
    assert isinstance(call, m.CallActivity)
    assert call.called_element == "child"
    loop = call.loop
    assert isinstance(loop, m.MultiInstanceLoopCharacteristics)
    assert (loop.input_collection, loop.input_item) == ("items", "item")
    assert (loop.output_collection, loop.output_item) == ("results", "= result.score")


def test_jbpm_constants_become_texts() -> None:
    """JBPM writes the constant of an assignment without quotes."""
    body = """<task id="a"><ioSpecification><dataInput id="i"/></ioSpecification><dataInputAssociation id="d">
      <targetRef>i</targetRef>{}</dataInputAssociation></task>"""
    texts = ["Ask her", "#{name}", "12", "true", '"quoted"', 'say "x"']
    body = body.format("".join(f"<assignment><from>{text}</from><to>i</to></assignment>" for text in texts))

    def sources(dialect: str) -> list[str]:
        association = read(body, dialect=dialect).element("d")
        assert isinstance(association, m.DataAssociation)
        return [assignment.source.text for assignment in association.assignments]

    assert sources("bpmn") == texts
    assert sources("jbpm") == ['"Ask her"', "#{name}", "12", "true", '"quoted"', '"say \\"x\\""']


def test_vendor_elements_that_would_change_a_run_are_noted() -> None:
    """Kept or noted: what has no effect here is not passed over silently."""
    model = read(
        """<task id="a"><extensionElements><camunda:inputOutput/><camunda:properties/><inputOutput xmlns="urn:x"/>
        </extensionElements></task>""",
        declare("camunda"),
    )
    assert [str(note) for note in model.notes] == [
        "a (line 1): vendor element <inputOutput> is kept but has no effect on a run"
    ]
