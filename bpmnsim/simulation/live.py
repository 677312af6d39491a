"""A run in progress: step, go back, act from outside, explain, save and restore."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Unpack

from bpmnsim.choices.schedule import Schedule
from bpmnsim.engine.names import action_names
from bpmnsim.engine.own import private
from bpmnsim.errors import ModelError, SimulationError, StateError, did_you_mean
from bpmnsim.model.process import Model
from bpmnsim.plain import to_plain
from bpmnsim.simulation.checkpoints import restored, saved
from bpmnsim.simulation.driver import drive
from bpmnsim.simulation.explain import Why, explain
from bpmnsim.simulation.inputs import RunOptions, checked
from bpmnsim.simulation.outcomes import FactRow, outcome_of, rows_since
from bpmnsim.trace.trace import Trace


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
        self._driver = drive(checked(model, **run), seed, strategy, schedule, snapshots=True)
        self.model = model

    # What may happen, and letting it happen.

    @property
    def enabled(self) -> tuple[Action, ...]:
        """The actions that may happen next, in canonical order."""
        run = self._driver.run
        entries = run.enabled()
        names = action_names(run, entries)
        return tuple(
            Action(name, name.partition("(")[0], run.node_of(entry)) for name, entry in zip(names, entries, strict=True)
        )

    @property
    def time(self) -> float:
        """Virtual time in seconds."""
        return self._driver.run.state.now

    @property
    def steps(self) -> int:
        """Number of actions fired so far."""
        return self._driver.run.state.step

    @property
    def outcome(self) -> str | None:
        """How the run has ended, ``None`` while something can still happen."""
        run = self._driver.run
        return None if run.enabled() else outcome_of(run, at_limit=False)

    @property
    def schedule(self) -> Schedule:
        """The answers given so far."""
        return self._driver.schedule()

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
        driver = self._driver
        run = driver.run
        if not run.enabled_any() and run.state.step + 1 not in driver.stimuli:
            raise StateError(f"the run has ended: {self.outcome}", hint="go back with back() or goto()")
        if name is not None:
            names = action_names(run, run.enabled())
            if name not in names:
                hint = did_you_mean(name, names) or f"enabled are {', '.join(names)}"
                raise SimulationError(f"{name!r} is not enabled", hint=hint)
            driver.choose(name)
        before = len(run.facts)
        driver.advance(1)
        return rows_since(run, before)

    def run(
        self, until: str | float | Callable[[Simulation], bool] | None = None, step_limit: int = 1_000_000
    ) -> Trace:
        """Go on until the run ends, or until something is the case, and return the trace so far.

        Parameters
        ----------
        until
            An element id: stop before a token acts on it. A number: stop before time passes it. A function of the
            simulation: stop when it returns true.
        step_limit
            Most actions to fire.

        Raises
        ------
        ModelError
            If the run has no such element.
        """
        driver = self._driver
        if until is None:
            driver.advance(step_limit)
            return self.trace()
        if isinstance(until, str):
            until = self._id(until)
        for _ in range(step_limit):
            if self._reached(until) or not driver.advance(1):
                break
        return self.trace()

    def _reached(self, until: str | float | Callable[[Simulation], bool]) -> bool:
        run = self._driver.run
        if callable(until):
            return bool(until(self))
        if isinstance(until, str):
            place = run.program.index[until]
            return any(at[0] == place for at in run.state.tracks.values())
        return run.next_time() > until

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
        self._driver.goto(step)

    # What somebody outside does; each is a step of its own.

    def message(self, name: str, key: Any = None, payload: Mapping[str, Any] | None = None) -> None:
        """Let a message arrive; it is buffered where nobody waits for it (core.md MSG-02)."""
        self._stimulate("message", name, payload, key=key)

    def signal(self, name: str) -> None:
        """Broadcast a signal to those who wait for it now (core.md SIG-02)."""
        self._stimulate("signal", name)

    def complete(self, node: str, ordinal: int | None = None, outputs: Mapping[str, Any] | None = None) -> None:
        """Complete open work of *node*, of the inner instance *ordinal* where there are several.

        Raises
        ------
        NoSuchTask
            If no such work is open.
        """
        self._stimulate("complete", self._id(node), outputs, member=ordinal)

    def fail(self, node: str, error: str, ordinal: int | None = None) -> None:
        """Let open work of *node* fail with the business error *error*.

        Raises
        ------
        NoSuchTask
            If no such work is open.
        """
        self._stimulate("fail", self._id(node), member=ordinal, error=error)

    def set(self, name: str, value: Any, scope: str | None = None) -> None:
        """Change a value, in the scope with this path or else in the first process instance."""
        self._stimulate("set", name, {name: value}, scope=scope)

    def start(self, process: str, data: Mapping[str, Any] | None = None) -> None:
        """Start another process instance of a process of this run."""
        known = self._driver.startable
        if process not in known:
            hint = did_you_mean(process, known) or f"the processes of this run are {', '.join(known)}"
            raise ModelError("the run has no such process", element_id=process, hint=hint)
        self._stimulate("start", process, data)

    def retry(self, incident: int) -> None:
        """Run the visit that raised *incident* again (core.md INC-06)."""
        self._stimulate("retry", str(incident))

    def resolve(self, incident: int) -> None:
        """Go on behind the node that raised *incident* without running it again (core.md INC-06)."""
        self._stimulate("resolve", str(incident))

    def drop(self, incident: int) -> None:
        """Give up the token that raised *incident* (core.md INC-06)."""
        self._stimulate("drop", str(incident))

    def cancel(self) -> None:
        """Terminate every process instance; doing so twice changes nothing (core.md LIF-03)."""
        if any(phase == "Active" for _, _, phase in self._driver.run.state.instances.values()):
            self._stimulate("cancel", "")

    def _stimulate(self, kind: str, target: str, values: Mapping[str, Any] | None = None, **more: Any) -> None:
        cells = {"kind": kind, "target": target}
        cells |= {name: to_plain(_copied(value, name)) for name, value in more.items() if value is not None}
        if values:
            cells["values"] = to_plain({name: _copied(value, name) for name, value in values.items()})
        self._driver.stimulate(cells)

    def _id(self, node: str) -> str:
        program = self._driver.run.program
        if node in program.index:
            return node
        named = [element.id for element in program.places if element.name == node]
        if len(dict.fromkeys(named)) == 1:
            return named[0]
        hint = did_you_mean(node, [*program.index, *(element.name for element in program.places)])
        raise ModelError("the run has no such element", element_id=node, hint=hint)

    # What it looks like.

    def why(self, element: str) -> Why:
        """Say why an element waits: what its tokens wait for, and which tokens could still bring it.

        Parameters
        ----------
        element
            Id or name.

        Returns
        -------
        Why
            ``text`` in words, ``blockers`` as data.
        """
        return explain(self._driver.run, self._id(element))

    def trace(self) -> Trace:
        """Return the run so far as a trace."""
        return self._driver.trace()

    def checkpoint(self, *, facts: bool = True) -> dict[str, Any]:
        """Return the run as JSON-ready data, from which :meth:`restore` continues it.

        Parameters
        ----------
        facts
            Include the record so far, so that the tables of the restored run are complete.

        Raises
        ------
        StateError
            If a value in data cannot be written as JSON; the message names it.
        """
        return saved(self._driver, facts=facts)

    @classmethod
    def restore(cls, model: Model, saved: Mapping[str, Any], **run: Unpack[RunOptions]) -> Simulation:
        """Continue a run from a checkpoint.

        Parameters
        ----------
        model, **run
            As when the run began.
        saved
            What :meth:`checkpoint` returned.

        Raises
        ------
        StateError
            If it is no checkpoint, of another version, or of another model or other inputs; the message says which.
        """
        simulation = cls.__new__(cls)
        simulation._driver = restored(checked(model, **run), saved)
        simulation.model = model
        return simulation

    def __repr__(self) -> str:
        return f"Simulation({self.model.processes[0].id}, step {self.steps}, {len(self._driver.run.enabled())} enabled)"


def _copied(value: Any, name: str) -> Any:
    """Return a copy of a value that a schedule can keep.

    Raises
    ------
    StateError
        If it is no plain data; the message names it.
    """
    copy = private(value, name)
    try:
        to_plain(copy)
    except TypeError as error:
        hint = "hand in plain values: numbers, text, lists, dicts"
        raise StateError(f"the value of {name!r} cannot be recorded: {error}", hint=hint) from error
    return copy
