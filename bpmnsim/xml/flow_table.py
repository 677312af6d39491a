"""The element table, first half: processes, activities, events, gateways, flows and loop markers. Data, not code."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from bpmnsim import model as m
from bpmnsim.xml.codecs import Choice, FormalAttribute, FormalPairAttribute, Number, Reference, Text
from bpmnsim.xml.kinds import Kind, Parts
from bpmnsim.xml.names import ARTIFACTS, FLOW_ELEMENTS, INPUT_OUTPUT, LOOPS, OWN, ROLES
from bpmnsim.xml.nested import Definitions, Nested
from bpmnsim.xml.parts import (
    ChildAttribute,
    ChildFormal,
    ChildReference,
    ChildReferences,
    ChildText,
    DataName,
)

_ASSOCIATIONS = ("dataInputAssociation", "dataOutputAssociation")
_INSIDE = ("laneSet", *FLOW_ELEMENTS, *ARTIFACTS)
_OF_ACTIVITY = ("ioSpecification", "property", *_ASSOCIATIONS, *ROLES)
_OF_EVENT = ("property", *_ASSOCIATIONS, *INPUT_OUTPUT)

_IMPLEMENTATION: Parts = {"implementation": Text("implementation")}
_MESSAGE: Parts = {"message": Reference("messageRef", m.Message)}
_OPERATION: Parts = {"operation": Reference("operationRef", m.Operation)}
_DEFAULT: Parts = {"default": Reference("default", m.SequenceFlow, keep=False)}
_MULTIPLE: Parts = {"parallel_multiple": Choice("parallelMultiple")}
_GATEWAY: Parts = {
    "direction": Choice("gatewayDirection", {w.title(): w for w in ("unspecified", "diverging", "converging", "mixed")})
}
_ACTIVITY: Parts = {
    **_DEFAULT,
    "is_for_compensation": Choice("isForCompensation"),
    "start_quantity": Number("startQuantity"),
    "completion_quantity": Number("completionQuantity"),
}
_LOOP: Parts = {"loop": Nested(LOOPS)}
_EVENT: Parts = {"definitions": Definitions()}


def _task(cls: type[m.Element], attributes: Parts = _IMPLEMENTATION, parts: Parts = MappingProxyType({})) -> Kind:
    return Kind(cls, {**_ACTIVITY, **attributes}, {**_LOOP, **parts}, contains=frozenset(_OF_ACTIVITY))


def _sub_process(cls: type[m.Element], attributes: Parts, last: Parts = MappingProxyType({})) -> Kind:
    event = {"triggered_by_event": Choice("triggeredByEvent")}
    return Kind(cls, {**_ACTIVITY, **event, **attributes}, _LOOP, last, frozenset((*_OF_ACTIVITY, *_INSIDE)))


def _event(cls: type[m.Element], attributes: Parts = MappingProxyType({}), **constants: Any) -> Kind:
    return Kind(cls, attributes, _EVENT, contains=frozenset(_OF_EVENT), constants=constants)


FLOW_KINDS: Mapping[str, Kind] = {
    "process": Kind(
        m.Process,
        {
            "is_executable": Choice("isExecutable"),
            "is_closed": Choice("isClosed"),
            "process_type": Text("processType"),
        },
        last={"supports": ChildReferences("supports", m.Process)},
        contains=frozenset(("ioSpecification", "property", *_INSIDE, *ROLES, "correlationSubscription")),
    ),
    "sequenceFlow": Kind(
        m.SequenceFlow,
        {
            "source": Reference("sourceRef", m.FlowNode),
            "target": Reference("targetRef", m.FlowNode),
            "is_immediate": Choice("isImmediate"),
        },
        {"condition": ChildFormal("conditionExpression")},
    ),
    "task": _task(m.Task, {}),
    "userTask": _task(m.UserTask),
    "manualTask": _task(m.ManualTask, {}),
    "serviceTask": _task(m.ServiceTask, {**_IMPLEMENTATION, **_OPERATION}),
    "sendTask": _task(m.SendTask, {**_IMPLEMENTATION, **_MESSAGE, **_OPERATION}),
    "receiveTask": _task(
        m.ReceiveTask, {**_IMPLEMENTATION, **_MESSAGE, **_OPERATION, "instantiate": Choice("instantiate")}
    ),
    "scriptTask": _task(m.ScriptTask, {"script_format": Text("scriptFormat")}, {"script": ChildText("script")}),
    "businessRuleTask": _task(m.BusinessRuleTask),
    "callActivity": _task(m.CallActivity, {"called_element": Reference("calledElement", m.Process)}),
    "subProcess": _sub_process(m.SubProcess, {}),
    "transaction": _sub_process(m.Transaction, {"method": Text("method")}),
    "adHocSubProcess": _sub_process(
        m.AdHocSubProcess,
        {
            "is_parallel": Choice("ordering", {"Parallel": True, "Sequential": False}),
            "cancel_remaining": Choice("cancelRemainingInstances"),
        },
        {"completion_condition": ChildFormal("completionCondition")},
    ),
    "startEvent": _event(m.StartEvent, {"interrupting": Choice("isInterrupting"), **_MULTIPLE}),
    "endEvent": _event(m.EndEvent),
    "intermediateCatchEvent": _event(m.IntermediateCatchEvent, _MULTIPLE),
    "intermediateThrowEvent": _event(m.IntermediateThrowEvent),
    "boundaryEvent": _event(
        m.BoundaryEvent,
        {
            "attached_to": Reference("attachedToRef", m.Activity),
            "interrupting": Choice("cancelActivity"),
            **_MULTIPLE,
        },
        attached_to="",
    ),
    "event": _event(m.ImplicitThrowEvent),
    "exclusiveGateway": Kind(m.ExclusiveGateway, {**_GATEWAY, **_DEFAULT}),
    "parallelGateway": Kind(m.ParallelGateway, _GATEWAY),
    "inclusiveGateway": Kind(m.InclusiveGateway, {**_GATEWAY, **_DEFAULT}),
    "complexGateway": Kind(
        m.ComplexGateway,
        {**_GATEWAY, **_DEFAULT},
        {"activation_condition": ChildFormal("activationCondition")},
    ),
    "eventBasedGateway": Kind(
        m.EventBasedGateway,
        {
            **_GATEWAY,
            "instantiate": Choice("instantiate"),
            "is_parallel": Choice("eventGatewayType", {"Exclusive": False, "Parallel": True}),
        },
    ),
    "messageEventDefinition": Kind(
        m.MessageEventDefinition, _MESSAGE, {"operation": ChildReference("operationRef", m.Operation)}
    ),
    "signalEventDefinition": Kind(m.SignalEventDefinition, {"signal": Reference("signalRef", m.Signal)}),
    "errorEventDefinition": Kind(m.ErrorEventDefinition, {"error": Reference("errorRef", m.Error)}),
    "escalationEventDefinition": Kind(
        m.EscalationEventDefinition, {"escalation": Reference("escalationRef", m.Escalation)}
    ),
    "timerEventDefinition": Kind(
        m.TimerEventDefinition,
        parts={
            "date": ChildFormal("timeDate", evaluated=False),
            "duration": ChildFormal("timeDuration", evaluated=False),
            "cycle": ChildFormal("timeCycle", evaluated=False),
        },
    ),
    "conditionalEventDefinition": Kind(m.ConditionalEventDefinition, parts={"condition": ChildFormal("condition")}),
    "linkEventDefinition": Kind(
        m.LinkEventDefinition,
        parts={
            "sources": ChildReferences("source", m.LinkEventDefinition),
            "target": ChildReference("target", m.LinkEventDefinition),
        },
    ),
    "compensateEventDefinition": Kind(
        m.CompensateEventDefinition,
        {"activity": Reference("activityRef", m.Activity), "wait_for_completion": Choice("waitForCompletion")},
    ),
    "cancelEventDefinition": Kind(m.CancelEventDefinition),
    "terminateEventDefinition": Kind(m.TerminateEventDefinition),
    "standardLoopCharacteristics": Kind(
        m.StandardLoopCharacteristics,
        {"maximum": Number("loopMaximum"), "test_before": Choice("testBefore")},
        {"condition": ChildFormal("loopCondition")},
    ),
    "multiInstanceLoopCharacteristics": Kind(
        m.MultiInstanceLoopCharacteristics,
        {
            "is_sequential": Choice("isSequential"),
            "behavior": Choice("behavior", {word.value.title(): word for word in m.Behavior}),
            "none_event": Reference("noneBehaviorEventRef", m.EventDefinition),
            "one_event": Reference("oneBehaviorEventRef", m.EventDefinition),
            "correlation": FormalPairAttribute(f"{{{OWN}}}correlationKey", FormalAttribute(f"{{{OWN}}}correlation")),
            "output_key": FormalAttribute(f"{{{OWN}}}outputKey"),
            "output_reduce": Text(f"{{{OWN}}}outputReduce"),
            "unique_keys": Choice(f"{{{OWN}}}uniqueKeys"),
        },
        {
            "loop_cardinality": ChildFormal("loopCardinality"),
            "input_collection": DataName("loopDataInputRef"),
            "output_collection": DataName("loopDataOutputRef"),
            "input_item": ChildAttribute("inputDataItem", ("name", "id")),
            "output_item": ChildAttribute("outputDataItem", ("name", "id")),
            "complex_definitions": Nested(("complexBehaviorDefinition",), many=True),
            "completion_condition": ChildFormal("completionCondition"),
        },
    ),
    "complexBehaviorDefinition": Kind(
        m.ComplexBehaviorDefinition, parts={"condition": ChildFormal("condition"), "event": Nested(("event",))}
    ),
}
