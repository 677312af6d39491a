"""Where a file may come from, its encodings, its limits, and that nothing in it is trusted."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest

from bpmnsim.errors import ModelError
from bpmnsim.xml import read_bpmn, source

MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"
BODY = (
    f'<definitions xmlns="{MODEL}">\n  <process id="p"><task id="a" name="Gr\u00fc\u00dfe"/></process>\n</definitions>'
)


NOT_XML = "this is not a well-formed XML file"


def name_in(given: object) -> str:
    """Return the name of the task that is read."""
    return read_bpmn(given).element("a").name  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "encoding, declared",
    [
        ("utf-8", None),
        ("utf-8", "UTF-8"),
        ("utf-8-sig", None),
        ("utf-8-sig", "UTF-8"),
        ("utf-16", None),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16LE"),
        ("utf-16-be", "UTF-16BE"),
        ("utf-32", "UTF-32"),
        ("iso-8859-1", "ISO-8859-1"),
        ("windows-1252", "windows-1252"),
        ("mac-roman", "macintosh"),
        ("gb18030", "GB18030"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_any_encoding_and_line_end(encoding: str, declared: str | None, newline: str) -> None:
    """Any encoding lxml knows; byte order mark, CRLF, with and without declaration."""
    head = f'<?xml version="1.0" encoding="{declared}"?>\n' if declared else ""
    model = read_bpmn((head + BODY).replace("\n", newline).encode(encoding))
    assert model.element("a").name == "Gr\u00fc\u00dfe"
    assert model.element("a").line == (3 if declared else 2)
    assert model == read_bpmn(BODY)


def test_every_kind_of_source(tmp_path: Path) -> None:
    """Design section 7: path, bytes, file, text that starts with '<'."""
    path = tmp_path / "a.bpmn"
    path.write_bytes(BODY.encode())
    with path.open("rb") as binary, path.open(encoding="utf-8") as text:
        sources = [path, str(path), BODY, BODY.encode(), bytearray(BODY.encode()), memoryview(BODY.encode())]
        sources += [binary, text, io.BytesIO(BODY.encode()), io.StringIO(BODY)]
        assert [name_in(given) for given in sources] == ["Gr\u00fc\u00dfe"] * 10


@pytest.mark.parametrize("head", ["", "\ufeff", "\n\n  ", '\ufeff<?xml version="1.0" encoding="UTF-16"?>'])
def test_text_is_taken_as_it_is(head: str) -> None:
    """The declaration of a text says how it was stored, not what it is."""
    assert name_in(head + BODY) == "Gr\u00fc\u00dfe"


@pytest.mark.parametrize("as_bytes", [False, True])
def test_a_declaration_after_blank_lines_keeps_the_line_numbers(as_bytes: bool) -> None:
    """The usual slip with a triple-quoted text."""
    text = '\n\n<?xml version="1.0" encoding="UTF-8"?>\n' + BODY
    assert read_bpmn(text.encode() if as_bytes else text).element("a").line == 5


def error(given: object) -> ModelError:
    """Return the error of reading this."""
    with pytest.raises(ModelError) as caught:
        read_bpmn(given)  # type: ignore[arg-type]
    assert type(caught.value) is ModelError
    return caught.value


def test_wrong_paths_are_named_with_the_nearest_file(tmp_path: Path) -> None:
    """style.md 4.3: suggest near names."""
    for name in ("order.bpmn", "c.bpmn", "a.bpmn2", "b.bpmn", "x.txt"):
        (tmp_path / name).write_text(BODY)
    wrong = error(tmp_path / "ordr.bpmn")
    assert "ordr.bpmn" in wrong.message
    assert wrong.hint == "did you mean 'order.bpmn'?"
    assert error(str(tmp_path / "zzz")).hint == "it holds a.bpmn2, b.bpmn, c.bpmn, order.bpmn"
    assert error(tmp_path / "none" / "a.bpmn").hint == f"there is no folder {str(tmp_path / 'none')!r}"
    assert error(tmp_path).message == f"{str(tmp_path)!r} is a folder, not a file"
    assert error(tmp_path).hint == "it holds a.bpmn2, b.bpmn, c.bpmn, order.bpmn"


@pytest.mark.parametrize("given", ["", "  ", "a\0b", "x" * 5_000, None, 3, [], io.BytesIO(), b"", b"\xef\xbb\xbf \n"])
def test_what_is_no_source_is_a_model_error(given: object) -> None:
    """Only a BpmnSimError may come out."""
    assert error(given).message


def test_a_closed_file_and_a_file_of_something_else_are_model_errors() -> None:
    """Only a BpmnSimError may come out."""
    closed = io.BytesIO(b"")
    closed.close()
    assert "closed" in error(closed).message

    class Odd:
        def read(self, _: int) -> int:
            return 3

    assert error(Odd()).message == "the file yields int, neither text nor bytes"


@pytest.mark.parametrize(
    "text, line, message",
    [
        ("", 1, "the file is empty"),
        ("  \n", 1, "the file is empty"),
        ('{"a": 1}', 1, "this is not an XML file"),
        (BODY.replace("</process>", "</task>"), 2, f"{NOT_XML}: Opening and ending tag mismatch"),
        (BODY[:-20], 2, "the file is cut off"),
        (BODY[:-14], 3, "the file is cut off"),
        ("\n<html/>", 2, "this is not a BPMN file: its root element is <html>"),
        ("<definitions/>", 1, "this is not a BPMN file: its root element is <definitions>"),
        (f'<process xmlns="{MODEL}"/>', 1, "this is not a BPMN file: its root element is <process> in namespace http"),
        ('<?xml version="1.0" encoding="klingon"?>' + BODY, 1, f"{NOT_XML}: Unsupported encoding"),
        (BODY.replace("Gr", "&nbsp;"), 2, f"{NOT_XML}: Entity 'nbsp' not defined"),
    ],
)  # fmt: skip
def test_what_is_not_bpmn_is_named_with_its_line(text: str, line: int, message: str) -> None:
    """Refuses only what is not BPMN; names the line, the root element and what to do."""
    found = error(text.encode())
    assert found.message.startswith(message)
    assert found.line == line
    assert found.hint


LAUGHS = '<!DOCTYPE d [<!ENTITY a0 "ha">' + "".join(
    f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12)
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        f'{LAUGHS}]><definitions xmlns="{MODEL}" name="&a11;"/>',
        f'{LAUGHS}]><definitions xmlns="{MODEL}"><process id="&a11;"/></definitions>',
        f'{LAUGHS}]><definitions xmlns="{MODEL}">&a11;</definitions>',
        f'<!DOCTYPE d [<!ENTITY x "y">]><definitions xmlns="{MODEL}"/>',
        f'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]><definitions xmlns="{MODEL}" name="&x;"/>',
        f'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]><definitions xmlns="{MODEL}">&x;</definitions>',
        f'<!DOCTYPE d [<!ENTITY % x SYSTEM "file:///etc/hostname"> %x;]><definitions xmlns="{MODEL}"/>',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused_at_once(text: str, encoding: str) -> None:
    """Untrusted models: no entity expansion, in no encoding."""
    start = time.monotonic()
    found = error(text.encode(encoding))
    assert found.message == "the file declares entities, which are not expanded for safety"
    assert time.monotonic() - start < 1


def test_a_document_type_without_entities_is_harmless() -> None:
    """Refuses only what is not BPMN; nothing is fetched."""
    assert name_in('<!DOCTYPE definitions SYSTEM "http://127.0.0.1:9/bpmn.dtd">' + BODY) == "Gr\u00fc\u00dfe"


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes, elements, depth and attribute length are bounded, each with a message of its own."""
    depth = "".join(f"<a xmlns='u{i}'>" for i in range(2_000)) + "</a>" * 2_000
    deep = f'<definitions xmlns="{MODEL}">{depth}</definitions>'
    assert error(deep).message == "elements are nested deeper than 2,000 levels"
    assert error(deep.replace("<a", "<a><a").replace("</a>", "</a></a>")).message == error(deep).message
    monkeypatch.setattr(source, "MAX_ATTRIBUTE", 50)
    assert read_bpmn(BODY)
    assert error(BODY.replace("Gr", "G" * 51)).message == "an attribute is longer than 50 characters"
    monkeypatch.setattr(source, "MAX_ELEMENTS", 2)
    assert error(BODY).message == "the file has more than 2 elements"
    monkeypatch.setattr(source, "MAX_BYTES", 60)
    assert error(BODY).message == "the file is larger than 60 bytes"
    assert error(io.StringIO(BODY)).message == "the file is larger than 60 bytes"


def test_time_grows_with_the_length_of_a_chain() -> None:
    """Design section 10: a chain of 10,000 tasks is a matter of a second, and the time is linear."""

    def seconds(count: int) -> float:
        steps = "".join(
            f'<task id="t{i}"/><sequenceFlow id="f{i}" sourceRef="t{i - 1}" targetRef="t{i}"/>' for i in range(1, count)
        )
        text = f'<definitions xmlns="{MODEL}"><process id="p"><startEvent id="t0"/>{steps}</process></definitions>'
        start = time.process_time()
        assert len(read_bpmn(text).elements) == 2 * count
        return time.process_time() - start

    seconds(1_000)
    short, long = min(seconds(2_000), seconds(2_000)), seconds(10_000)
    assert long < 10
    assert long < 5 * short * 4
