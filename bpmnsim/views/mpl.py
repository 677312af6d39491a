"""Plots of what a run recorded, with matplotlib: Axes in, Axes out. Diagrams are drawn elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

import matplotlib.pyplot as plt

from bpmnsim.errors import SimulationError, did_you_mean
from bpmnsim.views.palette import INK, PALETTE, shown_state

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_barrier", "plot_timeline"]

_NAMED = 60
"""Number of bars up to which each carries the name of its node."""
_THINNEST = 0.15


class _Frame(Protocol):
    """What a plot needs of a pandas DataFrame."""

    def to_dict(self, orient: Literal["records"]) -> list[dict[Any, Any]]: ...


class _WithTokens(Protocol):
    def tokens(self) -> _Frame: ...


class _WithBarriers(Protocol):
    def barriers(self) -> _Frame: ...


def _records(source: Any, table: str) -> list[dict[Any, Any]]:
    """Return the rows of a frame, or of this table of a trace."""
    frame: _Frame = getattr(source, table)() if hasattr(source, table) else source
    return frame.to_dict("records")


def _axes(ax: Axes | None) -> Axes:
    return plt.figure(layout="constrained").add_subplot() if ax is None else ax


def plot_timeline(tokens: _Frame | _WithTokens, *, ax: Axes | None = None, **bar_kwargs: Any) -> Axes:
    """Plot where every token stayed, one lane per track, over the steps of the run.

    Parameters
    ----------
    tokens
        A trace, or its ``tokens()`` frame.
    ax
        Where to draw; a new figure if not given.
    bar_kwargs
        For every ``Axes.barh``.

    Returns
    -------
    Axes
        The one given. Color and hatch say the state, dotted lines the forks and merges.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import pandas as pd
    >>> row = {"instance": 0, "track": 0, "parent": None, "host_track": None, "merged_into": None, "node": "a",
    ...        "node_name": "Review", "track_state": "ended", "token_state": "consumed", "entered": 1, "left": 4}
    >>> ax = plot_timeline(pd.DataFrame([row]))
    >>> ax.get_xlabel(), [float(bar.get_width()) for bar in ax.patches]
    ('step', [3.0])
    """
    ax = _axes(ax)
    rows = [_Stay(row) for row in _records(tokens, "tokens")]
    end = max((stay.left if stay.left is not None else stay.entered + 1 for stay in rows), default=1)
    lanes = {lane: at for at, lane in enumerate(dict.fromkeys(stay.lane for stay in rows))}
    bars: dict[_Stay, Any] = {}
    for state, tone in PALETTE.items():
        stays = [stay for stay in rows if stay.state == state]
        if stays:
            style = {"color": tone.color, "edgecolor": tone.seam, "hatch": tone.hatch, "label": tone.words}
            drawn = ax.barh(
                [lanes[stay.lane] for stay in stays],
                [stay.width(end) for stay in stays],
                left=[stay.entered for stay in stays],
                **(style | {"height": 0.7} | bar_kwargs),
            )
            bars.update(zip(stays, drawn, strict=True))
    if len(rows) <= _NAMED:
        for stay in rows:
            tone, where = PALETTE[stay.state], (stay.entered + 0.1, lanes[stay.lane])
            ground = {"facecolor": tone.color, "edgecolor": "none", "pad": 1}
            name = ax.annotate(stay.name, where, va="center", size="small", color=tone.text, bbox=ground)
            # What has no room in its bar is cut off, or it would hide the next name.
            name.set_clip_path(bars[stay])
    _connect(ax, rows, lanes)
    several = len({instance for instance, _ in lanes}) > 1
    ax.set(yticks=range(len(lanes)), yticklabels=[f"{i}/{t}" if several else f"{t}" for i, t in lanes])
    ax.locator_params(axis="x", integer=True)
    ax.set(xlabel="step", ylabel="instance/track" if several else "track", ylim=(max(len(lanes), 1) - 0.5, -0.5))
    if rows:
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return ax


class _Stay:
    """One row of ``tokens()`` as plain values."""

    def __init__(self, row: dict[Any, Any]) -> None:
        self.lane = (row["instance"], row["track"])
        parent = _plain(row["parent"])
        self.parent = _plain(row["host_track"]) if parent is None else parent
        self.merged_into = _plain(row["merged_into"])
        self.name = str(_plain(row["node_name"]) or row["node"])
        # A token that was absorbed had waited at the join until then.
        merged = row["track_state"] == "merged"
        self.state = "awaiting_merge" if merged else shown_state(row["track_state"], row["token_state"])
        self.entered = float(row["entered"])
        left = _plain(row["left"])
        self.left = None if left is None else float(left)

    def width(self, end: float) -> float:
        """Length of the bar; a stay that is not over reaches to the end of the run."""
        return max((end if self.left is None else self.left) - self.entered, _THINNEST)


def _plain(value: Any) -> Any:
    """Return ``None`` for a missing value of any kind."""
    # NA, NaN and NaT are the values that do not equal themselves, or do not say.
    return value if value is not None and str(value) not in ("<NA>", "nan", "NaT") else None


def _connect(ax: Axes, rows: list[_Stay], lanes: dict[tuple[Any, Any], int]) -> None:
    """Draw forks where a track begins, merges where it was absorbed."""
    style: dict[str, Any] = {"colors": INK, "linestyles": "dotted", "linewidth": 1}
    begun = set()
    for stay in rows:
        parent, into = (stay.lane[0], stay.parent), (stay.lane[0], stay.merged_into)
        if stay.lane not in begun and parent in lanes:
            ax.vlines(stay.entered, lanes[parent], lanes[stay.lane], **style)
        if into in lanes and stay.left is not None:
            ax.vlines(stay.left, lanes[stay.lane], lanes[into], **style)
        begun.add(stay.lane)


def plot_barrier(barriers: _Frame | _WithBarriers, activity: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Plot how the inner instances of a parallel multi-instance activity drained and were counted.

    Parameters
    ----------
    barriers
        A trace, or its ``barriers()`` frame.
    activity
        Id of the activity; may be left out where the frame speaks of one only.
    ax
        Where to draw; a new figure if not given.

    Returns
    -------
    Axes
        The one given. One lane per ordinal from fan-out to its drain; signs where a drain is delivered, queued or
        canceled; on a second scale the number of completed instances; a dashed line where the activity completes.

    Raises
    ------
    SimulationError
        If the activity is none that ran in parallel instances, or has to be named because several are.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import pandas as pd
    >>> events = [("fan_out", 1, None, 0), ("drain", 3, 0, 0), ("deliver", 4, 0, 1), ("complete", 4, None, 1)]
    >>> rows = [{"instance": 0, "scope": "/p", "host": "charge", "activation": 1, "n": 1, "event": event,
    ...          "step": step, "ordinal": ordinal, "completed": count} for event, step, ordinal, count in events]
    >>> ax = plot_barrier(pd.DataFrame(rows))
    >>> ax.get_title(), [float(bar.get_width()) for bar in ax.patches]
    ('charge', [2.0])

    Notes
    -----
    The barrier of design section 4, *the group handshake*.
    """
    table = _records(barriers, "barriers")
    hosts = list(dict.fromkeys(row["host"] for row in table))
    if activity is None and len(hosts) > 1:
        raise SimulationError("several activities have a barrier", hint=f"name one of {', '.join(hosts)}")
    if activity is not None and activity not in hosts and not _without_instances(barriers, activity):
        hint = did_you_mean(activity, hosts) or f"those with one are {', '.join(hosts) or 'none'}"
        raise SimulationError("the activity has no barrier in this run", element_id=activity, hint=hint)
    ax = _axes(ax)
    host = activity if activity is not None else "".join(hosts)
    rows = [row for row in table if row["host"] == host]
    groups: dict[tuple[Any, ...], list[dict[Any, Any]]] = {}
    for row in rows:
        groups.setdefault((row["instance"], row["scope"], row["activation"]), []).append(row)
    # What tells the activations apart goes into the names of the lanes.
    varying = [len(set(parts)) > 1 for parts in zip(*groups, strict=True)]
    names: list[str] = []
    counts = ax.twinx()
    for key, events in groups.items():
        first = len(names)
        width = max(int(_plain(row["n"]) or 0) for row in events)
        prefix = "".join(f"{part} " for part, varies in zip(key, varying, strict=True) if varies)
        names += [f"{prefix}[{ordinal}]" for ordinal in range(width)]
        _lanes(ax, events, first, width)
        counted = [(row["step"], row["completed"]) for row in events if _plain(row["completed"]) is not None]
        counts.step(*zip(*counted, strict=True), where="post", color=INK, linewidth=1, label="completed")
    ax.set(yticks=range(len(names)), yticklabels=names, ylim=(max(len(names), 1) - 0.5, -0.5))
    ax.locator_params(axis="x", integer=True)
    counts.locator_params(axis="y", integer=True)
    ax.set(xlabel="step", ylabel="ordinal", title=host)
    counts.set(ylabel="completed", ylim=(-0.05, max((int(_plain(row["n"]) or 0) for row in rows), default=1) + 0.5))
    if rows:
        handles = {label: handle for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
        ax.legend(handles.values(), handles.keys(), loc="upper left", bbox_to_anchor=(1.08, 1))
    return ax


def _without_instances(source: Any, activity: str) -> bool:
    """Tell whether an activity has no row because it had no inner instance; an empty frame cannot tell."""
    if not hasattr(source, "iterations"):
        return not _records(source, "barriers")
    ran = _records(source, "iterations")
    return any((row["activity"], row["kind"]) == (activity, "mi_parallel") for row in ran)


def _lanes(ax: Axes, events: list[dict[Any, Any]], first: int, width: int) -> None:
    """Draw the bars, signs and end of one activation."""
    begin = float(min(row["step"] for row in events))
    end = float(max(row["step"] for row in events))
    over = next((row["step"] for row in events if row["event"] in ("cancel", "complete")), None)
    drained = {int(row["ordinal"]): row["step"] for row in events if row["event"] == "drain"}
    for ordinal in range(width):
        state = "completed" if ordinal in drained else "alive" if over is None else "canceled"
        tone = PALETTE[state]
        stop = drained.get(ordinal, end if over is None else over)
        style: dict[str, Any] = {"color": tone.color, "edgecolor": tone.seam, "hatch": tone.hatch}
        ax.barh(first + ordinal, max(stop - begin, _THINNEST), left=begin, height=0.5, label=tone.words, **style)
    for event, state in (("deliver", "completed"), ("queue", "waiting"), ("cancel", "canceled")):
        found = [row for row in events if row["event"] == event and _plain(row["ordinal"]) is not None]
        if found:
            tone = PALETTE[state]
            sign: dict[str, Any] = {"color": tone.color, "edgecolors": INK, "marker": tone.marker}
            lanes = [first + int(row["ordinal"]) for row in found]
            ax.scatter([row["step"] for row in found], lanes, label=event, s=60, zorder=3, **sign)
    for row in events:
        if row["event"] == "complete":
            ax.axvline(row["step"], color=INK, linestyle="--", linewidth=1, label="complete")
