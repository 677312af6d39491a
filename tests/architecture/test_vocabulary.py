"""The driver knows no word of iteration (design section 2 idea 3, style sections 2.3 and 2.4)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from .source import PACKAGE, Plant, covers, modules

WORDS = re.compile(
    r"multi_?instance|loop_?counter|ordinal|cardinality|number_?of_?\w*instances"
    r"|standard_?loop|iteration|(^|_)mi(_|$)",
    re.IGNORECASE,
)
HOME = ("model", "xml", "trace", "views", "explore", "testing", "semantics.iteration")
EXCEPTIONS = {
    "semantics/registry.py": WORDS,  # picks the decorator when arrival resolves a node
    "simulation/live.py": re.compile("ordinal"),  # promised signature: Simulation.complete(node, ordinal=None)
    "simulation/behaviors.py": re.compile("ordinal"),  # promised attribute: task.ordinal
    "simulation/explain.py": re.compile("ordinal"),  # Blocker.ordinal: which inner instance it is that waits
    "choices/scenario.py": re.compile("ordinal"),  # promised signature: Scenario.complete(node, ordinal=None)
}


def identifiers(tree: ast.AST) -> Iterator[str]:
    """Every name a module defines or uses; comments, docstrings and other text do not count."""
    for node in ast.walk(tree):
        for field in ("id", "attr", "arg", "name", "asname"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                yield value
        yield from getattr(node, "kwd_attrs", ())


def iteration_words(root: Path) -> list[str]:
    """Names that speak of iteration outside its home."""
    return [
        f"{module.file}: knows about iteration: {name}"
        for module in modules(root)
        if not any(covers(home, module.name) for home in HOME)
        for name in sorted(set(identifiers(module.tree)))
        if WORDS.search(name) and not (module.file in EXCEPTIONS and EXCEPTIONS[module.file].search(name))
    ]


def test_iteration_words_stay_home() -> None:
    """Style 2.4, SRD-090.B FR-1 and FR-6: only the decorator knows that an activity repeats."""
    assert iteration_words(PACKAGE) == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("ordinal = 0", "ordinal"),
        ("def next_ordinal(): ...", "next_ordinal"),
        ("task.loopCounter", "loopCounter"),
        ("f(numberOfActiveInstances=1)", "numberOfActiveInstances"),
        ("def f(loop_cardinality): ...", "loop_cardinality"),
        ("class MultiInstance: ...", "MultiInstance"),
        ("import x as standard_loop", "standard_loop"),
        ("from bpmnsim.semantics import iteration", "iteration"),
        ("mi_count = 1", "mi_count"),
        ("match x:\n  case Wait(ordinal=1): pass", "ordinal"),
    ],
)
def test_an_iteration_word_in_the_driver_is_found(plant: Plant, text: str, word: str) -> None:
    """Style 2.4: in every kind of name, and not where it is at home."""
    files = [
        "engine/loop.py",
        "semantics/iteration/parallel.py",
        "semantics/registry.py",
        "model/loops.py",
        "trace/trace.py",
    ]
    found = iteration_words(plant(dict.fromkeys(files, text)))
    assert found == [f"engine/loop.py: knows about iteration: {word}"]


def test_text_and_longer_words_pass(plant: Plant) -> None:
    """Style 2.4: only identifiers count, and `mi` only as a word of its own."""
    text = '"""Ordinal, iteration."""\nline = "loopCounter"  # multi-instance\nminimum = admit = 1'
    assert iteration_words(plant({"engine/loop.py": text})) == []


def test_an_exception_covers_no_more_than_its_word(plant: Plant) -> None:
    """Style 2.4: the promised parameter `ordinal` opens no door for the rest."""
    root = plant({"simulation/live.py": "def complete(node, ordinal=None): return iterations"})
    assert iteration_words(root) == ["simulation/live.py: knows about iteration: iterations"]
