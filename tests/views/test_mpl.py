"""Plots: what is on the Axes (style 4.5, 4.7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.colors import to_hex

import bpmnsim as bs
from bpmnsim.errors import SimulationError
from bpmnsim.views.mpl import plot_barrier, plot_timeline
from bpmnsim.views.palette import PALETTE

TOKENS = [
    "instance", "track", "parent", "host_track", "merged_into", "node", "node_name", "scope", "track_state",
    "token_state", "via_flow", "entered", "left", "entered_time", "left_time",
]  # fmt: skip
BARRIERS = [
    "instance", "host", "scope", "activation", "step", "event", "ordinal", "n", "open", "pending", "delivered",
    "completed", "active", "terminated", "condition", "output",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _no_window() -> Iterator[None]:
    with mpl.rc_context({"backend": "Agg"}):
        yield
    plt.close("all")


def stay(track: int, node: str, entered: int, left: int | None, **more: Any) -> dict[str, Any]:
    row = dict.fromkeys(TOKENS) | {"instance": 0, "track_state": "ready", "token_state": "alive", "node_name": ""}
    return row | {"track": track, "node": node, "entered": entered, "left": left} | more


def tokens(*rows: dict[str, Any]) -> pd.DataFrame:
    ints = dict.fromkeys(["instance", "track", "parent", "host_track", "merged_into", "entered", "left"], "Int64")
    return pd.DataFrame(rows, columns=TOKENS).astype(ints)


def fork_and_join() -> pd.DataFrame:
    return tokens(
        stay(0, "split", 0, 1),
        stay(0, "a", 1, 4),
        stay(1, "b", 1, 2, parent=0, token_state="waiting", track_state="wait_for_event"),
        stay(1, "join", 2, 4, parent=0, merged_into=0, track_state="awaiting_merge"),
        stay(0, "join", 4, None),
    )


def bars(ax: plt.Axes) -> list[tuple[float, float, float, str, str]]:
    """Lane, begin, end, color and hatch of every bar."""
    found = [(b.get_y() + b.get_height() / 2, b.get_x(), b.get_x() + b.get_width(), b) for b in ax.patches]
    return [(round(y), x, end, to_hex(b.get_facecolor()).upper(), str(b.get_hatch() or "")) for y, x, end, b in found]


def test_a_bar_for_every_stay_with_color_and_hatch() -> None:
    """Style 5.4: never color alone; the join is told apart by its track state (TRK-02)."""
    alive, waiting, merging = (PALETTE[state] for state in ("alive", "waiting", "awaiting_merge"))
    assert bars(plot_timeline(fork_and_join())) == [
        (0, 0, 1, alive.color, ""),
        (0, 1, 4, alive.color, ""),
        (0, 4, 5, alive.color, ""),
        (1, 1, 2, waiting.color, waiting.hatch),
        (1, 2, 4, merging.color, merging.hatch),
    ]


def test_forks_and_merges_are_dotted_lines_between_lanes() -> None:
    """Design 4: the parent of a track and the merge are facts of their own."""
    ax = plot_timeline(fork_and_join())
    segments = [[(float(x), float(y)) for x, y in line.get_segments()[0]] for line in ax.collections]
    assert segments == [[(1, 0), (1, 1)], [(4, 1), (4, 0)]]


def test_an_inner_track_hangs_on_its_host() -> None:
    """Design 6: host_track, where a track begins in a scope that another one waits for."""
    ax = plot_timeline(tokens(stay(0, "panel", 0, 5), stay(1, "score", 2, 4, host_track=0)))
    [line] = [line.get_segments()[0] for line in ax.collections]
    assert [(float(x), float(y)) for x, y in line] == [(2, 0), (2, 1)]


def test_lanes_are_named_and_the_first_is_on_top() -> None:
    ax = plot_timeline(fork_and_join())
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0", "1"]
    assert ax.get_ylim() == (1.5, -0.5)
    assert [text.get_text() for text in ax.texts] == ["split", "a", "b", "join", "join"]
    several = plot_timeline(tokens(stay(0, "a", 0, 1), stay(0, "a", 0, 1, instance=1)))
    assert [label.get_text() for label in several.get_yticklabels()] == ["0/0", "1/0"]


def test_an_absorbed_token_had_waited_to_be_merged() -> None:
    """core.md TRK-02: its last state is merged, but the bar is about the time before."""
    merged = stay(1, "join", 2, 4, merged_into=0, track_state="merged", token_state="consumed")
    ax = plot_timeline(tokens(merged))
    assert ax.get_legend_handles_labels()[1] == ["awaiting merge"]


def test_names_stay_inside_their_bars() -> None:
    """A long name does not hide the next one."""
    ax = plot_timeline(tokens(stay(0, "a very long name", 0, 1), stay(0, "next", 1, 9)))
    clips = [text.get_clip_path() or text.clipbox for text in ax.texts]
    boxes = [bar.get_window_extent().bounds for bar in ax.patches]
    assert [clip.bounds for clip in clips] == boxes


def test_a_stay_of_no_length_is_still_seen() -> None:
    [(_, begin, end, _, _)] = bars(plot_timeline(tokens(stay(0, "a", 3, 3))))
    assert begin == 3
    assert end > 3


@pytest.mark.parametrize("plot", [plot_timeline, plot_barrier])
def test_empty_input_draws_labelled_empty_axes(plot: Any) -> None:
    """Style 4.7."""
    ax = plot(pd.DataFrame(columns=TOKENS if plot is plot_timeline else BARRIERS))
    assert ax.get_xlabel() == "step"
    assert ax.get_ylabel() == ("track" if plot is plot_timeline else "ordinal")
    assert not ax.patches


def test_an_activity_without_inner_instances_draws_labelled_empty_axes() -> None:
    """Style 4.7, ITER-A-04: of a trace and of its frame; an activity that has no barrier is an error all the same."""
    b = bs.ProcessBuilder("p")
    none, one = bs.parallel(cardinality=0), bs.sequential(cardinality=1)
    _ = b.start("s") >> b.task("A", multi_instance=none) >> b.task("B", multi_instance=one) >> b.end("e")
    trace = bs.simulate(b.model())
    for source in (trace, trace.barriers()):
        ax = plot_barrier(source, "A")
        assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel(), len(ax.patches)) == ("A", "step", "ordinal", 0)
    with pytest.raises(SimulationError, match="no barrier in this run"):
        plot_barrier(trace, "B")


def test_the_given_axes_are_used_and_returned() -> None:
    """Style 4.7: no new figure, no drawing on whatever was last open, no figure size."""
    ax, other = plt.figure(figsize=(3, 2)).add_subplot(), plt.figure().add_subplot()
    assert plot_timeline(fork_and_join(), ax=ax) is ax
    assert plot_barrier(quorum(), ax=ax) is ax
    assert tuple(ax.figure.get_size_inches()) == (3, 2)
    assert len(plt.get_fignums()) == 2
    assert not other.patches
    assert plot_timeline(fork_and_join()) is not other


def test_a_trace_is_taken_for_its_table() -> None:
    """Style 4.7: accept a trace or the matching frame."""

    class Trace:
        def tokens(self) -> pd.DataFrame:
            return fork_and_join()

        def barriers(self) -> pd.DataFrame:
            return quorum()

    assert bars(plot_timeline(Trace())) == bars(plot_timeline(fork_and_join()))
    assert bars(plot_barrier(Trace())) == bars(plot_barrier(quorum()))


def test_bar_arguments_reach_the_bars() -> None:
    """Style 4.2: pass-through to one matplotlib call."""
    assert {bar.get_height() for bar in plot_timeline(fork_and_join(), height=0.25).patches} == {0.25}


def event(step: int, name: str, ordinal: int | None = None, completed: int = 0, **more: Any) -> dict[str, Any]:
    row = dict.fromkeys(BARRIERS) | {"instance": 0, "scope": "/p", "host": "charge", "activation": 1, "n": 3}
    return row | {"step": step, "event": name, "ordinal": ordinal, "completed": completed} | more


def barriers(*rows: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=BARRIERS).astype(dict.fromkeys(["ordinal", "n", "completed", "step"], "Int64"))


def quorum(**more: Any) -> pd.DataFrame:
    """Ordinals 2 and 0 drain, the second is queued; then the rest is canceled."""
    return barriers(
        event(1, "fan_out", **more),
        event(3, "drain", 2, **more),
        event(3, "deliver", 2, 1, **more),
        event(4, "drain", 0, 1, **more),
        event(4, "queue", 0, 1, **more),
        event(5, "rearm", None, 1, **more),
        event(6, "deliver", 0, 2, **more),
        event(7, "cancel", 1, 2, **more),
        event(7, "publish", None, 2, **more),
        event(7, "complete", None, 2, **more),
    )


def test_lanes_run_from_fan_out_to_drain_or_cancel() -> None:
    """Design 4, the group handshake: one lane per ordinal; what was canceled has another color and a hatch."""
    done, gone = PALETTE["completed"], PALETTE["canceled"]
    ax = plot_barrier(quorum())
    assert bars(ax) == [(0, 1, 4, done.color, ""), (1, 1, 7, gone.color, gone.hatch), (2, 1, 3, done.color, "")]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["[0]", "[1]", "[2]"]


def test_signs_stand_where_a_drain_is_delivered_queued_or_canceled() -> None:
    ax = plot_barrier(quorum())
    signs = {sign.get_label(): [tuple(map(float, at)) for at in sign.get_offsets()] for sign in ax.collections}
    assert signs == {"deliver": [(3, 2), (6, 0)], "queue": [(4, 0)], "cancel": [(7, 1)]}


def test_the_count_rises_and_the_end_is_marked() -> None:
    ax = plot_barrier(quorum())
    counts = next(other for other in ax.figure.axes if other is not ax)
    [line] = counts.lines
    assert list(line.get_ydata()) == [0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    assert line.get_drawstyle() == "steps-post"
    assert all(tick == int(tick) for tick in counts.get_yticks())
    [end] = ax.lines
    assert list(end.get_xdata()) == [7, 7]
    assert end.get_linestyle() == "--"


def test_an_open_barrier_has_lanes_that_are_alive() -> None:
    ax = plot_barrier(barriers(event(1, "fan_out"), event(4, "drain", 0)))
    assert [(lane, end, color) for lane, _, end, color, _ in bars(ax)] == [
        (0, 4, PALETTE["completed"].color),
        (1, 4, PALETTE["alive"].color),
        (2, 4, PALETTE["alive"].color),
    ]


def test_each_activation_has_lanes_of_its_own() -> None:
    ax = plot_barrier(pd.concat([quorum(), quorum(activation=2)]))
    assert [label.get_text() for label in ax.get_yticklabels()] == [f"{a} [{o}]" for a in (1, 2) for o in range(3)]
    scopes = plot_barrier(pd.concat([quorum(), quorum(scope="/q")]))
    assert [label.get_text() for label in scopes.get_yticklabels()][::3] == ["/p [0]", "/q [0]"]


def test_one_of_several_activities_must_be_named() -> None:
    """Design 8: the error names the remedy."""
    frame = pd.concat([quorum(), quorum(host="ship")])
    with pytest.raises(SimulationError, match="several activities") as several:
        plot_barrier(frame)
    assert several.value.hint == "name one of charge, ship"
    assert plot_barrier(frame, "ship").get_title() == "ship"
    with pytest.raises(SimulationError) as wrong:
        plot_barrier(frame, "shop")
    assert wrong.value.hint == "did you mean 'ship'?"
