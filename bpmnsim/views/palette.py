"""Colors and second cues of every state that a picture can show. Data only; drawing lives beside it."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["INK", "PALETTE", "PAPER", "Tone", "shown_state"]

INK = "#000000"
PAPER = "#FFFFFF"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tone:
    """How one state looks.

    Parameters
    ----------
    state
        The state it stands for.
    color
        Hex value of the Okabe-Ito palette.
    outline
        Hex value of the line around it: the color itself where its contrast on white is at least 3, else black.
    cue
        Name of the sign drawn in the badge, so that color never carries the meaning alone.
    letter
        One character that says the same in a plot.
    marker
        Marker of a matplotlib plot.
    hatch
        Hatch of a matplotlib bar.
    text
        Hex value of text over the color, black or white, with a contrast of at least 4.5.
    seam
        Hex value of the hatch and the edge of a bar: black on pale colors, else white.
    words
        The state in plain words.

    Examples
    --------
    >>> PALETTE["waiting"].color, PALETTE["waiting"].cue
    ('#E69F00', 'hourglass')
    """

    state: str
    color: str
    outline: str
    cue: str
    letter: str
    marker: str
    hatch: str
    text: str
    seam: str
    words: str


def _tone(
    state: str,
    color: str,
    cue: str,
    letter: str,
    marker: str,
    hatch: str = "",
    *,
    pale: bool = False,
    dark: bool = False,
) -> Tone:
    return Tone(
        state=state,
        color=color,
        outline=INK if pale else color,
        cue=cue,
        letter=letter,
        marker=marker,
        hatch=hatch,
        text=PAPER if dark else INK,
        seam=INK if pale else PAPER,
        words=state.replace("_", " "),
    )


PALETTE = MappingProxyType(
    {
        tone.state: tone
        for tone in (
            _tone("alive", "#0072B2", "disc", "a", "o", dark=True),
            _tone("waiting", "#E69F00", "hourglass", "w", "d", "..", pale=True),
            _tone("awaiting_merge", "#CC79A7", "half", "m", "D", "\\\\"),
            _tone("consumed", "#595959", "hollow", "c", "s", dark=True),
            _tone("completed", "#009E73", "tick", "✓", "v"),
            _tone("incident", "#F0E442", "exclamation", "!", "^", "xx", pale=True),
            _tone("canceled", "#D55E00", "cross", "x", "X", "//"),
            _tone("highlight", "#56B4E9", "frame", "h", "*", pale=True),
        )
    }
)
"""Tone by state, in the order of a legend."""

_BY_TRACK = MappingProxyType(
    {"awaiting_merge": "awaiting_merge", "await_sync": "awaiting_merge", "canceled": "canceled"}
)


def shown_state(track_state: str, token_state: str) -> str:
    """Return the state under which a picture shows a token.

    Parameters
    ----------
    track_state, token_state
        As in ``tokens()``.

    Examples
    --------
    >>> shown_state("awaiting_merge", "alive"), shown_state("ready", "alive")
    ('awaiting_merge', 'alive')

    Notes
    -----
    The token state, but a token that waits at a join, or was canceled, is told apart by its track state (core.md
    TRK-02).
    """
    return _BY_TRACK.get(track_state, token_state)
