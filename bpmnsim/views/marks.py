"""Tokens on a picture: what is marked, where its badge stands, how it looks, and the words that say the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bpmnsim.errors import ModelError, did_you_mean
from bpmnsim.model.collaboration import Participant
from bpmnsim.model.diagram import Bounds
from bpmnsim.model.events import BoundaryEvent
from bpmnsim.model.process import Model
from bpmnsim.views.lines import along, length
from bpmnsim.views.markup import escape, number, path, tag, text_block, text_width
from bpmnsim.views.palette import INK, PALETTE, PAPER, Tone
from bpmnsim.views.scene import Line, Scene, ancestors, name_of

__all__ = ["Badge", "Mark", "describe_marks", "draw_badge", "draw_frame", "draw_legend", "place_marks"]

_SIZE = 22.0
_GAP = 3.0
_FONT = 11.0
_TOLD = 20


@dataclass(frozen=True, slots=True)
class Mark:
    """A state to show at an element.

    Parameters
    ----------
    element
        Id of a node or flow.
    state
        One of the states of the palette.
    count
        Number of tokens.
    label
        Short text beside the badge.

    Raises
    ------
    ModelError
        If the state is unknown.

    Examples
    --------
    >>> Mark("review", "waiting", 2).count
    2
    """

    element: str
    state: str
    count: int = 1
    label: str = ""

    def __post_init__(self) -> None:
        if self.state not in PALETTE:
            hint = did_you_mean(self.state, PALETTE) or f"the states are {', '.join(PALETTE)}"
            raise ModelError(f"{self.state!r} is no state that can be drawn", element_id=self.element, hint=hint)


@dataclass(frozen=True, slots=True)
class Badge:
    """A mark with its place.

    Examples
    --------
    >>> Badge(Mark("a", "alive"), Bounds(0, 0, 22, 22), "").bounds.width
    22
    """

    mark: Mark
    bounds: Bounds
    text: str


def place_marks(scene: Scene, marks: Iterable[Mark]) -> tuple[tuple[Badge, ...], tuple[Mark, ...]]:
    """Gather the marks of each drawn element and stack their badges.

    A mark on something that is not drawn goes to the nearest drawn element around it.

    Returns
    -------
    tuple
        The badges, and the marks that have no place in this picture.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Shape, Task
    >>> from bpmnsim.views.scene import build_scene
    >>> diagram = Diagram(shapes=(Shape(element="a", bounds=Bounds(0, 0, 100, 80)),))
    >>> scene = build_scene(Model([Task(id="a")]), diagram)
    >>> badges, lost = place_marks(scene, [Mark("a", "alive"), Mark("b", "alive")])
    >>> [badge.mark.element for badge in badges], [mark.element for mark in lost]
    (['a'], ['b'])
    """
    lines = {line.element: line for line in scene.lines}
    gathered: dict[str, dict[tuple[str, str], int]] = {}
    lost = []
    for mark in marks:
        place = next((at for at in _around(scene.model, mark.element) if at in scene.places or at in lines), None)
        if place is None:
            lost.append(mark)
        else:
            counts = gathered.setdefault(place, {})
            counts[mark.state, mark.label] = counts.get((mark.state, mark.label), 0) + mark.count
    badges: list[Badge] = []
    for place, counts in gathered.items():
        here = [Mark(place, state, count, label) for (state, label), count in counts.items()]
        here.sort(key=lambda mark: list(PALETTE).index(mark.state))
        if place in scene.places:
            badges += _on_shape(here, scene.places[place].bounds)
        else:
            badges += _on_line(here, lines[place])
    return tuple(badges), tuple(lost)


def _around(model: Model, element_id: str) -> Iterable[str]:
    """Yield the element, what it is attached to, what it lies in, and the pool of its process."""
    yield element_id
    element = model.elements.get(element_id)
    if isinstance(element, BoundaryEvent):
        yield element.attached_to
    chain = [ancestor.id for ancestor in ancestors(model, element_id)]
    yield from chain
    process = chain[-1] if chain else element_id
    yield from (
        pool.id for pool in model.elements.values() if isinstance(pool, Participant) and pool.process == process
    )


def _text(mark: Mark) -> str:
    counted = f"×{mark.count}" if mark.count != 1 else ""
    return " ".join(part for part in (" ".join(mark.label.split())[:24], counted) if part)


def _rows(marks: list[Mark], widest: float) -> list[list[tuple[Mark, str, float]]]:
    """Break badges into rows no wider than *widest*, at least one badge each."""
    rows: list[list[tuple[Mark, str, float]]] = []
    used = widest
    for mark in marks:
        text = _text(mark)
        width = _SIZE + (text_width(text, _FONT) + 8 if text else 0)
        if used + _GAP + width > widest:
            rows.append([])
            used = -_GAP
        rows[-1].append((mark, text, width))
        used += _GAP + width
    return rows


def _on_shape(marks: list[Mark], b: Bounds) -> list[Badge]:
    """Rows that sit on the upper right corner and grow upward."""
    badges: list[Badge] = []
    for row, entries in enumerate(_rows(marks, max(b.width, _SIZE))):
        left = b.x + b.width + 6 - _width(entries)
        badges += _row(entries, left, b.y - _SIZE / 2 - row * (_SIZE + 2))
    return badges


def _on_line(marks: list[Mark], line: Line) -> list[Badge]:
    """Rows around the middle of a line."""
    (x, y), _ = along(line.points, length(line.points) / 2)
    badges: list[Badge] = []
    for row, entries in enumerate(_rows(marks, 80)):
        badges += _row(entries, x - _width(entries) / 2, y - _SIZE / 2 - row * (_SIZE + 2))
    return badges


def _width(entries: list[tuple[Mark, str, float]]) -> float:
    return sum(width + _GAP for _, _, width in entries) - _GAP


def _row(entries: list[tuple[Mark, str, float]], left: float, top: float) -> list[Badge]:
    badges = []
    for mark, text, width in entries:
        badges.append(Badge(mark, Bounds(left, top, width, _SIZE), text))
        left += width + _GAP
    return badges


def draw_badge(scene: Scene, badge: Badge) -> str:
    """Draw a badge: a disc in the color of the state, its second cue, and count or label.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Task
    >>> from bpmnsim.views.scene import build_scene
    >>> scene = build_scene(Model([Task(id="a")]), Diagram())
    >>> draw_badge(scene, Badge(Mark("a", "alive"), Bounds(0, 0, 22, 22), ""))[:62]
    '<g class="token alive" data-element="a" data-count="1"><title>'
    """
    mark, b, tone = badge.mark, badge.bounds, PALETTE[badge.mark.state]
    tip = tag("title", escape(_words(scene.model, mark)))
    body = ""
    if badge.text:
        body = tag("rect", x=b.x, y=b.y, width=b.width, height=b.height, rx=_SIZE / 2, fill=PAPER, stroke=tone.outline)
        middle = b.x + _SIZE + (b.width - _SIZE) / 2 - 2
        body += text_block([badge.text], middle, b.y + (_SIZE - _FONT * 1.2) / 2, size=_FONT)
    disc = _sign(tone, b.x, b.y)
    names: dict[str, str | float | None] = {"data_element": mark.element, "data_count": mark.count}
    return tag("g", tip, body, disc, class_=f"token {mark.state}", **names, data_label=mark.label or None)


def _sign(tone: Tone, x: float, y: float) -> str:
    """Draw the sign of a state into the square of a badge."""
    return tag("g", _disc(tone), transform=f"translate({number(x + _SIZE / 2)} {number(y + _SIZE / 2)}) scale(1.2)")


def _disc(tone: Tone) -> str:
    """Return the sign of a state around the origin."""

    def disc(fill: str, **attributes: str | float | None) -> str:
        return tag("circle", r=8, fill=fill, stroke=tone.outline, **attributes)

    match tone.cue:
        case "hourglass":
            glass = path("M -3.5 -4.5 H 3.5 L -3.5 4.5 H 3.5 Z", fill=INK, stroke_width=1)
            return disc(tone.color, stroke_dasharray="3 1.6") + glass
        case "half":
            return disc(PAPER, stroke_width=2) + path("M 0 -8 A 8 8 0 0 0 0 8 Z", fill=tone.color, stroke="none")
        case "hollow":
            return disc(PAPER, stroke_width=2.5)
        case "tick":
            return disc(tone.color) + path("M -4 0 L -1.2 3.2 L 4.2 -3.6", stroke=PAPER, stroke_width=2.2)
        case "exclamation":
            return disc(tone.color) + path("M 0 -5 V 1.6 M 0 4 V 5.2", stroke_width=2.4)
        case "cross":
            return disc(tone.color) + path(
                "M -3.8 -3.8 L 3.8 3.8 M 3.8 -3.8 L -3.8 3.8", stroke=PAPER, stroke_width=2.2
            )
        case "frame":
            return disc(tone.color, stroke_width=3)
    return disc(tone.color)


def draw_frame(scene: Scene, element_id: str) -> str:
    """Draw the highlight behind an element: a wide pale band with a thick dark outline.

    Examples
    --------
    >>> from bpmnsim.model import Diagram, Shape, Task
    >>> from bpmnsim.views.scene import build_scene
    >>> diagram = Diagram(shapes=(Shape(element="a", bounds=Bounds(0, 0, 100, 80)),))
    >>> draw_frame(build_scene(Model([Task(id="a")]), diagram), "a")[:42]
    '<rect class="frame" data-element="a" x="-6'
    """
    color = PALETTE["highlight"].color
    if element_id in scene.places:
        b = scene.places[element_id].bounds
        place = {"x": b.x - 6, "y": b.y - 6, "width": b.width + 12, "height": b.height + 12, "rx": 12.0}
        return tag("rect", class_="frame", data_element=element_id, **place, fill=color, stroke_width=3)
    line = next(line for line in scene.lines if line.element == element_id)
    steps: list[str | float] = []
    for point in line.points:
        steps += ["L" if steps else "M", *point]
    wide = path(*steps, stroke_width=13) + path(*steps, stroke=color, stroke_width=8)
    return tag("g", wide, class_="frame", data_element=element_id)


def draw_legend(states: Sequence[str], x: float, y: float, width: float) -> tuple[str, Bounds]:
    """Explain the states that a picture shows, side by side where *width* allows it.

    Returns
    -------
    tuple
        The markup and the place it takes.

    Examples
    --------
    >>> draw_legend(["alive", "waiting"], 0, 0, 60)[1].height
    52.0
    """
    entries, left, top, right = "", x, y, x
    for state in states:
        words = PALETTE[state].words
        wide = _SIZE + 6 + text_width(words, 12)
        if left > x and left + wide > x + width:
            left, top = x, top + _SIZE + 4
        sign = _sign(PALETTE[state], left, top)
        text = text_block([words], left + _SIZE + 6, top + 4, anchor="start")
        entries += tag("g", sign, text, class_=f"legend-entry {state}")
        right, left = max(right, left + wide), left + wide + 16
    return tag("g", entries, class_="legend"), Bounds(x, y, right - x, top + _SIZE + 4 - y)


def _words(model: Model, mark: Mark) -> str:
    element = model.elements.get(mark.element)
    name = " ".join(name_of(model, element).split()) if element is not None else ""
    counted = f" ({mark.count})" if mark.count != 1 else ""
    label = f" {' '.join(mark.label.split())}" if mark.label else ""
    return f"{PALETTE[mark.state].words}{label} at {(name or mark.element)[:80]}{counted}"


def describe_marks(model: Model, marks: Sequence[Mark]) -> str:
    """Say in words what is where; the same as the badges show.

    Examples
    --------
    >>> from bpmnsim.model import Task
    >>> describe_marks(Model([Task(id="a", name="Review")]), [Mark("a", "waiting", 2)])
    'waiting at Review (2)'
    """
    told = [_words(model, mark) for mark in marks[:_TOLD]]
    if len(marks) > _TOLD:
        told.append(f"{len(marks) - _TOLD} more")
    return "; ".join(told)
