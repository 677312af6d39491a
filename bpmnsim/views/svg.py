"""A model as a still picture: SVG text from the layout of its file, with tokens on it.

Pure Python and plain presentation attributes, so that the picture survives wherever a notebook is shown. What is drawn
is sorted out in ``scene``; shapes, lines, labels and marks are drawn by the modules of these names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from bpmnsim.errors import ModelError
from bpmnsim.model.base import FlowNode, SequenceFlow
from bpmnsim.model.diagram import Bounds, Diagram
from bpmnsim.model.process import Model
from bpmnsim.views.labels import draw_label, place_labels
from bpmnsim.views.lines import draw_line
from bpmnsim.views.marks import Mark, describe_marks, draw_badge, draw_frame, draw_legend, place_marks
from bpmnsim.views.markup import escape, number, tag, text_block
from bpmnsim.views.palette import INK, PALETTE, PAPER
from bpmnsim.views.scene import Scene, build_scene
from bpmnsim.views.shapes import draw_shape

__all__ = ["Mark", "render_svg"]

_MARGIN = 12.0
_LARGEST = 4000.0


def render_svg(
    model: Model,
    *,
    marks: Sequence[Mark] | None = None,
    diagram: int = 0,
    title: str | None = None,
    desc: str | None = None,
    legend: bool = False,
) -> str:
    """Draw one diagram of a model, with tokens on it.

    Parameters
    ----------
    model
        What to draw. A model without layout is laid out first.
    marks
        States to show; marks of one element, state and label are added up. A mark on something that is not drawn shows
        at the nearest drawn element around it.
    diagram
        Which of the model's diagrams, from 0.
    title, desc
        Name of the picture, and what it shows in words; made from the model and the marks where not given.
    legend
        Whether to explain the states below the picture.

    Returns
    -------
    str
        A complete SVG element; equal input gives equal text.

    Raises
    ------
    ModelError
        If there is no diagram of this number.

    Examples
    --------
    >>> from bpmnsim.model import Bounds, Diagram, Shape, Task
    >>> shape = Shape(element="a", bounds=Bounds(0, 0, 100, 80))
    >>> model = Model([Task(id="a", name="Review")], diagrams=[Diagram(shapes=(shape,))])
    >>> picture = render_svg(model, marks=[Mark("a", "waiting")])
    >>> 'data-element="a"' in picture, "waiting at Review" in picture
    (True, True)

    Notes
    -----
    An activity without a name shows its id, in italics.
    """
    scene = build_scene(model, _pick(model, diagram))
    badges, lost = place_marks(scene, marks or ())
    labels = place_labels(scene)
    framed = list(dict.fromkeys(badge.mark.element for badge in badges if badge.mark.state == "highlight"))
    shown = [badge for badge in badges if badge.mark.state != "highlight" or badge.text]
    body = [
        *(draw_shape(scene, shape) for shape in scene.shapes[: scene.base]),
        *(draw_frame(scene, element) for element in framed),
        *(draw_line(scene, line) for line in scene.lines),
        *(draw_shape(scene, shape) for shape in scene.shapes[scene.base :]),
        *(draw_label(label) for label in labels),
        *(draw_badge(scene, badge) for badge in shown),
    ]
    box = _around([*_extents(scene), *(label.bounds for label in labels), *(badge.bounds for badge in shown)])
    if box is None:
        box = Bounds(0, 0, 240, 40)
        body.append(text_block(["nothing to draw"], 120, 13))
    if legend and badges:
        present = [state for state in PALETTE if any(badge.mark.state == state for badge in badges)]
        drawn, place = draw_legend(present, box.x, box.y + box.height + _MARGIN, max(box.width, 200))
        body.append(drawn)
        box = _around([box, place]) or box
    name = title if title is not None else _title(scene)
    said = desc if desc is not None else _describe(scene, [badge.mark for badge in badges], lost)
    return _document("".join(body), box, name, said)


def _pick(model: Model, index: int) -> Diagram:
    """Return the diagram of this number, laid out where the file shows nothing."""
    diagrams = model.diagrams
    chosen: Diagram | None = None
    if diagrams:
        if not 0 <= index < len(diagrams):
            raise _no_diagram(index, diagrams)
        chosen = diagrams[index]
        if build_scene(model, chosen).shapes:
            return chosen
    from bpmnsim.model.layout import layout

    made = layout(model)
    if chosen is not None:
        return next((one for one in made if one.element == chosen.element), made[0] if made else chosen)
    if not made and index == 0:
        return Diagram()
    if not 0 <= index < len(made):
        raise _no_diagram(index, made)
    return made[index]


def _no_diagram(index: int, diagrams: Sequence[Diagram]) -> ModelError:
    names = ", ".join(f"{at} ({one.name or one.element or one.id})" for at, one in enumerate(diagrams[:20]))
    return ModelError(f"the model has no diagram {index}", hint=f"the diagrams are {names or 'none'}")


def _extents(scene: Scene) -> Iterable[Bounds]:
    yield from (shape.bounds for shape in scene.shapes)
    yield from (Bounds(x, y, 0, 0) for line in scene.lines for x, y in line.points)


def _around(boxes: list[Bounds]) -> Bounds | None:
    if not boxes:
        return None
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.x + box.width for box in boxes), max(box.y + box.height for box in boxes)
    return Bounds(left, top, right - left, bottom - top)


def _title(scene: Scene) -> str:
    plane = scene.model.elements.get(scene.diagram.element)
    named = [scene.diagram.name, plane.name if plane is not None else "", scene.model.name]
    named += [process.name or process.id for process in scene.model.processes]
    return next((name for name in named if name.strip()), "BPMN diagram")


def _describe(scene: Scene, marks: list[Mark], lost: Sequence[Mark]) -> str:
    nodes = sum(isinstance(scene.model.elements[shape.element], FlowNode) for shape in scene.shapes)
    flows = sum(isinstance(scene.model.elements[line.element], SequenceFlow) for line in scene.lines)
    said = [f"BPMN diagram with {nodes} nodes and {flows} sequence flows."]
    if marks:
        said.append(f"Tokens: {describe_marks(scene.model, marks)}.")
    if lost:
        said.append(f"Not in this picture: {describe_marks(scene.model, lost)}.")
    if scene.unplaced:
        said.append(f"{scene.unplaced} shapes or edges of the file have no usable place or element.")
    return " ".join(said)


def _document(body: str, box: Bounds, title: str, desc: str) -> str:
    x, y = box.x - _MARGIN, box.y - _MARGIN
    width, height = box.width + 2 * _MARGIN, box.height + 2 * _MARGIN
    # Wild coordinates must not make a picture that no page can hold; the view box still shows all of it.
    shrink = min(1.0, _LARGEST / max(width, height))
    prefix = f"bpmn-{hashlib.blake2b(f'{title}{desc}{body}'.encode('utf-8', 'replace'), digest_size=6).hexdigest()}"
    content = (
        tag("title", escape(title), id=f"{prefix}-title"),
        tag("desc", escape(desc), id=f"{prefix}-desc"),
        tag("rect", class_="background", x=x, y=y, width=width, height=height, fill=PAPER),
        tag("g", body, fill="none", stroke=INK, stroke_width=1.5, stroke_linejoin="round"),
    )
    return tag(
        "svg",
        *content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=" ".join(map(number, (x, y, width, height))),
        width=width * shrink,
        height=height * shrink,
        role="img",
        aria_labelledby=f"{prefix}-title {prefix}-desc",
        font_family="Arial, Helvetica, DejaVu Sans, sans-serif",
    )
