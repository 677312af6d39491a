"""Files as a stranger may change them: as bytes, and as trees of elements.

Every mutation takes a random stream and returns the changed file; equal streams give equal changes.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from lxml import etree

from bpmnsim.xml.names import EVENT_DEFINITIONS, FLOW_ELEMENTS, LOOPS, MODEL

from .expressions import HOSTILE

NAMES = (
    '"><script>alert(1)</script>',
    "' onload='alert(1)",
    "]]></script><!--",
    "${7*7}",
    "{{7*7}}",
    "%s%n%x",
    "../../../etc/passwd",
    "\u202e\u2066evil\u2069",
    "a\u0300\u0301\u0302" * 200,
    "\u0085\u2028\u2029",
    "\ufeff\u200b",
    "\t\n",
    "=cmd|' /C calc'!A0",
    "\U0001f600" * 50,
    "x" * 100_000,
    "&lt;b&gt;",
    "__class__",
    "None",
    "/",
    "a/b[0]",
    "#1;d=0:run(p/A)~0000",
    "",
    " ",
)
_ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-7", "ascii", "utf-8-sig", "shift_jis", "cp037")
_DECLARED = ("UTF-16", "utf-8", "ISO-8859-1", "US-ASCII", "EBCDIC-CP-US", "UTF-7", "nonsense", "", "\u00e4", "UCS-4")
_DOCTYPES = (
    "<!DOCTYPE d>",
    '<!DOCTYPE d SYSTEM "http://127.0.0.1:9/x.dtd">',
    '<!DOCTYPE d SYSTEM "file:///dev/zero">',
    '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>',
    '<!DOCTYPE d [<!ENTITY % a SYSTEM "http://127.0.0.1:9/x"> %a;]>',
    '<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/hostname">]>',
    '<!DOCTYPE d [<!ATTLIST process id CDATA "x">]>',
    "<!DOCTYPE d [<!ELEMENT d ANY>",
    "<?xml-stylesheet href='http://127.0.0.1:9/x.xsl'?>",
    "<!-- " + "-" * 5000 + " -->",
)
_REFERENCES = (
    *("sourceRef", "targetRef", "attachedToRef", "default", "calledElement", "processRef", "messageRef", "signalRef"),
    *("errorRef", "escalationRef", "dataObjectRef", "itemSubjectRef", "activityRef", "bpmnElement", "id"),
)
_TEXTS = (
    *("conditionExpression", "loopCardinality", "completionCondition", "loopCondition", "timeDuration", "timeCycle"),
    *("timeDate", "condition", "script", "from", "to", "loopDataInputRef", "loopDataOutputRef", "flowNodeRef"),
    *("incoming", "outgoing", "documentation", "text", "sourceRef", "targetRef", "messagePath"),
)
_VALUES = ("-1", "0", "2", "true", "maybe", "1e999", "NaN", "Infinity", "-0.0", "9" * 400, "all", "Parallel", "None")


def mutate(data: bytes, random: Random) -> bytes:
    """Return *data* after one to four changes."""
    for _ in range(random.randint(1, 4)):
        data = (random.choice(_OF_BYTES) if random.random() < 0.25 else _of_tree)(data, random)
    return data


# As bytes.


def _place(data: bytes, random: Random) -> int:
    return random.randrange(len(data) + 1)


def _flip(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 3, 30))):
        if changed:
            changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _cut(data: bytes, random: Random) -> bytes:
    start = _place(data, random)
    return data[:start] + data[start + random.choice((1, 10, 100, 10_000)) :]


def _end(data: bytes, random: Random) -> bytes:
    return data[: _place(data, random)]


def _double(data: bytes, random: Random) -> bytes:
    start = _place(data, random)
    piece = data[start : start + random.choice((1, 10, 100, 1000))]
    return data[:start] + piece * random.choice((2, 3, 50)) + data[start + len(piece) :]


def _insert(data: bytes, random: Random) -> bytes:
    pieces = (
        b"\0",
        b"<",
        b"&",
        b"&#0;",
        b"&#x1F;",
        b"&#xD800;",
        b"]]>",
        b"\xff\xfe",
        b"<![CDATA[",
        b"&a;",
        b"<?x?>",
        b'"',
    )
    start = _place(data, random)
    return data[:start] + random.choice(pieces) + data[start:]


def _reencode(data: bytes, random: Random) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(random.choice(_ENCODINGS), "replace")


def _lie(data: bytes, random: Random) -> bytes:
    body = data.partition(b"?>")[2] if data.lstrip().startswith(b"<?xml") else data
    return f'<?xml version="1.0" encoding="{random.choice(_DECLARED)}"?>'.encode() + body


def _announce(data: bytes, random: Random) -> bytes:
    head, mark, body = data.rpartition(b"?>") if data.lstrip().startswith(b"<?xml") else (b"", b"", data)
    return head + mark + random.choice(_DOCTYPES).encode() + body


_OF_BYTES: tuple[Callable[[bytes, Random], bytes], ...] = (
    *(_flip, _cut, _end, _double, _insert, _reencode, _lie, _announce),
)


# As a tree.


def _of_tree(data: bytes, random: Random) -> bytes:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=True)
    try:
        root = etree.fromstring(data, parser)
        for _ in range(random.choice((1, 1, 2, 5))):
            nodes = [node for node in root.iter("*") if _is_model(node) or random.random() < 0.2] or [root]
            random.choice(_OF_NODES)(random.choice(nodes), nodes, random)
        return bytes(etree.tostring(root, encoding="utf-8"))
    except (ValueError, AttributeError, etree.LxmlError):
        return data  # there is no tree any more, or it cannot be written


def _is_model(node: Any) -> bool:
    return str(node.tag).startswith(f"{{{MODEL}}}")


def _delete(node: Any, _nodes: list[Any], _random: Random) -> None:
    if node.getparent() is not None:
        node.getparent().remove(node)


def _copy(node: Any, nodes: list[Any], random: Random) -> None:
    parent = node.getparent() if random.random() < 0.5 else random.choice(nodes)
    if parent is not None:
        parent.insert(random.randrange(len(parent) + 1), deepcopy(node))


def _move(node: Any, nodes: list[Any], random: Random) -> None:
    target = random.choice(nodes)
    if node.getparent() is not None and target is not node and node not in list(target.iterancestors()):
        target.insert(random.randrange(len(target) + 1), node)


def _rename(node: Any, _nodes: list[Any], random: Random) -> None:
    names = (*FLOW_ELEMENTS, *EVENT_DEFINITIONS, *LOOPS, "process", "definitions", "lane", "laneSet", "participant")
    node.tag = f"{{{MODEL}}}{random.choice(names)}"


def _rename_alike(node: Any, _nodes: list[Any], random: Random) -> None:
    if etree.QName(node).localname in FLOW_ELEMENTS:
        node.tag = f"{{{MODEL}}}{random.choice(FLOW_ELEMENTS)}"


def _empty(node: Any, _nodes: list[Any], random: Random) -> None:
    if node.attrib:
        node.set(random.choice(list(node.attrib)), "")


def _swap(node: Any, nodes: list[Any], random: Random) -> None:
    other = random.choice(nodes)
    shared = [name for name in node.attrib if name in other.attrib]
    if shared:
        name = random.choice(shared)
        one, two = node.get(name), other.get(name)
        node.set(name, two)
        other.set(name, one)


def _forget(node: Any, _nodes: list[Any], random: Random) -> None:
    if node.attrib:
        del node.attrib[random.choice(list(node.attrib))]


def _spoil(node: Any, _nodes: list[Any], random: Random) -> None:
    if node.attrib:
        node.set(random.choice(list(node.attrib)), random.choice((*_VALUES, *NAMES)))


def _name(node: Any, _nodes: list[Any], random: Random) -> None:
    node.set(random.choice(("name", "id")), random.choice(NAMES))


def _grow(node: Any, _nodes: list[Any], random: Random) -> None:
    node.set(random.choice((*node.attrib, "name")), "A" * random.choice((1_000, 100_000, 1_000_001)))


def _refer(node: Any, nodes: list[Any], random: Random) -> None:
    ids = [other.get("id", "") for other in nodes]
    names = [name for name in _REFERENCES if name in node.attrib] or list(_REFERENCES)
    node.set(random.choice(names), random.choice((node.get("id", ""), random.choice(ids), random.choice(ids))))


def _loop(node: Any, _nodes: list[Any], _random: Random) -> None:
    own = node.get("id", "")
    for name in _REFERENCES[:-1]:
        if name in node.attrib:
            node.set(name, own)


def _say(node: Any, nodes: list[Any], random: Random) -> None:
    texts = [other for other in nodes if etree.QName(other).localname in _TEXTS]
    (random.choice(texts) if texts else node).text = random.choice(HOSTILE)


def _iterate(node: Any, nodes: list[Any], random: Random) -> None:
    places = [other for other in nodes if etree.QName(other).localname.endswith(("ask", "rocess", "ctivity"))]
    loop = etree.SubElement(random.choice(places or [node]), f"{{{MODEL}}}{random.choice(LOOPS)}")
    for name in random.sample(("loopCardinality", "completionCondition", "loopCondition", "loopDataInputRef"), 2):
        etree.SubElement(loop, f"{{{MODEL}}}{name}").text = random.choice((*HOSTILE, "2", "3", "true", "orders"))
    if random.random() < 0.3:
        loop.set(random.choice(("isSequential", "testBefore", "loopMaximum", "behavior")), random.choice(_VALUES))


def _condition(node: Any, nodes: list[Any], random: Random) -> None:
    flows = [other for other in nodes if etree.QName(other).localname == "sequenceFlow"]
    condition = etree.SubElement(random.choice(flows or [node]), f"{{{MODEL}}}conditionExpression")
    condition.text = random.choice(HOSTILE)
    if random.random() < 0.3:
        condition.set("language", random.choice(("python", "feel", "juel", "java", "groovy", "nonsense", "\u202e")))


def _define(node: Any, _nodes: list[Any], random: Random) -> None:
    definition = etree.SubElement(node, f"{{{MODEL}}}{random.choice(EVENT_DEFINITIONS)}")
    if definition.tag.endswith("timerEventDefinition"):
        etree.SubElement(definition, f"{{{MODEL}}}{random.choice(_TEXTS[4:7])}").text = random.choice(HOSTILE)


def _bury(node: Any, _nodes: list[Any], random: Random) -> None:
    parent = node.getparent()
    if parent is None:
        return
    name = random.choice(("subProcess", "lane", "childLaneSet", "process", "extensionElements"))
    at = parent.index(node)
    for _ in range(random.choice((2, 30, 400))):
        inner = etree.Element(f"{{{MODEL}}}{name}")
        parent.insert(at, inner)
        parent, at = inner, 0
    parent.append(node)


def _place_badly(_node: Any, nodes: list[Any], random: Random) -> None:
    root = nodes[0].getroottree().getroot()
    drawn = [other for other in root.iter("*") if etree.QName(other).localname in ("Bounds", "waypoint")]
    if drawn:
        other = random.choice(drawn)
        other.set(
            random.choice(("x", "y", "width", "height")), random.choice((*_VALUES, "1e300", "-1e9", "1e-300", "\u0663"))
        )


_OF_NODES: tuple[Callable[[Any, list[Any], Random], None], ...] = (
    *(
        _delete,
        _copy,
        _move,
        _move,
        _rename,
        _rename_alike,
        _rename_alike,
        _empty,
        _swap,
        _swap,
        _forget,
        _spoil,
        _name,
    ),
    *(_grow, _refer, _refer, _refer, _loop, _say, _say, _say, _iterate, _iterate, _condition, _condition, _define),
    *(_bury, _place_badly),
)
