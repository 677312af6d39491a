"""Every real file opens with what it draws, or says why not; counted on the raw file by XPath, not by our table.

How the count is done, where a file leaves room:

* an element counts where the standard allows it: a flow node in a process or sub-process, a loop marker in an activity;
  what lies in ``extensionElements`` is a vendor's affair, even under BPMN names;
* a repeated id does not hide an element: both count, the reader renames the second;
* a sequence flow counts if both its ends name a flow node that counts, by id or by qualified name; one that leads
  nowhere is no flow, the reader drops it with a note.
"""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from bpmnsim import model as m
from bpmnsim.errors import ModelError
from bpmnsim.xml import read_bpmn

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
NAMESPACES = {"m": "http://www.omg.org/spec/BPMN/20100524/MODEL", "di": "http://www.omg.org/spec/BPMN/20100524/DI"}
TASKS = ["task", "userTask", "manualTask", "serviceTask", "sendTask", "receiveTask", "scriptTask", "businessRuleTask"]
ACTIVITIES = [*TASKS, "callActivity", "subProcess", "transaction", "adHocSubProcess"]
EVENTS = ["startEvent", "endEvent", "intermediateCatchEvent", "intermediateThrowEvent", "boundaryEvent"]
GATEWAYS = ["exclusiveGateway", "parallelGateway", "inclusiveGateway", "complexGateway", "eventBasedGateway"]
FLOW_NODES = [*ACTIVITIES, *EVENTS, *GATEWAYS]
LOOPS = ["standardLoopCharacteristics", "multiInstanceLoopCharacteristics"]

# Why a file is refused, and the line its error names.
BROKEN = {
    "Activiti__Activiti/empty.bpmn": (1, "the file is empty"),
    "bpmn-io__bpmn-moddle/invalid-attributes.bpmn": (3, "an attribute name starts with '$': not well-formed"),
    "bpmn-io__bpmn-moddle/not-bpmn.bpmn": (2, "the root element is <definitions> of another namespace"),
    "camunda__camunda-modeler/broken.bpmn": (5, "a closing tag without an opening one: not well-formed"),
}
FILES = sorted(
    path.relative_to(CORPUS).as_posix() for path in CORPUS.rglob("*") if path.suffix in (".bpmn", ".bpmn2", ".xml")
)
WHOLE = [name for name in FILES if name not in BROKEN]


def names(*of: str) -> str:
    """Return the XPath test that an element has one of these names."""
    return " or ".join(f"self::m:{name}" for name in of)


INSIDE = f"parent::*[{names('process', 'subProcess', 'transaction', 'adHocSubProcess')}]"
OWN = "not(ancestor::m:extensionElements)"


def select(root: Any, path: str) -> list[Any]:
    """Return the elements that an XPath expression finds."""
    found = root.xpath(path, namespaces=NAMESPACES)
    assert isinstance(found, list)
    return found


def local(elements: list[Any]) -> Counter[str]:
    """Count elements by local name."""
    return Counter(etree.QName(element).localname for element in elements)


def drawn(path: Path) -> dict[str, Counter[str]]:
    """Count what the raw file draws."""
    root = etree.parse(str(path), etree.XMLParser(huge_tree=True)).getroot()
    nodes = select(root, f"//*[{names(*FLOW_NODES)}][{INSIDE}][{OWN}]")
    ids = {node.get("id") for node in nodes}
    flows = [
        flow
        for flow in select(root, f"//m:sequenceFlow[{INSIDE}][{OWN}]")
        if all({flow.get(end), flow.get(end, "").split(":")[-1]} & ids for end in ("sourceRef", "targetRef"))
    ]
    loops = select(root, f"//*[{names(*LOOPS)}][parent::*[{names(*ACTIVITIES)}]][{OWN}]")
    return {
        "nodes": local(nodes),
        "flows": local(flows),
        "loops": local(loops),
        "sequential": Counter(loop.get("isSequential") == "true" for loop in loops),
        "processes": local(select(root, "/m:definitions/m:process")),
        "pools": local(select(root, "/m:definitions/m:collaboration/m:participant")),
        "lanes": local(select(root, f"//m:lane[{OWN}]")),
        "diagrams": local(select(root, "/m:definitions/di:BPMNDiagram")),
    }


def as_read(model: m.Model) -> dict[str, Counter[str]]:
    """Count the same in a model."""
    elements = list(model.elements.values())

    def count(cls: type[m.Element], of: list[Any] = elements) -> Counter[str]:
        found = [type(element).__name__ for element in of if isinstance(element, cls)]
        return Counter(name[0].lower() + name[1:] for name in found)

    loops = [element.loop for element in elements if isinstance(element, m.Activity) and element.loop]
    return {
        "nodes": count(m.FlowNode),
        "flows": count(m.SequenceFlow),
        "loops": count(m.LoopCharacteristics, loops),
        "sequential": Counter(getattr(loop, "is_sequential", False) for loop in loops),
        "processes": count(m.Process),
        "pools": count(m.Participant),
        "lanes": count(m.Lane),
        "diagrams": Counter({"BPMNDiagram": len(model.diagrams)} if model.diagrams else {}),
    }


def test_the_corpus_is_complete(corpus: Path) -> None:
    """150 files, of which the list above names every broken one."""
    assert corpus.is_dir()
    assert len(FILES) == 150
    assert set(BROKEN) < set(FILES)


@pytest.mark.parametrize("name", WHOLE)
def test_a_well_formed_file_opens_with_what_it_draws(corpus: Path, name: str) -> None:
    """Design section 1: any real file opens. Flow nodes, flows, boundary events and loop markers are all there."""
    model = read_bpmn(corpus / name)
    assert as_read(model) == drawn(corpus / name)


@pytest.mark.parametrize("name", WHOLE)
def test_a_model_is_a_value(corpus: Path, name: str) -> None:
    """Reading twice gives equal models; so does pickling, and what is drawn of a model holds together."""
    model = read_bpmn((corpus / name).read_bytes())
    assert model == read_bpmn(corpus / name)
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert again.digest == model.digest
    for element in model.elements.values():
        assert element.parent == "" or element.parent in model.elements
    for flow in model.elements.values():
        if isinstance(flow, m.SequenceFlow):
            assert isinstance(model.element(flow.source), m.FlowNode)
            assert isinstance(model.element(flow.target), m.FlowNode)
    for diagram in model.diagrams:
        assert all(shape.bounds for shape in diagram.shapes)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_says_where(corpus: Path, name: str) -> None:
    """Design section 8: a ModelError that names the line and what to do; nothing else comes out."""
    with pytest.raises(ModelError) as caught:
        read_bpmn(corpus / name)
    assert caught.value.line == BROKEN[name][0]
    assert caught.value.hint


@pytest.mark.parametrize(
    "name, nodes, flows, boundaries, loops",
    [
        ("process-analytics__bpmn-visualization-js/model-complete-semantic.bpmn", 217, 10, 29, 72),
        ("ProcessMaker__modeler/processWithBrokenSequenceFlows.xml", 19, 25, 0, 0),
        ("camunda__camunda-modeler/import-warnings.bpmn", 2, 0, 0, 0),
        ("bpmn-miwg__bpmn-miwg-test-suite/Reference__C.1.0.bpmn", 21, 20, 0, 0),
    ],
)
def test_counts_of_some_files(corpus: Path, name: str, nodes: int, flows: int, boundaries: int, loops: int) -> None:
    """The same counts as numbers, so that the two ways of counting cannot be wrong together."""
    model = read_bpmn(corpus / name)
    found = list(model.elements.values())
    kinds = (m.FlowNode, m.SequenceFlow, m.BoundaryEvent)
    assert [sum(isinstance(element, kind) for element in found) for kind in kinds] == [nodes, flows, boundaries]
    assert sum(isinstance(element, m.Activity) and element.loop is not None for element in found) == loops


def test_dialects_of_the_corpus(corpus: Path) -> None:
    """core.md section 0.1: the dialect is taken from the file."""
    found = Counter(read_bpmn(corpus / name).dialect for name in WHOLE)
    assert found == {"bpmn": 67, "camunda": 49, "activiti": 12, "zeebe": 8, "jbpm": 7, "flowable": 3}
