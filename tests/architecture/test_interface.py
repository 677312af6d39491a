"""What users see: the names of the package, their documentation, and a light import (style sections 2.4 and 2.5)."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .source import PACKAGE, REPOSITORY, Plant, covers, modules

HEAVY = {"IPython", "ipywidgets", "isodate", "joblib", "lark", "lxml", "matplotlib", "networkx", "numpy", "pandas"}
HEAVY |= {"simpleeval", "tqdm"}


def in_fresh_interpreter(root: Path, expression: str) -> list[str]:
    """Import the package at *root* as `p` and return the words that *expression* lists, or the error."""
    code = (
        f"import sys; sys.path.insert(0, {str(root.parent)!r}); import {root.name} as p; print(*sorted({expression}))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False, timeout=60)
    return done.stderr.splitlines()[-1:] if done.returncode else done.stdout.split()


def heavy_imports(root: Path) -> list[str]:
    """Libraries that importing the package loads although no name needs them yet."""
    return in_fresh_interpreter(root, f"{HEAVY} & set(sys.modules)")


def names_without_example(root: Path) -> list[str]:
    """Names of `__all__` that cannot be fetched, or whose docstring has no example."""
    return in_fresh_interpreter(root, "n for n in p.__all__ if '>>>' not in (getattr(p, n).__doc__ or '')")


def interface(root: Path, readme: str) -> list[str]:
    """Faults of the literal `__all__`: missing, unsorted, too long, or a name that no table of the README has."""
    names: list[str] = []
    for node in ast.parse((root / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names = list(ast.literal_eval(node.value))
    findings = [] if names else ["__all__ is missing or empty"]
    if names != sorted(set(names)):
        findings.append("__all__ is not sorted, or has a name twice")
    if len(names) > 45:
        findings.append(f"__all__ has {len(names)} names, at most 45 are allowed")
    cells = re.findall(r"`[^`]*`", "\n".join(line for line in readme.splitlines() if line.startswith("|")))
    missing = [name for name in names if not any(re.search(rf"\b{name}\b", cell) for cell in cells)]
    return findings + [f"{name} is in no table of the README" for name in missing]


# Rooms nobody imports from outside: what they do is shown through simulate() and Simulation, which have examples.
INNER = ("engine", "semantics", "simulation", "choices.strategies", "choices.replay")


def documentation(root: Path) -> list[str]:
    """Public classes and functions without an example, and their public methods without a docstring."""
    findings = []
    for module in modules(root):
        if any(part.startswith("_") for part in module.name.split(".")):
            continue
        for node in module.tree.body:
            if not is_public(node, ast.ClassDef | ast.FunctionDef):
                continue
            said = ast.get_docstring(node) or ""
            if any(covers(inner, module.name) for inner in INNER):
                if not said:
                    findings.append(f"{module.file}:{node.lineno}: {node.name} has no docstring")
            elif not re.search(r"^Examples\n-+\n(.*\n)*>>>", said, re.MULTILINE):
                findings.append(f"{module.file}:{node.lineno}: {node.name} has no example")
            findings += [
                f"{module.file}:{method.lineno}: {node.name}.{method.name} has no docstring"
                for method in (node.body if isinstance(node, ast.ClassDef) else ())
                if is_public(method, ast.FunctionDef) and not ast.get_docstring(method)
            ]
    return findings


def is_public(node: ast.stmt, kinds: type | object) -> bool:
    if not isinstance(node, kinds) or node.name.startswith("_"):
        return False
    return not any(ast.unparse(decorator).endswith(("overload", ".setter")) for decorator in node.decorator_list)


def test_importing_the_package_is_light() -> None:
    """Style 2.4, design 3: nothing heavy is loaded until a name that needs it is used."""
    assert heavy_imports(PACKAGE) == []


def test_every_public_name_has_an_example() -> None:
    """Style 2.5: each name of `__all__` can be fetched and shows how it is used."""
    assert names_without_example(PACKAGE) == []


def test_public_names_are_few_sorted_and_in_the_readme() -> None:
    """Style 2.5: at most 45 names, sorted, each in a table of the README."""
    assert interface(PACKAGE, (REPOSITORY / "README.md").read_text(encoding="utf-8")) == []


def test_everything_public_is_documented() -> None:
    """Style 4.1: public classes and functions have an Examples section, their methods a docstring."""
    assert documentation(PACKAGE) == []


def test_a_heavy_import_is_found(plant: Plant) -> None:
    """Style 2.4: also one that a module of the package causes; a late one is none."""
    root = plant({"__init__.py": "from bpmnsim import cli", "cli.py": "import isodate\ndef late(): import tqdm"})
    assert heavy_imports(root) == ["isodate"]


def test_a_broken_import_is_found(plant: Plant) -> None:
    """Style 2.4: a package that cannot be imported does not pass as a light one."""
    assert heavy_imports(plant({"__init__.py": "import bpmnsim.gone"})) == [
        "ModuleNotFoundError: No module named 'bpmnsim.gone'"
    ]


def test_a_name_without_example_is_found(plant: Plant) -> None:
    """Style 2.5: seen through the lazy names, as a notebook would."""
    text = "__all__ = ['a', 'b']\ndef __getattr__(name):\n  import bpmnsim.parts\n  return getattr(bpmnsim.parts, name)"
    root = plant({"__init__.py": text, "parts.py": "def a():\n  '''>>> a()'''\ndef b():\n  '''Do b.'''"})
    assert names_without_example(root) == ["b"]


def test_a_name_that_does_not_exist_is_found(plant: Plant) -> None:
    """Style 2.5: a promise that the package does not keep."""
    assert names_without_example(plant({"__init__.py": "__all__ = ['gone']"})) == [
        "AttributeError: module 'bpmnsim' has no attribute 'gone'"
    ]


@pytest.mark.parametrize(
    ("names", "readme", "findings"),
    [
        (["find", "simulate"], "| `bs.simulate(model)` | runs |\n| `find` | finds |", []),
        (["simulate"], "`simulate`\n| simulate | `simulated` |", ["simulate is in no table of the README"]),
        (["b", "a"], "| `a`, `b` |", ["__all__ is not sorted, or has a name twice"]),
        ([], "", ["__all__ is missing or empty"]),
        (
            [f"n{k}" for k in range(10, 56)],
            "| `" + " ".join(f"n{k}" for k in range(10, 56)) + "` |",
            ["__all__ has 46 names, at most 45 are allowed"],
        ),
    ],
)
def test_faults_of_the_interface_are_found(plant: Plant, names: list[str], readme: str, findings: list[str]) -> None:
    """Style 2.5: each fault by itself."""
    assert interface(plant({"__init__.py": f"__all__ = {names}"}), readme) == findings


PLANTED = """
def good():
    '''Do it.

    Examples
    --------
    >>> good()
    '''
    def inner(): ...
def bad():
    '''Do it, as in >>> bad().'''
def _private(): ...
class Bad:
    @property
    def value(self): ...
    @value.setter
    def value(self, value): ...
    def _private(self): ...
"""


def test_missing_documentation_is_found(plant: Plant) -> None:
    """Style 4.1: an example outside its section is none; private names and setters need nothing."""
    root = plant({"expr/loop.py": PLANTED, "_private.py": PLANTED, "__main__.py": PLANTED})
    assert documentation(root) == [
        "expr/loop.py:10: bad has no example",
        "expr/loop.py:13: Bad has no example",
        "expr/loop.py:15: Bad.value has no docstring",
    ]
