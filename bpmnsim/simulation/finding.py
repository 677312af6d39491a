"""From what a caller writes, an id or a name, to the element."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bpmnsim.errors import ModelError, SimulationError, did_you_mean
from bpmnsim.model.base import Element, FlowNode
from bpmnsim.model.process import Model


def find(key: str, elements: Iterable[Element], whose: str) -> str:
    """Return the id of the element with this id or name.

    Parameters
    ----------
    key
        As a caller wrote it.
    elements
        Where to look.
    whose
        Who should have it, for the message.

    Raises
    ------
    ModelError
        If there is none, with the nearest spelling, or if several have this name.
    """
    named: dict[str, None] = {}
    known: dict[str, None] = {}
    for element in elements:
        if element.id == key:
            return element.id
        known[element.id] = None
        if element.name:
            known[element.name] = None
        if element.name == key:
            named[element.id] = None
    if len(named) == 1:
        return next(iter(named))
    if named:
        raise ModelError(f"{whose}: {key!r} names several elements", hint=f"use an id: {', '.join(named)}")
    hint = did_you_mean(str(key), known)
    raise ModelError(f"{whose} has no element {key!r}", element_id=str(key), hint=hint)


def by_id(model: Model, given: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return *given* with each key, an id or a name of a node, as an id.

    Raises
    ------
    ModelError
        If a key is unknown or names several elements.
    SimulationError
        If it is no mapping.
    """
    require_mapping(given, what)
    nodes = [element for element in model.elements.values() if isinstance(element, FlowNode)]
    return {find(key, nodes, f"{what}: the model"): value for key, value in given.items()}


def require_mapping(given: Any, what: str) -> None:
    """Refuse what is no mapping from names."""
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        shown = type(given).__name__
        raise SimulationError(f"{what} must be a dict whose keys are names, not {shown}", hint=f'{what}={{"name": …}}')
