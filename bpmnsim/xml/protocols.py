"""What a codec is, and what it may ask of reader and writer. Codecs are in ``codecs``, ``parts`` and ``nested``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from bpmnsim.model import Element, Formal

if TYPE_CHECKING:
    from lxml.etree import _Element as Xml


class Reading(Protocol):
    """What a codec may ask of the reader.

    Examples
    --------
    >>> sorted(name for name in vars(Reading) if name[0] != "_")
    ['build', 'constant', 'data_name', 'formal', 'note', 'refer', 'root']
    """

    def refer(self, node: Xml, part: str, text: str, to: type[Element], keep: bool) -> str:
        """Return the id that *text* names, noting where there is none."""

    def formal(self, node: Xml, *, evaluated: bool = True) -> Formal | None:
        """Return the expression in *node*, ``None`` where it is empty."""

    def constant(self, node: Xml) -> Formal:
        """Return the source of an assignment, which some dialects write without quotes."""

    def data_name(self, node: Xml, text: str) -> str:
        """Return the name of the data element that *text* refers to."""

    def build(self, node: Xml) -> Element:
        """Return the nested element that *node* declares."""

    def root(self, node: Xml, element_id: str) -> Element | None:
        """Return the element of this id that *node* refers to; a note unless the model holds it on its own."""

    def note(self, node: Xml, text: str) -> None:
        """Report something that is passed over."""


class Writing(Protocol):
    """What a codec may ask of the writer.

    Examples
    --------
    >>> sorted(name for name in vars(Writing) if name[0] != "_")
    ['add', 'data_reference', 'element', 'formal', 'is_root']
    """

    def add(self, parent: Xml, name: str, text: str = "") -> Xml:
        """Append a BPMN element to *parent*."""

    def formal(self, parent: Xml, name: str, formal: Formal) -> None:
        """Append an expression."""

    def element(self, parent: Xml, element: Element) -> None:
        """Append a nested element with all its parts."""

    def data_reference(self, name: str) -> str:
        """Return the text that refers to the data of that name."""

    def is_root(self, element_id: str) -> bool:
        """Whether the model holds the element on its own."""


class Codec(Protocol):
    """One part of an element, which it reads and writes; ``None`` stands for a part that is not there.

    Examples
    --------
    >>> from lxml import etree
    >>> from bpmnsim.xml.codecs import Text
    >>> codec: Codec = Text("errorCode")
    >>> codec.names, codec.read(etree.fromstring("<error errorCode='E1'/>"), None)
    (('errorCode',), 'E1')
    """

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the XML attributes or children taken."""

    def read(self, node: Xml, reading: Reading) -> Any:
        """Return the value, ``None`` where the file has none."""

    def write(self, node: Xml, value: Any, writing: Writing) -> None:
        """Add the value to *node*."""
