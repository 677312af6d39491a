"""Size of modules, unfinished work, and paths of one machine (style sections 0 and 2)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .source import PACKAGE, REPOSITORY, Plant, modules

SUFFIXES = {".py", ".md", ".ipynb", ".toml", ".bpmn"}
LEFTOVERS = re.compile(r"\b(?:TODO|FIXME|XXX|NotImplementedError)\b|(?<![\w./])/(?:work|home|root|tmp|Users)/")


def too_long(root: Path) -> list[str]:
    """Modules with more than 400 lines."""
    sizes = [(module.file, len(module.text.splitlines())) for module in modules(root)]
    return [f"{file}: {size} lines, at most 400 are allowed" for file, size in sizes if size > 400]


def leftovers(repository: Path) -> list[str]:
    """Unfinished work and machine paths in the visible text files of a repository, but for these checks."""
    findings = []
    for top in sorted(repository.glob("[!.]*")):
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            file = path.relative_to(repository).as_posix()
            if path.suffix in SUFFIXES and not file.startswith("tests/architecture/"):
                lines = path.read_text(encoding="utf-8").splitlines()
                findings += [
                    f"{file}:{number}: contains {found[0]}"
                    for number, line in enumerate(lines, 1)
                    for found in LEFTOVERS.finditer(line)
                ]
    return findings


def test_modules_are_small() -> None:
    """Style 0.7: aim below 300 lines, stop at 400."""
    assert too_long(PACKAGE) == []


def test_nothing_is_left_over() -> None:
    """What is not finished is not there, and nothing depends on the machine it was written on."""
    assert leftovers(REPOSITORY) == []


def test_a_long_module_is_found(plant: Plant) -> None:
    """Style 0.7: 400 lines pass, 401 do not."""
    root = plant({"engine/loop.py": "x = 1\n" * 401, "engine/waits.py": "x = 1\n" * 400})
    assert too_long(root) == ["engine/loop.py: 401 lines, at most 400 are allowed"]


@pytest.mark.parametrize("word", ["TODO", "FIXME", "XXX", "NotImplementedError", "/home/", "/tmp/", "/Users/"])
def test_a_leftover_is_found(plant: Plant, word: str) -> None:
    """In any visible text file; hidden folders and part words are left alone."""
    files = {
        "engine/loop.py": f"x = 1\n# {word} later",
        ".venv/x.py": word,
        "notes.md": f"a{word}b",
        "views/y.svg": word,
    }
    assert leftovers(plant(files)) == [f"engine/loop.py:2: contains {word}"]
