"""The state after a step, rebuilt from facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import bpmnsim as bs
from bpmnsim.errors import SimulationError
from bpmnsim.model import Model
from bpmnsim.trace import Trace


def where(trace: Trace, step: int | None = None) -> list[tuple[int, str, str]]:
    return [(token.track, token.node, token.track_state) for token in trace.snapshot(step).tokens]


def test_tokens_move_from_step_to_step(diamond: Model) -> None:
    """EXE-01, OBS-08: the tokens after every step of the AND diamond; none before the first (TRK-04)."""
    trace = bs.simulate(diamond)
    assert [where(trace, step) for step in range(trace.steps + 1)] == [
        [],
        [(0, "split", "ready")],
        [(0, "a", "ready"), (1, "b", "ready")],
        [(1, "b", "ready"), (0, "join", "ready")],
        [(0, "join", "ready"), (1, "join", "ready")],
        [(0, "join", "awaiting_merge"), (1, "join", "ready")],
        [(1, "e", "ready")],
        [],
    ]


def test_without_a_step_it_is_the_end(linear: Callable[..., Model]) -> None:
    """Design 7: snapshot() is the last state; negative steps count from the end."""
    trace = bs.simulate(linear("A"), step_limit=2)
    assert trace.snapshot().step == 2
    assert where(trace) == where(trace, -1) == [(0, "e", "ready")]


@pytest.mark.parametrize("step", [4, -5])
def test_a_step_that_is_not_there_is_an_error(linear: Callable[..., Model], step: int) -> None:
    """Style 4.3: the error says which steps there are."""
    with pytest.raises(SimulationError, match=r"no step -?\d(.|\n)*steps are 0 to 3"):
        bs.simulate(linear("A")).snapshot(step)


def test_scopes_and_time_are_those_of_the_step() -> None:
    """SUB-05: the sub-process is open while its task works; the time is that of the last fact."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.subprocess("sp", body=lambda sp: sp.start() >> sp.task("A") >> sp.end()) >> b.end("e")
    trace = bs.simulate(b.model(), durations={"A": 4})
    working = trace.snapshot(4)
    assert (working.scopes, working.time) == (("/p", "/p/sp"), 0.0)
    assert where(trace, 4) == [(0, "sp", "wait_for_event"), (1, "A", "executing_step")]
    assert trace.snapshot(5).time == 4.0
    assert trace.snapshot().scopes == ()


def test_a_host_whose_scope_has_drained_is_ready() -> None:
    """SUB-05: between the end of the scope and its own turn the host waits for nothing."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.subprocess("sp", body=lambda sp: sp.start("i") >> sp.end("j")) >> b.end("e")
    trace = bs.simulate(b.model())
    assert [where(trace, step) for step in (3, 4)] == [
        [(0, "sp", "wait_for_event"), (1, "j", "ready")],
        [(0, "sp", "ready")],
    ]


def test_values_are_those_of_the_step() -> None:
    """DAT-08: start data is no fact, yet known: as the first change replaced it, or as it was at the end."""
    b = bs.ProcessBuilder("p")
    inner: dict[str, Any] = {"body": lambda sp: sp.start() >> sp.service("B") >> sp.end()}
    _ = b.start("s") >> b.service("A") >> b.subprocess("sp", **inner) >> b.end("e")
    trace = bs.simulate(
        b.model(),
        data={"v": 1, "kept": "k"},
        behaviors={"A": lambda _: {"v": 2, "new": 0}, "B": lambda _: {"local": 3, "v": 4}},
    )
    seen = [{path: dict(values) for path, values in trace.snapshot(step).values.items()} for step in (0, 2, 5, -1)]
    assert seen == [
        {"/p": {"kept": "k", "v": 1}},
        {"/p": {"kept": "k", "v": 2, "new": 0}},
        {"/p": {"kept": "k", "v": 4, "new": 0}, "/p/sp": {"local": 3}},
        {"/p": {"kept": "k", "v": 4, "new": 0}},
    ]


def test_a_dropped_incident_is_no_token() -> None:
    """TRK-05, INC-06: after drop there is none."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("charge") >> b.end("e")
    sim = bs.Simulation(b.model(), behaviors={"charge": lambda _: 1 / 0})
    sim.run()
    assert where(sim.trace()) == [(0, "charge", "incident")]
    sim.drop(0)
    assert where(sim.trace()) == []


def test_a_notebook_shows_where_the_tokens_are(linear: Callable[..., Model]) -> None:
    """Style 5.1: text that makes sense alone; it begins with the repr."""
    trace = bs.simulate(linear("A"), step_limit=1)
    shown = trace._repr_mimebundle_()
    assert shown["text/plain"].splitlines() == [repr(trace), "After step 1 of 1, truncated: alive at A."]
