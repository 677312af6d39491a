"""Every diagram of every real file draws, parses and shows each of its shapes (brief; lessons A 37, 38)."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bpmnsim.errors import ModelError
from bpmnsim.model import Model
from bpmnsim.views.scene import ancestors, build_scene
from bpmnsim.views.svg import render_svg
from bpmnsim.xml.reader import read_bpmn

SVG = "{http://www.w3.org/2000/svg}"
SUFFIXES = {".bpmn", ".bpmn2", ".xml"}


@pytest.fixture(scope="module")
def models(corpus: Path) -> dict[str, Model]:
    """Every file that is well-formed BPMN."""
    found = {}
    for path in sorted(corpus.glob("*/*")):
        if path.suffix in SUFFIXES:
            try:
                found[path.name] = read_bpmn(path)
            except ModelError:
                continue
    assert len(found) > 140
    return found


def test_every_shape_of_a_known_element_appears(models: dict[str, Model]) -> None:
    """But for shapes without a size, and for the content of closed sub-processes."""
    shown = 0
    for name, model in models.items():
        for at, diagram in enumerate(model.diagrams):
            if not diagram.shapes:
                continue
            scene = build_scene(model, diagram)
            groups = ElementTree.fromstring(render_svg(model, diagram=at)).iter(f"{SVG}g")
            drawn = {g.get("data-element") for g in groups if g.get("class", "").startswith("bpmn ")}
            for shape in diagram.shapes:
                if shape.element in model.elements and shape.bounds.width > 0 and shape.bounds.height > 0:
                    around = [ancestor.id for ancestor in ancestors(model, shape.element)]
                    hidden = any(ancestor in scene.collapsed for ancestor in around)
                    assert (shape.element in drawn) != hidden, f"{name}: {shape.element}"
                    shown += not hidden
    assert shown > 2500


def test_pictures_are_small_and_hold_no_markup_of_the_model(models: dict[str, Model]) -> None:
    """Style 5.1: nothing but our own elements; a few hundred bytes for each thing drawn."""
    for name, model in models.items():
        for at, diagram in enumerate(model.diagrams):
            picture = render_svg(model, diagram=at)
            assert len(picture) < 3000 + 2500 * (len(diagram.shapes) + len(diagram.edges) + len(model.elements)), name
            assert set(re.findall(r"<(\w+)", picture)) <= {
                "svg", "title", "desc", "g", "rect", "circle", "path", "text", "tspan",
            }, name  # fmt: skip


def test_files_without_layout_are_laid_out(models: dict[str, Model]) -> None:
    """Lessons A 38: layout on demand, for what lacks it."""
    for name, model in models.items():
        if not model.diagrams and any(model.nodes(process.id) for process in model.processes):
            picture = render_svg(model)
            for process in model.processes[:1]:
                for node in model.nodes(process.id):
                    assert f'data-element="{node.id}"' in picture, name
