"""What every BPMN element has in common: identity, place, extensions, expressions, flow nodes and flows."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """A foreign element that is kept word for word but has no meaning for a run.

    Parameters
    ----------
    name
        Qualified name as ``{namespace}local``.
    attributes
        Pairs of qualified name and value, in document order.
    text
        Character data.
    children
        Nested foreign elements.

    Examples
    --------
    >>> Extension(name="{urn:x}form", text="f1").text
    'f1'
    """

    name: str
    attributes: tuple[tuple[str, str], ...] = ()
    text: str = ""
    children: tuple[Extension, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Formal:
    """An expression as drawn: its text and the language the file names for it.

    Parameters
    ----------
    text
        The expression, without surrounding white space.
    language
        URI or MIME type of the language; empty where the file gives none.
    evaluates_to
        Name of the item definition or type it yields, as the file says.

    Examples
    --------
    >>> Formal(text="${amount > 1000}").language
    ''

    Notes
    -----
    ``bpmnsim.expr`` decides how it is read.
    """

    text: str
    language: str = ""
    evaluates_to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """A named part of a model; elements are flat and name their container by id.

    Parameters
    ----------
    id
        Unique in the model.
    name
        Label, possibly empty.
    parent
        Id of the containing element; empty at the top.
    documentation
        Text of the documentation, paragraphs separated by blank lines.
    attributes
        Foreign attributes as pairs of ``{namespace}local`` and value.
    extensions
        Foreign elements, kept.
    line
        Line in the file, from 1; ignored when elements are compared.

    Examples
    --------
    >>> Element(id="a", line=3) == Element(id="a", line=8)
    True
    """

    id: str
    name: str = ""
    parent: str = ""
    documentation: str = ""
    attributes: tuple[tuple[str, str], ...] = ()
    extensions: tuple[Extension, ...] = ()
    line: int | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowNode(Element):
    """An activity, event or gateway.

    Examples
    --------
    >>> FlowNode(id="a", name="Review").name
    'Review'
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceFlow(Element):
    """A directed connection between two flow nodes of one container.

    Parameters
    ----------
    source, target
        Ids of the connected flow nodes.
    condition
        Expression under which the flow is taken, or ``None``.
    is_immediate
        Kept and ignored (core.md FLW-07).

    Examples
    --------
    >>> SequenceFlow(id="f", source="a", target="b").condition is None
    True
    """

    source: str
    target: str
    condition: Formal | None = None
    is_immediate: bool | None = None
