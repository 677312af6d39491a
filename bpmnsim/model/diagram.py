"""Diagram interchange: where the shapes and edges of a file lie. Geometry only; drawing lives in ``views``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """A rectangle in diagram units (pixels), y pointing down.

    Examples
    --------
    >>> Bounds(10, 20, 100, 80).center
    (60.0, 60.0)
    """

    x: float
    y: float
    width: float
    height: float

    @property
    def center(self) -> tuple[float, float]:
        """Midpoint as (x, y)."""
        return (self.x + self.width / 2, self.y + self.height / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The drawn rectangle of a node, pool, lane, data element or artifact.

    Parameters
    ----------
    element
        Id of the BPMN element.
    bounds
        Where it lies.
    id
        Id of the shape itself.
    label
        Where its label lies, or ``None``.
    is_horizontal
        Orientation of a pool or lane, ``None`` where the file gives none.
    is_expanded
        Whether a sub-process shows its inside, ``None`` where the file gives none.
    is_marker_visible
        Whether an exclusive gateway shows its X.

    Examples
    --------
    >>> Shape(element="a", bounds=Bounds(0, 0, 100, 80)).is_expanded is None
    True
    """

    element: str
    bounds: Bounds
    id: str = ""
    label: Bounds | None = None
    is_horizontal: bool | None = None
    is_expanded: bool | None = None
    is_marker_visible: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """The drawn line of a flow or association.

    Parameters
    ----------
    element
        Id of the BPMN element.
    waypoints
        At least two points (x, y).
    id, label
        As in :class:`Shape`.

    Examples
    --------
    >>> len(Edge(element="f", waypoints=((0, 0), (50, 0))).waypoints)
    2
    """

    element: str
    waypoints: tuple[tuple[float, float], ...]
    id: str = ""
    label: Bounds | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagram:
    """One picture: a plane over an element, with shapes and edges in drawing order.

    Parameters
    ----------
    id, name
        Identity and title.
    element
        Id of the process, collaboration or sub-process the plane shows.
    shapes, edges
        What is drawn.

    Examples
    --------
    >>> Diagram(id="d", element="order").shapes
    ()
    """

    id: str = ""
    name: str = ""
    element: str = ""
    plane_id: str = ""
    shapes: tuple[Shape, ...] = ()
    edges: tuple[Edge, ...] = ()
