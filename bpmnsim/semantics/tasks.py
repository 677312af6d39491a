"""Tasks: done in one go, over time, or by somebody outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bpmnsim.engine import requests
from bpmnsim.engine.executor import Operation, Program, Run, Setup, operation_of, passing
from bpmnsim.engine.requests import Step
from bpmnsim.expr.language import Expression
from bpmnsim.model.activities import Activity, ManualTask, ReceiveTask, Task, UserTask
from bpmnsim.model.events import Message
from bpmnsim.model.process import Model


@dataclass(frozen=True, slots=True)
class Work:
    """Work that takes time: it starts, and it is completed later.

    Parameters
    ----------
    timed
        A duration is given for it.
    """

    timed: bool

    def resume(self, record: tuple[Any, ...] | None, reply: Any) -> Step:
        """Start, call the behavior, let time pass, commit, leave."""
        match record:
            case None:
                return ("started",), requests.Work(deferred=True)
            case ("started",):
                return ("worked", reply), requests.Duration() if self.timed else requests.Again()
            case ("worked", result) if self.timed and reply != requests.FIRED:
                return ("timed", result), requests.Arm(reply or 0.0, completion=True)
            case ("timed", result):
                return ("worked", result), requests.Park("work", executing=True)
            case ("worked", ((), error)) if error is not None:
                return None, requests.Fault(error)
            case ("worked", (outputs, _)):
                return ("committed",), requests.Commit(outputs)
        return ("left",), requests.Leave()


@dataclass(frozen=True, slots=True)
class Awaited:
    """Work that a user or a worker completes, or a message that arrives (core.md HUM-01, MSG-05).

    Parameters
    ----------
    verb
        complete or deliver.
    what, name
        What is awaited, in words; name of the message.
    correlation
        Expression of the key that a message for this wait must carry, evaluated when it is armed (ITER-IC-01).
    """

    verb: str
    what: str
    name: str = ""
    correlation: Expression | None = None

    def resume(self, record: tuple[Any, ...] | None, reply: Any) -> Step:
        """Register the wait, rest, take what is delivered, commit, leave."""
        match record, reply:
            case None, _ if self.correlation is not None:
                return ("keyed",), requests.Evaluate(self.correlation, "correlation")
            case None, _:
                return ("announced",), requests.Offer(self.verb, self.what, self.name)
            case ("keyed",), key:
                return ("announced",), requests.Offer(self.verb, self.what, self.name, key)
            case ("announced",), None:
                return ("parked",), requests.Park(self.what)
            case ("announced",), ("delivered", values, _):
                return ("committed",), requests.Commit(values)
            case ("parked",), ("delivered", _, error) if error is not None:
                return None, requests.Fault(error)
            case ("parked",), ("delivered", (), _) if self.verb == "complete":
                return ("working",), requests.Work()
            case ("parked",), ("delivered", values, _):
                return ("committed",), requests.Commit(values)
            case ("working",), outputs:
                return ("committed",), requests.Commit(outputs)
        return ("left",), requests.Leave()


def _is_external(node: Task) -> bool:
    """Return whether a worker outside does the work: the model says so, or the dialect of its file (ITER-X-01)."""
    if getattr(node, "implementation", "") == "##external":
        return True
    kinds = [value for name, value in node.attributes if name.endswith("}type")]
    jobs = [extension for extension in node.extensions if extension.name.endswith("}taskDefinition")]
    return bool(jobs) or any(kind in ("external", "external-worker") for kind in kinds)


def message_name(model: Model, message_id: str) -> str:
    """Return the name by which a message is known, its id where it has none."""
    message = model.elements.get(message_id)
    return message.name if isinstance(message, Message) and message.name else message_id


def is_awaited(node: Activity, setup: Setup) -> bool:
    """Return whether somebody outside does an activity: a partner sends a message, a user or worker completes it."""
    if isinstance(node, ReceiveTask):
        return True
    if not isinstance(node, Task) or node.id in setup.durations:
        return False
    return isinstance(node, UserTask) or (_is_external(node) and node.id not in setup.behaviors)


def task(program: Program, place: int, node: Task, model: Model, correlation: Expression | None = None) -> Operation:
    """Return the operation of a task of any kind."""
    setup = program.setup
    if isinstance(node, ReceiveTask):
        name = message_name(model, node.message)
        return operation_of(Awaited("deliver", f"message {name}".rstrip(), name, correlation), place)
    if is_awaited(node, setup):
        return operation_of(Awaited("complete", "user task" if isinstance(node, UserTask) else "job"), place)
    timed = node.id in setup.durations
    if timed or setup.granularity == "phase" or isinstance(node, ManualTask):
        return operation_of(Work(timed), place)
    if node.id not in setup.behaviors:
        return passing(program, place)

    def act(run: Run, track: int, scope: int) -> None:
        run.work(track, place, scope)

    return passing(program, place, act)
