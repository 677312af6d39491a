"""A run in one call."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, Unpack

from bpmnsim.choices.schedule import Schedule
from bpmnsim.errors import BpmnSimError
from bpmnsim.model.process import Model
from bpmnsim.simulation import by_hand
from bpmnsim.simulation.driver import Driver, drive
from bpmnsim.simulation.inputs import RunOptions, checked, require_step_limit
from bpmnsim.simulation.traces import trace_of
from bpmnsim.trace.trace import Trace


def simulate(
    model: Model,
    *,
    seed: int | None = None,
    strategy: str | None = None,
    schedule: Schedule | Mapping[str, Any] | str | None = None,
    allow_edited: bool = False,
    step_limit: int = 1_000_000,
    **run: Unpack[RunOptions],
) -> Trace:
    """Run a model to its end and return what happened.

    Parameters
    ----------
    model
        What runs.
    seed
        Alone: a uniform random walk over the enabled actions. It also seeds durations.
    strategy
        ``"fifo"`` (the default), ``"depth"``, ``"round-robin"``, ``"priority(a,b)"`` or ``"uniform"``.
    schedule
        Replay exactly this; excludes both.
    allow_edited
        The model may have changed since the schedule was recorded: a name that is not enabled is replaced by the
        nearest one, or dropped. ``Trace.replayed`` says what became of it.
    step_limit
        Most actions to fire; then the outcome is ``truncated``.
    process
        Id of the process; ``None`` means the only one, else every one with a plain start.
    start
        Id of a start event, or ``"all"``; ``None`` means the first none start (core.md EXE-09).
    data
        Values of the process at its start.
    scenario
        ``"open"``, or a :class:`Scenario`: what users, workers and partners do.
    behaviors
        Element id or name -> function of a task that returns a dict of outputs or ``None``.
    durations
        Element id or name -> seconds, ISO 8601 duration, or function of (random stream, task).
    retries
        Element id or name -> most automatic retries, or pair with the delay in seconds (core.md INC-04).
    decisions
        ``"evaluate"`` conditions, or leave them ``"free"``: then the flow taken is a choice.
    time
        ``"instant"``, or ``"untimed"``: timers and ends of work may happen at any moment; ``"sampled"`` is instant
        with durations that
        are functions.
    epoch
        Start of the virtual calendar.
    granularity
        ``"task"``, or ``"phase"``: every task has a start and a completion.
    options
        See :class:`Options`.

    Returns
    -------
    Trace
        Outcome, tables, graphs and the schedule that repeats the run.

    Raises
    ------
    ModelError, UnsupportedError
        Before the first step, if the model cannot run as drawn.
    SimulationError
        If an option or input makes no sense.
    ScheduleDivergence
        If the schedule does not fit.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("order")
    >>> _ = b.start() >> b.task("pick") >> b.task("pack") >> b.end()
    >>> trace = bs.simulate(b.model(), seed=7)
    >>> trace.outcome, trace.steps
    ('completed', 4)
    >>> bs.simulate(b.model(), schedule=trace.schedule) == trace
    True

    Notes
    -----
    Design sections 4 and 7. What goes wrong inside a run never raises: it is an incident or an outcome.
    """
    require_step_limit(step_limit)
    driver = drive(checked(model, **run), seed, strategy, schedule, snapshots=False, allow_edited=allow_edited)
    if schedule is not None and allow_edited:
        return trace_of(driver, replayed=follow_edited(driver, step_limit))
    driver.advance(step_limit)
    if not driver.run.enabled_any():
        driver.require_all_used()
    return trace_of(driver)


def follow_edited(driver: Driver, step_limit: int) -> str:
    """Run a schedule on a model that may have changed and say in words what became of it.

    What was done by hand keeps its order; it comes at its step or as soon after it as it fits, and at the latest when
    nothing else can happen.
    """
    run, follower = driver.run, driver.follower
    total, acts = len(follower.deviations), len(driver.stimuli)
    waiting = deque(driver.take_stimuli())
    done = 0
    while run.state.step < step_limit:
        rests = not run.enabled_any()
        if waiting and (rests or waiting[0][0] <= run.state.step + 1):
            try:
                driver.stimulate(by_hand.read(waiting[0][1]), keep_future=True)
                done += 1
            except (BpmnSimError, ValueError, LookupError, TypeError):
                if not rests:
                    driver.advance(1)
                    continue
            waiting.popleft()
        elif not driver.advance(1 if waiting else step_limit - run.state.step):
            break
    dropped = total - follower.followed - follower.remapped
    told = f"replayed {follower.followed}/{total} choices, {follower.remapped} re-mapped, {dropped} dropped"
    return f"{told}; {done}/{acts} things done by hand" if acts else told
