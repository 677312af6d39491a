"""Pieces that several shapes share: boxes, text inside them, markers at their foot."""

from __future__ import annotations

import re

from bpmnsim.model.base import Element
from bpmnsim.model.diagram import Bounds
from bpmnsim.views.icons import foot_marker
from bpmnsim.views.markup import LINE, fit, number, tag, text_block
from bpmnsim.views.palette import PAPER

__all__ = ["FOOT", "ICON", "Drawn", "feet", "inside", "kind_of", "move", "rect"]

FOOT = 18.0
"""Height of the row of markers at the foot of a shape."""

ICON = 23.0
"""Height and width of the corner that an icon takes."""

Drawn = tuple[tuple[str, ...], str]
"""Class names beyond the kind, and the markup."""


def kind_of(element: Element) -> str:
    """Return the kind of an element as class name.

    Examples
    --------
    >>> from bpmnsim.model import IntermediateThrowEvent
    >>> kind_of(IntermediateThrowEvent(id="t"))
    'intermediate-throw-event'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "-", type(element).__name__).lower()


def inside(text: str, b: Bounds, *, top: float = 4, bottom: float = 4, font_style: str | None = None) -> str:
    """Write text into the middle of a box, or into what *top* and *bottom* leave where it needs that much.

    Examples
    --------
    >>> inside("a", Bounds(0, 0, 100, 80))[:46]
    '<text x="50" y="43.6" font-size="12" text-anch'
    """
    lines, size = fit(text, b.width - 8, b.height - top - bottom)
    if size < 12 and top > ICON:
        # Beside the icon instead of below it, if that leaves the text larger.
        beside = fit(text, b.width - 2 * ICON, b.height - 4 - bottom)
        if beside[1] > size:
            (lines, size), top = beside, 4
    height = len(lines) * LINE * size
    y = b.y + (b.height - height) / 2
    y = max(b.y + top, min(y, b.y + b.height - bottom - height))
    return text_block(lines, b.center[0], y, size=size, font_style=font_style)


def rect(b: Bounds, inset: float = 0, **attributes: str | float | None) -> str:
    """Draw a box, by default white with round corners.

    Examples
    --------
    >>> rect(Bounds(0, 0, 100, 80), 3)
    '<rect x="3" y="3" width="94" height="74" rx="7" fill="#FFFFFF"/>'
    """
    style: dict[str, str | float | None] = {"rx": 10 - inset, "fill": PAPER}
    style.update(attributes)
    return tag(
        "rect",
        x=b.x + inset,
        y=b.y + inset,
        width=max(b.width - 2 * inset, 1),
        height=max(b.height - 2 * inset, 1),
        **style,
    )


def feet(kinds: list[str], b: Bounds) -> str:
    """Draw a row of markers at the middle of the lower edge.

    Examples
    --------
    >>> feet(["loop"], Bounds(0, 0, 100, 80))[:58]
    '<g class="marker loop" transform="translate(43 63)"><path '
    """
    left = b.center[0] - (len(kinds) * FOOT - 4) / 2
    return "".join(
        tag("g", foot_marker(kind), class_=f"marker {kind}", transform=move(left + at * FOOT, b.y + b.height - 17))
        for at, kind in enumerate(kinds)
    )


def move(x: float, y: float, scale: float = 1) -> str:
    """Return a transform that moves what is drawn around the origin.

    Examples
    --------
    >>> move(5, 2, 0.5)
    'translate(5 2) scale(0.5)'
    """
    grown = f" scale({scale:.4g})" if scale != 1 else ""
    return f"translate({number(x)} {number(y)}){grown}"
