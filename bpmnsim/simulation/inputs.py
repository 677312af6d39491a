"""Everything a run is given besides who picks: checked once, compiled once, shared by every run of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, Final, TypedDict, Unpack

from bpmnsim.choices.scenario import Scenario
from bpmnsim.choices.schedule import Schedule
from bpmnsim.engine.executor import Options, Program, Setup
from bpmnsim.engine.own import private
from bpmnsim.errors import ModelError, SimulationError, did_you_mean, shown
from bpmnsim.model.process import Model
from bpmnsim.model.rules import check_model
from bpmnsim.plain import to_plain
from bpmnsim.semantics.registry import compile_program
from bpmnsim.simulation.finding import require_mapping
from bpmnsim.simulation.settings import Behavior, Calendar, behaviors_of, durations_of, retries_of, scenario_of
from bpmnsim.simulation.starting import processes_of, starts_of

_KNOWN: Final = {
    "time": ("instant", "untimed", "sampled"),
    "decisions": ("evaluate", "free"),
    "granularity": ("task", "phase"),
    "options.profile": ("engine", "standard"),
    "options.on_ambiguous_message": ("refuse", "ordinal"),
    "options.missing_output": ("fault", "none"),
    "options.network": ("bag",),
    "options.record": ("all",),
}
"""Option -> its values."""

_WHO_PICKS: Final = ("seed", "strategy", "schedule")
_ELSEWHERE: Final = {
    "step_limit": "a simulation takes it as run(step_limit=…)",
    "allow_edited": "only simulate() replays schedules of edited models",
}


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
    bound
        An empty schedule, tied to what these are: the short hashes of model, options and inputs.
    """

    model: Model
    program: Program
    starts: tuple[tuple[int, tuple[int, ...]], ...]
    data: dict[str, Any]
    scenario: Scenario
    time: str
    granularity: str
    epoch: datetime
    bound: Schedule


def checked(model: Model, **run: Unpack[RunOptions]) -> Inputs:
    """Prepare a run from keywords, refusing unknown ones with the nearest spelling."""
    if not isinstance(model, Model):
        raise SimulationError(
            f"a model is needed, not {type(model).__name__}", hint="open the file first: bs.read_bpmn(path)"
        )
    known = RunOptions.__annotations__
    for name in run:
        if name not in known:
            hint = _ELSEWHERE.get(name) or did_you_mean(name, [*known, *_WHO_PICKS, *_ELSEWHERE])
            raise SimulationError(f"there is no option {name!r}", hint=hint or f"the options are {', '.join(known)}")
    return prepare(model, **run)


def require_step_limit(step_limit: int) -> None:
    """Refuse a step limit that is none."""
    if isinstance(step_limit, bool) or not isinstance(step_limit, int) or step_limit < 0:
        raise SimulationError(f"step_limit={shown(step_limit)} is no number of steps", hint="give a whole number >= 0")


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
    options = Options() if options is None else options
    _require_known(options, time=time, decisions=decisions, granularity=granularity)
    moment = _moment(epoch)
    setup = Setup(
        behaviors=behaviors_of(model, {} if behaviors is None else behaviors),
        durations=durations_of(model, {} if durations is None else durations, moment),
        decisions=decisions,
        granularity=granularity,
        retries=retries_of(model, {} if retries is None else retries),
        options=options,
    )
    chosen = processes_of(model, process)
    _refuse(model, options, chosen)
    program = compile_program(model, setup, chosen)
    starts = starts_of(program, model, chosen, start)
    require_mapping({} if data is None else data, "data")
    given = {name: private(value, name) for name, value in (data or {}).items()}
    world = scenario_of(model, program, scenario)
    where = [[program.places[place].id for place in (of, *seeds)] for of, seeds in starts]
    how = [asdict(options), decisions, where, moment.isoformat(), sorted(setup.retries.items())]
    what = [_plain(given), _plain_scenario(world), sorted(setup.behaviors), _plain_durations(setup.durations)]
    bound = Schedule(
        model=model.digest[:6], options=_short(how), inputs=_short(what), time=time, granularity=granularity
    )
    return Inputs(model, program, starts, given, world, time, granularity, moment, bound)


def _require_known(options: Options, **modes: str) -> None:
    if not isinstance(options, Options):
        raise SimulationError(
            f"options= takes bs.Options(…), not {shown(options)}", hint='bs.Options(profile="standard")'
        )
    values = modes | {f"options.{name}": value for name, value in asdict(options).items()}
    for name, known in _KNOWN.items():
        value = values[name]
        if not isinstance(value, str) or value not in known:
            hint = did_you_mean(value, known) or f"use one of {', '.join(known)}"
            raise SimulationError(f"{name}={shown(value)} is not known", hint=hint)
    width = options.max_parallel_width
    if isinstance(width, bool) or not isinstance(width, int) or width < 0:
        raise SimulationError(
            f"options.max_parallel_width={shown(width)} is no number", hint="give a whole number >= 0"
        )


def _refuse(model: Model, options: Options, processes: tuple[str, ...]) -> None:
    """Refuse a model that breaks a rule in a part that runs."""
    runs = list(processes)
    for element_id in runs:
        runs.extend(child.id for child in model.children(element_id))
    inside = dict.fromkeys(runs)
    findings = check_model(model, profile=options.profile, on_ambiguous_message=options.on_ambiguous_message)
    found = [finding for finding in findings if finding.element_id in inside]
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


def _moment(epoch: str) -> datetime:
    try:
        moment = datetime.fromisoformat(epoch)
    except (ValueError, TypeError) as error:
        raise SimulationError(f"epoch={shown(epoch)} is no date", hint='write it as "2000-01-01T00:00Z"') from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _plain(values: Mapping[str, Any]) -> list[Any]:
    """Return values in a form that is the same for equal ones; what is no plain data counts by its type alone."""
    plain = []
    for name, value in sorted(values.items()):
        try:
            plain.append([name, to_plain(value, canonical=True)])
        except TypeError:
            plain.append([name, type(value).__name__])
    return plain


def _plain_scenario(scenario: Scenario) -> list[Any]:
    return [scenario.is_open, *(_plain(asdict(each) | {"values": dict(each.values)}) for each in scenario.stimuli)]


def _plain_durations(durations: Mapping[str, Any]) -> list[Any]:
    shown = {key: repr(value.duration) if isinstance(value, Calendar) else value for key, value in durations.items()}
    return [[key, value if isinstance(value, str | float) else "function"] for key, value in sorted(shown.items())]


def _short(value: Any) -> str:
    return blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=2).hexdigest()
