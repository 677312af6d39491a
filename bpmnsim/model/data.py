"""Data that a model declares: items, objects, stores, inputs and outputs, associations, and what they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bpmnsim.model.base import Element, Formal


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemDefinition(Element):
    """The structure of a data item.

    Examples
    --------
    >>> ItemDefinition(id="i", structure="xsd:int").is_collection
    False
    """

    structure: str = ""
    is_collection: bool = False
    kind: str = "Information"


@dataclass(frozen=True, slots=True, kw_only=True)
class DataElement(Element):
    """Something that holds a value and may name the item definition of it.

    Parameters
    ----------
    item
        Id of the item definition; empty where none is given.
    is_collection
        Whether it holds a list.
    state
        Name of the data state, as drawn.

    Examples
    --------
    >>> DataElement(id="d", item="i").item
    'i'
    """

    item: str = ""
    is_collection: bool = False
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataObject(DataElement):
    """A data object of a process or sub-process (core.md DAT-10).

    Examples
    --------
    >>> DataObject(id="order", name="Order").name
    'Order'
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class DataObjectReference(DataElement):
    """A drawn reference to a data object.

    Examples
    --------
    >>> DataObjectReference(id="r", target="order").target
    'order'
    """

    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataStore(DataElement):
    """A store that outlives process instances (core.md DAT-11).

    Examples
    --------
    >>> DataStore(id="s").is_unlimited
    True
    """

    capacity: int | None = None
    is_unlimited: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DataStoreReference(DataElement):
    """A drawn reference to a data store.

    Examples
    --------
    >>> DataStoreReference(id="r", target="s").target
    's'
    """

    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Property(DataElement):
    """A named value of a process, sub-process, activity or event.

    Examples
    --------
    >>> Property(id="p", name="limit", parent="order").parent
    'order'
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class DataInput(DataElement):
    """An input of an activity, throw event or process; ``parent`` names its owner.

    Examples
    --------
    >>> DataInput(id="i", parent="task").parent
    'task'
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class DataOutput(DataElement):
    """An output of an activity, catch event or process; ``parent`` names its owner.

    Examples
    --------
    >>> DataOutput(id="o", parent="task").parent
    'task'
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class InputSet(Element):
    """A set of inputs that belong together (core.md DAT-09 uses the first).

    Examples
    --------
    >>> InputSet(id="s", members=("i",)).members
    ('i',)
    """

    members: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    while_executing: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputSet(Element):
    """A set of outputs that belong together (core.md DAT-09 uses the first).

    Examples
    --------
    >>> OutputSet(id="s", members=("o",)).members
    ('o',)
    """

    members: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    while_executing: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


class AssociationKind(StrEnum):
    """Whether a data association fills an input or empties an output.

    Examples
    --------
    >>> AssociationKind.INPUT.value
    'input'
    """

    INPUT = "input"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One assignment of a data association.

    Examples
    --------
    >>> Assignment(source=Formal(text="a"), target=Formal(text="b")).target.text
    'b'
    """

    source: Formal
    target: Formal


@dataclass(frozen=True, slots=True, kw_only=True)
class DataAssociation(Element):
    """Moves values into or out of an activity or event (core.md DAT-10); ``parent`` names it.

    Examples
    --------
    >>> DataAssociation(id="a", kind=AssociationKind.INPUT, sources=("order",), target="i").sources
    ('order',)
    """

    kind: AssociationKind
    sources: tuple[str, ...] = ()
    target: str = ""
    transformation: Formal | None = None
    assignments: tuple[Assignment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource(Element):
    """A resource that may perform work, with the names of its parameters.

    Examples
    --------
    >>> Resource(id="clerk", parameters=("region",)).parameters
    ('region',)
    """

    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRole(Element):
    """Who performs or owns an activity or process (core.md HUM-02); ``parent`` names it.

    Parameters
    ----------
    kind
        BPMN element name: resourceRole, performer, humanPerformer or potentialOwner.
    resource
        Id of the resource, or empty.
    assignment
        Expression that yields the performer, or ``None``.
    bindings
        Pairs of resource parameter and expression.

    Examples
    --------
    >>> ResourceRole(id="r", kind="performer", parent="task").kind
    'performer'
    """

    kind: str = "resourceRole"
    resource: str = ""
    assignment: Formal | None = None
    bindings: tuple[tuple[str, Formal], ...] = ()
