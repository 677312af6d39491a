"""Every example runs, says something, and is listed with its question (design section 3)."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import bpmnsim as bs

FOLDER = Path(__file__).resolve().parents[2] / "examples"
EXAMPLES = sorted(path.parent.name for path in FOLDER.glob("*/main.py"))


def run(name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    folder.mkdir()
    return subprocess.run(
        [sys.executable, "-W", "error", str(FOLDER / name / "main.py")],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=300,
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, subprocess.CompletedProcess[str]]]:
    """Run every example in a process and an empty folder of its own, several at a time."""
    root = tmp_path_factory.mktemp("examples")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = pool.map(lambda name: run(name, root / name), EXAMPLES)
        return root, dict(zip(EXAMPLES, done, strict=True))


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_runs(runs: tuple[Path, dict[str, subprocess.CompletedProcess[str]]], name: str) -> None:
    """Design 3: it exits 0 wherever it is started, warns of nothing, prints, and writes no file."""
    root, done = runs
    assert (done[name].returncode, done[name].stderr) == (0, "")
    assert done[name].stdout.strip()
    assert not list((root / name).iterdir())


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/model.bpmn")), ids=lambda path: path.parent.name)
def test_model_of_an_example_opens_anywhere(path: Path) -> None:
    """Design 3: it has a picture, runs as drawn, and nothing of it is passed over."""
    model = bs.read_bpmn(path)
    assert len(model.diagrams) == 1
    assert model.notes == ()
    assert model.check().empty


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_is_listed_with_its_question(name: str) -> None:
    """Style 5.3: question first; the list of the examples repeats it."""
    question = (ast.get_docstring(ast.parse((FOLDER / name / "main.py").read_text(encoding="utf-8"))) or "").split("\n")
    assert question[0].endswith("?")
    assert question[1] == ""
    assert f"| [`{name}`]({name}) | {question[0]} |\n" in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_folders_are_examples() -> None:
    """Design 3: no folder without a program."""
    assert sorted(path.name for path in FOLDER.iterdir() if path.is_dir()) == EXAMPLES
