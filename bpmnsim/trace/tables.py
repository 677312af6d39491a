"""The tables of a trace: one method each, computed from the facts by the modules beside this one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from bpmnsim.facts import Record
from bpmnsim.model.process import Model
from bpmnsim.trace import (
    barrier_tables,
    data_tables,
    flow_tables,
    iteration_tables,
    progress,
    stays,
    wait_tables,
)
from bpmnsim.trace.schema import schema_of
from bpmnsim.trace.story import Story

if TYPE_CHECKING:
    from pandas import DataFrame

Rows = Iterable[tuple[Any, ...]]
_Self = TypeVar("_Self")


def build(table: str, rows: Rows) -> DataFrame:
    """Return rows as a frame of the declared schema; loads pandas.

    Examples
    --------
    >>> list(build("choices", [])["step"])
    []
    """
    from bpmnsim.trace.frames import build_frame

    return build_frame(table, rows)


def table(rows: Callable[[_Self], Rows]) -> Callable[[_Self], DataFrame]:
    """Make a method that yields rows one that returns a frame; its docstring lists the declared columns.

    Examples
    --------
    >>> class Nothing:
    ...     @table
    ...     def choices(self):
    ...         return ()
    >>> len(Nothing().choices())
    0
    """
    name = rows.__name__

    @wraps(rows)
    def frame(trace: _Self) -> DataFrame:
        return build(name, rows(trace))

    listed = "".join(f"\n        {column}\n            {each.doc}." for column, each in schema_of(name).items())
    frame.__doc__ = f"{rows.__doc__}\n\n        Returns\n        -------\n        DataFrame{listed}\n        "
    return frame


class Tables:
    """What every trace offers as tables (design section 6); their columns are declared in ``schema``.

    Attributes
    ----------
    model, record
        The model that ran, and its facts.
    steps
        Number of actions fired.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("order")
    >>> _ = b.start("s") >> b.task("pack") >> b.end("e")
    >>> trace = bs.simulate(b.model())
    >>> trace.visits()[["node", "outcome"]].values.tolist()
    [['s', 'completed'], ['pack', 'completed'], ['e', 'completed']]
    >>> "how it ended" in trace.visits.__doc__
    True
    """

    model: Model
    record: Record
    steps: int

    @cached_property
    def story(self) -> Story:
        """The facts with the names of everything in them: what tables, graphs and pictures are computed from."""
        return Story(self.model, self.record)

    @table
    def facts(self) -> Rows:
        """Return every fact, in order; the other tables are views of it (core.md OBS-02 to OBS-06)."""
        return progress.fact_rows(self.story)

    @table
    def history(self) -> Rows:
        """Return every change of the state of a track (core.md HIS-01 to HIS-07, TRK-06, TRK-08)."""
        return progress.history_rows(self.story)

    @table
    def tokens(self) -> Rows:
        """Return every stay of a token at a node; none before the first step (core.md TRK-02, TRK-04)."""
        return stays.token_rows(self.story) if self.steps else ()

    @table
    def visits(self) -> Rows:
        """Return every visit of a node and how it ended (core.md OBS-04)."""
        return stays.visit_rows(self.story) if self.steps else ()

    @table
    def scopes(self) -> Rows:
        """Return every scope, in the order in which they opened (core.md SUB-01, SUB-10)."""
        return wait_tables.scope_rows(self.story)

    @table
    def barriers(self) -> Rows:
        """Return every event at the barrier of a parallel iterated activity (iteration.md section 5)."""
        return barrier_tables.barrier_rows(self.story)

    @table
    def iterations(self) -> Rows:
        """Return every activation of an activity with a loop marker (iteration.md section 0.2)."""
        return iteration_tables.iteration_rows(self.story)

    @table
    def inner_instances(self) -> Rows:
        """Return every inner instance and pass, those never started included (iteration.md ITER-SQ-04, ITER-R-07)."""
        return iteration_tables.inner_rows(self.story)

    @table
    def joins(self) -> Rows:
        """Return every arrival that waits at a join, and every firing (core.md AND-03 to AND-08, IOR-05)."""
        return flow_tables.join_rows(self.story)

    @table
    def decisions(self) -> Rows:
        """Return for every choice between flows each of the flows (core.md FLW-02, XOR-01, GW-02)."""
        return flow_tables.decision_rows(self.story)

    @table
    def evaluations(self) -> Rows:
        """Return every evaluation of an expression, those that raised included (core.md FLW-04)."""
        return flow_tables.evaluation_rows(self.story)

    @table
    def throws(self) -> Rows:
        """Return everything thrown: errors, escalations, events of behaviors (core.md ERR, ESC; ITER-BH)."""
        return data_tables.throw_rows(self.story)

    @table
    def data(self) -> Rows:
        """Return every change of a value, by its smallest parts (core.md DAT-07, DAT-08)."""
        return data_tables.data_rows(self.story)

    @table
    def messages(self) -> Rows:
        """Return every message and signal that was received (core.md MSG-02)."""
        return wait_tables.message_rows(self.story)

    @table
    def waits(self) -> Rows:
        """Return every wait, when it was armed and why it ended (core.md TRK-09; iteration.md ITER-W-03)."""
        return wait_tables.wait_rows(self.story)

    @table
    def subscriptions(self) -> Rows:
        """Return every subscription: one per definition and activity while anybody waits (iteration.md ITER-W-02)."""
        return wait_tables.subscription_rows(self.story)

    @table
    def incidents(self) -> Rows:
        """Return every incident; a repeated failure extends it (core.md INC-02, INC-09)."""
        return data_tables.incident_rows(self.story)
