"""The codecs of children: texts, references, expressions, pairs.

Attributes are in ``codecs``, elements inside others in ``nested``.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from bpmnsim.model import Assignment, Element, Formal
from bpmnsim.xml.codecs import Named, children, content, whole
from bpmnsim.xml.protocols import Reading, Writing

if TYPE_CHECKING:
    from lxml.etree import _Element as Xml


@dataclass(frozen=True, slots=True)
class ChildText(Named):
    """The text of a child, without the indentation that its lines share.

    Examples
    --------
    >>> ChildText("script").xml
    'script'
    """

    def read(self, node: Xml, _: Reading) -> str | None:
        """Return the text of the first child."""
        for child in children(node, self.xml):
            return dedent("".join(map(str, child.itertext()))).strip()
        return None

    def write(self, node: Xml, value: str, writing: Writing) -> None:
        """Append the child."""
        writing.add(node, self.xml, value)


@dataclass(frozen=True, slots=True)
class ChildAttribute(Named):
    """An attribute of a child that has no element of its own.

    Parameters
    ----------
    attributes
        Names of the attribute, the written one first.
    number
        Whether it holds a whole number.

    Examples
    --------
    >>> ChildAttribute("dataState", ("name",)).attributes
    ('name',)
    """

    attributes: tuple[str, ...]
    number: bool = False

    def read(self, node: Xml, reading: Reading) -> str | int | None:
        """Return the attribute of the first child."""
        for child in children(node, self.xml):
            for name in self.attributes:
                if child.get(name):
                    return whole(child, name, reading) if self.number else child.get(name)
        return None

    def write(self, node: Xml, value: str | int, writing: Writing) -> None:
        """Set the attribute on the child, appending it where it is missing."""
        child = next(children(node, self.xml), None)
        (writing.add(node, self.xml) if child is None else child).set(self.attributes[0], str(value))


@dataclass(frozen=True, slots=True)
class ChildReference(Named):
    """The element named by the text of a child.

    Examples
    --------
    >>> ChildReference("targetRef").to is Element
    True
    """

    to: type[Element] = Element

    def read(self, node: Xml, reading: Reading) -> str | None:
        """Return the id of the element meant."""
        for child in children(node, self.xml):
            return reading.refer(child, self.xml, content(child), self.to, keep=True)
        return None

    def write(self, node: Xml, value: str, writing: Writing) -> None:
        """Append the child."""
        writing.add(node, self.xml, value)


@dataclass(frozen=True, slots=True)
class ChildReferences(Named):
    """The elements named by the texts of several children.

    Examples
    --------
    >>> ChildReferences("flowNodeRef", keep=False).keep
    False
    """

    to: type[Element] = Element
    keep: bool = True

    def read(self, node: Xml, reading: Reading) -> tuple[str, ...]:
        """Return the ids of the elements meant."""
        found = (reading.refer(c, self.xml, content(c), self.to, self.keep) for c in children(node, self.xml))
        return tuple(name for name in found if name)

    def write(self, node: Xml, value: tuple[str, ...], writing: Writing) -> None:
        """Append one child each."""
        for name in value:
            writing.add(node, self.xml, name)


@dataclass(frozen=True, slots=True)
class ChildFormal(Named):
    """The expression in a child; ``inner`` names a further element around it.

    Examples
    --------
    >>> ChildFormal("timeDate", evaluated=False).inner
    ''
    """

    inner: str = ""
    evaluated: bool = True

    def read(self, node: Xml, reading: Reading) -> Formal | None:
        """Return the expression, ``None`` where there is none or it is empty."""
        for child in children(node, self.xml):
            inner = next(children(child, self.inner, "expression"), None) if self.inner else child
            return None if inner is None else reading.formal(inner, evaluated=self.evaluated)
        return None

    def write(self, node: Xml, value: Formal, writing: Writing) -> None:
        """Append the child."""
        parent = writing.add(node, self.xml) if self.inner else node
        writing.formal(parent, self.inner or self.xml, value)


@dataclass(frozen=True, slots=True)
class FormalPairs(Named):
    """Children that pair a reference with an expression.

    Examples
    --------
    >>> FormalPairs("resourceParameterBinding", "parameterRef", "formalExpression").child
    'formalExpression'
    """

    attribute: str
    child: str
    to: type[Element] | None = None

    def read(self, node: Xml, reading: Reading) -> tuple[tuple[str, Formal], ...]:
        """Return reference and expression of each child that has an expression."""
        pairs = []
        for child in children(node, self.xml):
            name = child.get(self.attribute, "")
            if self.to is not None and name:
                name = reading.refer(child, self.attribute, name, self.to, keep=True)
            for inner in children(child, self.child, "expression"):
                pairs.append((name, reading.formal(inner) or Formal(text="")))
                break
        return tuple(pairs)

    def write(self, node: Xml, value: tuple[tuple[str, Formal], ...], writing: Writing) -> None:
        """Append one child each."""
        for name, formal in value:
            child = writing.add(node, self.xml)
            child.set(self.attribute, name)
            writing.formal(child, self.child, formal)


@dataclass(frozen=True, slots=True)
class Attributes(Named):
    """Attributes of several children: one each gives names, two each give pairs.

    Examples
    --------
    >>> Attributes("categoryValue", ("id", "value")).attributes
    ('id', 'value')
    """

    attributes: tuple[str, ...]

    def read(self, node: Xml, _: Reading) -> tuple[Any, ...]:
        """Return what each child says."""
        rows = [tuple(child.get(name, "") for name in self.attributes) for child in children(node, self.xml)]
        return tuple(row[0] for row in rows) if len(self.attributes) == 1 else tuple(rows)

    def write(self, node: Xml, value: tuple[Any, ...], writing: Writing) -> None:
        """Append one child each."""
        for row in value:
            child = writing.add(node, self.xml)
            for name, text in zip(self.attributes, (row,) if isinstance(row, str) else row, strict=True):
                child.set(name, text)


@dataclass(frozen=True, slots=True)
class Assignments(Named):
    """The assignments of a data association.

    Examples
    --------
    >>> Assignments("assignment").xml
    'assignment'
    """

    def read(self, node: Xml, reading: Reading) -> tuple[Assignment, ...]:
        """Return each assignment that has both sides."""
        found = []
        for child in children(node, self.xml):
            source, target = next(children(child, "from"), None), next(children(child, "to"), None)
            if source is None or target is None:
                reading.note(child, "an assignment without from or to was passed over")
                continue
            to = reading.formal(target, evaluated=False) or Formal(text="")
            found.append(Assignment(source=reading.constant(source), target=to))
        return tuple(found)

    def write(self, node: Xml, value: tuple[Assignment, ...], writing: Writing) -> None:
        """Append one child each."""
        for assignment in value:
            child = writing.add(node, self.xml)
            writing.formal(child, "from", assignment.source)
            writing.formal(child, "to", assignment.target)


@dataclass(frozen=True, slots=True)
class DataName(Named):
    """A child that refers to data, which the model knows by name (iteration.md ITER-D-12).

    Examples
    --------
    >>> DataName("loopDataInputRef").xml
    'loopDataInputRef'
    """

    def read(self, node: Xml, reading: Reading) -> str | None:
        """Return the name."""
        for child in children(node, self.xml):
            return reading.data_name(child, content(child))
        return None

    def write(self, node: Xml, value: str, writing: Writing) -> None:
        """Append the child."""
        writing.add(node, self.xml, writing.data_reference(value))
