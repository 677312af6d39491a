"""What a caller says about single elements: behaviors, durations, retries, and what happens outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bpmnsim.choices.scenario import Scenario, Stimulus
from bpmnsim.engine.executor import Program
from bpmnsim.engine.own import private
from bpmnsim.errors import ModelError, SimulationError, shown
from bpmnsim.model.activities import ReceiveTask, Task
from bpmnsim.model.process import Model
from bpmnsim.simulation.behaviors import Task as TaskView
from bpmnsim.simulation.by_hand import recorded
from bpmnsim.simulation.finding import by_id

if TYPE_CHECKING:
    from bpmnsim.expr.durations import Duration

Behavior = Callable[[Any], Mapping[str, Any] | None]


@dataclass(frozen=True, slots=True)
class Sampled:
    """A duration that a function of the caller draws: it is handed a random stream of its own, and the task."""

    draw: Callable[..., Any]

    def __call__(self, task: TaskView) -> Any:
        """Return the seconds this visit takes."""
        return self.draw(task.stream("durations"), task)


@dataclass(frozen=True, slots=True)
class Calendar:
    """A duration in months, whose seconds depend on when it begins."""

    duration: Duration
    epoch: datetime

    def __call__(self, task: TaskView) -> float:
        """Return the seconds this visit takes."""
        return self.duration.seconds_from(task.time, self.epoch)


def behaviors_of(model: Model, given: Mapping[str, Behavior]) -> dict[str, Behavior]:
    """Return the behaviors by element id.

    Raises
    ------
    ModelError
        If a key names no task.
    SimulationError
        If one cannot be called.
    """
    found = _of_tasks(model, given, "behaviors")
    for element_id, behavior in found.items():
        if not callable(behavior):
            raise SimulationError(
                f"the behavior is no function: {shown(behavior)}",
                element_id=element_id,
                hint='hand in a function of the task, such as lambda task: {"score": 1}',
            )
    return found


def durations_of(model: Model, given: Mapping[str, Any], epoch: datetime) -> dict[str, Any]:
    """Return the durations by element id: seconds, or functions of the task.

    Raises
    ------
    ModelError
        If a key names no task.
    SimulationError
        If one is no duration.
    """
    found = _of_tasks(model, given, "durations")
    return {element_id: _duration(value, element_id, epoch) for element_id, value in found.items()}


def _duration(value: Any, element_id: str, epoch: datetime) -> Any:
    if callable(value):
        return Sampled(value)
    if isinstance(value, str):
        from bpmnsim.expr.durations import parse_duration

        try:
            duration = parse_duration(value)
        except ValueError as error:
            raise SimulationError(
                f"the duration {shown(value)} cannot be read: {error}", element_id=element_id, hint='write it as "PT5M"'
            ) from error
        return Calendar(duration, epoch) if duration.months else duration.seconds
    return _seconds(value, element_id, "the duration")


def _seconds(value: Any, element_id: str, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e300:
        raise SimulationError(
            f"{what} is {shown(value)}, not a number of seconds", element_id=element_id, hint="give 2.5"
        )
    return float(value)


def retries_of(model: Model, given: Mapping[str, Any]) -> dict[str, tuple[int, float]]:
    """Return by element id how often a visit that failed is retried, and after which delay.

    Raises
    ------
    ModelError
        If a key names no element.
    SimulationError
        If a value is neither a number nor a pair of number and seconds.
    """
    found = {}
    for element_id, value in by_id(model, given, "retries").items():
        most, delay = value if isinstance(value, tuple | list) and len(value) == 2 else (value, 0.0)
        if isinstance(most, bool) or not isinstance(most, int) or most < 0:
            hint = "give 3, or (3, 60.0) for three retries a minute apart"
            raise SimulationError(f"retries are {shown(value)}, not a number", element_id=element_id, hint=hint)
        found[element_id] = (most, _seconds(delay, element_id, "the delay of retries"))
    return found


def scenario_of(model: Model, program: Program, scenario: Scenario | str) -> Scenario:
    """Return a scenario with ids for names and with values of its own; ``"open"`` stands for the open one.

    Raises
    ------
    ModelError
        If it names an element that does not run here.
    SimulationError
        If it is none.
    """
    if isinstance(scenario, str) and scenario == "open":
        return Scenario.open()
    if not isinstance(scenario, Scenario):
        raise SimulationError(f"scenario={shown(scenario)} is no scenario", hint='use "open" or bs.Scenario()')
    return Scenario(scenario.is_open, tuple(_resolved(model, program, each) for each in scenario.stimuli))


def _resolved(model: Model, program: Program, stimulus: Stimulus) -> Stimulus:
    target, after = stimulus.target, stimulus.after
    if stimulus.kind in ("complete", "fail"):
        (target,) = _of_tasks(model, {target: None}, "scenario")
    if after is not None:
        (after,) = by_id(model, {after: None}, "scenario")
    for element_id in (target if stimulus.kind in ("complete", "fail") else None, after):
        if element_id is not None and element_id not in program.index:
            raise ModelError("the scenario names an element that does not run here", element_id=element_id)
    values = tuple((name, private(value, name)) for name, value in stimulus.values)
    key, member = recorded(stimulus.key, "key"), recorded(stimulus.member, "ordinal")
    return replace(stimulus, target=target, after=after, values=values, key=key, member=member)


def _of_tasks(model: Model, given: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return *given* by ids of tasks; what nobody would ever use is refused."""
    resolved = by_id(model, given, what)
    for element_id in resolved:
        element = model.elements[element_id]
        if not isinstance(element, Task) or isinstance(element, ReceiveTask):
            raise ModelError(
                f"{what}: a {type(element).__name__} does no work of its own",
                element_id=element_id,
                hint="name a task; what arrives from outside belongs in the scenario",
            )
    return resolved
