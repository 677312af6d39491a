"""The README says what is there: tables, names, commands, files (its code runs as doctest)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import bpmnsim as bs
from bpmnsim import cli
from bpmnsim.samples import sample_names
from bpmnsim.trace.schema import SCHEMAS
from bpmnsim.trace.trace import Trace

REPOSITORY = Path(__file__).resolve().parents[1]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """Return the text below a heading."""
    return README.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """Return the cells of the table in a text, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_tables_have_the_declared_columns() -> None:
    """Style 4.4: the table of tables and `bs.columns` come from one declaration."""
    told = {name.strip("`()").removeprefix("to_"): columns.split(", ") for name, _, columns in rows(section("Tables"))}
    assert told == {name: list(schema) for name, schema in SCHEMAS.items()}


def test_tables_are_methods_of_a_trace() -> None:
    """Design 6: each is called as the README writes it."""
    for name, _, _ in rows(section("Tables")):
        assert callable(getattr(Trace, name.strip("`()")))


def test_names_are_public() -> None:
    """Style 2.5: the table names nothing that is not there; that nothing is missing is tested with the architecture."""
    names = re.findall(r"`(\w+)`", " ".join(cells[0] for cells in rows(section("Names"))))
    assert sorted(names) == sorted(bs.__all__)


def test_graphs_and_logs_are_methods_of_a_trace() -> None:
    """Design 6: the sentences behind the table of tables."""
    behind = section("Tables").split("\nGraphs,")[1]
    names = re.findall(r"`(\w+)\(", behind)
    assert len(names) == 9
    for name in names:
        assert callable(getattr(Trace, name))


def test_commands_and_exit_codes_are_those_of_the_parser(capsys: pytest.CaptureFixture[str]) -> None:
    """Design 7: commands, options and codes."""
    text = section("On the command line")
    for command, options in re.findall(r"^bpmnsim (\w+) FILE(.*)$", text, re.MULTILINE):
        with pytest.raises(SystemExit):
            cli.main([command, "--help"])
        helped = capsys.readouterr().out
        for option in re.findall(r"--\w+ [\w.]+", options):
            assert option in helped
    told = {outcome: int(code) for code, outcomes in rows(text) for outcome in re.findall(r"\w+", outcomes)}
    assert {outcome: told[outcome] for outcome in cli.EXIT_CODES} == cli.EXIT_CODES


REFUSED: dict[str, Callable[[bs.ProcessBuilder], object]] = {
    "message": lambda b: b.event("x", message="m"),
    "timer": lambda b: b.event("x", timer="PT1M"),
    "signal": lambda b: b.event("x", signal="s"),
    "error": lambda b: b.end("x", error="E"),
    "boundary events": lambda b: b.boundary(b.task("host"), timer="PT1M", id="x") >> b.end(),
    "inclusive gateways": lambda b: b.inclusive("x"),
    "event-based gateways": lambda b: b.event_based("x") >> [b.event(signal="s"), b.event(signal="t")],
    "complex gateways": lambda b: b.complex("x"),
    "event sub-processes": lambda b: b.subprocess("x", kind="event", body=lambda p: p.start(signal="s") >> p.end()),
    "transactions": lambda b: b.subprocess("x", kind="transaction", body=lambda p: p.task()),
    "ad-hoc sub-processes": lambda b: b.subprocess("x", kind="adhoc", body=lambda p: p.task()),
    "call activities": lambda b: b.call("x", called_element="p"),
}


@pytest.mark.parametrize("construct", REFUSED)
def test_what_is_said_not_to_run_is_refused(construct: str) -> None:
    """Design 8: refused by name before the first step; the README is changed when one of them runs."""
    assert construct in section("What runs today").split("Everything else")[1]
    b = bs.ProcessBuilder("p")
    b.start() >> b.task("A")
    REFUSED[construct](b)
    assert b.model().check().empty
    with pytest.raises(bs.UnsupportedError) as refused:
        bs.simulate(b.model())
    assert refused.value.element_id


def test_every_sample_is_named() -> None:
    """Design 3: the bundled models."""
    listed = re.search(r"name of a bundled model: ([\w, ]+)\.", section("On the command line"))
    assert listed is not None
    assert sorted(listed[1].split(", ")) == list(sample_names())


def test_files_and_make_targets_exist() -> None:
    """What a newcomer types or clicks is there."""
    for link in [*re.findall(r"\]\((?!http)([^)]+)\)", README), *re.findall(r"[\w/]+/main\.py", README)]:
        assert (REPOSITORY / link).exists(), link
    targets = re.findall(r"^(\w+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"`?make (\w+)`?", section("Two commands"))) <= set(targets)
