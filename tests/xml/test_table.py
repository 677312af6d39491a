"""The element table says everything the model can hold, in both directions."""

from __future__ import annotations

from dataclasses import fields

import pytest

from bpmnsim import model as m
from bpmnsim.xml import codecs as c
from bpmnsim.xml import nested as n
from bpmnsim.xml import parts as p
from bpmnsim.xml import read_bpmn, write_bpmn
from bpmnsim.xml.kinds import Kind
from bpmnsim.xml.names import EVENT_DEFINITIONS, LOOPS, ROOT_ELEMENTS
from bpmnsim.xml.protocols import Codec
from bpmnsim.xml.table import KINDS, name_of

COMMON = {field.name for field in fields(m.Element)}
FORMAL = m.Formal(text="a < b & c", language="urn:l", evaluates_to="xsd:int")


@pytest.mark.parametrize("name", KINDS)
def test_no_field_is_forgotten(name: str) -> None:
    """Every field of every class has a codec, or follows from the name of the element."""
    kind = KINDS[name]
    known = {*kind.attributes, *kind.parts, *kind.last, *kind.constants}
    # The standard gives these two gateways no default flow, their common base class has the field.
    unsaid = {"default"} if name in ("parallelGateway", "eventBasedGateway") else set()
    assert known | unsaid == {field.name for field in fields(kind.cls)} - COMMON


def test_no_element_is_forgotten() -> None:
    """Every class that can be made, apart from bases, is in the table."""
    bases = (m.Element, m.FlowNode, m.Activity, m.Event, m.EventDefinition, m.Gateway)
    bases = (*bases, m.LoopCharacteristics, m.DataElement)
    classes = {cls for cls in vars(m).values() if isinstance(cls, type) and issubclass(cls, m.Element)}
    assert classes - set(bases) == {kind.cls for kind in KINDS.values()}


def sample(codec: Codec) -> object:
    """Return a value of this codec that differs from every default."""
    match codec:
        case c.Choice():
            return list(codec.values.values())
        case c.Reference(keep=False):
            return "flow" if codec.to is m.SequenceFlow else "p"
        case c.Reference(xml="sourceRef" | "targetRef"):
            return "n1"
        case c.Number():
            return 7
        case p.ChildAttribute():
            return 7 if codec.number else "state & co"
        case c.FormalAttribute():
            return m.Formal(text="a < b", language="urn:l")
        case c.FormalPairAttribute():
            return ("key", m.Formal(text="x"))
        case p.ChildFormal():
            return FORMAL
        case p.FormalPairs():
            return (("n1", FORMAL), ("n2", m.Formal(text="")))
        case p.Assignments():
            return (m.Assignment(source=FORMAL, target=m.Formal(text="t")),)
        case p.Attributes():
            return ("x", "y") if len(codec.attributes) == 1 else (("v1", "One"), ("v2", "Two & more"))
        case p.ChildReferences():
            return ("n1", "n2")
        case n.Definitions():
            return (
                m.TimerEventDefinition(id="x1", parent="e", duration=FORMAL),
                m.TerminateEventDefinition(id="top"),
                m.SignalEventDefinition(id="x2", parent="e", signal="n1"),
            )
        case n.Nested(names=("complexBehaviorDefinition",)):
            thrown = m.CancelEventDefinition(id="x5", parent="x4")
            event = m.ImplicitThrowEvent(id="x4", parent="x3", definitions=(thrown,))
            return (m.ComplexBehaviorDefinition(id="x3", parent="e", condition=FORMAL, event=event),)
        case n.Nested(names=("event",)):
            return m.ImplicitThrowEvent(id="x6", parent="e")
        case n.Nested():
            return m.StandardLoopCharacteristics(id="x7", parent="e", condition=FORMAL, maximum=3, test_before=True)
        case _:
            return "text & <more>"


def values_of(kind: Kind) -> list[dict[str, object]]:
    """Return sets of field values in which together every field takes every word, or a value of its own."""
    codecs = {**kind.attributes, **kind.parts, **kind.last}
    found = {field: sample(codec) for field, codec in codecs.items()} | dict(kind.constants)
    count = max([len(value) for value in found.values() if isinstance(value, list)], default=1)
    return [
        {field: value[i % len(value)] if isinstance(value, list) else value for field, value in found.items()}
        for i in range(count)
    ]


def around(name: str, values: dict[str, object]) -> list[m.Element]:
    """Return elements that make a model, with one of this kind where it belongs."""
    extension = m.Extension(name="{urn:v}x", attributes=(("k", "v"),), text="t", children=(m.Extension(name="plain"),))

    def make(parent: str) -> m.Element:
        return KINDS[name].cls(
            id="e",
            name="N\n & n",
            parent=parent,
            documentation="One\n\nTwo < 3",
            attributes=(("{urn:v}a", "1"), ("b", "2")),
            extensions=(extension,),
            **values,
        )

    containers: list[m.Element] = [
        m.Collaboration(id="c"),
        m.Interface(id="i"),
        m.Process(id="p"),
        m.Task(id="n1", parent="p"),
        m.IntermediateThrowEvent(id="n2", parent="p"),
        m.SequenceFlow(id="flow", parent="p", source="n1", target="n2"),
    ]
    if name in EVENT_DEFINITIONS:
        containers.append(m.EndEvent(id="o", parent="p", definitions=(make("o"),)))  # type: ignore[arg-type]
    elif name in LOOPS:
        containers.append(m.SubProcess(id="o", parent="p", loop=make("o")))  # type: ignore[arg-type]
    elif name in ROOT_ELEMENTS:
        containers.append(make(""))
    else:
        group = "laneSet" if name == "lane" else name
        where = next(x for x in containers if group in KINDS[name_of(x)].contains)
        containers.insert(len(containers) if where.id == "p" else containers.index(where) + 1, make(where.id))
    return [m.TerminateEventDefinition(id="top"), *containers]


@pytest.mark.parametrize("name", [name for name in KINDS if name not in ("complexBehaviorDefinition", "event")])
def test_every_field_of_every_element_survives(name: str) -> None:
    """read(write(model)) == model, also for references that name nothing: they are kept as text."""
    for values in values_of(KINDS[name]):
        model = m.Model(around(name, values), target_namespace="urn:t")
        again = read_bpmn(write_bpmn(model) or "")
        assert list(again.elements.values()) == list(model.elements.values())
        assert again == model
