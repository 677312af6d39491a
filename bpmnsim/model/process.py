"""Processes and the whole model: containment, lookup, stable order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bpmnsim.errors import ModelError, did_you_mean
from bpmnsim.model.activities import SubProcess
from bpmnsim.model.base import Element, FlowNode, SequenceFlow
from bpmnsim.model.diagram import Diagram
from bpmnsim.model.events import BoundaryEvent

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class Process(Element):
    """A process; its nodes and flows are found through the :class:`Model`.

    Parameters
    ----------
    is_executable
        As the file says; ``None`` where it says nothing. Either way the process runs.
    is_closed, process_type
        Kept.
    supports
        Ids of processes it claims to support.

    Examples
    --------
    >>> Process(id="order", name="Order").is_executable is None
    True
    """

    is_executable: bool | None = None
    is_closed: bool | None = None
    process_type: str = ""
    supports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was passed over or changed when a model was read.

    Parameters
    ----------
    element_id
        The element concerned, or the nearest one around it.
    text
        What was found and what was done about it.
    line
        Line in the file, or ``None``.

    Examples
    --------
    >>> print(Note("task", "unknown element 'x' was skipped", 4))
    task (line 4): unknown element 'x' was skipped
    """

    element_id: str
    text: str
    line: int | None = field(default=None, compare=False)

    def __str__(self) -> str:
        where = f" (line {self.line})" if self.line is not None else ""
        return f"{self.element_id}{where}: {self.text}"


class Model:
    """Everything one file or builder declares; immutable and flat.

    Parameters
    ----------
    elements
        Every element, containers before what they contain, otherwise in document order.
    diagrams
        The pictures, in document order.
    notes
        What was passed over while reading.
    name, target_namespace, dialect, exporter
        Of the file; ``dialect`` is one of bpmn, camunda, operaton, flowable, activiti, zeebe, jbpm
        (core.md section 0.1).

    Raises
    ------
    ModelError
        If two elements share an id.

    Examples
    --------
    >>> from bpmnsim.model import EndEvent, Model, Process, SequenceFlow, StartEvent
    >>> model = Model([Process(id="p"), StartEvent(id="s", parent="p"), EndEvent(id="e", parent="p"),
    ...                SequenceFlow(id="f", parent="p", source="s", target="e")])
    >>> [node.id for node in model.nodes("p")], model.outgoing("s")[0].target
    (['s', 'e'], 'e')

    Notes
    -----
    Declared order is document order (core.md FLW-01). Equality ignores line numbers, notes and the exporter.
    """

    def __init__(
        self,
        elements: Iterable[Element],
        *,
        diagrams: Iterable[Diagram] = (),
        notes: Iterable[Note] = (),
        name: str = "",
        target_namespace: str = "",
        dialect: str = "bpmn",
        exporter: str = "",
    ) -> None:
        self._elements: dict[str, Element] = {}
        for element in elements:
            if element.id in self._elements:
                raise ModelError(
                    "two elements share this id", element_id=element.id, line=element.line, hint="give one another id"
                )
            self._elements[element.id] = element
        self.diagrams = tuple(diagrams)
        self.notes = tuple(notes)
        self.name = name
        self.target_namespace = target_namespace
        self.dialect = dialect
        self.exporter = exporter

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return (
            list(self._elements.values()) == list(other._elements.values())
            and self._drawn_like(other)
            and (self.name, self.target_namespace, self.dialect) == (other.name, other.target_namespace, other.dialect)
        )

    def _drawn_like(self, other: Model) -> bool:
        """Compare the pictures; a model without any is drawn by its layout, and that is what is written."""
        if self.diagrams == other.diagrams:
            return True
        if self.diagrams and other.diagrams:
            return False
        from bpmnsim.model.layout import layout

        return (self.diagrams or layout(self)) == (other.diagrams or layout(other))

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        processes = ", ".join(process.id for process in self.processes) or "no process"
        nodes = sum(isinstance(element, FlowNode) for element in self._elements.values())
        noted = f", {len(self.notes)} notes" if self.notes else ""
        return f"Model({processes}; {nodes} nodes{noted})"

    @property
    def elements(self) -> Mapping[str, Element]:
        """Every element by id, in declared order."""
        return MappingProxyType(self._elements)

    @cached_property
    def processes(self) -> tuple[Process, ...]:
        """The processes in declared order."""
        return tuple(element for element in self._elements.values() if isinstance(element, Process))

    def element(self, element_id: str) -> Element:
        """Return the element with this id.

        Parameters
        ----------
        element_id
            As in the file.

        Raises
        ------
        ModelError
            If there is none; the hint names the nearest id.

        Examples
        --------
        >>> Model([Process(id="order")]).element("ordr")
        Traceback (most recent call last):
        bpmnsim.errors.ModelError: MODEL [ordr]: the model has no such element
          hint: did you mean 'order'?
        """
        found = self._elements.get(element_id)
        if found is None:
            raise ModelError(
                "the model has no such element", element_id=element_id, hint=did_you_mean(element_id, self._elements)
            )
        return found

    def process(self, process_id: str) -> Process:
        """Return the process with this id.

        Raises
        ------
        ModelError
            If the id is unknown or names something else.

        Examples
        --------
        >>> Model([Process(id="order")]).process("order").id
        'order'
        """
        found = self._elements.get(process_id)
        if not isinstance(found, Process):
            known = [process.id for process in self.processes]
            hint = did_you_mean(process_id, known) or f"the processes are {', '.join(known) or 'none'}"
            raise ModelError("the model has no such process", element_id=process_id, hint=hint)
        return found

    @cached_property
    def _children(self) -> dict[str, tuple[Element, ...]]:
        children: dict[str, list[Element]] = {}
        for element in self._elements.values():
            children.setdefault(element.parent, []).append(element)
        return {parent: tuple(members) for parent, members in children.items()}

    @cached_property
    def _flows(self) -> tuple[dict[str, tuple[SequenceFlow, ...]], dict[str, tuple[SequenceFlow, ...]]]:
        out: dict[str, list[SequenceFlow]] = {}
        into: dict[str, list[SequenceFlow]] = {}
        for element in self._elements.values():
            if isinstance(element, SequenceFlow):
                out.setdefault(element.source, []).append(element)
                into.setdefault(element.target, []).append(element)
        return (
            {node: tuple(flows) for node, flows in out.items()},
            {node: tuple(flows) for node, flows in into.items()},
        )

    def children(self, parent_id: str) -> tuple[Element, ...]:
        """Return the elements directly inside *parent_id*, in declared order.

        Examples
        --------
        >>> Model([Process(id="p"), FlowNode(id="a", parent="p")]).children("p")[0].id
        'a'
        """
        return self._children.get(parent_id, ())

    def nodes(self, container_id: str) -> tuple[FlowNode, ...]:
        """Return the flow nodes directly inside a process or sub-process, in declared order.

        Examples
        --------
        >>> Model([Process(id="p"), FlowNode(id="a", parent="p")]).nodes("p")[0].id
        'a'
        """
        return tuple(child for child in self.children(container_id) if isinstance(child, FlowNode))

    def flows(self, container_id: str) -> tuple[SequenceFlow, ...]:
        """Return the sequence flows directly inside a process or sub-process, in declared order.

        Examples
        --------
        >>> Model([Process(id="p")]).flows("p")
        ()
        """
        return tuple(child for child in self.children(container_id) if isinstance(child, SequenceFlow))

    def outgoing(self, node_id: str) -> tuple[SequenceFlow, ...]:
        """Return the flows that leave a node, in declared order (core.md FLW-01).

        Examples
        --------
        >>> Model([FlowNode(id="a")]).outgoing("a")
        ()
        """
        return self._flows[0].get(node_id, ())

    def incoming(self, node_id: str) -> tuple[SequenceFlow, ...]:
        """Return the flows that enter a node, in declared order (core.md FLW-01).

        Examples
        --------
        >>> Model([FlowNode(id="a")]).incoming("a")
        ()
        """
        return self._flows[1].get(node_id, ())

    def boundaries(self, activity_id: str) -> tuple[BoundaryEvent, ...]:
        """Return the boundary events attached to an activity, in declared order.

        Examples
        --------
        >>> Model([BoundaryEvent(id="b", attached_to="a")]).boundaries("a")[0].id
        'b'
        """
        return self._attached.get(activity_id, ())

    @cached_property
    def _attached(self) -> dict[str, tuple[BoundaryEvent, ...]]:
        attached: dict[str, list[BoundaryEvent]] = {}
        for element in self._elements.values():
            if isinstance(element, BoundaryEvent):
                attached.setdefault(element.attached_to, []).append(element)
        return {host: tuple(events) for host, events in attached.items()}

    def container(self, element_id: str) -> Process | SubProcess | None:
        """Return the process or sub-process around an element, or ``None``.

        Examples
        --------
        >>> Model([Process(id="p"), FlowNode(id="a", parent="p")]).container("a").id
        'p'
        """
        parent = self._elements.get(self.element(element_id).parent)
        while parent is not None and not isinstance(parent, Process | SubProcess):
            parent = self._elements.get(parent.parent)
        return parent

    @cached_property
    def digest(self) -> str:
        """Hash (32 hex digits) of the executable content: no layout, labels, documentation or foreign extensions.

        Notes
        -----
        ``scheduling.md`` 1.2: a schedule is tied to it and survives relabelling and redrawing.
        """
        body = "\n".join(_canonical(element) for element in self._elements.values())
        return hashlib.blake2b(f"{self.dialect}\n{body}".encode(), digest_size=16).hexdigest()

    def check(self) -> DataFrame:
        """Return every refusal and finding about the model as a frame; empty where it runs as drawn.

        Returns
        -------
        DataFrame
            Columns element, line, rule, problem, hint.

        Examples
        --------
        >>> len(Model([Process(id="p"), FlowNode(id="a", parent="p")]).check())
        0
        """
        from pandas import DataFrame

        from bpmnsim.model.rules import check_model

        columns = ["element", "line", "rule", "problem", "hint"]
        rows = [(f.element_id, f.line, f.rule, f.problem, f.hint) for f in check_model(self)]
        return DataFrame(rows, columns=columns).astype(
            {"element": "string", "line": "Int64", "rule": "string", "problem": "string", "hint": "string"}
        )

    def _repr_mimebundle_(
        self,
        include: object = None,  # noqa: ARG002 - the display protocol passes it
        exclude: object = None,  # noqa: ARG002
    ) -> dict[str, str]:
        from bpmnsim.views.bundle import model_bundle

        return model_bundle(self)


_DRAWN_ONLY = frozenset({"line", "documentation", "attributes", "extensions"})


def _canonical(value: Any) -> str:
    """Write a value as text that changes only when its executable content does."""
    if is_dataclass(value) and not isinstance(value, type):
        named = isinstance(value, FlowNode | SequenceFlow | Process)
        parts = [
            f"{f.name}={_canonical(getattr(value, f.name))}"
            for f in fields(value)
            if f.name not in _DRAWN_ONLY and not (named and f.name == "name")
        ]
        return f"{type(value).__name__}({','.join(parts)})"
    if isinstance(value, Enum):
        return repr(value.value)
    if isinstance(value, tuple):
        return f"[{','.join(map(_canonical, value))}]"
    return repr(value)
