"""What a user does with a file, from reading it to exporting its run, and what may come out of it.

:func:`put_through` raises :class:`Defect` where anything but a ``BpmnSimError`` comes out, where a picture is no XML,
where a file that was written reads as another model, and where a run hides a failure of bpmnsim as an incident.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from xml.etree import ElementTree

import bpmnsim as bs
from bpmnsim.errors import InternalError

Result = TypeVar("Result")
SECONDS = 1.0
"""Processor time that one input may take."""

_RUNS: tuple[dict[str, Any], ...] = ({}, {"seed": 7}, {"decisions": "free"}, {"seed": 3, "granularity": "phase"})


class Defect(Exception):  # noqa: N818 - a finding, reported as such
    """Something came out that must not."""


class TooSlow(BaseException):
    """The time is up; no ``except Exception`` on the way may take it for something else."""


@contextmanager
def within(seconds: float = SECONDS) -> Iterator[None]:
    """Interrupt what takes more processor time.

    Raises
    ------
    TooSlow
        In the middle of what runs.
    """

    def ring(*_: object) -> None:
        raise TooSlow(f"it takes more than {seconds} s")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def allowed(stage: str, call: Callable[[], Result]) -> Result | None:
    """Return what *call* returns, ``None`` where it raises a BpmnSimError.

    Raises
    ------
    Defect
        If it raises anything else.
    """
    try:
        return call()
    except InternalError as error:
        raise Defect(f"{stage}: {error}") from error
    except bs.BpmnSimError as error:
        str(error)
        return None
    except Exception as error:
        raise Defect(f"{stage}: {type(error).__name__}: {str(error)[:300]}") from error


def put_through(source: str | bytes) -> str:
    """Put a file through everything a user may do with it; return how it ended, in a word.

    Raises
    ------
    Defect
        As the module says.
    """
    model = allowed("read_bpmn", lambda: bs.read_bpmn(source))
    if model is None:
        return "refused"
    [str(note) for note in model.notes]
    allowed("repr", lambda: repr(model))
    allowed("digest", lambda: model.digest)
    allowed("check", model.check)
    _draw("render_svg", lambda: bs.render_svg(model))
    _write_and_read(model)
    ended = {word for number, options in enumerate(_RUNS) if (word := _run(model, number, options))}
    return " ".join(sorted(ended)) or "does not run"


def _draw(stage: str, call: Callable[[], str]) -> None:
    picture = allowed(stage, call)
    if picture is not None:
        allowed(f"{stage}: parse", lambda: ElementTree.fromstring(picture))


def _write_and_read(model: bs.Model) -> None:
    text = allowed("write_bpmn", lambda: bs.write_bpmn(model))
    if text is None:
        return
    again = allowed("read what was written", lambda: bs.read_bpmn(text))
    if again is None:
        raise Defect("read what was written: it is refused")
    if again != model:
        raise Defect(f"read what was written: another model: {_difference(model, again)}")


def _difference(one: bs.Model, other: bs.Model) -> str:
    pairs = [(element, other.elements.get(key)) for key, element in one.elements.items()]
    found = next((pair for pair in pairs if pair[0] != pair[1]), None)
    return f"{found[0]!r} became {found[1]!r}"[:600] if found else "other order, diagrams or header"


def _run(model: bs.Model, number: int, options: dict[str, Any]) -> str:
    """Run once; the first run is exported in every way, the others are replayed."""
    trace = allowed("simulate", lambda: bs.simulate(model, step_limit=300, **options))
    if trace is None:
        return ""
    require_honest(trace)
    written = allowed("to_json", trace.to_json)
    if written is not None:
        text = allowed("json", lambda: json.dumps(written))
        read = allowed("from_json", lambda: bs.Trace.from_json(text or "", model))
        if read is None or read != trace:
            raise Defect("from_json: another trace")
    if number:
        again = allowed(
            "replay", lambda: bs.simulate(model, step_limit=300, schedule=str(trace.schedule), **_rest(options))
        )
        if again is None or again != trace:
            raise Defect(f"replay: another run than {trace.schedule}")
    else:
        export(trace)
    return str(trace.outcome)


def _rest(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "seed"}


def require_honest(trace: bs.Trace) -> None:
    """Refuse an incident that stands for a failure of bpmnsim: without behaviors only a BpmnSimError makes one.

    Raises
    ------
    Defect
        If there is one.
    """
    for text in (trace.record.tracebacks or {}).values():
        last = text.strip().splitlines()
        if last and not any(line.startswith("bpmnsim.errors.") for line in last):
            raise Defect(f"an incident hides {last[-1]}: {' '.join(last[-4:])}")


def export(trace: bs.Trace) -> None:
    """Ask a run for all it has: tables, graphs, pictures, logs.

    Raises
    ------
    Defect
        As the module says.
    """
    for table in ("facts", "tokens", "scopes"):
        allowed(table, getattr(trace, table))
    _draw("render_trace", lambda: bs.render_trace(trace))
    allowed("repr", lambda: repr(trace))
    allowed("snapshot", lambda: trace.snapshot(trace.steps // 2))
