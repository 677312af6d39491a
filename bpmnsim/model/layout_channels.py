"""Channels of a layered layout: where the lines between two columns run up and down, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bpmnsim.model.layout_parts import Cell, End, Exit, Point, Wire, straighten

_CHANNEL = 50
_TRACK = 10
_LEVEL = 4
"""Two lines nearer to each other than this look like one."""


@dataclass(frozen=True, slots=True)
class _Hop:
    """One channel that a line passes: its heights before and behind, and where it touches the left and right column.

    ``cell`` is what the line leaves here, if anything.
    """

    channel: int
    run: str
    before: float
    behind: float
    left: tuple[float, ...] = ()
    right: tuple[float, ...] = ()
    cell: str = ""


@dataclass(slots=True)
class _Run:
    """The vertical line of one channel that all hops of one name share."""

    left: list[float] = field(default_factory=list)
    right: list[float] = field(default_factory=list)
    low: float = float("inf")
    high: float = float("-inf")
    cell: str = ""
    x: float = 0

    def add(self, hop: _Hop) -> None:
        self.left += hop.left
        self.right += hop.right
        self.cell = hop.cell
        self.low = min(self.low, hop.before - _LEVEL, hop.behind - _LEVEL)
        self.high = max(self.high, hop.before + _LEVEL, hop.behind + _LEVEL)


def route(
    columns: Sequence[Sequence[Cell]], wires: Sequence[Wire], exits: Sequence[Exit], height: float
) -> tuple[float, dict[str, list[Point]]]:
    """Draw the lines between cells whose heights are known, and set the x of the cells.

    Parameters
    ----------
    columns
        Cells from left to right.
    wires, exits
        What to draw.
    height
        Of the whole drawing.

    Returns
    -------
    tuple
        Width of the drawing and points by line.

    Examples
    --------
    >>> cell = Cell("a", 50, 50, 60, 60, y=60)
    >>> route([[cell]], [], [Exit("m", End(cell, ((0, -40), (0, -54))), up=True)], 120)
    (120.0, {'m': [(50.0, 20), (50.0, 6), (110.0, 6), (110.0, 0)]})
    """
    hops = {wire.id: _hops(wire) for wire in wires}
    for leaving in exits:
        y, edge = leaving.start.y, 0 if leaving.up else height
        hops[leaving.id] = [_Hop(leaving.start.cell.column + 1, f"exit {leaving.id}", y, edge, (y,))]
    runs: list[dict[str, _Run]] = [{} for _ in range(len(columns) + 1)]
    for passed in hops.values():
        for hop in passed:
            if hop.before != hop.behind or not (hop.left and hop.right):
                runs[hop.channel].setdefault(hop.run, _Run()).add(hop)
    for channel in runs:
        _assign_tracks(list(channel.values()))
    width = _set_x(columns, runs)
    lines = {wire.id: _points(wire.start, hops[wire.id], runs, wire.stop) for wire in wires}
    lines |= {leaving.id: _points(leaving.start, hops[leaving.id], runs) for leaving in exits}
    return width, lines


def _hops(wire: Wire) -> list[_Hop]:
    """Follow a wire; all wires of one start share the first vertical line, all backwards to one end the last."""
    first, last = wire.start.cell.column, wire.stop.cell.column
    heights = [wire.start.y, *(dummy.y for dummy in wire.chain), wire.stop.y]
    channels = range(first + 1, last + 1) if first < last else range(first + 1, last - 1, -1)
    hops = []
    for at, (channel, y, then) in enumerate(zip(channels, heights, heights[1:], strict=False)):
        cell = "" if at else wire.start.cell.key
        run = f"{wire.id} {channel}" if at else f"from {cell} {wire.start.dy}"
        if first < last:
            hops.append(_Hop(channel, run, y, then, (y,), (then,), cell))
        elif at == 0:
            hops.append(_Hop(channel, run, y, then, (y, then), (), cell))
        elif channel == last:
            hops.append(_Hop(channel, f"to {wire.stop.cell.key} {wire.stop.dy}", y, then, (), (y, then)))
        else:
            hops.append(_Hop(channel, run, y, then, (then,), (y,)))
    return hops


def _assign_tracks(runs: list[_Run]) -> None:
    """Set each track so that no line to the left column lies on a line to the right column, where that can be.

    Lines from one cell do not cross each other either: a line stands to the right of those whose heights it passes.
    """
    at_height: dict[int, list[int]] = {}
    of_cell: dict[str, list[int]] = {}
    for index, run in enumerate(runs):
        if run.cell:
            of_cell.setdefault(run.cell, []).append(index)
        for y in run.right:
            at_height.setdefault(int(y // _LEVEL), []).append(index)
    later: list[dict[int, None]] = []
    for this, run in enumerate(runs):
        slices = (int(y // _LEVEL) + near for y in run.left for near in (-1, 0, 1))
        behind = [other for at in slices for other in at_height.get(at, ())]
        behind += [
            other
            for other in of_cell.get(run.cell, ())
            if any(runs[other].low < y < runs[other].high for y in run.left)
        ]
        later.append({other: None for other in behind if other != this})
    waits = [0] * len(runs)
    for targets in later:
        for other in targets:
            waits[other] += 1
    least = [0] * len(runs)
    taken: list[list[_Run]] = []
    pending = sorted(range(len(runs)), key=lambda this: (runs[this].low, runs[this].high))
    while pending:
        this = next((index for index in pending if not waits[index]), pending[0])
        pending.remove(this)
        run, track = runs[this], least[this]
        while track < len(taken) and any(other.low < run.high and run.low < other.high for other in taken[track]):
            track += 1
        while track >= len(taken):
            taken.append([])
        taken[track].append(run)
        run.x = track
        for other in later[this]:
            waits[other] -= 1
            least[other] = max(least[other], track + 1)


def _set_x(columns: Sequence[Sequence[Cell]], runs: Sequence[dict[str, _Run]]) -> float:
    """Turn the numbers of columns and tracks into x, and return the width of all."""
    x = 0.0
    for channel, named in enumerate(runs):
        tracks = int(1 + max(run.x for run in named.values())) if named else 0
        width = float(_TRACK * (tracks + 1) if tracks else 0)
        if 0 < channel < len(columns):
            width = max(_CHANNEL, width + 2 * _TRACK)
        for run in named.values():
            run.x = x + (width - _TRACK * (tracks - 1)) / 2 + _TRACK * run.x
        x += width
        if channel < len(columns):
            x += max(cell.left for cell in columns[channel])
            for cell in columns[channel]:
                cell.x = x
            x += max(cell.right for cell in columns[channel])
    return x


def _points(start: End, hops: Sequence[_Hop], runs: Sequence[dict[str, _Run]], stop: End | None = None) -> list[Point]:
    points = start.points()
    for hop in hops:
        run = runs[hop.channel].get(hop.run)
        if run is not None:
            points += [(run.x, hop.before), (run.x, hop.behind)]
    return straighten(points + (stop.points()[::-1] if stop else []))
