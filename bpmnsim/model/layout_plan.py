"""Which elements of a model a layout shows, where they belong, and which lines connect them."""

from __future__ import annotations

from bpmnsim.model.base import Element, FlowNode, SequenceFlow
from bpmnsim.model.collaboration import Association, Lane, TextAnnotation
from bpmnsim.model.data import AssociationKind, DataAssociation, DataObject, DataObjectReference, DataStoreReference
from bpmnsim.model.events import BoundaryEvent
from bpmnsim.model.process import Model


class Plan:
    """Which elements are drawn where: computed once for a model.

    Examples
    --------
    >>> from bpmnsim.model import ProcessBuilder
    >>> b = ProcessBuilder("p")
    >>> _ = b.start() >> b.end()
    >>> [node.id for node in Plan(b.model()).nodes["p"]]
    ['start', 'end']
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.nodes: dict[str, list[FlowNode]] = {}
        self.attached: dict[str, list[BoundaryEvent]] = {}
        self.satellites: dict[str, list[Element]] = {}
        self.loose: dict[str, list[Element]] = {}
        self.home: dict[str, str] = {}
        """The node on whose cell a boundary event, data element or note sits; itself for other nodes."""
        for element in model.elements.values():
            if isinstance(element, FlowNode):
                self._add_node(element)
        self.links = [link for element in model.elements.values() if (link := _link(element)) is not None]
        drawn = {e.target for e in model.elements.values() if isinstance(e, DataObjectReference)}
        for element in model.elements.values():
            if isinstance(element, DataObjectReference | DataStoreReference | TextAnnotation) or (
                isinstance(element, DataObject) and element.id not in drawn
            ):
                self._add_artifact(element)
        self.lines: dict[str, list[tuple[str, str, str, bool]]] = {}
        flows = [(e.id, e.source, e.target) for e in model.elements.values() if isinstance(e, SequenceFlow)]
        for is_flow, lines in ((True, flows), (False, self.links)):
            for id, source, target in lines:
                around = self.container(source)
                if around and around == self.container(target):
                    self.lines.setdefault(around, []).append((id, source, target, is_flow))

    def _add_node(self, node: FlowNode) -> None:
        if isinstance(node, BoundaryEvent):
            host = self.model.elements.get(node.attached_to)
            if isinstance(host, FlowNode) and not isinstance(host, BoundaryEvent) and host.parent == node.parent:
                self.attached.setdefault(host.id, []).append(node)
                self.home[node.id] = host.id
                return
        self.nodes.setdefault(node.parent, []).append(node)
        self.home[node.id] = node.id

    def _add_artifact(self, element: Element) -> None:
        for _, source, target in self.links:
            other = target if source == element.id else source if target == element.id else ""
            node = self.home.get(other, "")
            if isinstance(self.model.elements.get(other), FlowNode) and node:
                self.satellites.setdefault(node, []).append(element)
                self.home[element.id] = node
                return
        self.loose.setdefault(element.parent, []).append(element)
        self.home[element.id] = element.id

    def container(self, element_id: str) -> str:
        """Return the id of the container in which an element is drawn, or nothing."""
        home = self.model.elements.get(self.home.get(element_id, ""))
        return home.parent if home is not None else ""


def _link(element: Element) -> tuple[str, str, str] | None:
    """Return id, source and target of an association or data association."""
    if isinstance(element, Association):
        return element.id, element.source, element.target
    if isinstance(element, DataAssociation):
        if element.kind is AssociationKind.INPUT:
            return element.id, (element.sources or ("",))[0], element.parent
        return element.id, element.parent, element.target
    return None


def leaf_lanes(model: Model, container: str) -> list[tuple[str, int, tuple[str, ...]]]:
    """Return id, depth and members of the innermost lanes, from top to bottom.

    Examples
    --------
    >>> from bpmnsim.model import ProcessBuilder
    >>> b = ProcessBuilder("p")
    >>> outer = b.lane("outer")
    >>> _ = b.lane("clerk", [b.task("A")], inside=outer)
    >>> leaf_lanes(b.model(), "p")
    [('clerk', 2, ('A',))]
    """
    found: list[tuple[str, int, tuple[str, ...]]] = []
    stack: list[tuple[Element, int, tuple[str, ...]]] = [(lane, 1, ()) for lane in reversed(model.children(container))]
    while stack:
        lane, depth, outer = stack.pop()
        if not isinstance(lane, Lane):
            continue
        members = (*lane.members, *outer)
        inner = [child for child in model.children(lane.id) if isinstance(child, Lane)]
        if not inner:
            found.append((lane.id, depth, members))
        # Who stands in an outer lane only is shown in the first lane inside of it.
        stack += [(child, depth + 1, () if at else members) for at, child in reversed(list(enumerate(inner)))]
    return found
