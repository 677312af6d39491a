"""Build-time rules about sub-processes, transactions, ad-hoc and event sub-processes, and compensation."""

from __future__ import annotations

from bpmnsim.model.activities import Activity, AdHocSubProcess, SubProcess, Transaction
from bpmnsim.model.collaboration import Association
from bpmnsim.model.events import CompensateEventDefinition, EndEvent, StartEvent
from bpmnsim.model.gateways import Gateway
from bpmnsim.model.process import Model
from bpmnsim.model.rules_common import Problems, Rule, entries


def _event_subprocess_shape(model: Model, scope: SubProcess) -> Problems:
    """core.md ESP-01."""
    if not scope.triggered_by_event:
        return
    starts = sum(isinstance(node, StartEvent) for node in model.nodes(scope.id))
    if starts != 1:
        yield f"an event sub-process has one start event, not {starts}", "give it exactly one"
    if model.incoming(scope.id) or model.outgoing(scope.id):
        yield "an event sub-process has no incoming or outgoing flows", "remove them: its start event triggers it"
    if model.boundaries(scope.id):
        yield "an event sub-process has no boundary events", "catch the event inside it"


def _subprocess_seeds(model: Model, scope: SubProcess) -> Problems:
    """core.md SUB-03."""
    if scope.triggered_by_event or isinstance(scope, AdHocSubProcess):
        return
    nodes = model.nodes(scope.id)
    for start in nodes:
        if isinstance(start, StartEvent) and start.definitions:
            yield f"its start event {start.id!r} waits for a trigger", "make it a plain start event"
    plain = [node.id for node in nodes if isinstance(node, StartEvent) and not node.definitions]
    if len(plain) > 1:
        yield f"it has {len(plain)} start events", "keep one"
    others = [node.id for node in entries(model, scope.id) if _is_entry(node)]
    if plain and others:
        yield f"besides its start event it would start at {others[0]!r}", "connect that node, or remove it"


def _is_entry(node: object) -> bool:
    if isinstance(node, Activity):
        return not node.is_for_compensation and not (isinstance(node, SubProcess) and node.triggered_by_event)
    return isinstance(node, Gateway)


def _transaction_shape(model: Model, scope: Transaction) -> Problems:
    """core.md TXN-01, containment."""
    if scope.triggered_by_event:
        yield "a transaction cannot be an event sub-process", "use one of the two"
    around = model.container(scope.id)
    while isinstance(around, SubProcess):
        if isinstance(around, Transaction):
            yield f"it lies inside the transaction {around.id!r}", "make the inner one a plain sub-process"
            return
        around = model.container(around.id)


def _transaction_method(_: Model, scope: Transaction) -> Problems:
    """core.md TXN-05 and section 18."""
    if scope.method.lower().lstrip("#") in ("store", "image"):
        yield f"its method is {scope.method}", "use ##Compensate"


def _adhoc_contents(model: Model, scope: AdHocSubProcess) -> Problems:
    """core.md ADH-09."""
    for node in model.nodes(scope.id):
        if isinstance(node, StartEvent | EndEvent):
            yield f"an ad-hoc sub-process has no start or end events, but {node.id!r}", "remove it"


def _one_compensation_handler(model: Model, activity: Activity) -> Problems:
    """core.md CMP-02: an entry has one handler."""
    events = [
        event.id
        for event in model.boundaries(activity.id)
        if any(isinstance(definition, CompensateEventDefinition) for definition in event.definitions)
    ]
    if not events:
        return
    handlers = [
        line.target
        for line in model.elements.values()
        if isinstance(line, Association)
        and line.source in events
        and isinstance(model.elements.get(line.target), Activity)
    ]
    if max(len(events), len(handlers)) > 1:
        yield (
            f"it has {max(len(events), len(handlers))} compensation handlers",
            "keep one; put several steps in a sub-process",
        )


RULES: tuple[Rule, ...] = (
    ("ESP-01", SubProcess, _event_subprocess_shape),
    ("SUB-03", SubProcess, _subprocess_seeds),
    ("TXN-01", Transaction, _transaction_shape),
    ("TXN-05", Transaction, _transaction_method),
    ("ADH-09", AdHocSubProcess, _adhoc_contents),
    ("CMP-02", Activity, _one_compensation_handler),
)
