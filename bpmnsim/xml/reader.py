"""Read a BPMN file into a model. Parsing is in ``source``, ids and references in ``places``, the table in ``table``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from bpmnsim.expr.language import compile_expression
from bpmnsim.model import DataElement, DataInput, DataOutput, Element, Extension, Formal, Model
from bpmnsim.xml.codecs import children, content, line_of
from bpmnsim.xml.diagrams import read_diagrams
from bpmnsim.xml.dialects import as_constant, detect_dialect, require_dialect, vendor_fields, without_effect
from bpmnsim.xml.names import XPATH, XSI
from bpmnsim.xml.places import Place, Survey
from bpmnsim.xml.source import Source, load_root

if TYPE_CHECKING:
    from lxml.etree import _Element as Xml

_EXTENSION_DEPTH = 50
_CHAINS: dict[type[Element], tuple[str, str, str]] = {
    DataInput: ("dataInputAssociation", "targetRef", "sourceRef"),
    DataOutput: ("dataOutputAssociation", "sourceRef", "targetRef"),
}


def read_bpmn(source: Source, *, dialect: str | None = None) -> Model:
    """Read a BPMN 2.0 file.

    Any file that is BPMN opens: with any prefix, encoding and vendor, executable or not, whole or with loose ends.
    What had to be passed over or changed stands in ``model.notes``; whether the model can run tells ``model.check()``.

    Parameters
    ----------
    source
        A path, bytes, a binary or text file, or XML text that starts with ``<``.
    dialect
        bpmn, camunda, operaton, flowable, activiti, zeebe or jbpm; by default what the file itself shows.

    Returns
    -------
    Model
        Elements in document order, diagrams, notes.

    Raises
    ------
    ModelError
        If the source cannot be read, is not well-formed XML, or is not BPMN; with line and hint.

    Examples
    --------
    >>> model = read_bpmn('''
    ... <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
    ...   <process id="order">
    ...     <startEvent id="start"/>
    ...     <sequenceFlow id="f" sourceRef="start" targetRef="ship"/>
    ...     <task id="ship" name="Ship it"/>
    ...     <sequenceFlow id="g" sourceRef="ship" targetRef="nowhere"/>
    ...   </process>
    ... </definitions>''')
    >>> model.element("ship").name, [flow.id for flow in model.flows("order")]
    ('Ship it', ['f'])
    >>> print(model.notes[0])
    g (line 7): was dropped, because targetRef 'nowhere' is no flow node in this file

    Notes
    -----
    Sequence flows follow ``sourceRef`` and ``targetRef``; ``incoming`` and ``outgoing`` are not needed. Declared order
    is document order (core.md FLW-01).
    """
    root = load_root(source)
    reader = _Reader(root, detect_dialect(root) if dialect is None else require_dialect(dialect))
    return reader.model()


class _Reader:
    """Builds the elements of one file; what codecs ask of it is declared in ``protocols.Reading``."""

    def __init__(self, root: Xml, dialect: str) -> None:
        self._root = root
        self._survey = Survey(root)
        self._dialect = dialect
        language = root.get("expressionLanguage", "").strip()
        # XPath is the default of the standard, which modelers write whatever the expressions are.
        self._language = "" if language in XPATH else language
        self._formals: list[tuple[Xml, Formal]] = []

    def model(self) -> Model:
        root = self._root
        elements = [self._element(place) for place in self._survey.places if not place.nested]
        diagrams = read_diagrams(root, self._survey)
        self._note_problems()
        for extensions in children(root, "extensionElements"):
            self.note(extensions, "extension elements of the file as a whole were passed over")
        return Model(
            elements,
            diagrams=diagrams,
            notes=self._survey.notes(),
            name=root.get("name", ""),
            target_namespace=root.get("targetNamespace", ""),
            dialect=self._dialect,
            exporter=f"{root.get('exporter', '')} {root.get('exporterVersion', '')}".strip(),
        )

    def _element(self, place: Place) -> Element:
        node, kind = place.node, place.kind
        values = dict(kind.constants)
        for codecs in (kind.attributes, kind.parts, kind.last):
            for name, codec in codecs.items():
                value = codec.read(node, self)
                if value is not None:
                    values[name] = value
        attributes = tuple(
            (str(key), str(value))
            for key, value in node.attrib.items()
            if key not in ("id", "name") and key not in kind.attribute_names and not str(key).startswith(f"{{{XSI}}}")
        )
        kept = [child for inside in children(node, "extensionElements") for child in inside]
        extensions = tuple(self._extension(child) for child in (*kept, *place.foreign))
        for name in without_effect(extensions):
            self.note(node, f"vendor element <{name}> is kept but has no effect on a run")
        texts = (content(child) for child in children(node, "documentation"))
        return kind.cls(
            id=place.id,
            name=node.get("name", ""),
            parent=place.owner.id if place.owner else "",
            documentation="\n\n".join(text for text in texts if text),
            attributes=attributes,
            extensions=extensions,
            line=line_of(node),
            **{**values, **vendor_fields(kind.cls, attributes, extensions)},
        )

    def _note_problems(self) -> None:
        """Note the expressions that can never be evaluated; each text is looked at once."""
        problems: dict[Formal, str | None] = {}
        for node, formal in self._formals:
            if formal not in problems:
                expression = compile_expression(formal.text, language=formal.language, dialect=self._dialect)
                problems[formal] = expression.problem
            if problems[formal]:
                self.note(node, f"the expression '{formal.text[:80]}' can never be evaluated: {problems[formal]}")

    def _extension(self, node: Xml, depth: int = 1) -> Extension:
        inner = list(node)
        if depth == _EXTENSION_DEPTH and inner:
            self.note(node, f"what is nested deeper than {depth} levels in an extension was passed over")
            inner = []
        text = node.text or ""
        return Extension(
            name=str(node.tag),
            attributes=tuple((str(key), str(value)) for key, value in node.attrib.items()),
            text=text if text.strip() else "",
            children=tuple(self._extension(child, depth + 1) for child in inner),
        )

    def note(self, node: Xml, text: str) -> None:
        self._survey.note(node, text)

    def build(self, node: Xml) -> Element:
        return self._element(self._survey.place(node))

    def root(self, node: Xml, element_id: str) -> Element | None:
        place = self._survey.named(element_id)
        if place.nested:
            name = etree.QName(node).localname
            self.note(node, f"{name} names '{element_id}', which belongs to another event; it was passed over")
            return None
        return self._element(place)

    def refer(self, node: Xml, part: str, text: str, to: type[Element], keep: bool) -> str:
        place = self._survey.find(text, node, to)
        if place is not None:
            return place.id
        done = "kept as text" if keep else "passed over"
        self.note(node, f"{part} names '{text.strip()[:80]}', which is not in the file; it was {done}")
        prefix, colon, local = text.strip().partition(":")
        return (local if colon and prefix in node.nsmap else text.strip()) if keep else ""

    def formal(self, node: Xml, *, evaluated: bool = True) -> Formal | None:
        text = content(node)
        if not text:
            return None
        language = node.get("language", "").strip() or self._language
        found = Formal(text=text, language=language, evaluates_to=node.get("evaluatesToTypeRef", ""))
        if evaluated or text.startswith(("${", "#{", "=")):
            self._formals.append((node, found))
        return found

    def constant(self, node: Xml) -> Formal:
        return as_constant(self.formal(node, evaluated=self._dialect != "jbpm") or Formal(text=""), self._dialect)

    def data_name(self, node: Xml, text: str) -> str:
        """Follow an input or output of the activity to the data it is filled from or written to."""
        find = self._survey.find
        place = find(text, node, DataElement)
        if place is None:
            return text
        association, near, far = _CHAINS.get(place.kind.cls, ("", "", ""))
        if association and place.owner is not None:
            for child in children(place.owner.node, association):
                ends = [find(content(end), end, DataElement) for end in children(child, near)]
                others = [find(content(end), end, DataElement) for end in children(child, far)]
                if ends == [place] and len(others) == 1 and others[0] is not None:
                    return self._label(others[0])
        return self._label(place)

    def _label(self, place: Place) -> str:
        text = place.node.get("dataObjectRef") or place.node.get("dataStoreRef") or ""
        target = self._survey.find(text, place.node, DataElement) or place
        return target.node.get("name") or place.node.get("name") or target.id
