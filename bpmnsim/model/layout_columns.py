"""Layered layout of one connected drawing: columns from left to right, lines in the channels between them.

No element of BPMN is known here, only cells, wires between two cells, and exits to the upper or lower edge. The cells
of a column have disjoint heights and channels hold no cells, so no line meets a foreign cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bpmnsim.model.layout_channels import route
from bpmnsim.model.layout_heights import bands, settle
from bpmnsim.model.layout_parts import SPREAD, Cell, End, Exit, Link, Point, Wire

_DUMMY = 8
_SWEEPS = 6
_EFFORT = 60_000


@dataclass(frozen=True, slots=True)
class Block:
    """A finished drawing: size, points of every wire and exit, and the upper and lower height of each lane.

    Examples
    --------
    >>> Block(100, 80, {}, ((0, 80),)).width
    100
    """

    width: float
    height: float
    lines: dict[str, list[Point]]
    lanes: tuple[tuple[float, float], ...]


def arrange(cells: Sequence[Cell], wires: Sequence[Wire], exits: Sequence[Exit] = (), *, lanes: int = 1) -> Block:
    """Place the cells and return the lines between them.

    Parameters
    ----------
    cells
        In declared order; ``x``, ``y`` and, for cells with wires, ``column`` are set.
    wires, exits
        The lines.
    lanes
        Number of horizontal bands.

    Returns
    -------
    Block
        The upper left corner is at (0, 0).

    Examples
    --------
    >>> from bpmnsim.model.layout_parts import End
    >>> a, b = (Cell(key, 50, 50, 60, 60) for key in "ab")
    >>> block = arrange([a, b], [Wire("f", End(a, ((50, 0),)), End(b, ((-50, 0),)))])
    >>> block.lines["f"], (block.width, block.height)
    ([(100.0, 60.0), (150.0, 60.0)], (250.0, 120.0))
    """
    _rank(cells, wires)
    columns: list[list[Cell]] = [[] for _ in range(1 + max(cell.column for cell in cells))]
    for cell in cells:
        columns[cell.column].append(cell)
    for wire in wires:
        _add_chain(wire, columns)
    links = [link for wire in wires for link in _links(wire)]
    rounds = max(1, min(_SWEEPS, _EFFORT // (len(links) + 1)))
    _order(columns, links, rounds)
    wires = _fan_out(columns, wires)
    links = [link for wire in wires for link in _links(wire)]
    lane_bands = bands(columns, lanes)
    settle(columns, links, wires, lane_bands, rounds)
    everything = [cell for column in columns for cell in column]
    if lanes == 1:
        top = min(cell.y - cell.up for cell in everything)
        for cell in everything:
            cell.y -= top
        lane_bands = [(0, max(cell.y + cell.down for cell in everything))]
    width, lines = route(columns, wires, exits, lane_bands[-1][1])
    return Block(width, lane_bands[-1][1], lines, tuple(lane_bands))


def _rank(cells: Sequence[Cell], wires: Sequence[Wire]) -> None:
    """Set the columns: longest paths over the acyclic part; what nothing leads to stands before its first target."""
    out: dict[Cell, list[Cell]] = {}
    entered: dict[Cell, None] = {}
    for wire in wires:
        if wire.ranks and wire.start.cell is not wire.stop.cell:
            out.setdefault(wire.start.cell, []).append(wire.stop.cell)
            entered[wire.stop.cell] = None
    roots = [cell for cell in cells if cell in out and cell not in entered]
    finished: dict[Cell, None] = {}
    open_cells: dict[Cell, None] = {}
    forward: list[tuple[Cell, Cell]] = []
    for root in [*roots, *out]:
        stack = [(root, iter(out.get(root, ())))] if root not in finished else []
        while stack:
            cell, targets = stack[-1]
            open_cells[cell] = None
            target = next(targets, None)
            if target is None:
                stack.pop()
                del open_cells[cell]
                finished[cell] = None
            elif target not in open_cells:
                forward.append((cell, target))
                if target not in finished:
                    stack.append((target, iter(out.get(target, ()))))
    after: dict[Cell, list[Cell]] = {}
    for cell, target in forward:
        after.setdefault(cell, []).append(target)
    for cell in finished:
        cell.column = 0
    for cell in reversed(finished):
        for target in after.get(cell, ()):
            target.column = max(target.column, cell.column + 1)
    for root in roots:
        root.column = min(target.column for target in after[root]) - 1


def _add_chain(wire: Wire, columns: list[list[Cell]]) -> None:
    """Keep room in every column a wire passes; a wire backwards also passes the columns of both ends."""
    first, last = wire.start.cell.column, wire.stop.cell.column
    for column in range(first + 1, last) if first < last else range(first, last - 1, -1):
        wire.chain.append(Cell(wire.id, 0, 0, _DUMMY, _DUMMY, wire.start.cell.lane, column))
        columns[column].append(wire.chain[-1])


def _links(wire: Wire) -> Iterable[Link]:
    """Yield pairs of neighbors in adjacent columns, from left to right, with the heights of the wire."""
    stops = [(dummy, 0.0) for dummy in wire.chain]
    if wire.start.cell.column < wire.stop.cell.column:
        stops = [(wire.start.cell, wire.start.dy), *stops, (wire.stop.cell, wire.stop.dy)]
    else:
        stops.reverse()
    for (left, left_dy), (right, right_dy) in pairwise(stops):
        yield left, left_dy, right, right_dy


def _order(columns: list[list[Cell]], links: Sequence[Link], rounds: int) -> None:
    """Sort every column by the mean position of the neighbors, there and back."""
    before: dict[Cell, list[Cell]] = {}
    behind: dict[Cell, list[Cell]] = {}
    for left, _, right, _ in links:
        before.setdefault(right, []).append(left)
        behind.setdefault(left, []).append(right)
    at: dict[Cell, float] = {}
    for column in columns:
        column.sort(key=lambda cell: cell.lane)
        at.update((cell, float(index)) for index, cell in enumerate(column))
    for turn in range(2 * rounds):
        neighbors = behind if turn % 2 else before
        for column in reversed(columns) if turn % 2 else columns:
            wanted = {}
            for cell in column:
                near = neighbors.get(cell)
                wanted[cell] = sum(at[other] for other in near) / len(near) if near else at[cell]
            column.sort(key=lambda cell: (cell.lane, wanted[cell], at[cell]))
            at.update((cell, float(index)) for index, cell in enumerate(column))


def _fan_out(columns: Sequence[Sequence[Cell]], wires: Sequence[Wire]) -> list[Wire]:
    """Let the wires of a cell leave it below each other, in an order in which they need not cross."""
    at = {cell: index for column in columns for index, cell in enumerate(column)}

    def turn(wire: Wire) -> tuple[int, int]:
        cell, then = wire.start.cell, wire.chain[0] if wire.chain else wire.stop.cell
        if cell.column < wire.stop.cell.column:
            return 0, at[then]
        # Backwards, the nearest turns around inside of the others.
        return (1 if at[then] > at[cell] else -1), -at[then]

    fans: dict[Cell, list[Wire]] = {}
    for wire in wires:
        if wire.fans:
            fans.setdefault(wire.start.cell, []).append(wire)
    starts: dict[str, End] = {}
    for cell, leaving in fans.items():
        for index, wire in enumerate(sorted(leaving, key=turn)):
            dy = SPREAD * (index - (len(leaving) - 1) / 2)
            starts[wire.id] = End(cell, tuple((x, y + dy) for x, y in wire.start.stub))
    return [replace(wire, start=starts.get(wire.id, wire.start)) for wire in wires]
