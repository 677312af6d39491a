"""Where the elements of a file stand: which XML elements become elements of the model, their ids, who is meant.

Finds everything before anything is built, so that a reference may point forward.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lxml import etree

from bpmnsim.model import Association, Element, FlowNode, MessageFlow, Note, Process, SequenceFlow
from bpmnsim.xml.codecs import line_of
from bpmnsim.xml.kinds import Kind
from bpmnsim.xml.names import BPMNDI, COMMON, MEANINGLESS, MODEL, ROOT_ELEMENTS, WRAPPERS
from bpmnsim.xml.table import KINDS

if TYPE_CHECKING:
    from lxml.etree import _Element as Xml


@dataclass(slots=True, eq=False)
class Place:
    """One XML element that becomes an element of the model.

    Parameters
    ----------
    node, kind
        The XML element and its entry in the table.
    owner
        The place around it, ``None`` at the top.
    nested
        Whether it is a part of its owner instead of standing on its own.
    id
        Final id.
    foreign
        Children of other namespaces outside ``extensionElements``.

    Examples
    --------
    >>> from lxml import etree
    >>> Place(etree.Element("task"), KINDS["task"], None).nested
    False
    """

    node: Xml
    kind: Kind
    owner: Place | None
    nested: bool = False
    id: str = ""
    foreign: list[Xml] = field(default_factory=list)


class Survey:
    """Every place of a file in document order, with ids and references resolved.

    Parameters
    ----------
    root
        The ``definitions`` element.

    Examples
    --------
    >>> from lxml import etree
    >>> file = etree.fromstring(f"<definitions xmlns='{MODEL}'><process id='p'><task/></process></definitions>")
    >>> [place.id for place in Survey(file).places]
    ['p', 'task_1']
    """

    def __init__(self, root: Xml) -> None:
        self.places: list[Place] = []
        self._notes: list[tuple[Place | None, str, int | None]] = []
        self._by_node: dict[Xml, Place] = {}
        self._by_id: dict[str, Place] = {}
        self._repeated: set[str] = set()
        self._scoped: dict[tuple[str, Place | None], Place] = {}
        self._walk(root)
        self._name_all()
        self._drop_loose_ends()

    def place(self, node: Xml) -> Place:
        """Return the place of an XML element that is one."""
        return self._by_node[node]

    def named(self, element_id: str) -> Place:
        """Return the place with this final id."""
        return self._by_id[element_id]

    def around(self, node: Xml) -> Place | None:
        """Return the nearest place at or around an XML element."""
        current: Xml | None = node
        while current is not None:
            if current in self._by_node:
                return self._by_node[current]
            current = current.getparent()
        return None

    def note(self, node: Xml, text: str) -> None:
        """Report something about *node*."""
        self._notes.append((self.around(node), text, line_of(node)))

    def notes(self) -> list[Note]:
        """Return what was reported, in the order of the lines."""
        notes = [Note(place.id if place else "", text, line) for place, text, line in self._notes]
        return sorted(notes, key=lambda note: note.line or 0)

    def find(self, text: str, node: Xml, to: type[Element] = Element) -> Place | None:
        """Return the place that a reference means, seen from *node*.

        Parameters
        ----------
        text
            An id or a qualified name.
        node
            XML element that holds the reference; where an id is repeated the nearest scope counts.
        to
            Class of the element meant; another one does not count.

        Examples
        --------
        >>> from lxml import etree
        >>> file = etree.fromstring(f"<definitions xmlns='{MODEL}'><process id='p'/></definitions>")
        >>> Survey(file).find("tns:p", file).id
        'p'
        """
        text = text.strip()
        for name in (text, text.rpartition(":")[2]):
            place = self._nearest(name, node) if name in self._repeated else self._by_id.get(name)
            if place is not None and issubclass(place.kind.cls, to):
                return place
        return None

    def _nearest(self, name: str, node: Xml) -> Place | None:
        scope = self.around(node)
        while scope is not None:
            if (name, scope.owner) in self._scoped:
                return self._scoped[name, scope.owner]
            scope = scope.owner
        return self._by_id.get(name)

    def _walk(self, root: Xml) -> None:
        """Collect the places; a stack instead of recursion, because models may be nested deeply."""
        stack: list[tuple[Xml, Kind, Place | None]] = [(child, _TOP, None) for child in reversed(root)]
        while stack:
            node, kind, owner = stack.pop()
            namespace, _, name = node.tag[1:].rpartition("}")
            place = owner
            inside = None
            if namespace != MODEL:
                self._meet_foreign(node, owner, namespace)
            elif name in kind.contains and name in _WRAPPERS:
                inside = _WRAPPERS[name]
            elif name in KINDS and (name in kind.contains or name in kind.part_names):
                inside = KINDS[name]
                place = Place(node, inside, owner, nested=name in kind.part_names)
                self.places.append(place)
                self._by_node[node] = place
            elif name not in kind.part_names and name not in COMMON:
                self.note(node, f"element <{name}> {_reason(name)} and was passed over")
            if inside is not None:
                stack.extend((child, inside, place) for child in reversed(node))

    def _meet_foreign(self, node: Xml, owner: Place | None, namespace: str) -> None:
        if owner is not None:
            owner.foreign.append(node)
        elif namespace != BPMNDI:
            self.note(node, f"foreign element <{etree.QName(node).localname}> at the top of the file was passed over")

    def _name_all(self) -> None:
        """Give every place a unique id: its own where that is the first such one, else one of kind and position."""
        counts: Counter[str] = Counter()
        unnamed = []
        for place in self.places:
            own = place.node.get("id", "").strip()
            name = etree.QName(place.node).localname
            counts[name] += 1
            if own and own not in self._by_id:
                place.id = own
                self._by_id[own] = place
            else:
                unnamed.append((place, own, f"{name}_{counts[name]}"))
        self._repeated = {own for _, own, _ in unnamed if own}
        for place in self.places:
            own = place.node.get("id", "").strip()
            if own in self._repeated:
                self._scoped.setdefault((own, place.owner), place)
        copies: Counter[str] = Counter()
        for place, own, position in unnamed:
            copies[own] += 1
            place.id = f"{own}_{copies[own] + 1}" if own else position
            while place.id in self._by_id:
                place.id += "_"
            self._by_id[place.id] = place
            if own:
                self.note(place.node, f"was renamed, because another element has the id '{own}'")
            elif issubclass(place.kind.cls, FlowNode | Process):
                self.note(place.node, "was named after its position, because it has no id")

    def _drop_loose_ends(self) -> None:
        """Drop flows and associations that do not connect two elements of the file."""
        dropped = set()
        for cls, to in _CONNECTIONS:
            for place in self.places:
                if place.kind.cls is not cls:
                    continue
                ends = [(end, place.node.get(end, "")) for end in ("sourceRef", "targetRef")]
                loose = [f"{end} '{text[:80]}'" for end, text in ends if self.find(text, place.node, to) is None]
                if loose:
                    what = "no flow node" if to is FlowNode else "nothing"
                    self.note(place.node, f"was dropped, because {' and '.join(loose)} is {what} in this file")
                    dropped.add(place)
                    del self._by_id[place.id]
        self.places = [place for place in self.places if place not in dropped]
        self._scoped = {key: place for key, place in self._scoped.items() if place not in dropped}


def _reason(name: str) -> str:
    if name in MEANINGLESS:
        return "says nothing about a run"
    if name.startswith("global"):
        return "cannot be called, only a process can,"
    return "is not known here"


_TOP = Kind(Element, contains=frozenset(ROOT_ELEMENTS))
_WRAPPERS = {name: Kind(Element, contains=frozenset(inside)) for name, inside in WRAPPERS.items()}
_CONNECTIONS = (SequenceFlow, FlowNode), (MessageFlow, Element), (Association, Element)
