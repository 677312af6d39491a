"""Small models with a layout, for the tests of pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from bpmnsim import model as m

SIZES = {m.Event: (36, 36), m.Gateway: (50, 50), m.Activity: (100, 80), m.DataElement: (36, 50)}


def size_of(element: m.Element) -> tuple[float, float]:
    """Usual size of a shape."""
    return next((size for kind, size in SIZES.items() if isinstance(element, kind)), (120, 60))


def grid_model(elements: Iterable[m.Element], *, columns: int = 8, expanded: Iterable[str] = ()) -> m.Model:
    """Put every element on its own field of a grid; *expanded* sub-processes are drawn open."""
    elements = list(elements)
    drawn = [
        e for e in elements if isinstance(e, (m.FlowNode, m.DataElement, m.TextAnnotation, m.Group, m.Participant))
    ]
    shapes = []
    for at, element in enumerate(drawn):
        width, height = size_of(element)
        x, y = 160 * (at % columns) + 80 - width / 2, 140 * (at // columns) + 70 - height / 2
        shapes.append(
            m.Shape(element=element.id, bounds=m.Bounds(x, y, width, height), is_expanded=element.id in tuple(expanded))
        )
    return m.Model(elements, diagrams=[m.Diagram(id="d", shapes=tuple(shapes))])


@pytest.fixture
def grid() -> Callable[..., m.Model]:
    """Return the function that lays elements out on a grid."""
    return grid_model
