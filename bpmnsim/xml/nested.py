"""The codecs of elements inside others: loop markers, behavior definitions, event definitions.

Elements that the model holds on their own are no parts of others; the reader walks to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bpmnsim.model import Element, EventDefinition
from bpmnsim.xml.codecs import children, content
from bpmnsim.xml.names import EVENT_DEFINITIONS, MODEL
from bpmnsim.xml.protocols import Reading, Writing

if TYPE_CHECKING:
    from lxml.etree import _Element as Xml


@dataclass(frozen=True, slots=True)
class Nested:
    """A child that is an element of its own inside another, such as a loop marker; ``many`` gives a tuple.

    Examples
    --------
    >>> Nested(("event",)).many
    False
    """

    names: tuple[str, ...]
    many: bool = False

    def read(self, node: Xml, reading: Reading) -> Any:
        """Return the element, or all of them."""
        found = list(children(node, *self.names))
        if self.many:
            return tuple(reading.build(child) for child in found)
        for extra in found[1:]:
            reading.note(extra, "a second element of this kind was passed over")
        return reading.build(found[0]) if found else None

    def write(self, node: Xml, value: Any, writing: Writing) -> None:
        """Append the element, or all of them."""
        for element in value if self.many else (value,):
            writing.element(node, element)


@dataclass(frozen=True, slots=True)
class Definitions:
    """The event definitions of an event, its own ones and those declared at the top of the file.

    Examples
    --------
    >>> "eventDefinitionRef" in Definitions().names
    True
    """

    names: tuple[str, ...] = (*EVENT_DEFINITIONS, "eventDefinitionRef")

    def read(self, node: Xml, reading: Reading) -> tuple[Element, ...]:
        """Return every definition in document order."""
        found: list[Element | None] = []
        for child in children(node, *self.names):
            if child.tag == f"{{{MODEL}}}eventDefinitionRef":
                name = reading.refer(child, "eventDefinitionRef", content(child), EventDefinition, keep=False)
                found += [reading.root(child, name)] if name else []
            else:
                found.append(reading.build(child))
        return tuple(element for element in found if element is not None)

    def write(self, node: Xml, value: tuple[Element, ...], writing: Writing) -> None:
        """Append each, by reference where the model holds it on its own."""
        for definition in value:
            if writing.is_root(definition.id):
                writing.add(node, "eventDefinitionRef", definition.id)
            else:
                writing.element(node, definition)
