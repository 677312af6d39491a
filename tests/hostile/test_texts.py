"""Texts of strangers: expressions in every dialect, and names that look like markup."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx as nx
import pytest

import bpmnsim as bs
from bpmnsim.cli import main
from bpmnsim.errors import ExpressionError
from bpmnsim.expr import compile_expression

from .expressions import FEEL, HOSTILE, JAVA, JUEL, PYTHON, SLOW
from .mutations import NAMES
from .pipeline import allowed, memory, require_honest

DATA = {"x": 5, "a": [1, 2, {"b": [None] * 100}], "orders": ["o"] * 1_000, "amount": 10**9, "s": "a" * 100_000}
UNWRITABLE = ("a\x00b", "\x1f", "\x1b[2J", "\ud800", "\uffff")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def _nothing_is_executed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where an expression reaches the system."""

    def reached(*_: object) -> None:
        raise AssertionError("an expression reached the system")

    for name in ("system", "popen", "execv", "fork"):
        monkeypatch.setattr(os, name, reached)


def evaluated(text: str, language: str | None) -> Any:
    """Compile and evaluate; return the value, ``None`` where there is none."""

    def evaluate() -> Any:
        expression = compile_expression(text, language=language)
        assert expression.problem is None or isinstance(expression.problem, str)
        value = expression.evaluate(DATA)
        return json.loads(json.dumps(value))  # only plain data can be written and read

    with memory():
        return allowed("evaluate", evaluate)


@pytest.mark.parametrize("language", [None, "python", "juel", "feel", "java"])
def test_hostile_expressions(language: str | None) -> None:
    """Issue text: expressions with attribute tricks, giant powers or strings, in every dialect that may read them."""
    for text in (*HOSTILE, *SLOW):
        evaluated(text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        *((text, "python") for text in PYTHON[:18]),
        *((text, "juel") for text in JUEL[:4]),
        *((text, "feel") for text in FEEL if "matches" in text or "replace(" in text or "function" in text),
        *((text, "java") for text in JAVA[:3]),
        ("10 ** 100000000", "python"),
        ("'x' * 10 ** 10", "python"),
        ("0x" + "f" * 4_000, "python"),
        ("1" * 5_000, "juel"),
        ("9" * 1_300, "feel"),
    ],
)
def test_tricks_have_no_value(text: str, language: str) -> None:
    """Security: no attribute of Python, no unknown function, no import, no number without bound."""
    with pytest.raises(ExpressionError):
        compile_expression(text, language=language).evaluate(DATA)


def test_hostile_conditions_are_incidents_or_decisions() -> None:
    """Issue text: the same as conditions and cardinalities of a run; an incident is one of ours."""
    for text in (*PYTHON[::2], *JUEL[::2], *FEEL[::2], *JAVA[::2]):
        b = bs.ProcessBuilder("p")
        x = b.exclusive("x")
        _ = b.start() >> x
        _ = x.flow(b.task("t", multi_instance=bs.parallel(cardinality=text)), text) >> b.end()
        _ = x.flow(b.task("u", loop=bs.loop(condition=text, maximum=3)), default=True) >> b.end()
        trace = allowed("simulate", lambda b=b: bs.simulate(b.model(), data=DATA, step_limit=100))
        if trace is not None:
            require_honest(trace)
            allowed("tables", lambda trace=trace: (trace.evaluations(), trace.incidents(), trace.to_json()))


def named(name: str) -> bs.Model:
    """Give every element the name."""
    b = bs.ProcessBuilder("p", name=name)
    panel = b.subprocess(
        "sub", name=name, multi_instance=bs.parallel(cardinality=2), body=lambda p: p.task("t", name=name)
    )
    _ = b.start("s", name=name) >> b.service("a", name=name) >> panel >> b.end("e", name=name)
    return b.model()


@pytest.mark.parametrize("name", [*NAMES, *UNWRITABLE], ids=range(len(NAMES) + len(UNWRITABLE)))
def test_names_stay_text(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Issue text: names with markup, control characters and bidi, in pictures, files, graphs, logs, tables."""
    model = named(name)
    trace = bs.simulate(model, data={name or "x": name}, behaviors={"a": lambda _: {"o": name}})
    for picture in (bs.render_svg(model), bs.render_trace(trace), bs.render_svg(model, title=name, desc=name)):
        for node in ElementTree.fromstring(picture).iter():
            assert node.tag.removeprefix(SVG) in {
                "svg",
                "title",
                "desc",
                "g",
                "rect",
                "circle",
                "path",
                "text",
                "tspan",
            }
            assert not [key for key in node.attrib if key.lower().startswith(("on", "href", "style"))]
    assert ElementTree.fromstring(trace.to_xes() or "").tag.endswith("log")
    assert json.loads(trace.to_ocel() or "")["events"]
    for graph in (trace.process_graph(), trace.token_graph(), trace.scope_tree(), trace.causality_graph()):
        written = io.BytesIO()
        nx.write_graphml(graph, written)
        assert ElementTree.fromstring(written.getvalue()).tag.endswith("graphml")
    assert bs.Trace.from_json(json.dumps(trace.to_json()), model) == trace
    assert (
        bs.simulate(
            model, data={name or "x": name}, behaviors={"a": lambda _: {"o": name}}, schedule=str(trace.schedule)
        )
        == trace
    )
    path = tmp_path / "model.bpmn"
    if name in UNWRITABLE:
        with pytest.raises(bs.ModelError, match="cannot be written"):
            bs.write_bpmn(model, path)
        return
    bs.write_bpmn(model, path)
    assert bs.read_bpmn(path) == model
    assert main(["run", str(path), "--svg", str(tmp_path / "x.svg"), "--facts", str(tmp_path / "x.csv")]) == 0
    assert main(["show", str(path)]) == main(["notes", str(path)]) == main(["check", str(path)]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "argument", ["../../etc/passwd", "/dev/null", "/", "", "x" * 5_000, "a\0b", "--help-me", "<html/>"]
)
def test_paths_of_the_command_line(argument: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Design 7: a wrong path is a usage error with exit code 2, never a traceback, and nothing else is written."""
    if argument.startswith("-"):
        with pytest.raises(SystemExit, match="2"):
            main(["run", argument])
    else:
        assert main(["run", argument]) == 2
    assert main(["run", "order_handling", "--svg", str(tmp_path)]) == 2
    assert main(["run", "order_handling", "--facts", str(tmp_path / "no" / "x.csv")]) == 2
    assert list(tmp_path.iterdir()) == []
    assert "Traceback" not in capsys.readouterr().err
