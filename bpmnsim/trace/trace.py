"""A finished run: its facts, and everything that can be read from them.

The tables are computed in the modules beside this one; pandas and networkx are loaded when a table or a graph is asked
for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpmnsim.choices.schedule import Schedule
from bpmnsim.errors import StateError
from bpmnsim.facts import Record
from bpmnsim.model.process import Model
from bpmnsim.trace import codec, logs, saved
from bpmnsim.trace.ocel import to_ocel
from bpmnsim.trace.parts import ChoiceRow, Stuck
from bpmnsim.trace.snapshot import Snapshot, snapshot_of
from bpmnsim.trace.tables import Rows, Tables, build, table
from bpmnsim.trace.wait_tables import choice_rows

if TYPE_CHECKING:
    from networkx import MultiDiGraph
    from pandas import DataFrame

    from bpmnsim.trace.causality import Footprint

__all__ = ["ChoiceRow", "Stuck", "Trace"]

EPOCH = "2000-01-01T00:00Z"
"""Where the virtual calendar starts unless the caller says otherwise."""


class Trace(Tables):
    """What happened in one run, as tables, graphs, pictures and logs.

    Parameters
    ----------
    model
        The model that ran.
    record
        Its facts.
    outcome
        completed, terminated, failed, deadlocked, incident, waiting or truncated (core.md DLK-05).
    stuck
        The tokens that can never go on.
    schedule, seed
        Who decided; the seed is ``None`` where there was none.
    steps, time
        Number of actions fired; virtual time at the end, in seconds.
    values
        Data of the process at the end.
    replay, footprints, recording
        Run the schedule again and return every choice, what every step reads and writes, or the schedule in full.
    replayed
        What became of a schedule that was replayed on an edited model; empty otherwise.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("order")
    >>> _ = b.start() >> b.task("pack") >> b.end()
    >>> trace = bs.simulate(b.model())
    >>> trace
    Trace(order, fifo, 3 steps, completed)
    >>> trace.tokens()[["node", "token_state"]].values.tolist()
    [['start', 'alive'], ['pack', 'alive'], ['end', 'consumed']]

    Notes
    -----
    Design sections 2 and 6. Two traces are equal if model, facts and outcome are.
    """

    def __init__(
        self,
        model: Model,
        record: Record,
        *,
        outcome: str,
        stuck: tuple[Stuck, ...],
        schedule: Schedule,
        seed: int | None,
        steps: int,
        time: float,
        values: Mapping[str, object],
        replay: Callable[[], list[ChoiceRow]] | None = None,
        footprints: Callable[[], Iterable[Footprint]] | None = None,
        recording: Callable[[], Schedule] | None = None,
        replayed: str = "",
    ) -> None:
        self.model = model
        self.record = record
        self.outcome = outcome
        self.stuck = stuck
        self.schedule = schedule
        self.seed = seed
        self.steps = steps
        self.time = time
        self.values = values
        self.replayed = replayed
        self._replay = replay
        self._footprints = footprints
        self._recording = recording

    def __repr__(self) -> str:
        ran = dict.fromkeys(self.story.instances.values()) or [process.id for process in self.model.processes]
        base = self.schedule.base if self.seed is None else f"seed={self.seed}"
        steps = f"{self.steps} step{'' if self.steps == 1 else 's'}"
        return f"Trace({' '.join(ran)}, {base}, {steps}, {self.outcome})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trace):
            return NotImplemented
        try:
            return self.digest == other.digest
        except StateError:
            mine = (self.model.digest, self.outcome, self.record.facts)
            return mine == (other.model.digest, other.outcome, other.record.facts)

    def __hash__(self) -> int:
        return hash((self.model.digest, self.outcome, len(self.record.facts)))

    @cached_property
    def digest(self) -> str:
        """Hash (32 hex digits) of model, facts and outcome: equal on every machine for equal runs.

        Raises
        ------
        StateError
            If a value is not plain data; the message names its variable.
        """
        return codec.digest_of(self.model.digest, self.outcome, self.record.facts)

    def provenance(self) -> dict[str, object]:
        """Return what identifies the run: two people compare one short digest instead of pictures (style 5.6)."""
        return {
            "bpmnsim": version("bpmnsim"),
            "model": self.model.digest,
            "seed": self.seed,
            "schedule": str(self.schedule),
            "steps": self.steps,
            "outcome": self.outcome,
            "digest": self.digest,
        }

    @table
    def choices(self) -> Rows:
        """Return every choice of the run; the first call runs the schedule again.

        Raises
        ------
        StateError
            If the trace cannot run again, because it was read from a file.
        """
        return choice_rows(self._choices)

    @cached_property
    def _choices(self) -> list[ChoiceRow]:
        if self._replay is None:
            raise StateError(
                "this trace holds no choices: it was read, not run",
                hint="bpmnsim.simulate(model, schedule=trace.schedule) runs it again and can tell them",
            )
        return self._replay()

    def recording(self) -> Schedule:
        """Return the schedule in full: every pick that fifo would not have made, and the state at every choice.

        Replaying it says at which choice the state first differed, should the run diverge.

        Raises
        ------
        StateError
            If the trace cannot run again, because it was read from a file.

        Examples
        --------
        >>> import bpmnsim as bs
        >>> b = bs.ProcessBuilder("p")
        >>> _ = b.start() >> [b.task("A"), b.task("B")]
        >>> trace = bs.simulate(b.model(), strategy="priority(B)")
        >>> trace.recording().deviations
        ((0, 'run(p/B)'),)

        Notes
        -----
        ``scheduling.md`` 1.2, the full form.
        """
        if self._recording is None:
            raise StateError("this trace cannot run again: it was read, not run", hint="replay trace.schedule instead")
        return self._recording()

    # Graphs and pictures.

    def process_graph(self) -> MultiDiGraph[str]:
        """Return nodes and flows of the processes that ran, with how often each was visited and taken."""
        from bpmnsim.trace import graphs

        return graphs.process_graph(self.story)

    def token_graph(self) -> MultiDiGraph[str]:
        """Return which track created which, and which was merged into which (core.md HIS-03, HIS-04)."""
        from bpmnsim.trace import graphs

        return graphs.token_graph(self.story)

    def scope_tree(self, step: int | None = None) -> MultiDiGraph[str]:
        """Return the scopes, each below the one around it; only those open after *step*, if given (core.md SUB-11)."""
        from bpmnsim.trace import graphs

        return graphs.scope_tree(self.story, step)

    def barrier_graph(self, activity: str) -> MultiDiGraph[str]:
        """Return what followed from what at the barriers of an activity.

        Raises
        ------
        SimulationError
            If it is no parallel iterated activity that ran.
        """
        from bpmnsim.trace import graphs

        return graphs.barrier_graph(self.story, activity)

    def causality_graph(self, footprints: Iterable[Footprint] | None = None) -> MultiDiGraph[str]:
        """Return which step had to happen before which, with its Foata layer.

        Parameters
        ----------
        footprints
            Step, what it reads, what it writes. If not given they are measured by running the schedule again, or, where
            the trace was read from a file, taken from what the facts show.
        """
        from bpmnsim.trace import graphs

        if footprints is None and self._footprints is not None:
            footprints = self._footprints()
        return graphs.causality_graph(self.story, footprints)

    def snapshot(self, step: int | None = None) -> Snapshot:
        """Return tokens, open scopes and values after *step*; after the last one if not given.

        Raises
        ------
        SimulationError
            If the run has no such step.
        """
        return snapshot_of(self.story, self.steps if step is None else step, self.steps, self.values)

    def _repr_mimebundle_(
        self,
        include: object = None,  # noqa: ARG002 - the display protocol passes it
        exclude: object = None,  # noqa: ARG002
    ) -> dict[str, str]:
        from bpmnsim.views.bundle import trace_bundle

        return trace_bundle(self)

    # Files.

    def to_log(self, *, epoch: str = EPOCH) -> DataFrame:
        """Return the work done as an event log; its columns are those of ``columns("log")``.

        Parameters
        ----------
        epoch
            Moment at which the virtual calendar starts, ISO 8601.
        """
        return build("log", logs.log_rows(self.story, logs.calendar(epoch)))

    def to_xes(
        self, target: str | PathLike[str] | None = None, *, mask: Iterable[str] = (), epoch: str = EPOCH
    ) -> str | None:
        """Return the event log as XES text, and write it to *target* if given.

        Parameters
        ----------
        mask
            Names whose values are not shown (core.md DAT-13).
        """
        return _written(logs.to_xes(self.story, logs.calendar(epoch), frozenset(mask)), target)

    def to_ocel(
        self, target: str | PathLike[str] | None = None, *, mask: Iterable[str] = (), epoch: str = EPOCH
    ) -> str | None:
        """Return the event log as OCEL 2.0 JSON text, and write it to *target* if given.

        Parameters
        ----------
        mask
            Names whose values are not shown (core.md DAT-13).
        """
        return _written(to_ocel(self.story, logs.calendar(epoch), frozenset(mask)), target)

    def to_json(self, *, mask: Iterable[str] = ()) -> dict[str, Any]:
        """Return the trace, without its model, as JSON-ready data.

        Parameters
        ----------
        mask
            Names whose values are not shown (core.md DAT-13).

        Raises
        ------
        StateError
            If a value is not plain data; the message names its variable.
        """
        return saved.write(self, frozenset(mask))

    @classmethod
    def from_json(cls, written: Mapping[str, Any] | str, model: Model) -> Trace:
        """Return the trace that :meth:`to_json` wrote; it cannot run again.

        Parameters
        ----------
        model
            The model that ran.

        Raises
        ------
        StateError
            If it is no trace, of another version, or of another model.
        """
        return cls(model, **saved.read(written, model.digest))


def _written(text: str, target: str | PathLike[str] | None) -> str | None:
    """Write an export to a file, or return it."""
    if target is None:
        return text
    Path(target).write_text(text, encoding="utf-8")
    return None
