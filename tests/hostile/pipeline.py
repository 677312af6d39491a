"""What a user does with a file, from reading it to exporting its run, and what may come out of it.

:func:`put_through` raises :class:`Defect` where anything but a ``BpmnSimError`` comes out, where a call takes more than
a second, where a picture is no XML, where a file that was written reads as another model, and where a run hides a
failure of bpmnsim as an incident.
"""

from __future__ import annotations

import json
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from xml.etree import ElementTree

import bpmnsim as bs
from bpmnsim.errors import InternalError

from ..clock import slowness

Result = TypeVar("Result")
SECONDS = 1.0
"""Processor time that one call may take."""

_RUNS: tuple[dict[str, Any], ...] = ({}, {"seed": 7}, {"decisions": "free"}, {"seed": 3, "granularity": "phase"})
_CLEAR = Path("/proc/self/clear_refs")


class Defect(Exception):  # noqa: N818 - a finding, reported as such
    """Something came out that must not."""


class TooSlow(BaseException):
    """The time is up; no ``except Exception`` on the way may take it for something else."""


@contextmanager
def within(seconds: float = SECONDS) -> Iterator[None]:
    """Interrupt what takes more processor time.

    Seconds are longer on a slow machine.

    Raises
    ------
    TooSlow
        In the middle of what runs.
    """

    def ring(*_: object) -> None:
        raise TooSlow(f"it takes more than {seconds} s")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds * slowness())
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def memory(megabytes: int = 100) -> Iterator[None]:
    """Refuse what makes the process grow by more, also for a moment, also outside Python.

    Raises
    ------
    Defect
        Afterwards.
    """
    if _CLEAR.exists():
        _CLEAR.write_text("5")  # the peak counts from here, not from the beginning of the process
    before = _peak()
    yield
    if _peak() - before > megabytes:
        raise Defect(f"it takes {_peak() - before} MB")


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def allowed(stage: str, call: Callable[[], Result], seconds: float = SECONDS) -> Result | None:
    """Return what *call* returns, ``None`` where it raises a BpmnSimError.

    Raises
    ------
    Defect
        If it raises anything else, or takes too long.
    """
    try:
        with within(seconds):
            return call()
    except InternalError as error:
        raise Defect(f"{stage}: {error}") from error
    except bs.BpmnSimError as error:
        str(error)
        return None
    except (Exception, TooSlow) as error:
        raise Defect(f"{stage}: {type(error).__name__}: {str(error)[:300]}") from error


def put_through(source: str | bytes, seconds: float = SECONDS) -> str:
    """Put a file through everything a user may do with it; return how it ended, in a word.

    Raises
    ------
    Defect
        As the module says.
    """
    model = allowed("read_bpmn", lambda: bs.read_bpmn(source), seconds)
    if model is None:
        return "refused"
    allowed("notes", lambda: [str(note) for note in model.notes], seconds)
    allowed("repr", lambda: repr(model), seconds)
    allowed("digest", lambda: model.digest, seconds)
    allowed("check", model.check, seconds)
    _draw("render_svg", lambda: bs.render_svg(model), seconds)
    _write_and_read(model, seconds)
    ended = {word for number in range(len(_RUNS)) if (word := _run(model, number, seconds))}
    return " ".join(sorted(ended)) or "does not run"


def _draw(stage: str, call: Callable[[], str], seconds: float) -> None:
    picture = allowed(stage, call, seconds)
    if picture is not None:
        allowed(f"{stage}: parse", lambda: ElementTree.fromstring(picture), seconds)


def _write_and_read(model: bs.Model, seconds: float) -> None:
    text = allowed("write_bpmn", lambda: bs.write_bpmn(model), seconds)
    if text is None:
        return
    again = allowed("read what was written", lambda: bs.read_bpmn(text), seconds)
    if again is None:
        raise Defect("read what was written: it is refused")
    if not allowed("compare", lambda: again == model, seconds):
        raise Defect(f"read what was written: another model: {_difference(model, again)}")


def _difference(one: bs.Model, other: bs.Model) -> str:
    pairs = [(element, other.elements.get(key)) for key, element in one.elements.items()]
    found = next((pair for pair in pairs if pair[0] != pair[1]), None)
    return f"{found[0]!r} became {found[1]!r}"[:600] if found else "other order, diagrams or header"


def _run(model: bs.Model, number: int, seconds: float) -> str:
    """Run once; the first run is exported in every way, the others are replayed."""
    options = _RUNS[number]
    trace = allowed("simulate", lambda: bs.simulate(model, step_limit=300, **options), seconds)
    if trace is None:
        return ""
    require_honest(trace)
    if number == 0:
        export(trace, seconds)
    else:
        rest = {name: value for name, value in options.items() if name != "seed"} | {"schedule": str(trace.schedule)}
        again = allowed("replay", lambda: bs.simulate(model, step_limit=300, **rest), seconds)
        if again is None or again != trace:
            raise Defect(f"replay: another run than {trace.schedule}")
    return str(trace.outcome)


def require_honest(trace: bs.Trace) -> None:
    """Refuse an incident that stands for a failure of bpmnsim: without behaviors only a BpmnSimError makes one.

    Raises
    ------
    Defect
        If there is one.
    """
    for text in (trace.record.tracebacks or {}).values():
        lines = text.strip().splitlines()
        if lines and not any(line.startswith("bpmnsim.errors.") for line in lines):
            raise Defect(f"an incident hides {lines[-1]}: {' '.join(lines[-4:])}")


def export(trace: bs.Trace, seconds: float = SECONDS) -> None:
    """Ask a run for tables, graphs, pictures, logs and JSON.

    Raises
    ------
    Defect
        As the module says.
    """
    for ask in (trace.facts, trace.tokens, trace.scopes, trace.data, trace.evaluations, trace.snapshot):
        allowed(ask.__name__, ask, seconds)
    _draw("render_trace", lambda: bs.render_trace(trace), seconds)
    _draw("to_xes", lambda: trace.to_xes() or "", seconds)
    allowed("process_graph", trace.process_graph, seconds)
    allowed("repr", lambda: repr(trace), seconds)
    written = allowed("to_json", lambda: json.dumps(trace.to_json()), seconds)
    if written is not None and allowed("from_json", lambda: bs.Trace.from_json(written, trace.model), seconds) != trace:
        raise Defect("from_json: another trace")
