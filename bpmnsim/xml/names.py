"""Names that occur in BPMN files: namespaces, vendors, and groups of element names. Data only; no reading."""

from __future__ import annotations

MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"
BPMNDI = "http://www.omg.org/spec/BPMN/20100524/DI"
DI = "http://www.omg.org/spec/DD/20100524/DI"
DC = "http://www.omg.org/spec/DD/20100524/DC"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
OWN = "urn:bpmnsim:1"
MODELER = "http://camunda.org/schema/modeler/1.0"
ZEEBE = "http://camunda.org/schema/zeebe/1.0"
XPATH = frozenset({"http://www.w3.org/1999/XPath", "http://www.w3.org/TR/XPath"})

VENDORS = {
    "http://operaton.org/schema/1.0/bpmn": "operaton",
    "http://camunda.org/schema/1.0/bpmn": "camunda",
    ZEEBE: "zeebe",
    "http://flowable.org/bpmn": "flowable",
    "http://activiti.org/bpmn": "activiti",
    "http://www.jboss.org/drools": "jbpm",
}

# Prefixes under which the writer declares namespaces; any other one is numbered.
PREFIXES = {
    MODEL: "bpmn",
    BPMNDI: "bpmndi",
    DI: "di",
    DC: "dc",
    XSI: "xsi",
    OWN: "bpmnsim",
    MODELER: "modeler",
    **{namespace: vendor for namespace, vendor in VENDORS.items() if vendor != "jbpm"},
    "http://www.jboss.org/drools": "drools",
}

TASKS = ("task", "userTask", "manualTask", "serviceTask", "sendTask", "receiveTask", "scriptTask", "businessRuleTask")
SUB_PROCESSES = ("subProcess", "transaction", "adHocSubProcess")
ACTIVITIES = (*TASKS, *SUB_PROCESSES, "callActivity")
EVENTS = ("startEvent", "endEvent", "intermediateCatchEvent", "intermediateThrowEvent", "boundaryEvent")
GATEWAYS = ("exclusiveGateway", "parallelGateway", "inclusiveGateway", "complexGateway", "eventBasedGateway")
EVENT_DEFINITIONS = (
    "messageEventDefinition",
    "signalEventDefinition",
    "errorEventDefinition",
    "escalationEventDefinition",
    "timerEventDefinition",
    "conditionalEventDefinition",
    "linkEventDefinition",
    "compensateEventDefinition",
    "cancelEventDefinition",
    "terminateEventDefinition",
)
LOOPS = ("standardLoopCharacteristics", "multiInstanceLoopCharacteristics")
ARTIFACTS = ("textAnnotation", "association", "group")
ROLES = ("resourceRole", "performer", "humanPerformer", "potentialOwner")
INPUT_OUTPUT = ("dataInput", "dataOutput", "inputSet", "outputSet")
FLOW_ELEMENTS = (
    *ACTIVITIES,
    *EVENTS,
    *GATEWAYS,
    "sequenceFlow",
    "dataObject",
    "dataObjectReference",
    "dataStoreReference",
)
ROOT_ELEMENTS = (
    "process",
    "collaboration",
    "itemDefinition",
    "message",
    "signal",
    "error",
    "escalation",
    "interface",
    "resource",
    "category",
    "dataStore",
    "correlationProperty",
    *EVENT_DEFINITIONS,
)

# Elements that only group others: what they hold belongs to the element around them.
WRAPPERS = {"ioSpecification": INPUT_OUTPUT, "laneSet": ("lane",), "childLaneSet": ("lane",)}

# Children that any element may have and that are not elements of the model.
COMMON = frozenset({"documentation", "extensionElements", "incoming", "outgoing"})

# Standard elements that say nothing about a run, so that a note can tell them from unknown ones.
MEANINGLESS = frozenset(
    (
        *("auditing", "monitoring", "rendering", "categoryValueRef", "partitionElement", "ioBinding"),
        *("import", "extension", "relationship", "partnerEntity", "partnerRole", "endPoint", "endPointRef"),
        *("choreography", "globalChoreographyTask", "choreographyRef", "globalConversation", "conversation"),
        *("subConversation", "callConversation", "conversationLink", "conversationAssociation"),
        *("participantAssociation", "messageFlowAssociation", "interfaceRef", "supportedInterfaceRef"),
    )
)
