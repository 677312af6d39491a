"""A run in progress: step, go back, act from outside, explain, save and restore."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Unpack

from bpmnsim.choices.schedule import Schedule
from bpmnsim.engine.names import action_names
from bpmnsim.errors import ModelError, SimulationError, StateError, did_you_mean
from bpmnsim.model.process import Model
from bpmnsim.simulation import by_hand
from bpmnsim.simulation.checkpoints import restored, saved
from bpmnsim.simulation.driver import drive
from bpmnsim.simulation.explain import Why, explain
from bpmnsim.simulation.finding import find
from bpmnsim.simulation.inputs import RunOptions, checked, require_step_limit
from bpmnsim.simulation.outcomes import FactRow, outcome_of, rows_since
from bpmnsim.simulation.traces import trace_of
from bpmnsim.simulation.until import reached
from bpmnsim.trace.trace import Trace


class Action(NamedTuple):
    """Something that may happen next.

    Attributes
    ----------
    name
        ``verb(path)``, as :meth:`Simulation.step` takes it.
    kind
        The verb: run, drain, complete, deliver, timer, take; or what a scenario does: fail, message, signal, set.
    node
        Id of the element concerned; of what a scenario does, its target.

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
    Design section 7; ``scheduling.md`` 1.1 and 1.6. Going back runs a few steps again from a state kept before, so
    behaviors may be called again: let them return the same for the same task.
    """

    def __init__(
        self,
        model: Model,
        *,
        seed: int | None = None,
        strategy: str | None = None,
        schedule: Schedule | Mapping[str, Any] | str | None = None,
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
        return None if run.enabled_any() else outcome_of(run, at_limit=False)

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
                hint = did_you_mean(str(name), names) or f"enabled are {', '.join(names)}"
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
            An element id or name: stop when a token has arrived there and not acted yet. A number: stop before time
            passes it. A function of the simulation: stop when it returns true.
        step_limit
            Most actions to fire.

        Returns
        -------
        Trace
            Its outcome is ``truncated`` where the run can still go on.

        Raises
        ------
        ModelError
            If the run has no such element.
        ScheduleDivergence
            If the run ends before all answers of its schedule are used.
        """
        require_step_limit(step_limit)
        driver = self._driver
        if until is None:
            driver.advance(step_limit)
            if not driver.run.enabled_any():
                driver.require_all_used()
            return self.trace()
        is_reached = reached(self, driver.run, self._id(until) if isinstance(until, str) else until)
        for _ in range(step_limit):
            if is_reached() or not driver.advance(1):
                break
        return self.trace()

    def back(self, steps: int = 1) -> None:
        """Undo the last actions; what was picked before stays as it was.

        Raises
        ------
        SimulationError
            If there are not that many.
        """
        if isinstance(steps, bool) or not isinstance(steps, int) or not 0 <= steps <= self.steps:
            raise SimulationError(f"cannot go back by {steps!r}", hint=f"by 0 to {self.steps} steps")
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
        self._act("message", name, payload, key=key)

    def signal(self, name: str) -> None:
        """Broadcast a signal to those who wait for it now (core.md SIG-02)."""
        self._act("signal", name)

    def complete(self, node: str, ordinal: int | None = None, outputs: Mapping[str, Any] | None = None) -> None:
        """Complete open work of *node*, of the inner instance *ordinal* where there are several.

        Raises
        ------
        NoSuchTask
            If no such work is open.
        """
        self._act("complete", self._id(node), outputs, member=ordinal)

    def fail(self, node: str, error: str, ordinal: int | None = None) -> None:
        """Let open work of *node* fail with the business error *error*.

        Raises
        ------
        NoSuchTask
            If no such work is open.
        """
        self._act("fail", self._id(node), member=ordinal, error=error)

    def set(self, name: str, value: Any, scope: str | None = None) -> None:
        """Change a value, in the scope with this path or else in the first process instance.

        Raises
        ------
        NoSuchTask
            If no such scope is open.
        StateError
            If no process instance is running, or the value is no plain data.
        """
        self._act("set", name, {name: value}, scope=scope)

    def start(self, process: str, data: Mapping[str, Any] | None = None) -> None:
        """Start another process instance of a process of this run.

        Raises
        ------
        ModelError
            If the run has no such process.
        """
        known = self._driver.starts
        if process not in known:
            hint = did_you_mean(str(process), known) or f"the processes of this run are {', '.join(known)}"
            raise ModelError("the run has no such process", element_id=str(process), hint=hint)
        self._act("start", process, data)

    def retry(self, incident: int) -> None:
        """Run the visit that raised *incident* again (core.md INC-06)."""
        self._act("retry", str(incident))

    def resolve(self, incident: int) -> None:
        """Go on behind the node that raised *incident* without running it again (core.md INC-06)."""
        self._act("resolve", str(incident))

    def drop(self, incident: int) -> None:
        """Give up the token that raised *incident* (core.md INC-06)."""
        self._act("drop", str(incident))

    def cancel(self) -> None:
        """Terminate every process instance; doing so twice changes nothing (core.md LIF-03)."""
        if any(phase == "Active" for _, _, phase in self._driver.run.state.instances.values()):
            self._act("cancel")

    def _act(self, kind: str, target: str = "", values: Mapping[str, Any] | None = None, **more: Any) -> None:
        self._driver.stimulate(by_hand.act(kind, target, values, **more))

    def _id(self, node: str) -> str:
        return find(node, self._driver.inputs.program.places, "the run")

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

        Raises
        ------
        ModelError
            If the run has no such element.
        """
        return explain(self._driver.run, self._id(element))

    def trace(self) -> Trace:
        """Return the run so far as a trace; its outcome is ``truncated`` where the run can still go on."""
        return trace_of(self._driver)

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
    def restore(cls, model: Model, saved: Mapping[str, Any] | str, **run: Unpack[RunOptions]) -> Simulation:
        """Continue a run from a checkpoint.

        Parameters
        ----------
        model, **run
            As when the run began.
        saved
            What :meth:`checkpoint` returned, or its JSON text.

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
        return f"Simulation({self.model.processes[0].id}, step {self.steps}, {self._driver.run.options()} enabled)"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        bundle = self.trace()._repr_mimebundle_(include, exclude)
        return {**bundle, "text/plain": repr(self)}
