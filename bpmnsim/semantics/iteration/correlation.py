"""Which waiting inner instance a message is meant for (iteration.md section 10.1)."""

from __future__ import annotations

from bpmnsim.engine.executor import Program
from bpmnsim.expr.language import Expression, compile_expression
from bpmnsim.model.activities import Activity
from bpmnsim.model.base import Element, Formal
from bpmnsim.model.collaboration import CorrelationKey, CorrelationProperty
from bpmnsim.model.loops import MultiInstanceLoopCharacteristics
from bpmnsim.model.process import Model
from bpmnsim.semantics.flows import expression_of


def correlate(program: Program, node: Element, message_id: str, name: str, model: Model) -> Expression | None:
    """Return the expression of the key that a wait is told by, and prepare how messages are asked for it.

    Parameters
    ----------
    node
        What waits: an activity with a marker, or something inside one.
    message_id, name
        What it waits for.

    Notes
    -----
    ITER-IC-01: the named key derives a value from the payload; the expression is evaluated in the data of the inner
    instance when its wait is armed. A key that the model does not declare is looked up in the payload by its own name.
    """
    declared = _declared(node, model)
    if declared is None:
        return None
    key_name, formal = declared
    known = program.retrievals.get(name, ())
    program.retrievals[name] = (*known, *_retrievals(model, key_name, message_id))
    return expression_of(formal, model.dialect, node.id)


def _declared(node: Element, model: Model) -> tuple[str, Formal] | None:
    """Return the correlation declared by the nearest marker: that of the node, or of an activity around it."""
    element: Element | None = node
    while element is not None:
        loop = element.loop if isinstance(element, Activity) else None
        if isinstance(loop, MultiInstanceLoopCharacteristics) and loop.correlation is not None:
            return loop.correlation
        element = model.elements.get(element.parent)
    return None


def _retrievals(model: Model, key_name: str, message_id: str) -> list[Expression]:
    keys = (element for element in model.elements.values() if isinstance(element, CorrelationKey))
    key = next((element for element in keys if key_name in (element.name, element.id)), None)
    found: list[Expression] = []
    for property_id in key.properties if key else ():
        prop = model.elements.get(property_id)
        if isinstance(prop, CorrelationProperty):
            matching = (formal for message, formal in prop.retrievals if message == message_id)
            found += [expression_of(formal, model.dialect, prop.id) for formal in matching]
    return found or [compile_expression(key_name, language="python")]
