"""Who takes part: pools, lanes, message flows, correlation, interfaces; and artifacts, which mean nothing to a run."""

from __future__ import annotations

from dataclasses import dataclass

from bpmnsim.model.base import Element, Formal


@dataclass(frozen=True, slots=True, kw_only=True)
class Collaboration(Element):
    """The frame of several participants.

    Examples
    --------
    >>> Collaboration(id="c").is_closed
    False
    """

    is_closed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant(Element):
    """A pool; without a process a black box.

    Examples
    --------
    >>> Participant(id="customer", process="").process
    ''
    """

    process: str = ""
    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFlow(Element):
    """A message between two pools or elements of them.

    Examples
    --------
    >>> MessageFlow(id="m", source="send", target="pool").target
    'pool'
    """

    source: str
    target: str
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane(Element):
    """A band of a pool; ``parent`` is the lane around it or the process.

    Examples
    --------
    >>> Lane(id="clerk", members=("a", "b")).members
    ('a', 'b')
    """

    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelationProperty(Element):
    """A value found in several messages, with the expression for each (core.md COR-01).

    Parameters
    ----------
    retrievals
        Pairs of message id and the expression that finds the value in its payload.

    Examples
    --------
    >>> CorrelationProperty(id="p", retrievals=(("m", Formal(text="orderId")),)).retrievals[0][0]
    'm'
    """

    type: str = ""
    retrievals: tuple[tuple[str, Formal], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelationKey(Element):
    """A named composite of correlation properties (core.md COR-01).

    Examples
    --------
    >>> CorrelationKey(id="k", name="order", properties=("p",)).properties
    ('p',)
    """

    properties: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelationSubscription(Element):
    """Ties a correlation key to a process; predicates are refused (core.md COR-07).

    Examples
    --------
    >>> CorrelationSubscription(id="s", key="k").bindings
    ()
    """

    key: str = ""
    bindings: tuple[tuple[str, Formal], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Interface(Element):
    """A set of operations.

    Examples
    --------
    >>> Interface(id="i", implementation="##WebService").implementation
    '##WebService'
    """

    implementation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Element):
    """An operation of an interface; ``parent`` names it.

    Examples
    --------
    >>> Operation(id="o", in_message="m").errors
    ()
    """

    implementation: str = ""
    in_message: str = ""
    out_message: str = ""
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextAnnotation(Element):
    """A note on the diagram.

    Examples
    --------
    >>> TextAnnotation(id="t", text="mind the gap").text
    'mind the gap'
    """

    text: str = ""
    text_format: str = "text/plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Association(Element):
    """A dotted line; from a compensation boundary event it names the handler (core.md CMP-02).

    Examples
    --------
    >>> Association(id="a", source="b", target="undo").direction
    'None'
    """

    source: str
    target: str
    direction: str = "None"


@dataclass(frozen=True, slots=True, kw_only=True)
class Category(Element):
    """A category and its values, which groups show.

    Parameters
    ----------
    values
        Pairs of id and text of the category values.

    Examples
    --------
    >>> Category(id="c", values=(("v", "Urgent"),)).values
    (('v', 'Urgent'),)
    """

    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Group(Element):
    """A dashed frame around elements.

    Examples
    --------
    >>> Group(id="g", category_value="v").category_value
    'v'
    """

    category_value: str = ""
