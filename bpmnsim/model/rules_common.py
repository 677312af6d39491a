"""What the build-time rules share: the shape of a rule, and what an expression yields as far as its text tells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from bpmnsim.model.base import Element, FlowNode, Formal
from bpmnsim.model.data import ItemDefinition
from bpmnsim.model.process import Model

Problems = Iterator[tuple[str, str]]
Rule = tuple[str, type[Element], Callable[[Model, Any], Problems]]

_WRAPPED = re.compile(r"[$#]\{(.*)\}", re.DOTALL)
_TYPES = {
    "integer": ("int", "integer", "long", "short", "byte", "nonnegativeinteger", "positiveinteger"),
    "boolean": ("bool", "boolean"),
}


def bare(formal: Formal) -> str:
    """Return the text of an expression without the marks ``${...}``, ``#{...}`` or ``=``.

    Examples
    --------
    >>> bare(Formal(text="${ 3 }")), bare(Formal(text="=x"))
    ('3', 'x')
    """
    wrapped = _WRAPPED.fullmatch(formal.text.strip())
    text = wrapped[1] if wrapped else formal.text.strip().removeprefix("=")
    return text.strip()


def static_type(model: Model, formal: Formal) -> str:
    """Return what an expression yields: ``"integer"``, ``"boolean"``, or ``""`` where only a run can tell.

    Examples
    --------
    >>> model = Model([])
    >>> static_type(model, Formal(text="42")), static_type(model, Formal(text="${true}"))
    ('integer', 'boolean')
    >>> static_type(model, Formal(text="n", evaluates_to="xsd:int")), static_type(model, Formal(text="n"))
    ('integer', '')
    """
    text = bare(formal)
    if re.fullmatch(r"[+-]?\d+", text):
        return "integer"
    if text.lower() in ("true", "false"):
        return "boolean"
    declared = formal.evaluates_to
    item = model.elements.get(declared)
    if isinstance(item, ItemDefinition):
        declared = item.structure
    local = re.split(r"[:.#]", declared)[-1].lower()
    return next((name for name, spellings in _TYPES.items() if local in spellings), "")


def entries(model: Model, container: str) -> list[FlowNode]:
    """Return the flow nodes of a container that no sequence flow enters, in declared order.

    Examples
    --------
    >>> from bpmnsim.model import ProcessBuilder
    >>> b = ProcessBuilder("p")
    >>> _ = b.start() >> b.end()
    >>> [node.id for node in entries(b.model(), "p")]
    ['start']
    """
    return [node for node in model.nodes(container) if not model.incoming(node.id)]
