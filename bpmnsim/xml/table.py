"""The whole element table, by element name and by class."""

from __future__ import annotations

from collections.abc import Mapping

from bpmnsim.model import DataAssociation, Element, ResourceRole
from bpmnsim.xml.data_table import DATA_KINDS
from bpmnsim.xml.flow_table import FLOW_KINDS
from bpmnsim.xml.kinds import Kind

KINDS: Mapping[str, Kind] = {**FLOW_KINDS, **DATA_KINDS}

_NAMES: Mapping[type[Element], str] = {kind.cls: name for name, kind in KINDS.items()}


def name_of(element: Element) -> str:
    """Return the BPMN element name under which an element is written.

    Examples
    --------
    >>> from bpmnsim.model import ImplicitThrowEvent
    >>> name_of(ImplicitThrowEvent(id="e")), name_of(ResourceRole(id="r", kind="performer"))
    ('event', 'performer')
    """
    if isinstance(element, ResourceRole):
        return element.kind
    if isinstance(element, DataAssociation):
        return f"data{element.kind.title()}Association"
    return _NAMES[type(element)]
