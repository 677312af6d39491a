"""The lessons are kept executed: running them again gives the outputs that are committed (style 5.3).

``pytest --update-notebooks`` writes the outputs anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import matplotlib
import nbclient
import nbformat
import pytest

import bpmnsim as bs

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
LESSONS = sorted(FOLDER.glob("*.ipynb"))
SVG = "image/svg+xml"

each_lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def execute(path: Path) -> Any:
    """Return the notebook with the outputs of a fresh kernel; the dates in its pictures are fixed."""
    notebook = read(path)
    client = nbclient.NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(FOLDER)}},
    )
    client.execute(env=os.environ | {"SOURCE_DATE_EPOCH": "0"})
    notebook.metadata["matplotlib"] = matplotlib.__version__
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def seen(notebook: Any, *, plots: bool = True) -> list[list[tuple[str, str, str]]]:
    """Return text and SVG of the outputs of every cell; plots of matplotlib, which differ by version, only if asked."""
    found = []
    for cell in code_cells(notebook):
        outputs = []
        for output in cell.outputs:
            data = output.get("data", {})
            picture = data.get(SVG, "")
            if "matplotlib" in picture and not plots:
                picture = "a plot"
            text = output.get("text", data.get("text/plain", output.get("evalue", "")))
            outputs.append((output.output_type, text, picture))
        found.append(outputs)
    return found


@pytest.mark.notebook
@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@each_lesson
def test_outputs_are_those_of_a_new_run(path: Path, request: pytest.FixtureRequest) -> None:
    """Style 5.3: text/plain and SVG are equal; HTML, PNG, timing and execution metadata are not compared."""
    fresh = execute(path)
    if request.config.getoption("--update-notebooks"):
        nbformat.write(fresh, path)
    kept = read(path)
    same_plots = kept.metadata.get("matplotlib") == matplotlib.__version__
    assert seen(fresh, plots=same_plots) == seen(kept, plots=same_plots)


@each_lesson
def test_nothing_needs_a_kernel_to_be_seen(path: Path) -> None:
    """Style 5.2 and 5.3: executed in order, no widget state, pictures as SVG only, nothing on stderr."""
    notebook = read(path)
    assert "widgets" not in notebook.metadata
    assert [cell.execution_count for cell in code_cells(notebook)] == list(range(1, len(code_cells(notebook)) + 1))
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    assert not [output for output in outputs if "image/png" in output.get("data", {}) or output.get("name") == "stderr"]


@each_lesson
def test_first_cell_imports_and_tells_the_version(path: Path) -> None:
    """Style 5.3: imports, version, SVG; no paths, no installation, no network."""
    notebook = read(path)
    first = code_cells(notebook)[0]
    assert "import bpmnsim as bs" in first.source
    assert '%config InlineBackend.figure_formats = ["svg"]' in first.source
    assert first.source.endswith("bs.__version__")
    assert first.outputs[-1].data["text/plain"] == repr(bs.__version__)
    assert not re.search(r"sys\.path|%pip|http|\.\./", "\n".join(cell.source for cell in code_cells(notebook)))


@each_lesson
def test_a_lesson_asks_before_it_tells(path: Path) -> None:
    """Style 5.3: question, prediction, run under several seeds, why, exercise; headings nest."""
    notebook = read(path)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    places = [text.index(word) for word in ("**Question.**", "## Predict", "## Exercises")]
    assert places == sorted(places)
    levels = [len(marks) for marks in re.findall(r"^(#+) ", text, re.MULTILINE)]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in zip([0, *levels], levels, strict=False))
    assert len(
        set(re.findall(r"seed=(\d+)|seed in \((.+?)\)", "\n".join(cell.source for cell in code_cells(notebook))))
    )


@each_lesson
def test_every_figure_has_a_caption(path: Path) -> None:
    """Style 5.3: one sentence in italics behind the cell that says what to see."""
    cells = read(path).cells
    for at, cell in enumerate(cells):
        if cell.cell_type == "code" and any(SVG in output.get("data", {}) for output in cell.outputs):
            assert cells[at + 1].cell_type == "markdown", cell.source
            assert cells[at + 1].source.startswith("*"), cell.source


@each_lesson
def test_only_expected_failures_fail(path: Path) -> None:
    """Style 5.3: tagged, and they show our message rather than a long traceback."""
    for cell in code_cells(read(path)):
        errors = [output for output in cell.outputs if output.output_type == "error"]
        assert bool(errors) == ("raises-exception" in cell.metadata.get("tags", []))
        for error in errors:
            assert isinstance(getattr(bs, error.ename)("x"), bs.BpmnSimError)
            assert len("\n".join(error.traceback).splitlines()) < 6
