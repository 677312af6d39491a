"""From a path, bytes, text or file to the root of a parsed BPMN file, within limits and without trust.

Entities, DTDs and the network stay off; what the elements mean is the work of ``reader``.
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF32_BE, BOM_UTF32_LE
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from lxml import etree

from bpmnsim.errors import ModelError, did_you_mean
from bpmnsim.xml.codecs import line_of
from bpmnsim.xml.names import MODEL

if TYPE_CHECKING:
    from lxml.etree import _Element as Xml

Source: TypeAlias = str | bytes | os.PathLike[str] | IO[str] | IO[bytes]

MAX_BYTES = 100_000_000
MAX_ELEMENTS = 2_000_000
MAX_DEPTH = 2_000
MAX_ATTRIBUTE = 1_000_000
MAX_ATTRIBUTES = 1_000
MAX_PATH = 100_000
"""Characters in the ids of an element and all around it: tables name an element by them."""

_BLANK = " \t\r\n\ufeff"
_LATE_DECLARATION = re.compile(rb"(\s+)(<\?xml\s.*?\?>)", re.DOTALL)
_POSITION = re.compile(r",? line \d+, column \d+.*$", re.DOTALL)


def load_root(source: Source) -> Xml:
    """Parse a BPMN file and return its root element.

    Parameters
    ----------
    source
        A path, bytes, a binary or text file, or text that starts with ``<``.

    Raises
    ------
    ModelError
        If it cannot be read, is not XML, is not BPMN, declares entities, or passes a limit.

    Examples
    --------
    >>> load_root(f"<definitions xmlns='{MODEL}'/>").tag == f"{{{MODEL}}}definitions"
    True
    >>> load_root("<html/>")
    Traceback (most recent call last):
    bpmnsim.errors.ModelError: MODEL [html, line 1]: this is not a BPMN file: its root element is <html>
      hint: a BPMN file starts with <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
    """
    data = _read(source)
    encoding = None
    if isinstance(data, bytes) and data.startswith((BOM_UTF32_LE, BOM_UTF32_BE)):
        data = data.decode("utf-32", "replace")
    if isinstance(data, str):
        encoding, data = "utf-8", data.lstrip("\ufeff").encode("utf-8", "surrogatepass")
    if len(data) > MAX_BYTES:
        raise ModelError(f"the file is larger than {MAX_BYTES:,} bytes", hint="split it into several files")
    if not data.strip(b" \t\r\n\0\xef\xbb\xbf\xff\xfe"):
        raise ModelError("the file is empty", line=1, hint="save the model again")
    # A declaration after blank lines is moved to the front, so that the lines that follow keep their numbers.
    if late := _LATE_DECLARATION.match(data):
        data = late[2] + late[1] + data[late.end() :]
    try:
        _refuse_entities(data, encoding)
        parser = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=True,
            remove_comments=True,
            remove_pis=True,
            encoding=encoding,
        )
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise _not_xml(error, data) from error
    except ModelError:
        raise
    except (ValueError, LookupError) as error:
        raise ModelError(f"this is not an XML file: {error}") from error
    _check_root(root)
    _check_limits(root)
    return root


def _read(source: Source) -> str | bytes:
    """Return the content of any kind of source."""
    if isinstance(source, str) and source.lstrip(_BLANK).startswith("<"):
        return source
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source)
    if isinstance(source, str | os.PathLike):
        return _read_path(source)
    read: Any = getattr(source, "read", None)
    if read is None:
        raise ModelError(
            f"a model cannot be read from {type(source).__name__}", hint="give a path, bytes, a file or XML text"
        )
    try:
        data = read(MAX_BYTES + 1)
    except (OSError, ValueError, TypeError) as error:
        raise ModelError(f"the file cannot be read: {error}") from error
    if not isinstance(data, str | bytes):
        raise ModelError(f"the file yields {type(data).__name__}, neither text nor bytes")
    return data


def _read_path(source: str | os.PathLike[str]) -> bytes:
    try:
        path = Path(source)
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except IsADirectoryError as error:
        raise ModelError(f"{str(source)!r} is a folder, not a file", hint=_files_in(path)) from error
    except FileNotFoundError as error:
        if not source or not str(source).strip():
            raise ModelError("the source is empty", hint="give a path, bytes, a file or XML text") from error
        folder = path.parent
        names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
        hint = did_you_mean(path.name, names) or (_files_in(folder) if names else f"there is no folder {str(folder)!r}")
        raise ModelError(f"there is no file {str(source)[:200]!r}", hint=hint) from error
    except (OSError, ValueError, TypeError) as error:
        raise ModelError(f"{str(source)[:200]!r} cannot be read: {error}") from error


def _files_in(folder: Path) -> str:
    names = sorted(entry.name for entry in folder.iterdir() if "bpmn" in entry.suffix)
    return f"it holds {', '.join(names[:5])}" if names else "it holds no BPMN file"


def _refuse_entities(data: bytes, encoding: str | None) -> None:
    """Look at what comes before the first element with the limits of libxml2 still on.

    Notes
    -----
    The real parse lifts those limits for the sake of deep models, and entities in attributes are always expanded:
    they have to be found before.
    """
    parser = etree.XMLPullParser(
        events=("start",), resolve_entities=False, no_network=True, load_dtd=False, encoding=encoding
    )
    # A piece is parsed whole before its events are seen: small ones cannot reach the depth limit behind the root.
    for start in range(0, len(data), 256):
        parser.feed(data[start : start + 256])
        for event in parser.read_events():
            root: Any = event[1]
            dtd = root.getroottree().docinfo.internalDTD
            if dtd is not None and any(True for _ in dtd.iterentities()):
                raise _entities(1)
            return
    parser.close()


def _entities(line: int) -> ModelError:
    problem = "the file declares entities, which are not expanded for safety"
    return ModelError(problem, line=line, hint="remove the <!DOCTYPE ...> declaration")


def _too_deep(line: int | None) -> ModelError:
    return ModelError(f"elements are nested deeper than {MAX_DEPTH:,} levels", line=line)


def _not_xml(error: etree.XMLSyntaxError, data: bytes) -> ModelError:
    reason = _POSITION.sub("", error.msg or "it cannot be parsed").strip()
    line = error.lineno or 1
    if "Start tag expected" in reason:
        return ModelError("this is not an XML file", line=line, hint="a BPMN file is XML text")
    if "amplification" in reason or "external entity" in reason:
        return _entities(line)
    if "Excessive depth" in reason:
        return _too_deep(line)
    if "Premature end" in reason or not data.rstrip(b" \t\r\n\0").endswith(b">"):
        return ModelError(f"the file is cut off: {reason}", line=line, hint="save or download it again")
    return ModelError(
        f"this is not a well-formed XML file: {reason}", line=line, hint="save it again from your modeler"
    )


def _check_root(root: Xml) -> None:
    if root.tag == f"{{{MODEL}}}definitions":
        return
    name = etree.QName(root)
    space = f" in namespace {name.namespace}" if name.namespace else ""
    raise ModelError(
        f"this is not a BPMN file: its root element is <{name.localname}>{space}",
        element_id=name.localname,
        line=line_of(root),
        hint=f'a BPMN file starts with <definitions xmlns="{MODEL}">',
    )


def _check_limits(root: Xml) -> None:
    """Refuse what no modeler writes; entities are off, so the text is never longer than the file."""
    count = 0
    stack = [(root, 1, 0)]
    while stack:
        node, depth, path = stack.pop()
        count += 1
        if depth > MAX_DEPTH:
            raise _too_deep(line_of(node))
        if count > MAX_ELEMENTS:
            raise ModelError(f"the file has more than {MAX_ELEMENTS:,} elements", line=line_of(node))
        if len(node.attrib) > MAX_ATTRIBUTES:  # lxml takes quadratic time to look at them
            raise ModelError(f"an element has more than {MAX_ATTRIBUTES:,} attributes", line=line_of(node))
        if any(len(value) > MAX_ATTRIBUTE for value in node.attrib.values()):
            raise ModelError(f"an attribute is longer than {MAX_ATTRIBUTE:,} characters", line=line_of(node))
        path += len(node.get("id", ""))
        if path > MAX_PATH:
            problem = f"the ids of an element and of all around it have more than {MAX_PATH:,} characters"
            raise ModelError(problem, line=line_of(node))
        stack.extend((child, depth + 1, path) for child in node)
