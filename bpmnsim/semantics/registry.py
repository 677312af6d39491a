"""Element type -> operation: the only module that knows every construct, and the compiler of models.

A construct that has no entry is refused with its element id; nothing is passed over silently.
"""

from __future__ import annotations

from collections.abc import Callable

from bpmnsim.engine.executor import Operation, Program, Setup, operation_of, passing
from bpmnsim.errors import ModelError, UnsupportedError
from bpmnsim.facts import NOBODY
from bpmnsim.model.activities import Activity, CallActivity, ReceiveTask, SubProcess, Task
from bpmnsim.model.base import FlowNode
from bpmnsim.model.data import DataObject, Property
from bpmnsim.model.events import (
    BoundaryEvent,
    EndEvent,
    Event,
    IntermediateThrowEvent,
    StartEvent,
    TerminateEventDefinition,
)
from bpmnsim.model.gateways import ExclusiveGateway, Gateway, ParallelGateway
from bpmnsim.model.process import Model
from bpmnsim.semantics import events, gateways, subprocess, tasks
from bpmnsim.semantics.flows import exits_of
from bpmnsim.semantics.iteration.correlation import correlate
from bpmnsim.semantics.iteration.decorator import decorate


def compile_program(model: Model, setup: Setup, processes: tuple[str, ...]) -> Program:
    """Compile the named processes of a model.

    Parameters
    ----------
    model
        What was drawn.
    setup
        Behaviors, durations and options that shape how nodes are compiled.
    processes
        Ids of the processes to compile, in the order in which they start.

    Raises
    ------
    UnsupportedError
        If a construct of them cannot run yet.

    Examples
    --------
    >>> from bpmnsim.model.build import ProcessBuilder
    >>> b = ProcessBuilder("p")
    >>> _ = b.start() >> b.task("A") >> b.end()
    >>> program = compile_program(b.model(), Setup(), ("p",))
    >>> [element.id for element in program.places]
    ['p', 'start', 'A', 'end']
    """
    program = Program(setup, (compile_program, (model, setup, processes)))
    program.outward = model.dialect != "bpmn"
    _number(program, model, processes)
    for place in range(len(program.places)):
        node = program.places[place]
        if isinstance(node, FlowNode):
            program.exits[place] = exits_of(program, place, model.dialect)
            program.operations[place] = _operation(program, place, node, model)
    return program


def _number(program: Program, model: Model, processes: tuple[str, ...]) -> None:
    """Give every node and flow its number, containers before what they contain."""
    pending = [(model.element(process), NOBODY) for process in reversed(processes)]
    while pending:
        element, container = pending.pop()
        place = program.add(element, container)
        program.index[element.id] = place
        inside = model.children(element.id)
        program.declares[place] = frozenset(
            child.name or child.id for child in inside if isinstance(child, DataObject | Property)
        )
        pending.extend((child, place) for child in reversed(inside) if isinstance(child, FlowNode))
    flows = [flow for element in program.places for flow in model.flows(element.id)]
    for flow in flows:
        if flow.source not in program.index or flow.target not in program.index:
            missing = flow.source if flow.source not in program.index else flow.target
            raise ModelError(
                f"the flow is connected to {missing!r}, which is not there", element_id=flow.id, line=flow.line
            )
    program.connect(flows)


def entries(program: Program, place: int, model: Model) -> tuple[list[int], list[int]]:
    """Return the start events of a container, and its activities and gateways that no flow enters (EXE-09, SUB-03)."""
    starts, others = [], []
    for node in model.nodes(program.places[place].id):
        inner = program.index[node.id]
        if program.incoming[inner]:
            continue
        if isinstance(node, StartEvent):
            starts.append(inner)
        elif isinstance(node, Gateway) or (
            isinstance(node, Activity)
            and not node.is_for_compensation
            and not (isinstance(node, SubProcess) and node.triggered_by_event)
        ):
            others.append(inner)
    return starts, others


def _operation(program: Program, place: int, node: FlowNode, model: Model) -> Operation:
    for kinds, refused in _REFUSED:
        if isinstance(node, kinds) and refused(node):
            raise UnsupportedError(
                f"{type(node).__name__} cannot run yet in this form",
                element_id=node.id,
                line=node.line,
                hint="take it out, or run another process of the model",
            )
    if isinstance(node, Task):
        key = None
        if isinstance(node, ReceiveTask):
            key = correlate(program, node, node.message, tasks.message_name(model, node.message), model)
        if node.loop is None:
            return tasks.task(program, place, node, model, key)
        body = program.add(node, place, place)
        program.operations[body] = tasks.task(program, body, node, model, key)
        return decorate(program, place, (body,), node, model, leaf=True)
    if isinstance(node, SubProcess):
        starts, others = entries(program, place, model)
        seeds = tuple(starts or others)
        if node.loop is not None:
            return decorate(program, place, seeds, node, model, leaf=False)
        return operation_of(subprocess.Embedded(place, seeds), place)
    if isinstance(node, ParallelGateway):
        return gateways.parallel(program, place)
    if isinstance(node, EndEvent) and node.definitions:
        return events.terminate(place)
    return passing(program, place)


def _not_plain(node: FlowNode) -> bool:
    return isinstance(node, Event) and bool(node.definitions)


_REFUSED: tuple[tuple[type | tuple[type, ...], Callable[[FlowNode], bool]], ...] = (
    (BoundaryEvent, lambda _: True),
    (CallActivity, lambda _: True),
    (SubProcess, lambda node: type(node) is not SubProcess or node.triggered_by_event),
    (
        EndEvent,
        lambda node: (
            isinstance(node, EndEvent)
            and any(not isinstance(each, TerminateEventDefinition) for each in node.definitions)
        ),
    ),
    ((StartEvent, IntermediateThrowEvent), _not_plain),
    (Event, lambda node: not isinstance(node, StartEvent | EndEvent | IntermediateThrowEvent)),
    (Gateway, lambda node: not isinstance(node, ExclusiveGateway | ParallelGateway)),
)
