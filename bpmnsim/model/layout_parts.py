"""The parts of a layered layout: cells, the ends of lines, and lines that are to be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

Point = tuple[float, float]

SPREAD = 16
"""Distance of wires that leave one cell below each other: what is drawn at their beginnings has room."""


@dataclass(slots=True, eq=False)
class Cell:
    """Room for one shape, measured from the center of the shape; ``lane`` and ``column`` say where it goes.

    Examples
    --------
    >>> Cell("a", left=50, right=50, up=60, down=60).y
    0
    """

    key: str
    left: float
    right: float
    up: float
    down: float
    lane: int = 0
    column: int = 0
    x: float = 0
    y: float = 0


@dataclass(frozen=True, slots=True)
class End:
    """Where a wire meets a cell: points from the outline outwards, relative to the center of the cell.

    Examples
    --------
    >>> End(Cell("a", 50, 50, 60, 60), ((50, 0),)).dy
    0
    """

    cell: Cell
    stub: tuple[Point, ...]

    @property
    def dy(self) -> float:
        """Height at which the wire passes the border of the column."""
        return self.stub[-1][1]

    @property
    def y(self) -> float:
        """The same height in the drawing."""
        return self.cell.y + self.dy

    def points(self) -> list[Point]:
        """Return the points in the drawing."""
        return [(self.cell.x + x, self.cell.y + y) for x, y in self.stub]


@dataclass(frozen=True, slots=True)
class Wire:
    """A line that leaves *start* to the right and enters *stop* from the left.

    Parameters
    ----------
    id, start, stop
        What to draw.
    ranks
        Whether *stop* is to stand to the right of *start*.
    fans
        Whether it leaves its cell above or below other such wires, not at one point with them.
    chain
        Room for it in the columns it passes, added while it is laid out.

    Examples
    --------
    >>> a = Cell("a", 50, 50, 60, 60)
    >>> Wire("f", End(a, ((50, 0),)), End(a, ((-50, 0),))).ranks
    True
    """

    id: str
    start: End
    stop: End
    ranks: bool = True
    fans: bool = False
    chain: list[Cell] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Exit:
    """A line from a cell to the upper or lower edge of the drawing.

    Examples
    --------
    >>> Exit("m", End(Cell("a", 50, 50, 60, 60), ((0, -40), (0, -54))), up=True).up
    True
    """

    id: str
    start: End
    up: bool


Link = tuple[Cell, float, Cell, float]
"""Two cells of adjacent columns with the heights, relative to each, of a line between them."""


def straighten(points: Sequence[Point]) -> list[Point]:
    """Return a line without points that change nothing.

    Examples
    --------
    >>> straighten([(0, 0), (5, 0), (5, 0), (9, 0), (9, 4)])
    [(0, 0), (9, 0), (9, 4)]
    """
    kept: list[Point] = []
    for point in points:
        if kept and point == kept[-1]:
            continue
        if len(kept) > 1:
            (ax, ay), (bx, by) = kept[-2], kept[-1]
            if (ax == bx == point[0] and (by - ay) * (point[1] - by) >= 0) or (
                ay == by == point[1] and (bx - ax) * (point[0] - bx) >= 0
            ):
                kept.pop()
        kept.append(point)
    return kept
