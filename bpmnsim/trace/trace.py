"""A finished run: its facts, and everything that can be read from them.

The tables are computed in the modules beside this one; pandas and networkx are loaded when a table or a graph is asked
for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bpmnsim.choices.schedule import Schedule
from bpmnsim.errors import StateError
from bpmnsim.facts import Record
from bpmnsim.model.process import Model
from bpmnsim.trace import codec, progress, stays
from bpmnsim.trace.story import Story

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pandas import DataFrame

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Stuck:
    """A token that can never go on (core.md DLK-01, DLK-05).

    Parameters
    ----------
    track
        Number of its track.
    node
        Element on which it stands.
    scope
        Path of its scope.
    waits_for
        What never comes: ids of flows, space-joined, or words.

    Examples
    --------
    >>> Stuck(0, "J", "/p", "f_B_J").waits_for
    'f_B_J'
    """

    track: int
    node: str
    scope: str
    waits_for: str


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """One choice of a run: what was open, and what was picked.

    Parameters
    ----------
    number
        Number of the choice, from 0.
    step, time
        Step that was chosen, and when.
    kind
        step, group, timer, message, race, decision or data.
    options
        Names of the actions in canonical order.
    picked
        One of them.
    strategy
        Who picked.

    Examples
    --------
    >>> ChoiceRow(0, 3, 0.0, "step", ("run(p/a)", "run(p/b)"), "run(p/a)", "fifo").picked
    'run(p/a)'
    """

    number: int
    step: int
    time: float
    kind: str
    options: tuple[str, ...]
    picked: str
    strategy: str


class Trace:
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
    replay
        Runs the schedule again and returns every choice.

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
        self._replay = replay

    def __repr__(self) -> str:
        ran = dict.fromkeys(self._story.instances.values()) or [process.id for process in self.model.processes]
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
    def _story(self) -> Story:
        return Story(self.model, self.record)

    @cached_property
    def digest(self) -> str:
        """Hash (32 hex digits) of model, facts and outcome: equal on every machine for equal runs.

        Raises
        ------
        StateError
            If a value is not plain data; the message names its variable.
        """
        return codec.digest_of(self.model.digest, self.outcome, self.record.facts)

    def facts(self) -> DataFrame:
        """Return every fact, in order (core.md OBS-02 to OBS-06)."""
        return _frame("facts", progress.fact_rows(self._story))

    def tokens(self) -> DataFrame:
        """Return every stay of a token at a node (core.md TRK-02, HIS-01)."""
        return _frame("tokens", stays.token_rows(self._story) if self.steps else ())

    def visits(self) -> DataFrame:
        """Return every visit of a node and how it ended (core.md OBS-04)."""
        return _frame("visits", stays.visit_rows(self._story) if self.steps else ())

    def history(self) -> DataFrame:
        """Return every change of the state of a track (core.md HIS-01 to HIS-07, TRK-06, TRK-08)."""
        return _frame("history", progress.history_rows(self._story) if self.steps else ())


def _frame(table: str, rows: Iterable[tuple[object, ...]]) -> DataFrame:
    from bpmnsim.trace.frames import build_frame

    return build_frame(table, rows)
