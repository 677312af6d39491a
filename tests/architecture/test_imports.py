"""Who may import whom, and which library belongs to which layer (style section 2.2)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .source import PACKAGE, REPOSITORY, Import, Module, Plant, covers, modules

GROUND = ("errors", "facts", "plain")
BELOW_ENGINE = (*GROUND, "choices", "model", "xml", "expr")
BELOW_SIMULATION = (*BELOW_ENGINE, "engine", "semantics", "trace")
PICTURED = (*GROUND, "model", "semantics", "trace")
EVERYTHING = ("",)
ALLOWED = {
    "errors": (),
    "facts": (),
    "plain": ("errors", "facts"),
    "choices": GROUND,
    "model": GROUND,
    "xml": (*GROUND, "model", "expr.language"),  # to note expressions that can never be evaluated
    "expr": (*GROUND, "model"),
    "samples": (*GROUND, "model", "xml"),  # no row in the table: bundled files, read like any other
    "engine": (*GROUND, "choices", "model.base", "expr.language"),
    "semantics": (*BELOW_ENGINE, "engine.requests", "engine.executor"),
    "trace": (*GROUND, "choices.schedule", "model"),
    "simulation": BELOW_SIMULATION,
    "explore": (*BELOW_SIMULATION, "simulation"),
    "views": PICTURED,
    "views.widgets": (*PICTURED, "simulation"),
    "cli": EVERYTHING,
    "testing": EVERYTHING,
    "__main__": EVERYTHING,
    "__init__": EVERYTHING,
}
THIRD_PARTY = {
    "xml": ("lxml",),
    "expr": ("lark", "simpleeval", "isodate"),
    "trace.frames": ("pandas",),
    "trace.graphs": ("networkx",),
    "explore": ("pandas", "networkx", "joblib", "tqdm"),
    "views": ("matplotlib", "ipywidgets", "IPython", "resvg_py"),
    "testing": ("pytest", "hypothesis"),
}
ONE_PER_MODULE = {"lark", "simpleeval", "isodate", "matplotlib", "ipywidgets"}
NEVER = {"pm4py", "SpiffWorkflow"}

# (layer, what must stand around the import, what is imported): why; "" stands for any function or TYPE_CHECKING
EXCEPTIONS = {
    ("model", "_repr_mimebundle_", ".views"): "a model draws itself where it is shown",
    ("trace", "_repr_mimebundle_", ".views"): "a trace draws itself where it is shown",
    ("model", "check", "pandas"): "Model.check returns its findings as a table",
    ("model", "TYPE_CHECKING", "pandas"): "the annotation of Model.check",
    ("trace", "", "pandas"): "methods of a trace return tables; pandas is loaded when one is asked for",
    ("trace", "", "networkx"): "methods of a trace return graphs; networkx is loaded when one is asked for",
}


def excepted(module: Module, found: Import) -> bool:
    return any(
        layer == module.layer and found.inside and (not around or around in found.inside) and covers(to, found.target)
        for layer, around, to in EXCEPTIONS
    )


def row(table: dict[str, tuple[str, ...]], module: Module) -> tuple[str, ...]:
    return table.get(module.name, table.get(module.layer, ()))


def import_ranks(root: Path) -> list[str]:
    """List the imports that the table does not allow; late and type-checking ones count like any other."""
    findings = []
    for module in modules(root):
        if module.layer not in ALLOWED:
            findings.append(f"{module.file}: {module.layer} has no row in the table of layers")
            continue
        for found in module.imports():
            if found.target == "(computed)" and module.layer != "__init__":
                findings.append(f"{module.file}:{found.line}: imports a computed name, which nobody can check")
            if not found.target.startswith(".") or excepted(module, found):
                continue
            target = found.target[1:]
            if not any(covers(allowed, target) for allowed in (module.layer, *row(ALLOWED, module))):
                findings.append(f"{module.file}:{found.line}: imports {target or root.name}")
    return findings


def third_party(root: Path) -> list[str]:
    """List libraries outside the layer they belong to, and those that share a module but must not."""
    findings = []
    for module in modules(root):
        used = set()
        for found in module.imports():
            library = found.target.split(".")[0]
            if library in sys.stdlib_module_names or library in {"", "(computed)"}:
                continue
            used.add(library)
            if library in NEVER or not (library in row(THIRD_PARTY, module) or excepted(module, found)):
                findings.append(f"{module.file}:{found.line}: imports {library}")
        if len(used & ONE_PER_MODULE) > 1:
            findings.append(f"{module.file}: {' and '.join(sorted(used & ONE_PER_MODULE))} share a module")
    return findings


def test_imports_point_down() -> None:
    """Style 2.2: lower layers may not import higher ones."""
    assert import_ranks(PACKAGE) == []


def test_libraries_stay_in_their_layer() -> None:
    """Style 2.2, design 3: engine, semantics and choices need the standard library alone."""
    assert third_party(PACKAGE) == []


def test_excluded_tools_are_no_dependency() -> None:
    """Design 11: pm4py and SpiffWorkflow are neither imported nor required."""
    text = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8").lower()
    assert [name for name in NEVER if name.lower() in text] == []


TREE = dict.fromkeys(
    [
        "__init__.py",
        "errors.py",
        "facts.py",
        "simulation.py",
        "choices/schedule.py",
        "choices/points.py",
        "model/base.py",
        "model/process.py",
        "expr/language.py",
        "expr/feel.py",
        "engine/loop.py",
        "engine/requests.py",
        "semantics/tasks.py",
        "trace/trace.py",
        "trace/frames.py",
        "views/svg.py",
        "views/widgets.py",
    ],
    "",
)


@pytest.mark.parametrize(
    ("file", "line", "target"),
    [
        ("facts.py", "import bpmnsim.errors", "errors"),
        ("choices/points.py", "from bpmnsim.model import base", "model.base"),
        ("model/process.py", "from bpmnsim.expr.language import parse", "expr.language"),
        ("model/process.py", "from .. import simulation", "simulation"),
        ("model/process.py", "def draw():\n  from bpmnsim.views import svg", "views.svg"),
        ("model/process.py", "from bpmnsim.views import svg\ndef _repr_mimebundle_(): ...", "views.svg"),
        ("engine/loop.py", "from bpmnsim import simulate", "bpmnsim"),
        ("engine/loop.py", "from ..semantics.tasks import Task", "semantics.tasks"),
        ("engine/loop.py", "from bpmnsim.model import FlowNode", "model"),
        ("engine/loop.py", "from bpmnsim.model.process import Process", "model.process"),
        ("engine/loop.py", "from bpmnsim.expr.feel import parse", "expr.feel"),
        ("engine/loop.py", "if TYPE_CHECKING:\n  from bpmnsim.trace.trace import Trace", "trace.trace"),
        ("engine/loop.py", "importlib.import_module('bpmnsim.semantics.tasks')", "semantics.tasks"),
        ("semantics/tasks.py", "from bpmnsim.engine.loop import fire", "engine.loop"),
        ("trace/trace.py", "from bpmnsim.choices.points import Point", "choices.points"),
        ("views/svg.py", "from bpmnsim.simulation import Simulation", "simulation"),
    ],
)
def test_an_import_against_the_table_is_found(plant: Plant, file: str, line: str, target: str) -> None:
    """Style 2.2: relative, late, dynamic and type-checking imports count like plain ones."""
    number = line.split("views import svg\ndef")[0].count("\n") + 1
    assert import_ranks(plant(TREE | {file: line})) == [f"{file}:{number}: imports {target}"]


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("__init__.py", "def __getattr__(name): return importlib.import_module(HOMES[name])"),
        (
            "engine/loop.py",
            "from bpmnsim.engine import requests\nfrom .. import facts\nfrom bpmnsim.model.base import Element",
        ),
        ("engine/loop.py", "from bpmnsim.expr import language\nfrom bpmnsim.choices.points import ChoicePoint"),
        ("semantics/tasks.py", "from bpmnsim.engine import requests\nfrom bpmnsim.expr.feel import parse"),
        ("trace/trace.py", "from bpmnsim.choices import schedule"),
        ("trace/trace.py", "class Trace:\n def _repr_mimebundle_(self):\n  from bpmnsim.views.svg import render"),
        ("views/widgets.py", "from bpmnsim.simulation import Simulation"),
    ],
)
def test_an_import_within_the_table_passes(plant: Plant, file: str, line: str) -> None:
    """Style 2.2: what the table and its exceptions allow is no finding."""
    assert import_ranks(plant(TREE | {file: line})) == []


def test_a_layer_without_a_row_is_found(plant: Plant) -> None:
    """Style 2.2: a new folder needs a place in the table before it is used."""
    assert import_ranks(plant({"util/misc.py": ""})) == ["util/misc.py: util has no row in the table of layers"]


def test_a_computed_import_is_found(plant: Plant) -> None:
    """Style 2.2: only the lazy names of the package itself may be looked up in a table."""
    found = import_ranks(plant({"expr/language.py": "import_module(name)"}))
    assert found == ["expr/language.py:1: imports a computed name, which nobody can check"]


@pytest.mark.parametrize(
    ("file", "line", "library"),
    [
        ("engine/loop.py", "import numpy.random", "numpy"),
        ("semantics/tasks.py", "def late():\n from lark import Lark", "lark"),
        ("choices/points.py", "if TYPE_CHECKING:\n import pandas", "pandas"),
        ("expr/feel.py", "import lxml", "lxml"),
        ("model/process.py", "import pandas", "pandas"),
        ("trace/trace.py", "from pandas import DataFrame", "pandas"),
        ("views/svg.py", "import pandas", "pandas"),
        ("simulation.py", "import pm4py.objects", "pm4py"),
        ("testing/peers.py", "from SpiffWorkflow import Workflow", "SpiffWorkflow"),
    ],
)
def test_a_library_out_of_place_is_found(plant: Plant, file: str, line: str, library: str) -> None:
    """Style 2.2: each library has a home."""
    assert third_party(plant({file: line})) == [f"{file}:{line.count(chr(10)) + 1}: imports {library}"]


def test_two_dialects_may_not_share_a_module(plant: Plant) -> None:
    """Style 2.2: lark, simpleeval and isodate load separately, and so do matplotlib and ipywidgets."""
    root = plant({"expr/language.py": "import lark, isodate", "views/mpl.py": "import matplotlib, ipywidgets"})
    assert third_party(root) == [
        "expr/language.py: isodate and lark share a module",
        "views/mpl.py: ipywidgets and matplotlib share a module",
    ]


def test_libraries_at_home_pass(plant: Plant) -> None:
    """Style 2.2: the homes of the table, and the listed exceptions."""
    root = plant(
        {
            "engine/loop.py": "import heapq\nfrom bpmnsim.facts import Fact",
            "xml/reader.py": "from lxml import etree",
            "expr/feel.py": "import lark",
            "trace/frames.py": "import pandas as pd",
            "trace/trace.py": "def tokens():\n from pandas import DataFrame",
            "model/process.py": "if TYPE_CHECKING:\n import pandas\ndef check():\n import pandas",
            "views/widgets.py": "import ipywidgets\nfrom IPython.display import display",
        }
    )
    assert third_party(root) == []
