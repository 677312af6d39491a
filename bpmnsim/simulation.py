"""Running a model: ``simulate`` in one call, ``Simulation`` step by step; the place where everything is wired."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, Unpack

from bpmnsim.behaviors import viewer
from bpmnsim.choices.points import kind_of
from bpmnsim.choices.replay import Replay, answers, parts_of
from bpmnsim.choices.scenario import Stimulus
from bpmnsim.choices.schedule import Schedule
from bpmnsim.engine import incidents
from bpmnsim.engine.loop import Engine
from bpmnsim.engine.names import action_names
from bpmnsim.engine.outside import Outside
from bpmnsim.engine.plain import from_plain, private, to_plain
from bpmnsim.engine.state import State
from bpmnsim.errors import ModelError, ScheduleDivergence, SimulationError, StateError, did_you_mean
from bpmnsim.inputs import Inputs, RunOptions, checked
from bpmnsim.model.process import Model
from bpmnsim.outcomes import FactRow, outcome_of, record_of, rows_since, stuck_tokens
from bpmnsim.trace.trace import ChoiceRow, Trace

_EVERY = 64
"""Steps between two snapshots of an interactive run."""


class Action(NamedTuple):
    """Something that may happen next.

    Attributes
    ----------
    name
        ``verb(path)``, as :meth:`Simulation.step` takes it.
    kind
        run, drain, complete, deliver, timer or take.
    node
        Id of the element concerned.

    Examples
    --------
    >>> Action("run(p/A)", "run", "A").node
    'A'
    """

    name: str
    kind: str
    node: str


class _Snapshot(NamedTuple):
    state: State
    strategy: Any
    facts: int
    incidents: int


class Simulation:
    """A run in progress: every step can be chosen, undone and explained.

    Parameters
    ----------
    model
        What runs.
    seed, strategy, schedule
        Who picks when :meth:`step` is given no name, as in :func:`simulate`.
    **run
        As in :func:`simulate`.

    Attributes
    ----------
    enabled
        The actions that may happen next, in canonical order.
    time, outcome
        Virtual time in seconds; ``None`` while something can still happen.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> [b.task("A"), b.task("B")]
    >>> sim = bs.Simulation(b.model())
    >>> [action.name for action in sim.enabled]
    ['run(p/start)']
    >>> _ = sim.step()
    >>> [action.name for action in sim.enabled]
    ['run(p/A)', 'run(p/B)']
    >>> _ = sim.step("run(p/B)")
    >>> sim.run().outcome
    'completed'
    >>> str(sim.trace().schedule).split(";")[-1].split("~")[0]
    'd=0:run(p/B)'

    Notes
    -----
    Design section 7; ``scheduling.md`` 1.1 and 1.6.
    """

    def __init__(
        self,
        model: Model,
        *,
        seed: int | None = None,
        strategy: str | None = None,
        schedule: Schedule | str | None = None,
        **run: Unpack[RunOptions],
    ) -> None:
        self._begin(checked(model, **run), seed, strategy, schedule, snapshots=True)

    def _begin(
        self,
        inputs: Inputs,
        seed: int | None,
        strategy: str | None,
        schedule: Schedule | str | None,
        *,
        snapshots: bool,
    ) -> None:
        self._inputs = inputs
        self.model = inputs.model
        given = answers(schedule, seed, strategy, _bound(inputs))
        self._base, self._seed = given.base, parts_of(given.base)[1]
        self._deviations = dict(given.deviations)
        self._stimuli: dict[int, str] = dict(given.stimuli)
        self._snapshots: dict[int, _Snapshot] | None = {} if snapshots else None
        self._fresh()

    def _fresh(self) -> None:
        inputs = self._inputs
        base = parts_of(self._base)[0]
        simple = not self._deviations and self._snapshots is None
        self._engine = run = Engine(
            inputs.program,
            base if simple else Replay(base, self._deviations, action_names),
            Outside(inputs.scenario, inputs.program),
            view=viewer(self._seed or 0),
            untimed=inputs.time == "untimed",
        )
        run.outside.begin()
        for place, seeds in inputs.starts:
            run.begin(place, seeds, {name: private(value, name) for name, value in inputs.data.items()})
        self._keep()

    # What may happen, and letting it happen.

    @property
    def enabled(self) -> tuple[Action, ...]:
        """The actions that may happen next, in canonical order."""
        run = self._engine
        entries = run.enabled()
        names = action_names(run, entries)
        return tuple(
            Action(name, name.partition("(")[0], run.node_of(entry)) for name, entry in zip(names, entries, strict=True)
        )

    @property
    def time(self) -> float:
        """Virtual time in seconds."""
        return self._engine.state.now

    @property
    def steps(self) -> int:
        """Number of actions fired so far."""
        return self._engine.state.step

    @property
    def outcome(self) -> str | None:
        """How the run has ended, ``None`` while something can still happen."""
        return None if self._engine.enabled() else outcome_of(self._engine, at_limit=False)

    def step(self, name: str | None = None) -> list[FactRow]:
        """Fire one action and return the facts it left.

        Parameters
        ----------
        name
            Name of an enabled action; ``None`` lets the strategy pick.

        Raises
        ------
        SimulationError
            If the action is not enabled; the hint names the nearest one.
        StateError
            If nothing is enabled.
        """
        run = self._engine
        entries = run.enabled()
        if not entries and run.state.step + 1 not in self._stimuli:
            raise StateError(f"the run has ended: {self.outcome}", hint="go back with back() or goto()")
        if name is not None:
            names = action_names(run, entries)
            if name not in names:
                hint = did_you_mean(name, names) or f"enabled are {', '.join(names)}"
                raise SimulationError(f"{name!r} is not enabled", hint=hint)
            self._forget_future()
            if len(entries) > 1:
                self._deviations[run.state.marks] = name
        before = len(run.facts)
        self._advance(1)
        return rows_since(run, before)

    def run(
        self, until: str | float | Callable[[Simulation], bool] | None = None, step_limit: int = 1_000_000
    ) -> Trace:
        """Go on until the run ends, or until something is the case, and return the trace so far.

        Parameters
        ----------
        until
            An element id: stop before a token acts on it. A number: stop before time passes it. A function of the
            simulation:
            stop when it returns true.
        step_limit
            Most actions to fire.
        """
        if until is None:
            self._advance(step_limit)
            return self.trace()
        if isinstance(until, str) and until not in self._inputs.program.index:
            known = self._inputs.program.index
            raise ModelError("the run has no such element", element_id=until, hint=did_you_mean(until, known))
        for _ in range(step_limit):
            if not self._engine.enabled() or self._reached(until):
                break
            self._advance(1)
        return self.trace()

    def _reached(self, until: str | float | Callable[[Simulation], bool]) -> bool:
        run = self._engine
        if callable(until):
            return bool(until(self))
        if isinstance(until, str):
            place = run.program.index[until]
            return any(at[0] == place for at in run.state.tracks.values())
        return run.next_time() > until

    def _advance(self, steps: int) -> int:
        """Fire up to *steps* actions, applying recorded stimuli at their steps; return how many were fired."""
        run, done = self._engine, 0
        while done < steps:
            state = run.state
            due = self._stimuli.get(state.step + 1)
            if due is not None:
                self._apply(json.loads(due))
                done += 1
            else:
                following = min((step for step in self._stimuli if step > state.step), default=None)
                chunk = steps - done if following is None else min(steps - done, following - 1 - state.step)
                if self._snapshots is not None:
                    chunk = min(chunk, _EVERY - state.step % _EVERY)
                fired = run.advance(chunk)
                done += fired
                if fired < chunk:
                    self._keep()
                    break
            self._keep()
        return done

    # Going back.

    def back(self, steps: int = 1) -> None:
        """Undo the last actions; what was picked before stays as it was."""
        self.goto(self.steps - steps)

    def goto(self, step: int) -> None:
        """Go to the state after *step* actions, backwards or forwards.

        Raises
        ------
        SimulationError
            If there is no such step.
        """
        if step < 0:
            raise SimulationError(f"there is no step {step}", hint="steps are counted from 0")
        run = self._engine
        if step < run.state.step:
            assert self._snapshots is not None, "an interactive run keeps snapshots"
            at = max(kept for kept in self._snapshots if kept <= step)
            self._restore(self._snapshots[at])
        self._advance(step - run.state.step)
        if run.state.step != step:
            raise SimulationError(f"there is no step {step}: the run ends at {run.state.step}")

    def _keep(self) -> None:
        run = self._engine
        if self._snapshots is not None and run.state.step % _EVERY == 0:
            snapshot = _Snapshot(run.state.copy(), run.strategy.save(), len(run.facts), len(run.tracebacks))
            self._snapshots[run.state.step] = snapshot

    def _restore(self, snapshot: _Snapshot) -> None:
        run = self._engine
        run.attach(snapshot.state.copy())
        run.strategy.load(snapshot.strategy)
        del run.facts[snapshot.facts :]

    def _forget_future(self) -> None:
        """Drop everything that was recorded for later: a new pick replaces it."""
        state = self._engine.state
        for number in [number for number in self._deviations if number >= state.marks]:
            del self._deviations[number]
        for step in [step for step in self._stimuli if step > state.step]:
            del self._stimuli[step]
        if self._snapshots is not None:
            for step in [step for step in self._snapshots if step > state.step]:
                del self._snapshots[step]

    # What somebody outside does.

    def message(self, name: str, key: Any = None, payload: Mapping[str, Any] | None = None) -> None:
        """Let a message arrive; it is buffered where nobody waits for it (core.md MSG-02)."""
        self._stimulate("message", name, payload, key=key)

    def signal(self, name: str) -> None:
        """Broadcast a signal to those who wait for it now (core.md SIG-02)."""
        self._stimulate("signal", name, None)

    def complete(self, node: str, ordinal: int | None = None, outputs: Mapping[str, Any] | None = None) -> None:
        """Complete open work of *node*, of the inner instance *ordinal* where there are several.

        Raises
        ------
        NoSuchTask
            If no such work is open.
        """
        self._stimulate("complete", self._id(node), outputs, member=ordinal)

    def fail(self, node: str, error: str, ordinal: int | None = None) -> None:
        """Let open work of *node* fail with the business error *error*."""
        self._stimulate("fail", self._id(node), None, member=ordinal, error=error)

    def set(self, name: str, value: Any, scope: str | None = None) -> None:
        """Change a value, in the scope with this path or else in the first process instance."""
        self._stimulate("set", name, {name: value}, scope=scope)

    def retry(self, incident: int) -> None:
        """Run the visit that raised *incident* again (core.md INC-06)."""
        self._stimulate("retry", str(incident), None)

    def resolve(self, incident: int) -> None:
        """Go on behind the node that raised *incident* without running it again (core.md INC-06)."""
        self._stimulate("resolve", str(incident), None)

    def drop(self, incident: int) -> None:
        """Give up the token that raised *incident* (core.md INC-06)."""
        self._stimulate("drop", str(incident), None)

    def cancel(self) -> None:
        """Terminate every process instance; doing so twice changes nothing (core.md LIF-03)."""
        if any(phase == "Active" for _, _, phase in self._engine.state.instances.values()):
            self._stimulate("cancel", "", None)

    def _id(self, node: str) -> str:
        program = self._inputs.program
        if node in program.index:
            return node
        named = [element.id for element in program.places if element.name == node]
        if len(named) == 1:
            return named[0]
        hint = did_you_mean(node, [*program.index, *(element.name for element in program.places)])
        raise ModelError("the run has no such element", element_id=node, hint=hint)

    def _stimulate(self, kind: str, target: str, values: Mapping[str, Any] | None, **more: Any) -> None:
        cells = {"kind": kind, "target": target, **{key: value for key, value in more.items() if value is not None}}
        if values:
            cells["values"] = to_plain({name: private(value, name) for name, value in values.items()})
        before = self._engine.state.copy(), self._engine.strategy.save(), len(self._engine.facts)
        self._forget_future()
        try:
            self._apply(cells)
        except Exception:
            self._restore(_Snapshot(*before, 0))
            raise
        self._stimuli[self._engine.state.step] = json.dumps(cells, sort_keys=True, ensure_ascii=False)
        self._keep()

    def _apply(self, cells: dict[str, Any]) -> None:
        run = self._engine
        run.state.step += 1
        kind, target = cells["kind"], cells["target"]
        if kind in ("retry", "resolve", "drop"):
            {"retry": incidents.retry, "resolve": incidents.resolve, "drop": incidents.drop}[kind](run, int(target))
        elif kind == "cancel":
            run.cancel()
        elif kind == "set":
            values = from_plain(cells["values"])
            run.outside.set(target, values[target], run.scope_at(cells["scope"]) if "scope" in cells else None)
        else:
            values = tuple(from_plain(cells["values"]).items()) if "values" in cells else ()
            extra = {name: cells[name] for name in ("member", "key", "error") if name in cells}
            stimulus = Stimulus(kind, target, values, **extra)
            run.outside.apply(stimulus, run.program.index[target] if kind in ("complete", "fail") else target)

    # What it looks like.

    def trace(self) -> Trace:
        """Return the run so far as a trace."""
        run = self._engine
        ended = outcome_of(run, at_limit=bool(run.enabled()))
        return Trace(
            self.model,
            record_of(run),
            outcome=ended,
            stuck=() if ended in ("completed", "terminated") else stuck_tokens(run, ended),
            schedule=self.schedule,
            seed=self._seed,
            steps=run.state.step,
            time=run.state.now,
            values=run.final_values(),
            replay=self._choices,
        )

    @property
    def schedule(self) -> Schedule:
        """The answers given so far."""
        state = self._engine.state
        return replace(
            _bound(self._inputs),
            base=self._base,
            deviations=tuple(sorted(item for item in self._deviations.items() if item[0] < state.marks)),
            stimuli=tuple(sorted(item for item in self._stimuli.items() if item[0] <= state.step)),
        )

    def _require_all_used(self) -> None:
        """Refuse a schedule that has answers left when the run has ended (scheduling.md 1.6)."""
        state = self._engine.state
        left = [f"{number}:{name}" for number, name in self._deviations.items() if number >= state.marks]
        left += [f"{step}:{text}" for step, text in self._stimuli.items() if step > state.step]
        if left:
            raise ScheduleDivergence(
                f"the run ended after {state.marks} choices, but the schedule goes on: {', '.join(left)}",
                choice=state.marks,
                expected=left[0],
            )

    def _choices(self) -> list[ChoiceRow]:
        """Run the schedule again and return what was open at every choice."""
        again = Simulation.__new__(Simulation)
        again._begin(self._inputs, None, None, self.schedule, snapshots=True)
        rows: list[ChoiceRow] = []
        for _ in range(self.steps):
            run = again._engine
            entries = run.enabled()
            names = action_names(run, entries) if len(entries) > 1 else []
            kinds = [run.kind_of(entry) for entry in entries]
            step, number, time = run.state.step + 1, run.state.marks, run.state.now
            by_hand = step in again._stimuli
            left = dict(zip(entries, names, strict=False))
            again._advance(1)
            if names and not by_hand:
                gone = next(e for e in left if e not in run.state.ready and e not in run.state.offers)
                rows.append(ChoiceRow(number, step, time, str(kind_of(kinds)), tuple(names), left[gone], self._base))
        return rows

    def __repr__(self) -> str:
        return f"Simulation({self.model.processes[0].id}, step {self.steps}, {len(self._engine.enabled())} enabled)"


def _bound(inputs: Inputs) -> Schedule:
    """Return an empty schedule tied to what *inputs* are."""
    model, options, given = inputs.digests
    return Schedule(model=model, options=options, inputs=given, time=inputs.time, granularity=inputs.granularity)


def simulate(
    model: Model,
    *,
    seed: int | None = None,
    strategy: str | None = None,
    schedule: Schedule | str | None = None,
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
    simulation = Simulation.__new__(Simulation)
    simulation._begin(checked(model, **run), seed, strategy, schedule, snapshots=False)
    simulation._advance(step_limit)
    if schedule is not None:
        simulation._require_all_used()
    return simulation.trace()
