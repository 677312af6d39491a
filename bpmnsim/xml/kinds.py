"""What the element table says about one element name; the entries are in ``table``, ``flow_table``, ``data_table``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bpmnsim.model import Element
from bpmnsim.xml.protocols import Codec

Parts = Mapping[str, Codec]


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """What the table says about one element name.

    Parameters
    ----------
    cls
        Class in the model.
    attributes, parts
        Codec of each field of the class, kept in an attribute or in children, in the order in which parts are written.
    last
        Parts that are written after the contained elements.
    contains
        Names of the elements and wrappers that may lie inside and that the model holds on their own.
    constants
        Fields that follow from the name, or that have no default.
    attribute_names, part_names
        XML attributes and children that the codecs take; derived.

    Examples
    --------
    >>> Kind(Element).contains
    frozenset()
    """

    cls: type[Element]
    attributes: Parts = field(default_factory=dict)
    parts: Parts = field(default_factory=dict)
    last: Parts = field(default_factory=dict)
    contains: frozenset[str] = frozenset()
    constants: Mapping[str, Any] = field(default_factory=dict)

    attribute_names: frozenset[str] = field(init=False)
    part_names: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        of_children = (*self.parts.values(), *self.last.values())
        object.__setattr__(self, "attribute_names", _all_names(self.attributes.values()))
        object.__setattr__(self, "part_names", _all_names(of_children))


def _all_names(codecs: Iterable[Codec]) -> frozenset[str]:
    return frozenset(name for codec in codecs for name in codec.names)
