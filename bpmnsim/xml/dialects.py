"""What vendors write in their own way: which dialect a file has, and where it keeps what the standard keeps elsewhere.

Only what changes a run is adapted here; every other foreign attribute and element is kept as it is.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from bpmnsim.errors import ModelError, did_you_mean
from bpmnsim.model import CallActivity, Element, Extension, Formal, MultiInstanceLoopCharacteristics
from bpmnsim.xml.names import MODELER, OWN, VENDORS, ZEEBE

if TYPE_CHECKING:
    from lxml.etree import _Element as Xml

DIALECTS = ("bpmn", *VENDORS.values())

# Vendor elements that change a run in their engine and are kept without effect in ours.
WITHOUT_EFFECT = frozenset(
    (
        *("inputOutput", "ioMapping", "in", "out", "executionListener", "taskListener", "subscription", "script"),
        *("variableAggregation", "variableListenerEventDefinition", "onEntry-script", "onExit-script"),
    )
)

_PLATFORMS = {"camunda cloud": "zeebe", "camunda platform": "camunda", "operaton": "operaton"}
_EXPORTERS = ("jbpm", "flowable", "activiti", "zeebe", "operaton")
_PLAIN_NAME = re.compile(r"[$#]\{\s*(\w+)\s*\}|=?\s*(\w+)")
_LOOP_ATTRIBUTES = {"collection": "input_collection", "elementVariable": "input_item"}
_ZEEBE_LOOP = {
    "inputCollection": "input_collection",
    "inputElement": "input_item",
    "outputCollection": "output_collection",
    "outputElement": "output_item",
}
_LITERAL = re.compile(r"""[#$]\{|["'=]|-?\d+(\.\d+)?$|(true|false|null)$""")


def detect_dialect(root: Xml) -> str:
    """Return the dialect of a file.

    Our own mark decides, else the platform the modeler names, else the vendor namespace used most, else one that is
    declared at the top, else the exporter.

    Examples
    --------
    >>> from lxml import etree
    >>> detect_dialect(etree.fromstring("<a xmlns:flowable='http://flowable.org/bpmn'><b flowable:async='true'/></a>"))
    'flowable'
    """
    own = root.get(f"{{{OWN}}}dialect")
    if own in DIALECTS:
        return own
    platform = root.get(f"{{{MODELER}}}executionPlatform", "").lower()
    if platform in _PLATFORMS:
        return _PLATFORMS[platform]
    used: Counter[str] = Counter()
    for node in root.iter("*"):
        used.update(vendor for name in (node.tag, *node.attrib) if (vendor := _vendor(str(name))))
    if used:
        return max(VENDORS.values(), key=lambda vendor: used[vendor])
    # Editors that never target jBPM declare its namespace too, so that a mere declaration says nothing.
    declared = [VENDORS[uri] for uri in root.nsmap.values() if uri in VENDORS and VENDORS[uri] != "jbpm"]
    exporter = root.get("exporter", "").lower()
    return next(iter([*declared, *(name for name in _EXPORTERS if name in exporter)]), "bpmn")


def require_dialect(name: str) -> str:
    """Return *name* if it is a dialect.

    Examples
    --------
    >>> require_dialect("camnda")
    Traceback (most recent call last):
    bpmnsim.errors.ModelError: MODEL: there is no dialect 'camnda'
      hint: did you mean 'camunda'?
    """
    if name not in DIALECTS:
        hint = did_you_mean(str(name), DIALECTS) or f"the dialects are {', '.join(DIALECTS)}"
        raise ModelError(f"there is no dialect {name!r}", hint=hint)
    return name


def vendor_fields(
    cls: type[Element], attributes: Iterable[tuple[str, str]], extensions: Iterable[Extension]
) -> Mapping[str, str]:
    """Return the fields of an element that its vendor attributes and extensions set.

    Examples
    --------
    >>> name = "{http://camunda.org/schema/1.0/bpmn}collection"
    >>> dict(vendor_fields(MultiInstanceLoopCharacteristics, [(name, "${orders}")], ()))
    {'input_collection': 'orders'}

    Notes
    -----
    iteration.md ITER-D-12.
    """
    found = {}
    if cls is MultiInstanceLoopCharacteristics:
        for key, value in attributes:
            field = _LOOP_ATTRIBUTES.get(key.rpartition("}")[2])
            if field and _vendor(key):
                found[field] = _plain(value)
        for extension in extensions:
            if extension.name == f"{{{ZEEBE}}}loopCharacteristics":
                pairs = ((_ZEEBE_LOOP.get(key), value) for key, value in extension.attributes)
                # A result may be any expression, also one that is a single name; the others name something.
                found.update(
                    {
                        field: value.strip() if field == "output_item" else _plain(value)
                        for field, value in pairs
                        if field
                    }
                )
    elif cls is CallActivity:
        for extension in extensions:
            if extension.name == f"{{{ZEEBE}}}calledElement":
                found["called_element"] = dict(extension.attributes).get("processId", "")
    return {field: value for field, value in found.items() if value}


def without_effect(extensions: Iterable[Extension]) -> list[str]:
    """Return the local names of vendor elements that would change a run in their engine.

    Examples
    --------
    >>> without_effect([Extension(name="{http://camunda.org/schema/1.0/bpmn}inputOutput")])
    ['inputOutput']
    """
    names = (extension.name for extension in extensions if _vendor(extension.name))
    return [local for name in names if (local := name.rpartition("}")[2]) in WITHOUT_EFFECT]


def as_constant(source: Formal, dialect: str) -> Formal:
    """Return the source of an assignment as an expression; jBPM writes constant texts without quotes.

    Examples
    --------
    >>> as_constant(Formal(text="Ask her"), "jbpm").text, as_constant(Formal(text="#{x}"), "jbpm").text
    ('"Ask her"', '#{x}')
    """
    if dialect != "jbpm" or _LITERAL.match(source.text):
        return source
    return replace(source, text=json.dumps(source.text, ensure_ascii=False), language="")


def _vendor(name: str) -> str | None:
    return VENDORS.get(name[1:].partition("}")[0]) if name.startswith("{") else None


def _plain(text: str) -> str:
    """Return the name in ``${name}`` or ``=name``; any other expression as it is."""
    text = text.strip()
    match = _PLAIN_NAME.fullmatch(text)
    return (match[1] or match[2]) if match else text
