"""Heights in a layered layout: each cell as level with its neighbors as order and lanes allow."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from bpmnsim.model.layout_parts import Cell, Link, Wire

_LOWEST = 120.0

Band = tuple[float, float]


def bands(columns: Sequence[Sequence[Cell]], lanes: int) -> list[Band]:
    """Return the upper and lower height of each lane: as high as its fullest column.

    Examples
    --------
    >>> bands([[Cell("a", 50, 50, 60, 90)], [Cell("b", 50, 50, 60, 60, lane=1)]], 2)
    [(0.0, 150.0), (150.0, 270.0)]
    """
    found, top = [], 0.0
    for lane in range(lanes):
        full = [sum(cell.up + cell.down for cell in column if cell.lane == lane) for column in columns]
        found.append((top, top + max(_LOWEST, *full)))
        top = found[-1][1]
    return found


def settle(
    columns: Sequence[Sequence[Cell]], links: Sequence[Link], wires: Sequence[Wire], lanes: Sequence[Band], rounds: int
) -> None:
    """Set the heights.

    Parameters
    ----------
    columns
        Cells from left to right, each column from top to bottom, lane by lane.
    links, wires
        What is to be level.
    lanes
        Heights to stay in; a single one does not bind.
    rounds
        How often to go there and back.

    Examples
    --------
    >>> a, b = Cell("a", 50, 50, 60, 60), Cell("b", 50, 50, 60, 60)
    >>> settle([[a, b]], [], [], [(0, 0)], 1)
    >>> b.y - a.y
    120.0
    """
    before: dict[Cell, list[tuple[Cell, float]]] = {}
    behind: dict[Cell, list[tuple[Cell, float]]] = {}
    for left, left_dy, right, right_dy in links:
        before.setdefault(right, []).append((left, left_dy - right_dy))
        behind.setdefault(left, []).append((right, right_dy - left_dy))
    free = len(lanes) == 1
    groups = [[[cell for cell in column if cell.lane == lane] for lane in range(len(lanes))] for column in columns]
    for turn in range(2 * rounds + 1):
        near = behind if turn % 2 else before
        for column in reversed(groups) if turn % 2 else groups:
            for lane, cells in enumerate(column):
                wanted = [_level(cell, near) for cell in cells]
                _spread(cells, wanted, None if free else lanes[lane])
    above = {cell: other for column in groups for cells in column for other, cell in pairwise(cells)}
    below = {other: cell for cell, other in above.items()}
    for column in reversed(groups):
        for cells in column:
            for cell in cells:
                if cell in behind and all(cell.y != other.y + shift for other, shift in before.get(cell, ())):
                    _shift(cell, _level(cell, behind), above, below, None if free else lanes[cell.lane])
    for wire in wires:
        _tuck(wire, above, None if free else lanes)


def _level(cell: Cell, near: dict[Cell, list[tuple[Cell, float]]]) -> float:
    return median(other.y + shift for other, shift in near[cell]) if cell in near else cell.y


def _spread(cells: Sequence[Cell], wanted: Sequence[float], band: Band | None) -> None:
    """Set the heights of one column nearest to the wanted ones without an overlap (isotonic regression)."""
    offsets, offset = [], 0.0
    for above, cell in zip([None, *cells], cells, strict=False):
        offset += above.down + cell.up if above else 0
        offsets.append(offset)
    pools: list[tuple[float, int]] = []
    for want, shift in zip(wanted, offsets, strict=True):
        total, count = want - shift, 1
        while pools and pools[-1][0] / pools[-1][1] >= total / count:
            total, count = total + pools[-1][0], count + pools[-1][1]
            pools.pop()
        pools.append((total, count))
    levels = [float(round(total / count)) for total, count in pools for _ in range(count)]
    for cell, level, shift in zip(cells, levels, offsets, strict=True):
        if band is not None:
            level = max(band[0] + cells[0].up, min(level, band[1] - cells[-1].down - offsets[-1]))
        cell.y = level + shift


def _shift(cell: Cell, wanted: float, above: dict[Cell, Cell], below: dict[Cell, Cell], band: Band | None) -> None:
    """Move a cell to a height if nothing is in the way."""
    over, under = above.get(cell), below.get(cell)
    top = over.y + over.down if over else band[0] if band else wanted - cell.up
    bottom = under.y - under.up if under else band[1] if band else wanted + cell.down
    if top <= wanted - cell.up and wanted + cell.down <= bottom:
        cell.y = wanted


def _tuck(wire: Wire, above: dict[Cell, Cell], lanes: Sequence[Band] | None) -> None:
    """Move the level part of a line backwards up, until it is close below the cells that it passes."""
    if wire.start.cell.column < wire.stop.cell.column:
        return
    tops = [above[dummy].y + above[dummy].down + dummy.up for dummy in wire.chain if dummy in above]
    if lanes is not None:
        tops += [lanes[dummy.lane][0] + dummy.up for dummy in wire.chain]
    if tops and max(tops) < min(dummy.y for dummy in wire.chain):
        for dummy in wire.chain:
            dummy.y = max(tops)
