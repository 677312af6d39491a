"""Write a model as a BPMN file: the inverse of ``reader``, from the same table.

Only what a model holds is written; where a model has no diagram, none is invented.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from lxml import etree

from bpmnsim.errors import ModelError
from bpmnsim.model import (
    Activity,
    DataElement,
    DataInput,
    DataOutput,
    Element,
    Extension,
    FlowNode,
    Formal,
    Lane,
    Model,
    Process,
)
from bpmnsim.model.layout import layout
from bpmnsim.xml.diagrams import write_diagrams
from bpmnsim.xml.dialects import detect_dialect, vendor_fields
from bpmnsim.xml.kinds import Parts
from bpmnsim.xml.names import (
    ARTIFACTS,
    FLOW_ELEMENTS,
    INPUT_OUTPUT,
    MODEL,
    OWN,
    PREFIXES,
    XSI,
)
from bpmnsim.xml.table import KINDS, name_of

if TYPE_CHECKING:
    from lxml.etree import _Element as Xml

# What the standard puts behind the own parts of an activity, process or lane.
_INNER = frozenset((*FLOW_ELEMENTS, *ARTIFACTS, "lane"))
_DEFAULTS = {kind.cls: {field.name: field.default for field in fields(kind.cls)} for kind in KINDS.values()}


def write_bpmn(model: Model, target: str | os.PathLike[str] | IO[str] | IO[bytes] | None = None) -> str | None:
    """Write a model as BPMN 2.0 XML.

    Reading the result gives an equal model, with its diagrams, foreign attributes and extensions. The text depends on
    the model alone.

    Parameters
    ----------
    model
        What to write.
    target
        A path, or a file open for writing text or bytes; by default the text is returned.

    Returns
    -------
    str or None
        The text without XML declaration, where no target is given.

    Raises
    ------
    ModelError
        If the model holds what XML cannot say, or the target cannot be written.

    Examples
    --------
    >>> from bpmnsim.model import Process, Task
    >>> from bpmnsim.xml import read_bpmn
    >>> model = Model([Process(id="p"), Task(id="a", name="Pack", parent="p")])
    >>> text = write_bpmn(model)
    >>> '<bpmn:task id="a" name="Pack"/>' in text, read_bpmn(text) == model
    (True, True)
    """
    try:
        text = etree.tostring(_Writer(model).definitions(), encoding="unicode", pretty_print=True)
        if target is None:
            return text
        encoding = (getattr(target, "encoding", None) or "UTF-8").removesuffix("-sig")
        text = f'<?xml version="1.0" encoding="{encoding}"?>\n{text}'
        if isinstance(target, str | os.PathLike):
            Path(target).write_bytes(text.encode())
        elif isinstance(target, io.TextIOBase):
            target.write(text)
        else:
            write: Any = target.write
            write(text.encode())
    except ModelError:
        raise
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ModelError(f"the model cannot be written: {error}") from error
    return None


class _Writer:
    """Builds the XML of one model; what codecs ask of it is declared in ``protocols.Writing``."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._nodes: dict[str, Xml] = {}
        self._unsettled: dict[str, Element] = {}
        self._data = _data_ids(model)

    def definitions(self) -> Xml:
        model = self._model
        root = etree.Element(f"{{{MODEL}}}definitions", nsmap={PREFIXES[space]: space for space in (MODEL, OWN)})
        root.set("targetNamespace", model.target_namespace)
        if model.name:
            root.set("name", model.name)
        root.set("exporter", "bpmnsim")
        for element in model.elements.values():
            _guarded(element, self._attach, root, element)
        for element in model.elements.values():
            _guarded(element, self._settle, element.id)
            _guarded(element, self._write, self._nodes[element.id], element, KINDS[name_of(element)].last)
        write_diagrams(root, model.diagrams or layout(model))
        if detect_dialect(root) != model.dialect:
            root.set(f"{{{OWN}}}dialect", model.dialect)
        _declare_at_the_top(root)
        return root

    def _attach(self, root: Xml, element: Element) -> None:
        parent = self._nodes.get(element.parent) if element.parent else root
        if parent is None:
            raise ValueError(f"it lies in '{element.parent}', which does not come before it")
        name = name_of(element)
        around = self._model.elements.get(element.parent)
        if name in _INNER:
            self._settle(element.parent)
        if name == "lane":
            parent = self._wrapper(parent, "childLaneSet" if isinstance(around, Lane) else "laneSet")
        elif name in INPUT_OUTPUT and isinstance(around, Activity | Process):
            parent = self._wrapper(parent, "ioSpecification")
        self._nodes[element.id] = self._open(parent, element)
        self._unsettled[element.id] = element

    def _wrapper(self, parent: Xml, name: str) -> Xml:
        last = parent[-1] if len(parent) else None
        return last if last is not None and last.tag == f"{{{MODEL}}}{name}" else self.add(parent, name)

    def _settle(self, element_id: str) -> None:
        """Write the parts of an element, once: behind its data, before the first element inside."""
        element = self._unsettled.pop(element_id, None)
        if element is not None:
            self._write(self._nodes[element_id], element, KINDS[name_of(element)].parts)

    def _open(self, parent: Xml, element: Element) -> Xml:
        """Append an element with everything but its parts and what it contains."""
        name = name_of(element)
        node = self.add(parent, name)
        node.set("id", element.id)
        if element.name:
            node.set("name", element.name)
        self._write(node, element, KINDS[name].attributes)
        for key, value in element.attributes:
            node.set(key, value)
        if element.documentation:
            self.add(node, "documentation", element.documentation)
        if element.extensions:
            kept = self.add(node, "extensionElements")
            for extension in element.extensions:
                _extend(kept, extension)
        if isinstance(element, FlowNode):
            for flow in self._model.incoming(element.id):
                self.add(node, "incoming", flow.id)
            for flow in self._model.outgoing(element.id):
                self.add(node, "outgoing", flow.id)
        return node

    def _write(self, node: Xml, element: Element, parts: Parts) -> None:
        """Write what differs from the default and is not said by a vendor attribute already."""
        cls = type(element)
        said = vendor_fields(cls, element.attributes, element.extensions)
        defaults = _DEFAULTS[cls]
        for name, codec in parts.items():
            value = getattr(element, name)
            if value != defaults[name] and value != said.get(name):
                codec.write(node, value, self)

    def add(self, parent: Xml, name: str, text: str = "") -> Xml:
        node = etree.SubElement(parent, f"{{{MODEL}}}{name}")
        if text:
            node.text = text
        return node

    def formal(self, parent: Xml, name: str, formal: Formal) -> None:
        node = self.add(parent, name, formal.text)
        node.set(f"{{{XSI}}}type", f"{PREFIXES[MODEL]}:tFormalExpression")
        if formal.language:
            node.set("language", formal.language)
        if formal.evaluates_to:
            node.set("evaluatesToTypeRef", formal.evaluates_to)

    def element(self, parent: Xml, element: Element) -> None:
        self._write(self._open(parent, element), element, KINDS[name_of(element)].parts)

    def data_reference(self, name: str) -> str:
        return self._data.get(name, name)

    def is_root(self, element_id: str) -> bool:
        return element_id in self._model.elements


def _guarded(element: Element, step: Callable[..., None], *arguments: object) -> None:
    """Take a step for an element; what XML cannot say becomes an error that names the element."""
    try:
        step(*arguments)
    except (ValueError, TypeError, KeyError) as error:
        reason = f"{type(element).__name__} is not an element of a file" if isinstance(error, KeyError) else error
        raise ModelError(f"the element cannot be written: {reason}", element_id=element.id) from error


def _extend(parent: Xml, extension: Extension) -> None:
    node = etree.SubElement(parent, extension.name)
    for key, value in extension.attributes:
        node.set(key, value)
    if extension.text:
        node.text = extension.text
    for child in extension.children:
        _extend(node, child)


def _data_ids(model: Model) -> dict[str, str]:
    """Return the id of the first data element known under each name; the inverse of what the reader does."""
    ids: dict[str, str] = {}
    for element in model.elements.values():
        if isinstance(element, DataElement) and not isinstance(element, DataInput | DataOutput):
            target = model.elements.get(getattr(element, "target", ""), element)
            ids.setdefault(target.name or element.name or target.id, element.id)
    return ids


def _declare_at_the_top(root: Xml) -> None:
    """Declare every namespace once, at the root, under its usual prefix or a numbered one."""
    names = (str(name) for node in root.iter("*") for name in (node.tag, *node.attrib))
    used = dict.fromkeys(name[1:].partition("}")[0] for name in names if name.startswith("{"))
    used.pop("http://www.w3.org/XML/1998/namespace", None)
    prefixes = {PREFIXES.get(namespace, f"n{number}"): namespace for number, namespace in enumerate(used)}
    etree.cleanup_namespaces(root, top_nsmap=prefixes)
