"""The element table, second half: messages, data, roles, pools and lanes, artifacts. Data, not code."""

from __future__ import annotations

from collections.abc import Mapping

from bpmnsim import model as m
from bpmnsim.xml.codecs import Choice, Number, Reference, Text
from bpmnsim.xml.kinds import Kind, Parts
from bpmnsim.xml.names import ARTIFACTS, ROLES
from bpmnsim.xml.parts import (
    Assignments,
    Attributes,
    ChildAttribute,
    ChildFormal,
    ChildReference,
    ChildReferences,
    ChildText,
    FormalPairs,
)

_DATA: Parts = {"item": Reference("itemSubjectRef", m.ItemDefinition), "is_collection": Choice("isCollection")}
_STATE: Parts = {"state": ChildAttribute("dataState", ("name",))}
_MESSAGE: Parts = {"message": Reference("messageRef", m.Message)}


def _association(kind: m.AssociationKind) -> Kind:
    parts: Parts = {
        "sources": ChildReferences("sourceRef"),
        "target": ChildReference("targetRef"),
        "transformation": ChildFormal("transformation"),
        "assignments": Assignments("assignment"),
    }
    return Kind(m.DataAssociation, parts=parts, constants={"kind": kind})


def _role(name: str) -> Kind:
    parts: Parts = {
        "resource": ChildReference("resourceRef", m.Resource),
        "assignment": ChildFormal("resourceAssignmentExpression", "formalExpression"),
        "bindings": FormalPairs("resourceParameterBinding", "parameterRef", "formalExpression"),
    }
    return Kind(m.ResourceRole, parts=parts, constants={"kind": name})


def _set(cls: type[m.Element], side: str, other: str) -> Kind:
    return Kind(
        cls,
        parts={
            "members": ChildReferences(f"data{side}Refs"),
            "optional": ChildReferences(f"optional{side}Refs"),
            "while_executing": ChildReferences(f"whileExecuting{side}Refs"),
            "rules": ChildReferences(f"{other}SetRefs"),
        },
    )


DATA_KINDS: Mapping[str, Kind] = {
    "message": Kind(m.Message, {"item": Reference("itemRef", m.ItemDefinition)}),
    "signal": Kind(m.Signal, {"item": Reference("structureRef", m.ItemDefinition)}),
    "error": Kind(m.Error, {"error_code": Text("errorCode"), "item": Reference("structureRef", m.ItemDefinition)}),
    "escalation": Kind(
        m.Escalation,
        {"escalation_code": Text("escalationCode"), "item": Reference("structureRef", m.ItemDefinition)},
    ),
    "itemDefinition": Kind(
        m.ItemDefinition,
        {"structure": Text("structureRef"), "is_collection": Choice("isCollection"), "kind": Text("itemKind")},
    ),
    "property": Kind(m.Property, _DATA, _STATE),
    "dataObject": Kind(m.DataObject, _DATA, _STATE),
    "dataObjectReference": Kind(
        m.DataObjectReference, {**_DATA, "target": Reference("dataObjectRef", m.DataObject)}, _STATE
    ),
    "dataStore": Kind(
        m.DataStore, {**_DATA, "capacity": Number("capacity"), "is_unlimited": Choice("isUnlimited")}, _STATE
    ),
    "dataStoreReference": Kind(
        m.DataStoreReference, {**_DATA, "target": Reference("dataStoreRef", m.DataStore)}, _STATE
    ),
    "dataInput": Kind(m.DataInput, _DATA, _STATE),
    "dataOutput": Kind(m.DataOutput, _DATA, _STATE),
    "inputSet": _set(m.InputSet, "Input", "output"),
    "outputSet": _set(m.OutputSet, "Output", "input"),
    "dataInputAssociation": _association(m.AssociationKind.INPUT),
    "dataOutputAssociation": _association(m.AssociationKind.OUTPUT),
    "resource": Kind(m.Resource, parts={"parameters": Attributes("resourceParameter", ("name",))}),
    **{name: _role(name) for name in ROLES},
    "interface": Kind(m.Interface, {"implementation": Text("implementationRef")}, contains=frozenset(("operation",))),
    "operation": Kind(
        m.Operation,
        {"implementation": Text("implementationRef")},
        {
            "in_message": ChildReference("inMessageRef", m.Message),
            "out_message": ChildReference("outMessageRef", m.Message),
            "errors": ChildReferences("errorRef", m.Error),
        },
    ),
    "collaboration": Kind(
        m.Collaboration,
        {"is_closed": Choice("isClosed")},
        contains=frozenset(("participant", "messageFlow", "correlationKey", *ARTIFACTS)),
    ),
    "participant": Kind(
        m.Participant,
        {"process": Reference("processRef", m.Process, keep=False)},
        {
            "minimum": ChildAttribute("participantMultiplicity", ("minimum",), number=True),
            "maximum": ChildAttribute("participantMultiplicity", ("maximum",), number=True),
        },
    ),
    "messageFlow": Kind(
        m.MessageFlow, {"source": Reference("sourceRef"), "target": Reference("targetRef"), **_MESSAGE}
    ),
    "lane": Kind(
        m.Lane,
        parts={"members": ChildReferences("flowNodeRef", m.FlowNode, keep=False)},
        contains=frozenset(("childLaneSet",)),
    ),
    "correlationProperty": Kind(
        m.CorrelationProperty,
        {"type": Text("type")},
        {"retrievals": FormalPairs("correlationPropertyRetrievalExpression", "messageRef", "messagePath", m.Message)},
    ),
    "correlationKey": Kind(
        m.CorrelationKey, parts={"properties": ChildReferences("correlationPropertyRef", m.CorrelationProperty)}
    ),
    "correlationSubscription": Kind(
        m.CorrelationSubscription,
        {"key": Reference("correlationKeyRef", m.CorrelationKey)},
        {
            "bindings": FormalPairs(
                "correlationPropertyBinding", "correlationPropertyRef", "dataPath", m.CorrelationProperty
            )
        },
    ),
    "textAnnotation": Kind(m.TextAnnotation, {"text_format": Text("textFormat")}, {"text": ChildText("text")}),
    "association": Kind(
        m.Association,
        {
            "source": Reference("sourceRef"),
            "target": Reference("targetRef"),
            "direction": Choice("associationDirection", {word: word for word in ("None", "One", "Both")}),
        },
    ),
    "category": Kind(m.Category, parts={"values": Attributes("categoryValue", ("id", "value"))}),
    "group": Kind(m.Group, {"category_value": Text("categoryValueRef")}),
}
