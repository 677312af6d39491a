"""Build-time rules about sequence flows, gateways and references that name nothing.

A message, signal, error or escalation that is not declared is no reason to refuse a file: the id then serves as name or
code, as in the engines whose files do that.
"""

from __future__ import annotations

import re

from bpmnsim.errors import did_you_mean
from bpmnsim.model.activities import Activity, ReceiveTask
from bpmnsim.model.base import Element, FlowNode, SequenceFlow
from bpmnsim.model.collaboration import CorrelationKey, CorrelationSubscription
from bpmnsim.model.events import (
    BoundaryEvent,
    ConditionalEventDefinition,
    EndEvent,
    Event,
    EventDefinition,
    IntermediateCatchEvent,
    MessageEventDefinition,
    SignalEventDefinition,
    StartEvent,
    TimerEventDefinition,
)
from bpmnsim.model.gateways import ComplexGateway, EventBasedGateway, Gateway
from bpmnsim.model.loops import MultiInstanceLoopCharacteristics
from bpmnsim.model.process import Model, Process
from bpmnsim.model.rules_common import Problems, Rule, bare

_COUNT = re.compile(r"activationCount\s*(>=|==|>)\s*(\d+)")
_ARMS = (MessageEventDefinition, TimerEventDefinition, SignalEventDefinition, ConditionalEventDefinition)


def _names_nothing(model: Model, what: str, target: str, kind: type[Element]) -> Problems:
    if not isinstance(model.elements.get(target), kind):
        known = [element.id for element in model.elements.values() if isinstance(element, kind)]
        yield (
            f"its {what} {target!r} does not exist",
            did_you_mean(target, known) or "correct the reference or remove it",
        )


def _flow_ends(model: Model, flow: SequenceFlow) -> Problems:
    """Require that a flow leads from one node to another."""
    yield from _names_nothing(model, "source", flow.source, FlowNode)
    yield from _names_nothing(model, "target", flow.target, FlowNode)


def _boundary_host(model: Model, event: BoundaryEvent) -> Problems:
    """Require that a boundary event is attached to an activity."""
    yield from _names_nothing(model, "activity", event.attached_to, Activity)


def _default_flow(model: Model, node: Activity | Gateway) -> Problems:
    """Require that a default flow is one of the flows that leave the node."""
    leaving = [flow.id for flow in model.outgoing(node.id)]
    if node.default and node.default not in leaving:
        hint = did_you_mean(node.default, leaving) or "name one of its outgoing flows"
        yield f"its default flow {node.default!r} does not leave it", hint


def _behavior_events(model: Model, activity: Activity) -> Problems:
    """Require that the event of a behavior exists (ITER-BH-02, ITER-BH-03)."""
    if isinstance(activity.loop, MultiInstanceLoopCharacteristics):
        for target in filter(None, (activity.loop.none_event, activity.loop.one_event)):
            yield from _names_nothing(model, "behavior event", target, EventDefinition)


def _quantities(_: Model, activity: Activity) -> Problems:
    """core.md FLW-07."""
    for what, value in (("start", activity.start_quantity), ("completion", activity.completion_quantity)):
        if value != 1:
            yield (
                f"its {what} quantity is {value}",
                "use 1; draw a multi-instance activity or a parallel gateway instead",
            )


def _flow_stays_inside(model: Model, flow: SequenceFlow) -> Problems:
    """core.md FLW-08."""
    source, target = model.elements.get(flow.source), model.elements.get(flow.target)
    if isinstance(source, FlowNode) and isinstance(target, FlowNode) and source.parent != target.parent:
        yield (
            f"it leads from {source.id!r} in {source.parent!r} to {target.id!r} in {target.parent!r}",
            "connect nodes of the same process or sub-process; cross borders with events or messages",
        )


def _gateway_direction(model: Model, gateway: Gateway) -> Problems:
    """core.md GW-01; an unspecified direction allows everything."""
    into, out = len(model.incoming(gateway.id)), len(model.outgoing(gateway.id))
    direction = gateway.direction.lower()
    if direction == "diverging" and into > 1:
        yield f"it is diverging but has {into} incoming flows", "make it mixed, or merge before it"
    elif direction == "converging" and out > 1:
        yield f"it is converging but has {out} outgoing flows", "make it mixed, or split behind it"
    elif direction == "mixed" and not (into and out):
        yield f"it is mixed but has {into} incoming and {out} outgoing flows", "leave its direction unspecified"


def _activation_rule(model: Model, gateway: ComplexGateway) -> Problems:
    """core.md CPX-07; a count is read where the condition is nothing but a comparison of ``activationCount``."""
    into = len(model.incoming(gateway.id))
    if gateway.activation_condition is None or not gateway.activation_condition.text:
        if into > 1:
            yield "it joins flows without an activation condition", "write one, such as 'activationCount >= 2'"
        return
    count = _COUNT.fullmatch(bare(gateway.activation_condition))
    if count:
        needed = int(count[2]) + (count[1] == ">")
        if not 1 <= needed <= into:
            yield f"it waits for {needed} of {into} incoming flows", f"use a number from 1 to {into}"


def _event_gateway(model: Model, gateway: EventBasedGateway) -> Problems:
    """core.md EBG-06."""
    flows = model.outgoing(gateway.id)
    arms = [arm for arm in (model.elements.get(flow.target) for flow in flows) if isinstance(arm, FlowNode)]
    if len(arms) < 2:
        yield f"it has {len(arms)} arm", "draw at least two events or receive tasks behind it"
    for flow in flows:
        if flow.condition is not None:
            yield f"its flow {flow.id!r} has a condition", "remove it: the first event decides"
    for arm in arms:
        yield from _arm(model, arm)
    messages = [arm for arm in arms if _waits_for_messages(arm)]
    if any(isinstance(arm, ReceiveTask) for arm in arms) and any(isinstance(arm, Event) for arm in messages):
        yield "it mixes receive tasks and message events", "use one of the two for all its messages"
    if gateway.instantiate:
        if model.incoming(gateway.id):
            yield "it starts a process but has an incoming flow", "remove the flow, or set instantiate to false"
        if len(messages) < len(arms):
            yield "it starts a process but not all its arms wait for messages", "use messages only"
    if gateway.is_parallel:
        if not gateway.instantiate:
            yield "it is parallel but does not start a process", "set instantiate to true, or make it exclusive"
        if not any(isinstance(e, CorrelationKey | CorrelationSubscription) for e in model.elements.values()):
            yield "it is parallel but nothing correlates its messages", "declare a correlation key"


def _waits_for_messages(arm: FlowNode) -> bool:
    if isinstance(arm, Event):
        return all(isinstance(definition, MessageEventDefinition) for definition in arm.definitions)
    return isinstance(arm, ReceiveTask)


def _arm(model: Model, arm: FlowNode) -> Problems:
    if isinstance(arm, IntermediateCatchEvent):
        fits = bool(arm.definitions) and all(isinstance(definition, _ARMS) for definition in arm.definitions)
    else:
        fits = isinstance(arm, ReceiveTask)
    if not fits:
        hint = "let each arm be a receive task or a catch event for a message, timer, signal or condition"
        yield f"its arm {arm.id!r} is not something that waits for an event", hint
    if len(model.incoming(arm.id)) > 1:
        yield f"its arm {arm.id!r} has other incoming flows", "let only the gateway lead to it"
    if isinstance(arm, ReceiveTask) and model.boundaries(arm.id):
        yield f"its arm {arm.id!r} carries a boundary event", "draw the event as another arm"


def _parallel_only_at_start(model: Model, gateway: EventBasedGateway) -> Problems:
    """core.md EBG-10."""
    if gateway.is_parallel and model.incoming(gateway.id):
        yield "it is parallel but has an incoming flow", "make it exclusive, or remove the flow"


def _entry_needed(model: Model, process: Process) -> Problems:
    """core.md INS-07."""
    nodes = model.nodes(process.id)
    if any(isinstance(node, EndEvent) for node in nodes) and not any(
        isinstance(node, StartEvent) or getattr(node, "instantiate", False) for node in nodes
    ):
        yield "it has an end event but nothing starts it", "add a start event"


RULES: tuple[Rule, ...] = (
    ("REF", SequenceFlow, _flow_ends),
    ("REF", BoundaryEvent, _boundary_host),
    ("REF", Activity, _default_flow),
    ("REF", Gateway, _default_flow),
    ("REF", Activity, _behavior_events),
    ("FLW-07", Activity, _quantities),
    ("FLW-08", SequenceFlow, _flow_stays_inside),
    ("GW-01", Gateway, _gateway_direction),
    ("CPX-07", ComplexGateway, _activation_rule),
    ("EBG-06", EventBasedGateway, _event_gateway),
    ("EBG-10", EventBasedGateway, _parallel_only_at_start),
    ("INS-07", Process, _entry_needed),
)
