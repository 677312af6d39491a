"""What a builder hands out and what every container may hold besides flow nodes: data, notes, ready-made elements.

Flow nodes are added in ``inside``, processes and pools in ``build``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import overload

from bpmnsim.errors import ModelError
from bpmnsim.model import collaboration, data, events
from bpmnsim.model.base import Element
from bpmnsim.model.draft import Draft, Expression

_ROOTS = (
    data.ItemDefinition,
    data.DataStore,
    data.Resource,
    events.Message,
    events.Signal,
    events.Error,
    events.Escalation,
    events.EventDefinition,
    collaboration.Category,
    collaboration.Collaboration,
    collaboration.CorrelationProperty,
    collaboration.Interface,
)


@dataclass(frozen=True, slots=True)
class Node:
    """A flow node of a builder: connect it with ``>>``.

    Examples
    --------
    >>> from bpmnsim.model import ProcessBuilder
    >>> b = ProcessBuilder("p")
    >>> b.start() >> b.task("A") >> b.end()
    Node(id='end')
    """

    id: str
    draft: Draft = field(repr=False, compare=False)

    @overload
    def __rshift__(self, target: Node) -> Node: ...
    @overload
    def __rshift__(self, target: Sequence[Node]) -> Sequence[Node]: ...
    def __rshift__(self, target: Node | Sequence[Node]) -> Node | Sequence[Node]:
        """Draw a flow to a node, or to each of several, and return the target."""
        for one in [target] if isinstance(target, Node) else target:
            self.flow(one)
        return target

    def __rrshift__(self, sources: Sequence[Node]) -> Node:
        """Draw a flow from each of several nodes to this one."""
        for source in sources:
            source.flow(self)
        return self

    def flow(
        self,
        target: Node,
        when: Expression | None = None,
        *,
        default: bool = False,
        id: str | None = None,
        name: str | None = None,
    ) -> Node:
        """Draw a flow and return the target.

        Parameters
        ----------
        target
            Node of the same container.
        when
            Condition under which the flow is taken.
        default
            Taken if no condition holds.
        id
            ``f_<source>_<target>`` where not given.
        name
            Label.

        Raises
        ------
        ModelError
            If the flow would cross a border of a sub-process or process.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> b = ProcessBuilder("p")
        >>> gate, big, small = b.exclusive("x"), b.task("big"), b.task("small")
        >>> _ = gate.flow(big, "amount > 100"), gate.flow(small, default=True)
        >>> b.model().element("x").default
        'f_x_small'
        """
        self.draft.connect(self.id, target.id, when, default, id, name)
        return target

    def reads(self, *sources: str) -> Node:
        """Feed data objects, stores or properties into this activity or throw event.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> b = ProcessBuilder("p")
        >>> order = b.data("order")
        >>> b.task("A").reads(order).id
        'A'
        """
        self._associate(data.AssociationKind.INPUT, sources)
        return self

    def writes(self, *targets: str) -> Node:
        """Move results of this activity or catch event into data objects, stores or properties.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> b = ProcessBuilder("p")
        >>> b.task("A").writes(b.data("receipt")).id
        'A'
        """
        self._associate(data.AssociationKind.OUTPUT, targets)
        return self

    def _associate(self, kind: data.AssociationKind, others: Sequence[str]) -> None:
        is_input = kind is data.AssociationKind.INPUT
        side = data.DataInput if is_input else data.DataOutput
        for other in others:
            known = self.draft.find(other)
            if not isinstance(known, data.DataElement):
                raise ModelError("this is not a data element", element_id=other, hint="declare it with data() first")
            own = self.draft.new_id(f"{self.id}_{kind}_{other}")
            name = known.name or known.id
            self.draft.elements[own] = side(id=own, name=name, parent=self.id, item=known.item)
            association = self.draft.new_id(f"{own}_association")
            self.draft.elements[association] = data.DataAssociation(
                id=association,
                parent=self.id,
                kind=kind,
                sources=(other if is_input else own,),
                target=own if is_input else other,
            )


class Contents:
    """Adds to one container what flows do not touch; every method returns the id of what it added.

    Examples
    --------
    >>> from bpmnsim.model import Process
    >>> draft = Draft()
    >>> draft.elements["p"] = Process(id="p")
    >>> Contents(draft, "p").data("order")
    'order'
    """

    def __init__(self, draft: Draft, container: str) -> None:
        self._draft = draft
        self._container = container

    def add(self, element: Element) -> str:
        """Add any ready-made element of the model, for what has no method of its own.

        Examples
        --------
        >>> from bpmnsim.model import Group, ProcessBuilder
        >>> ProcessBuilder("p").add(Group(id="frame"))
        'frame'
        """
        self._draft.take_id(element.id, element.id)
        if isinstance(element, _ROOTS):
            self._draft.declared[element.id] = element
        else:
            self._draft.elements[element.id] = replace(element, parent=element.parent or self._container)
        return element.id

    def data(self, id: str, *, name: str | None = None, collection: bool = False) -> str:
        """Declare a data object (core.md DAT-10).

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").data("orders", collection=True)
        'orders'
        """
        return self.add(data.DataObject(id=id, name=name or "", is_collection=collection))

    def store(self, id: str, *, name: str | None = None) -> str:
        """Declare a data store that outlives the run and return the id of a reference to it (core.md DAT-11).

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").store("stock")
        'stock_ref'
        """
        if id not in self._draft.declared:
            self.add(data.DataStore(id=id, name=name or ""))
        reference = self._draft.new_id(f"{id}_ref")
        self._draft.elements[reference] = data.DataStoreReference(
            id=reference, name=name or id, parent=self._container, target=id
        )
        return reference

    def property(self, id: str, *, name: str | None = None, of: Node | None = None) -> str:
        """Declare a property of this container, or of one activity or event in it.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").property("limit")
        'limit'
        """
        return self.add(data.Property(id=id, name=name or id, parent=of.id if of else ""))

    def message(self, name: str, *, id: str | None = None, item: str = "") -> str:
        """Declare a message explicitly and return its name; needed only to give it an id or an item.

        Parameters
        ----------
        name
            Name that senders and receivers share.
        id
            ``message_<name>`` where not given.
        item
            Name under which the payload becomes visible (core.md EVT-12).

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").message("payment", item="pay")
        'payment'
        """
        self._draft.declare(events.Message, name, id=id, item=item)
        return name

    def signal(self, name: str, *, id: str | None = None, item: str = "") -> str:
        """Declare a signal explicitly and return its name; parameters as in :meth:`message`.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").signal("alert")
        'alert'
        """
        self._draft.declare(events.Signal, name, id=id, item=item)
        return name

    def error(self, code: str, *, id: str | None = None, item: str = "") -> str:
        """Declare an error explicitly and return its code; parameters as in :meth:`message`.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").error("E1", id="no_stock")
        'E1'
        """
        self._draft.declare(events.Error, code, id=id, item=item)
        return code

    def annotate(self, text: str, *, about: Node | None = None, id: str | None = None) -> str:
        """Write a note on the diagram, tied to a node if one is given.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").annotate("mind the gap")
        'note'
        """
        note = self._draft.take_id(id, "note")
        self._draft.elements[note] = collaboration.TextAnnotation(id=note, parent=self._container, text=text)
        if about is not None:
            self.associate(note, about.id)
        return note

    def associate(self, source: str, target: str, *, direction: str = "None") -> str:
        """Draw a dotted line between two elements, given by id.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> b = ProcessBuilder("p")
        >>> b.associate(b.annotate("look"), b.task("A").id)
        'a_note_A'
        """
        line = self._draft.new_id(f"a_{source}_{target}")
        self._draft.elements[line] = collaboration.Association(
            id=line, parent=self._container, source=source, target=target, direction=direction
        )
        return line
