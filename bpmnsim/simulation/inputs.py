"""Everything a run is given besides who picks: checked once, compiled once, shared by every run of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, TypedDict, Unpack

from bpmnsim.choices.scenario import Scenario
from bpmnsim.engine.executor import Options, Program, Setup
from bpmnsim.engine.own import private
from bpmnsim.errors import ModelError, SimulationError, did_you_mean
from bpmnsim.model.activities import ReceiveTask, Task
from bpmnsim.model.base import FlowNode
from bpmnsim.model.events import StartEvent
from bpmnsim.model.process import Model
from bpmnsim.model.rules import check_model
from bpmnsim.plain import to_plain
from bpmnsim.semantics.registry import compile_program, entries

Behavior = Callable[[Any], Mapping[str, Any] | None]
TIMES = ("instant", "untimed", "sampled")
DECISIONS = ("evaluate", "free")
GRANULARITIES = ("task", "phase")


class RunOptions(TypedDict, total=False):
    """The keywords that every call which runs a model takes; ``simulate`` says what each means."""

    process: str | None
    start: str | None
    data: Mapping[str, Any] | None
    scenario: Scenario | str
    behaviors: Mapping[str, Behavior] | None
    durations: Mapping[str, Any] | None
    retries: Mapping[str, int | tuple[int, float]] | None
    decisions: str
    time: str
    epoch: str
    granularity: str
    options: Options | None


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a run is given, resolved.

    Attributes
    ----------
    program
        The compiled processes.
    starts
        Pairs of process place and the places at which a track starts.
    data
        Values of the process scope at the start.
    scenario
        What happens outside.
    time, granularity
        Modes of the run.
    epoch
        Start of the virtual calendar.
    digests
        Model, options and inputs as short hashes that tie a schedule to them.
    """

    model: Model
    program: Program
    starts: tuple[tuple[int, tuple[int, ...]], ...]
    data: dict[str, Any]
    scenario: Scenario
    time: str
    granularity: str
    epoch: datetime
    digests: tuple[str, str, str]


def checked(model: Model, **run: Unpack[RunOptions]) -> Inputs:
    """Prepare a run from keywords, refusing unknown ones with the nearest spelling."""
    for name in run:
        if name not in RunOptions.__annotations__:
            raise SimulationError(
                f"there is no option {name!r}",
                hint=did_you_mean(name, [*RunOptions.__annotations__, "seed", "strategy", "schedule", "step_limit"]),
            )
    if not isinstance(model, Model):
        raise SimulationError(
            f"a model is needed, not {type(model).__name__}", hint="open the file first: bs.read_bpmn(path)"
        )
    return prepare(model, **run)


def require_step_limit(step_limit: int) -> None:
    """Refuse a step limit that is none."""
    if isinstance(step_limit, bool) or not isinstance(step_limit, int) or step_limit < 0:
        raise SimulationError(f"step_limit={step_limit!r} is no number of steps", hint="give a whole number >= 0")


def prepare(
    model: Model,
    *,
    process: str | None = None,
    start: str | None = None,
    data: Mapping[str, Any] | None = None,
    scenario: Scenario | str = "open",
    behaviors: Mapping[str, Behavior] | None = None,
    durations: Mapping[str, Any] | None = None,
    retries: Mapping[str, int | tuple[int, float]] | None = None,
    decisions: str = "evaluate",
    time: str = "instant",
    epoch: str = "2000-01-01T00:00Z",
    granularity: str = "task",
    options: Options | None = None,
) -> Inputs:
    """Check the inputs of a run and compile its processes; ``simulate`` says what each means.

    Raises
    ------
    ModelError
        If the model cannot run as drawn, or an input names something it does not have.
    UnsupportedError
        If it holds a construct that cannot run.
    SimulationError
        If an option has no such value.
    """
    options = options or Options()
    for name, value, known in (
        ("time", time, TIMES),
        ("decisions", decisions, DECISIONS),
        ("granularity", granularity, GRANULARITIES),
        ("options.profile", options.profile, ("engine", "standard")),
        ("options.on_ambiguous_message", options.on_ambiguous_message, ("refuse", "ordinal")),
        ("options.missing_output", options.missing_output, ("fault", "none")),
    ):
        if value not in known:
            hint = did_you_mean(str(value), known) or f"use one of {', '.join(known)}"
            raise SimulationError(f"{name}={value!r} is not known", hint=hint)
    moment = _moment(epoch)
    setup = Setup(
        behaviors=_of_tasks(model, behaviors or {}, "behaviors"),
        durations={
            key: _seconds(value, key, moment) for key, value in _of_tasks(model, durations or {}, "durations").items()
        },
        decisions=decisions,
        granularity=granularity,
        retries={
            key: value if isinstance(value, tuple) else (value, 0.0)
            for key, value in _by_id(model, retries or {}, "retries").items()
        },
        options=options,
    )
    chosen = (model.process(process).id,) if process else _startable(model)
    _refuse(model, options, chosen)
    program = compile_program(model, setup, chosen)
    starts = tuple((program.index[each], _seeds(program, model, program.index[each], start)) for each in chosen)
    given = {name: private(value, name) for name, value in (data or {}).items()}
    world = _scenario(model, program, scenario)
    return Inputs(
        model,
        program,
        starts,
        given,
        world,
        time,
        granularity,
        moment,
        (
            model.digest[:6],
            _short([asdict(options), decisions, process, start, epoch, sorted(setup.retries.items())]),
            _short([_plain(given), _plain(asdict(world)), sorted(setup.behaviors), _plain_durations(setup.durations)]),
        ),
    )


def _refuse(model: Model, options: Options, processes: tuple[str, ...]) -> None:
    runs = {element for process in processes for element in _inside(model, process)}
    findings = check_model(model, profile=options.profile, on_ambiguous_message=options.on_ambiguous_message)
    found = [finding for finding in findings if finding.element_id in runs]
    if found:
        first = found[0]
        more = f" (and {len(found) - 1} more: see model.check())" if len(found) > 1 else ""
        raise ModelError(
            f"{first.problem} ({first.rule}){more}",
            element_id=first.element_id,
            line=first.line,
            hint=first.hint,
            problems=[f"{each.element_id}: {each.problem} ({each.rule})" for each in found],
        )


def _inside(model: Model, process: str) -> list[str]:
    """Return the ids of a process and of everything in it."""
    found = [process]
    for element_id in found:
        found.extend(child.id for child in model.children(element_id))
    return found


def _startable(model: Model) -> tuple[str, ...]:
    """Return the only process, else every one that can start by itself (design section 7)."""
    if not model.processes:
        raise ModelError("the model has no process to run")
    if len(model.processes) == 1:
        return (model.processes[0].id,)
    plain = tuple(process.id for process in model.processes if _starts_by_itself(model, process.id))
    if not plain:
        known = ", ".join(process.id for process in model.processes)
        hint = f"name one with process=: {known}"
        raise ModelError("no process has a plain start", element_id=model.processes[0].id, hint=hint)
    return plain


def _starts_by_itself(model: Model, process_id: str) -> bool:
    nodes = model.nodes(process_id)
    starts = [node for node in nodes if isinstance(node, StartEvent)]
    return any(not node.definitions for node in starts) if starts else bool(nodes)


def _seeds(program: Program, model: Model, place: int, start: str | None) -> tuple[int, ...]:
    """Return where tracks start: the named or first none start, and what no flow enters (core.md EXE-09)."""
    starts, others = entries(program, place, model)
    process = program.places[place]
    if start == "all":
        return tuple(sorted([*starts, *others]))
    if start is not None:
        named = [inner for inner in starts if program.places[inner].id == start]
        if not named:
            known = [program.places[inner].id for inner in starts]
            hint = did_you_mean(start, known) or f"its start events are {', '.join(known) or 'none'}"
            raise ModelError(f"process {process.id!r} has no start event {start!r}", element_id=start, hint=hint)
        starts = named
    plain = [inner for inner in starts if not _definitions(program, inner)]
    seeds = tuple(sorted([*(plain or starts)[:1], *others]))
    if not seeds and model.nodes(process.id):
        hint = "add a start event, or leave one activity without an incoming flow"
        raise ModelError("nothing starts it: a flow enters every node", element_id=process.id, hint=hint)
    return seeds


def _definitions(program: Program, place: int) -> bool:
    node = program.places[place]
    return isinstance(node, StartEvent) and bool(node.definitions)


def _by_id(model: Model, given: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Resolve keys that are element ids or names; an unknown one is an error with the nearest spelling."""
    names: dict[str, list[str]] = {}
    for element in model.elements.values():
        if isinstance(element, FlowNode) and element.name:
            names.setdefault(element.name, []).append(element.id)
    resolved: dict[str, Any] = {}
    for key, value in given.items():
        if key in model.elements:
            resolved[key] = value
        elif len(names.get(key, ())) == 1:
            resolved[names[key][0]] = value
        elif key in names:
            raise ModelError(f"{what}: {key!r} names several elements", hint=f"use an id: {', '.join(names[key])}")
        else:
            hint = did_you_mean(key, [*model.elements, *names])
            raise ModelError(f"{what}: the model has no element {key!r}", element_id=key, hint=hint)
    return resolved


def _of_tasks(model: Model, given: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Resolve keys that must name work; what nobody would ever use is refused."""
    resolved = _by_id(model, given, what)
    for element_id in resolved:
        element = model.elements[element_id]
        if not isinstance(element, Task) or isinstance(element, ReceiveTask):
            raise ModelError(
                f"{what}: a {type(element).__name__} does no work of its own",
                element_id=element_id,
                hint="name a task; what arrives from outside belongs in the scenario",
            )
    return resolved


def _seconds(value: Any, element_id: str, epoch: datetime) -> Any:
    if not isinstance(value, str):
        return value
    from bpmnsim.expr.durations import parse_duration

    try:
        duration = parse_duration(value)
    except ValueError as error:
        raise SimulationError(
            f"the duration {value!r} cannot be read: {error}", element_id=element_id, hint='write it as "PT5M"'
        ) from error
    if not duration.months:
        return duration.seconds
    return lambda _rng, task: duration.seconds_from(task.time, epoch)


def _moment(epoch: str) -> datetime:
    try:
        moment = datetime.fromisoformat(epoch)
    except (ValueError, TypeError) as error:
        raise SimulationError(f"epoch={epoch!r} is no date", hint='write it as "2000-01-01T00:00Z"') from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _scenario(model: Model, program: Program, scenario: Scenario | str) -> Scenario:
    """Resolve the elements a scenario names; the word ``"open"`` stands for the open scenario."""
    if scenario == "open":
        return Scenario.open()
    if not isinstance(scenario, Scenario):
        raise SimulationError(f"scenario={scenario!r} is no scenario", hint='use "open" or bs.Scenario()')
    stimuli = []
    for stimulus in scenario.stimuli:
        changes: dict[str, str] = {}
        if stimulus.kind in ("complete", "fail"):
            changes["target"] = next(iter(_by_id(model, {stimulus.target: 0}, "scenario")))
        if stimulus.after is not None:
            changes["after"] = next(iter(_by_id(model, {stimulus.after: 0}, "scenario")))
        for element_id in changes.values():
            if element_id not in program.index:
                raise ModelError("the scenario names an element that does not run here", element_id=element_id)
        stimuli.append(stimulus.resolved(**changes))
    return Scenario(scenario.is_open, tuple(stimuli))


def _plain(value: Any) -> Any:
    try:
        return to_plain(value)
    except TypeError:
        return repr(type(value).__name__)


def _plain_durations(durations: Mapping[str, Any]) -> list[Any]:
    return sorted((key, value if isinstance(value, int | float) else "function") for key, value in durations.items())


def _short(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return blake2b(text.encode(), digest_size=2).hexdigest()
