"""Which processes a run begins with, and at which nodes their tracks start (core.md EXE-09, design section 7)."""

from __future__ import annotations

from bpmnsim.engine.executor import Program
from bpmnsim.errors import ModelError, SimulationError, did_you_mean, shown
from bpmnsim.model.events import StartEvent
from bpmnsim.model.process import Model
from bpmnsim.semantics.registry import entries


def processes_of(model: Model, process: str | None) -> tuple[str, ...]:
    """Return the ids of the processes that run: the named one, the only one, else each with a plain start.

    Raises
    ------
    ModelError
        If there is none, or none of this id.
    """
    if process is not None:
        return (model.process(process if isinstance(process, str) else shown(process)).id,)
    if not model.processes:
        raise ModelError("the model has no process to run", hint="is it a collaboration of empty pools?")
    if len(model.processes) == 1:
        return (model.processes[0].id,)
    plain = tuple(each.id for each in model.processes if _starts_by_itself(model, each.id))
    if not plain:
        known = ", ".join(each.id for each in model.processes)
        hint = f"name one with process=: {known}"
        raise ModelError("no process has a plain start", element_id=model.processes[0].id, hint=hint)
    return plain


def _starts_by_itself(model: Model, process_id: str) -> bool:
    nodes = model.nodes(process_id)
    starts = [node for node in nodes if isinstance(node, StartEvent)]
    return any(not node.definitions for node in starts) if starts else bool(nodes)


def starts_of(
    program: Program, model: Model, processes: tuple[str, ...], start: str | None
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return the place of every process with the places at which its tracks start.

    Parameters
    ----------
    start
        Id or name of a start event of one of the processes, or ``"all"``.

    Raises
    ------
    ModelError
        If no process has this start event, or nothing starts a process.
    SimulationError
        If it is no text.
    """
    if not isinstance(start, str | None):
        raise SimulationError(f"start={shown(start)} is no start event", hint='give its id or name, or "all"')
    places = [program.index[process] for process in processes]
    found = {place: entries(program, place, model) for place in places}
    named = [] if start in (None, "all") else [each for starts, _ in found.values() for each in starts]
    named = [each for each in named if start in (program.places[each].id, program.places[each].name)]
    if not named and start not in (None, "all"):
        known = [program.places[each].id for starts, _ in found.values() for each in starts]
        hint = did_you_mean(start, known) or f"the start events are {', '.join(known) or 'none'}"
        raise ModelError(
            f"process {', '.join(processes)!r} has no start event {shown(start)}",
            element_id=start if isinstance(start, str) else None,
            hint=hint,
        )
    return tuple((place, _seeds(program, model, place, named, is_all=start == "all")) for place in places)


def _seeds(program: Program, model: Model, place: int, named: list[int], *, is_all: bool) -> tuple[int, ...]:
    """Return where tracks start: the named or first none start, and what no flow enters."""
    starts, others = entries(program, place, model)
    chosen = [each for each in named if each in starts]
    if not chosen and not is_all:
        plain = [each for each in starts if not _has_definitions(program, each)]
        chosen = (plain or starts)[:1]
    seeds = tuple(sorted([*(starts if is_all else chosen), *others]))
    if not seeds and model.nodes(program.places[place].id):
        hint = "add a start event, or leave one activity without an incoming flow"
        problem = "nothing starts it: a flow enters every node"
        raise ModelError(problem, element_id=program.places[place].id, hint=hint)
    return seeds


def _has_definitions(program: Program, place: int) -> bool:
    node = program.places[place]
    return isinstance(node, StartEvent) and bool(node.definitions)
