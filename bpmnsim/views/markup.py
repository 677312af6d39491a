"""Writing SVG text safely: escaping, numbers, tags, and text that is broken to fit a box. Knows no BPMN."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["LINE", "clean", "escape", "fit", "number", "path", "tag", "text_block", "text_width", "wrap"]

LINE = 1.2
"""Line height in multiples of the font size."""

_LONGEST = 2000
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SEAM = re.compile(r"(?<=[-_/.:])(?=.)|(?<=[a-z0-9])(?=[A-Z])")
_NARROW = frozenset("fijlrtI.,:;'!|()[]{}/\\- \"`")
_WIDE = frozenset("mwMW@%&—…")


def clean(text: str) -> str:
    r"""Replace the characters that XML cannot hold.

    Examples
    --------
    >>> clean("a\x00b")
    'a\ufffdb'
    """
    return _FORBIDDEN.sub("\ufffd", text)


def escape(text: str) -> str:
    """Make any text safe as XML character data and attribute value.

    Examples
    --------
    >>> escape('<b> & "c"')
    '&lt;b&gt; &amp; &quot;c&quot;'
    """
    text = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return text.replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")


def number(value: float) -> str:
    """Write a number with at most two decimals and never an exponent.

    Examples
    --------
    >>> number(2.0), number(-0.001), number(1 / 3)
    ('2', '0', '0.33')
    """
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def tag(name: str, *content: str, **attributes: str | float | None) -> str:
    """Write one element; ``content`` is markup already.

    Parameters
    ----------
    name
        Element name.
    content
        Markup inside, joined.
    attributes
        ``stroke_width`` becomes ``stroke-width``, ``class_`` becomes ``class``; ``None`` is left out.

    Examples
    --------
    >>> tag("circle", r=2.5, class_="dot", stroke_width=None)
    '<circle r="2.5" class="dot"/>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value) if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(content)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def path(*steps: str | float, **attributes: str | float | None) -> str:
    """Write a path from commands and coordinates.

    Examples
    --------
    >>> path("M", 0, 0, "L", 2.5, 0)
    '<path d="M 0 0 L 2.5 0"/>'
    """
    return tag("path", d=" ".join(s if isinstance(s, str) else number(s) for s in steps), **attributes)


def text_width(text: str, size: float) -> float:
    """Estimate how wide a line is in a sans-serif font; errs on the wide side.

    Examples
    --------
    >>> text_width("ab", 10)
    11.6
    """
    return sum(map(_character_width, text)) * size


def _character_width(character: str) -> float:
    if character in _NARROW:
        return 0.35
    if character in _WIDE:
        return 0.95
    if character.isascii():
        return 0.7 if character.isupper() else 0.58
    if unicodedata.combining(character):
        return 0.0
    return 1.0 if unicodedata.east_asian_width(character) in "WF" else 0.66


def wrap(text: str, width: float, size: float) -> list[str]:
    r"""Break text into lines no wider than *width*; a word that is too long is cut.

    Examples
    --------
    >>> wrap("Check the order", 60, 12)
    ['Check the', 'order']
    >>> wrap("one\ntwoThree", 45, 12)
    ['one', 'two', 'Three']
    """
    lines: list[str] = []
    for paragraph in clean(text[:_LONGEST]).splitlines():
        line = ""
        for word in paragraph.split():
            joined = f"{line} {word}" if line else word
            if text_width(joined, size) <= width:
                line = joined
                continue
            if line:
                lines.append(line)
            *full, line = _cut(word, width, size)
            lines += full
        if line:
            lines.append(line)
    return lines


def _cut(word: str, width: float, size: float) -> list[str]:
    """Cut a word that is too long, where a hump or a hyphen allows it, else anywhere."""
    parts, part, wide = [], "", 0.0
    for piece in _SEAM.split(word):
        whole = part and text_width(piece, size) <= width < text_width(part + piece, size)
        if whole:
            parts.append(part)
            part, wide = "", 0.0
        for character in piece:
            more = _character_width(character)
            if part and (wide + more) * size > width:
                parts.append(part)
                part, wide = "", 0.0
            part += character
            wide += more
    return [*parts, part]


def fit(text: str, width: float, height: float, sizes: Iterable[float] = (12, 11, 10, 9)) -> tuple[list[str], float]:
    """Break text so that it fits a box: a smaller font first, then an ellipsis.

    Parameters
    ----------
    text
        What to write.
    width, height
        Of the box, in diagram units.
    sizes
        Font sizes to try, largest first.

    Returns
    -------
    tuple
        The lines and the font size.

    Examples
    --------
    >>> fit("Check the order", 60, 80)
    (['Check the', 'order'], 12)
    >>> fit("one two three", 20, 11)
    (['on…'], 9)
    """
    words = text[:_LONGEST].split()
    lines, size = [], 12.0
    for size in sizes:
        lines = wrap(text, width, size)
        if len(lines) * LINE * size <= height and all(text_width(word, size) <= width for word in words):
            return lines, size
    room = max(1, int(height / (LINE * size)))
    if len(lines) > room:
        last = lines[room - 1]
        while last and text_width(f"{last}…", size) > width:
            last = last[:-1]
        lines = [*lines[: room - 1], f"{last}…"]
    return lines, size


def text_block(
    lines: list[str],
    x: float,
    top: float,
    *,
    size: float = 12,
    anchor: str = "middle",
    **attributes: str | float | None,
) -> str:
    """Write lines below each other; *x* is the middle or start of each, *top* the upper edge of the first.

    Examples
    --------
    >>> text_block(["a"], 5, 0, size=10)
    '<text x="5" y="9" font-size="10" text-anchor="middle" fill="#000000" stroke="none">a</text>'
    """
    if not lines:
        return ""
    # An em box reaches down to about 0.2 below the base line; half of the leading lies above it.
    base = top + size * (LINE / 2 + 0.3)
    first, *others = lines
    spans = [tag("tspan", escape(line), x=x, dy=size * LINE) for line in others]
    style: dict[str, str | float | None] = {
        "font_size": size,
        "text_anchor": anchor,
        "fill": "#000000",
        "stroke": "none",
    }
    return tag("text", escape(first), *spans, x=x, y=base, **style, **attributes)
