"""How the attributes of an element are read from XML and written back: one small class per shape of attribute.

Each codec knows both directions, so that what is read can be written. Codecs of children are in ``parts`` and
``nested``; which element has which parts stands in ``table``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bpmnsim.model import Element, Formal
from bpmnsim.xml.names import MODEL
from bpmnsim.xml.protocols import Reading, Writing

if TYPE_CHECKING:
    from lxml.etree import _Element as Xml


def children(node: Xml, *names: str) -> Iterator[Xml]:
    """Yield the BPMN children of these names.

    Examples
    --------
    >>> from lxml import etree
    >>> [child.text for child in children(etree.fromstring(f"<a xmlns='{MODEL}'><b>1</b><c/><b>2</b></a>"), "b")]
    ['1', '2']
    """
    return node.iterchildren(*[f"{{{MODEL}}}{name}" for name in names])


def line_of(node: Xml) -> int | None:
    r"""Return the line of an element in its file, from 1.

    Examples
    --------
    >>> from lxml import etree
    >>> line_of(etree.fromstring("<a>\n<b/></a>")[0])
    2
    """
    line: Any = node.sourceline  # the stubs of lxml give it no type
    return None if line is None else int(line)


def content(node: Xml) -> str:
    """Return all character data of *node*, without surrounding white space.

    Examples
    --------
    >>> from lxml import etree
    >>> content(etree.fromstring("<a> x <b>y</b></a>"))
    'x y'
    """
    return "".join(map(str, node.itertext())).strip()


FLAG: Mapping[str, Any] = {"true": True, "false": False, "1": True, "0": False}


@dataclass(frozen=True, slots=True)
class Named:
    """Base of codecs that take one attribute or the children of one name.

    Examples
    --------
    >>> Named("errorCode").names
    ('errorCode',)
    """

    xml: str

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the XML attributes or children taken."""
        return (self.xml,)


@dataclass(frozen=True, slots=True)
class Text(Named):
    """An attribute that is kept as it is.

    Examples
    --------
    >>> Text("errorCode").xml
    'errorCode'
    """

    def read(self, node: Xml, _: Reading) -> str | None:
        """Return the attribute."""
        return node.get(self.xml)

    def write(self, node: Xml, value: str, _: Writing) -> None:
        """Set the attribute."""
        node.set(self.xml, value)


@dataclass(frozen=True, slots=True)
class Number(Named):
    """An attribute that holds a whole number.

    Examples
    --------
    >>> Number("loopMaximum").xml
    'loopMaximum'
    """

    def read(self, node: Xml, reading: Reading) -> int | None:
        """Return the number; a note where it is none."""
        return whole(node, self.xml, reading)

    def write(self, node: Xml, value: int, _: Writing) -> None:
        """Set the attribute."""
        node.set(self.xml, str(value))


def whole(node: Xml, name: str, reading: Reading) -> int | None:
    """Return the whole number in an attribute; a note and ``None`` where it is none.

    Examples
    --------
    >>> from lxml import etree
    >>> whole(etree.fromstring("<a n='3'/>"), "n", None)
    3
    """
    text = node.get(name)
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        reading.note(node, f"{name} '{text[:40]}' is not a whole number and was passed over")
        return None


@dataclass(frozen=True, slots=True)
class Choice(Named):
    """An attribute with a closed set of words, in any case.

    Examples
    --------
    >>> Choice("isClosed").values["true"]
    True
    """

    values: Mapping[str, Any] = field(default_factory=lambda: FLAG)

    def read(self, node: Xml, reading: Reading) -> Any:
        """Return what the word stands for; a note where it is unknown."""
        text = node.get(self.xml)
        if text is None:
            return None
        for word, value in self.values.items():
            if word.lower() == text.strip().lower():
                return value
        reading.note(node, f"{self.xml} '{text[:40]}' is not one of {', '.join(self.values)} and was passed over")
        return None

    def write(self, node: Xml, value: Any, _: Writing) -> None:
        """Set the first word that stands for the value."""
        words = [word for word, known in self.values.items() if known == value]
        if not words:
            raise ValueError(f"{value!r} is no value of {self.xml}")
        node.set(self.xml, words[0])


@dataclass(frozen=True, slots=True)
class Reference(Named):
    """An attribute that names another element by id or qualified name.

    Parameters
    ----------
    to
        Class of the element meant.
    keep
        Whether the text is kept where there is no such element; a note either way.

    Examples
    --------
    >>> Reference("messageRef").keep
    True
    """

    to: type[Element] = Element
    keep: bool = True

    def read(self, node: Xml, reading: Reading) -> str | None:
        """Return the id of the element meant."""
        text = node.get(self.xml)
        return reading.refer(node, self.xml, text, self.to, self.keep) if text else None

    def write(self, node: Xml, value: str, _: Writing) -> None:
        """Set the attribute."""
        node.set(self.xml, value)


@dataclass(frozen=True, slots=True)
class FormalAttribute(Named):
    """An expression in a foreign attribute, with its language in a second one.

    Examples
    --------
    >>> FormalAttribute("key").names
    ('key', 'keyLanguage')
    """

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the XML attributes taken."""
        return (self.xml, f"{self.xml}Language")

    def read(self, node: Xml, _: Reading) -> Formal | None:
        """Return the expression."""
        text = node.get(self.xml)
        return Formal(text=text, language=node.get(f"{self.xml}Language", "")) if text else None

    def write(self, node: Xml, value: Formal, _: Writing) -> None:
        """Set the attributes."""
        node.set(self.xml, value.text)
        if value.language:
            node.set(f"{self.xml}Language", value.language)


@dataclass(frozen=True, slots=True)
class FormalPairAttribute(Named):
    """A name and an expression in two foreign attributes.

    Examples
    --------
    >>> FormalPairAttribute("key", FormalAttribute("value")).names
    ('key', 'value', 'valueLanguage')
    """

    formal: FormalAttribute

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the XML attributes taken."""
        return (self.xml, *self.formal.names)

    def read(self, node: Xml, reading: Reading) -> tuple[str, Formal] | None:
        """Return name and expression, ``None`` unless there are both."""
        name, formal = node.get(self.xml), self.formal.read(node, reading)
        return (name, formal) if name is not None and formal else None

    def write(self, node: Xml, value: tuple[str, Formal], writing: Writing) -> None:
        """Set the attributes."""
        node.set(self.xml, value[0])
        self.formal.write(node, value[1], writing)
