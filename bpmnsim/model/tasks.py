"""The tasks and call activities a builder can add, and what every activity may be given.

Sub-processes, events and gateways are added in ``inside``.
"""

from __future__ import annotations

from typing import TypedDict, Unpack

from bpmnsim.errors import ModelError, did_you_mean
from bpmnsim.model import activities, events
from bpmnsim.model.base import FlowNode
from bpmnsim.model.contents import Contents, Node
from bpmnsim.model.draft import edit, unknown_fields
from bpmnsim.model.markers import Marker


class ActivityOptions(TypedDict, total=False):
    """What every activity may be given.

    Parameters
    ----------
    name, documentation
        Label and text.
    multi_instance, loop
        A marker from ``parallel``, ``sequential`` or ``loop``; the later of two replaces the earlier (ITER-B-01).
    is_for_compensation
        Runs only to undo another activity.
    start_quantity, completion_quantity
        Kept; other than 1 is refused (core.md FLW-07).

    Examples
    --------
    >>> from bpmnsim.model import ProcessBuilder
    >>> options: ActivityOptions = {"name": "Pack", "documentation": "with care"}
    >>> ProcessBuilder("p").manual("pack", **options)
    Node(id='pack')
    """

    name: str | None
    documentation: str
    multi_instance: Marker | None
    loop: Marker | None
    is_for_compensation: bool
    start_quantity: int
    completion_quantity: int


class Tasks(Contents):
    """Adds tasks and call activities to one container; see :class:`bpmnsim.model.inside.Inside`.

    Examples
    --------
    >>> from bpmnsim.model import ProcessBuilder
    >>> isinstance(ProcessBuilder("p"), Tasks)
    True
    """

    def task(self, id: str | None = None, **options: Unpack[ActivityOptions]) -> Node:
        """Add a task without a type.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").task("pack", name="Pack the parcel")
        Node(id='pack')
        """
        return self._activity(activities.Task, "task", id, options)

    def user(self, id: str | None = None, *, implementation: str = "", **options: Unpack[ActivityOptions]) -> Node:
        """Add a task that a person does.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").user("approve")
        Node(id='approve')
        """
        return self._activity(activities.UserTask, "user", id, options, implementation=implementation)

    def service(
        self,
        id: str | None = None,
        *,
        implementation: str = "",
        operation: str = "",
        **options: Unpack[ActivityOptions],
    ) -> Node:
        """Add a task that software does.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder, parallel
        >>> ProcessBuilder("p").service("charge", multi_instance=parallel(cardinality=3))
        Node(id='charge')
        """
        more = {"implementation": implementation, "operation": operation}
        return self._activity(activities.ServiceTask, "service", id, options, **more)

    def script(
        self, id: str | None = None, *, script: str = "", script_format: str = "", **options: Unpack[ActivityOptions]
    ) -> Node:
        """Add a task that runs a script.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").script("rate", script="x = 1", script_format="python")
        Node(id='rate')
        """
        more = {"script": script, "script_format": script_format}
        return self._activity(activities.ScriptTask, "script", id, options, **more)

    def receive(
        self,
        id: str | None = None,
        *,
        message: str = "",
        instantiate: bool = False,
        **options: Unpack[ActivityOptions],
    ) -> Node:
        """Add a task that waits for a message.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").receive("paid", message="payment")
        Node(id='paid')
        """
        more = {"message": self._message(message), "instantiate": instantiate}
        return self._activity(activities.ReceiveTask, "receive", id, options, **more)

    def send(self, id: str | None = None, *, message: str = "", **options: Unpack[ActivityOptions]) -> Node:
        """Add a task that sends a message.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").send("tell", message="shipped")
        Node(id='tell')
        """
        return self._activity(activities.SendTask, "send", id, options, message=self._message(message))

    def manual(self, id: str | None = None, **options: Unpack[ActivityOptions]) -> Node:
        """Add a task done without the help of an engine.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").manual("sweep")
        Node(id='sweep')
        """
        return self._activity(activities.ManualTask, "manual", id, options)

    def rule(self, id: str | None = None, *, implementation: str = "", **options: Unpack[ActivityOptions]) -> Node:
        """Add a task that evaluates business rules.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").rule("discount")
        Node(id='discount')
        """
        return self._activity(activities.BusinessRuleTask, "rule", id, options, implementation=implementation)

    def call(self, id: str | None = None, *, called_element: str = "", **options: Unpack[ActivityOptions]) -> Node:
        """Add an activity that runs another process, given by id.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").call("tax", called_element="tax-calc")
        Node(id='tax')
        """
        return self._activity(activities.CallActivity, "call", id, options, called_element=called_element)

    def _message(self, name: str) -> str:
        return self._draft.declare(events.Message, name) if name else ""

    def _new_id(self, wanted: str | None, base: str) -> str:
        inner = isinstance(self._draft.elements[self._container], activities.SubProcess)
        return self._draft.take_id(wanted, f"{self._container}_{base}" if inner else base)

    def _put(self, node: FlowNode) -> Node:
        self._draft.elements[node.id] = edit(node, parent=self._container)
        return Node(node.id, self._draft)

    def _activity(
        self, kind: type[activities.Activity], base: str, id: str | None, options: ActivityOptions, **more: object
    ) -> Node:
        node_id = self._new_id(id, base)
        values: dict[str, object] = {**options, **more}
        markers = [values.pop(key) for key in list(values) if key in ("multi_instance", "loop")]
        unknown = unknown_fields(kind(id=""), values)
        if unknown:
            hint = did_you_mean(unknown[0], ActivityOptions.__annotations__)
            raise ModelError(f"unknown keyword {unknown[0]!r}", element_id=node_id, hint=hint)
        values["name"] = values.get("name") or ""
        node = edit(kind(id=node_id), **values)
        for marker in markers:
            if marker is not None and not isinstance(marker, Marker):
                hint = "write bs.parallel(...), bs.sequential(...) or bs.loop(...)"
                raise ModelError("this is not a loop marker", element_id=node_id, hint=hint)
        chosen = [marker for marker in markers if isinstance(marker, Marker)]
        if chosen:
            node = edit(node, loop=chosen[-1].attach(self._draft, node_id))
        return self._put(node)
