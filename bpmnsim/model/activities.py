"""Tasks, sub-processes and call activities."""

from __future__ import annotations

from dataclasses import dataclass

from bpmnsim.model.base import FlowNode, Formal
from bpmnsim.model.loops import LoopCharacteristics


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity(FlowNode):
    """Work: a task, a sub-process or a call activity.

    Parameters
    ----------
    default
        Id of the default outgoing flow, or empty.
    loop
        Loop marker, or ``None``; at most one (iteration.md ITER-B-01).
    is_for_compensation
        Runs only to undo another activity (core.md CMP-11).
    start_quantity, completion_quantity
        Kept; other than 1 is refused (core.md FLW-07).

    Examples
    --------
    >>> Activity(id="a").loop is None
    True
    """

    default: str = ""
    loop: LoopCharacteristics | None = None
    is_for_compensation: bool = False
    start_quantity: int = 1
    completion_quantity: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Activity):
    """A task without a type: it passes through.

    Examples
    --------
    >>> Task(id="a", name="Pack").name
    'Pack'
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTask(Task):
    """A task that a person does (core.md section 9.1).

    Examples
    --------
    >>> UserTask(id="approve").implementation
    ''
    """

    implementation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualTask(Task):
    """A task done without the help of an engine (core.md TSK-03).

    Examples
    --------
    >>> ManualTask(id="sweep").id
    'sweep'
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceTask(Task):
    """A task that software does (core.md section 9.2).

    Examples
    --------
    >>> ServiceTask(id="charge", operation="op").operation
    'op'
    """

    implementation: str = ""
    operation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SendTask(Task):
    """A task that sends a message (core.md MSG-01).

    Examples
    --------
    >>> SendTask(id="tell", message="m").message
    'm'
    """

    implementation: str = ""
    message: str = ""
    operation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiveTask(Task):
    """A task that waits for a message (core.md MSG-05, MSG-06).

    Examples
    --------
    >>> ReceiveTask(id="await", message="m").instantiate
    False
    """

    implementation: str = ""
    message: str = ""
    operation: str = ""
    instantiate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptTask(Task):
    """A task that runs a script (core.md TSK-01).

    Examples
    --------
    >>> ScriptTask(id="rate", script_format="python", script="x = 1").script
    'x = 1'
    """

    script_format: str = ""
    script: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BusinessRuleTask(Task):
    """A task that evaluates rules (core.md TSK-02).

    Examples
    --------
    >>> BusinessRuleTask(id="discount").implementation
    ''
    """

    implementation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallActivity(Activity):
    """Runs another process (core.md section 7.2).

    Examples
    --------
    >>> CallActivity(id="c", called_element="tax-calc").called_element
    'tax-calc'
    """

    called_element: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubProcess(Activity):
    """An activity with flow nodes inside; with ``triggered_by_event`` an event sub-process.

    Examples
    --------
    >>> SubProcess(id="s").triggered_by_event
    False
    """

    triggered_by_event: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction(SubProcess):
    """A sub-process that can be cancelled and compensated as a whole (core.md section 7.3).

    Examples
    --------
    >>> Transaction(id="t").method
    '##Compensate'
    """

    method: str = "##Compensate"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdHocSubProcess(SubProcess):
    """A sub-process whose activities are picked one by one (core.md section 7.4).

    Examples
    --------
    >>> AdHocSubProcess(id="a").is_parallel
    True
    """

    is_parallel: bool = True
    cancel_remaining: bool = True
    completion_condition: Formal | None = None
