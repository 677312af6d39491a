"""The facts of a step in words, as an interactive run returns them."""

from __future__ import annotations

from typing import Any, NamedTuple

from bpmnsim.engine.loop import Engine
from bpmnsim.errors import shown
from bpmnsim.facts import ABSENT, NOBODY, STRIDE, Fact


class FactRow(NamedTuple):
    """One fact in words.

    Attributes
    ----------
    step, kind, node, track
        When, what, at which element, by which track (``None`` where none is concerned).
    detail
        What else is known, as text.

    Examples
    --------
    >>> FactRow(3, "visit", "A", 0, "left over f_A_e").kind
    'visit'
    """

    step: int
    kind: str
    node: str
    track: int | None
    detail: str


def rows_since(run: Engine, start: int) -> list[FactRow]:
    """Return the facts recorded from position *start* of the flat list on."""
    rows = []
    for at in range(start, len(run.facts), STRIDE):
        kind, step, track, place, _, x, y = run.facts[at : at + STRIDE]
        node = run.program.places[place].id if place >= 0 else ""
        rows.append(
            FactRow(step, Fact(kind).name.lower(), node, None if track < 0 else track, _detail(run, kind, x, y))
        )
    return rows


def _detail(run: Engine, kind: int, x: Any, y: Any) -> str:
    """Return what the last two cells of a fact say (see :class:`bpmnsim.facts.Fact`)."""
    flows = run.program.flows
    match kind:
        case Fact.VISIT:
            return f"over {flows[x].id}" if x >= 0 else "ended"
        case Fact.TRACK:
            came = [f"over {flows[x].id}"] if x >= 0 else []
            return " ".join([*came, *[f"from token {y}"] * (y >= 0)])
        case Fact.AWAIT | Fact.FIRE:
            return f"by {flows[x].id}"
        case Fact.MERGE:
            return f"into token {x}"
        case Fact.STUCK:
            return f"incident {x}: {y}"
        case Fact.OPEN:
            return "" if y[0] is None else f"number {y[0]}"
        case Fact.DATA:
            return f"{x} = {shown(y[1])}" + ("" if y[0] is ABSENT else f", was {shown(y[0])}")
        case Fact.EVAL:
            return f"{y[0]}: {y[3] or shown(y[2])}"
        case Fact.REPORT:
            return " ".join([x, *(f"{name}={shown(value)}" for name, value in y)])
        case Fact.GROUP | Fact.INSTANCE:
            return " ".join(str(cell) for cell in (x, y) if cell is not None)
    return "" if y in (None, NOBODY) else str(y)
