"""Which waiting inner instance a message is meant for (iteration.md section 10.1)."""

from __future__ import annotations

from bpmnsim.engine.executor import Program
from bpmnsim.expr.language import Expression, compile_expression
from bpmnsim.model.activities import ReceiveTask
from bpmnsim.model.base import Element
from bpmnsim.model.collaboration import CorrelationKey, CorrelationProperty
from bpmnsim.model.loops import MultiInstanceLoopCharacteristics
from bpmnsim.model.process import Model
from bpmnsim.semantics.flows import expression_of
from bpmnsim.semantics.tasks import message_name


def correlate(program: Program, node: Element, model: Model) -> Expression | None:
    """Return the expression of the key each inner instance waits for, and prepare how messages are asked for it.

    Notes
    -----
    ITER-IC-01: the named key derives a value from the payload; the expression is evaluated in the data of the inner
    instance when its wait is armed. A key that the model does not declare is looked up in the payload by its own name.
    """
    loop = node.loop if isinstance(node, ReceiveTask) else None
    if not isinstance(loop, MultiInstanceLoopCharacteristics) or loop.correlation is None:
        return None
    assert isinstance(node, ReceiveTask), "only a receive task is correlated here"
    key_name, formal = loop.correlation
    name = message_name(model, node.message)
    known = program.retrievals.get(name, ())
    program.retrievals[name] = (*known, *_retrievals(model, key_name, node.message))
    return expression_of(formal, model.dialect, node.id)


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
