"""The sub-processes, events and gateways a builder can add; tasks are added in ``tasks``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Unpack

from bpmnsim.errors import ModelError, did_you_mean
from bpmnsim.model import activities, events, gateways
from bpmnsim.model.contents import Node
from bpmnsim.model.draft import EventOptions, Expression, formal
from bpmnsim.model.tasks import ActivityOptions, Tasks

_SUB_PROCESSES: dict[str, type[activities.SubProcess]] = {
    "embedded": activities.SubProcess,
    "transaction": activities.Transaction,
    "adhoc": activities.AdHocSubProcess,
    "event": activities.SubProcess,
}


class Inside(Tasks):
    """Adds flow nodes to one container: a process or the inside of a sub-process.

    Every method takes the id first (generated where not given) and returns a node. Activities also take the keywords of
    :class:`bpmnsim.model.tasks.ActivityOptions`, events those of :class:`bpmnsim.model.draft.EventOptions`.

    Examples
    --------
    >>> from bpmnsim.model import ProcessBuilder
    >>> b = ProcessBuilder("p")
    >>> b.inside(b.subprocess("sub")).start()
    Node(id='sub_start')
    """

    def subprocess(
        self,
        id: str | None = None,
        *,
        kind: str = "embedded",
        body: Callable[[Inside], object] | None = None,
        is_parallel: bool = True,
        cancel_remaining: bool = True,
        completion_condition: Expression | None = None,
        **options: Unpack[ActivityOptions],
    ) -> Node:
        """Add a sub-process.

        Parameters
        ----------
        id
            Prefix of the generated ids inside.
        kind
            ``"embedded"``, ``"transaction"``, ``"adhoc"`` or ``"event"``.
        body
            Called with the builder of the inside; what it returns is ignored. :meth:`inside` gives the same later.
        is_parallel, cancel_remaining, completion_condition
            Of an ad-hoc sub-process.
        **options
            As in :class:`bpmnsim.model.tasks.ActivityOptions`.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> b = ProcessBuilder("p")
        >>> panel = b.subprocess("panel", body=lambda p: p.start() >> p.service("score") >> p.end())
        >>> [node.id for node in b.model().nodes("panel")]
        ['panel_start', 'score', 'panel_end']
        """
        if kind not in _SUB_PROCESSES:
            hint = did_you_mean(kind, _SUB_PROCESSES) or f"the kinds are {', '.join(_SUB_PROCESSES)}"
            raise ModelError(f"unknown kind of sub-process {kind!r}", element_id=id, hint=hint)
        more: dict[str, object] = {"triggered_by_event": kind == "event"}
        if kind == "adhoc":
            condition = None if completion_condition is None else formal(completion_condition, id or "subprocess")
            more |= {
                "is_parallel": is_parallel,
                "cancel_remaining": cancel_remaining,
                "completion_condition": condition,
            }
        node = self._activity(_SUB_PROCESSES[kind], "subprocess", id, options, **more)
        if body is not None:
            body(self.inside(node))
        return node

    def inside(self, node: Node) -> Inside:
        """Return the builder of what is inside a sub-process.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> b = ProcessBuilder("p")
        >>> b.inside(b.subprocess("sub")).task("inner")
        Node(id='inner')
        """
        if not isinstance(self._draft.elements[node.id], activities.SubProcess):
            raise ModelError("only a sub-process has an inside", element_id=node.id, hint="use subprocess()")
        return Inside(self._draft, node.id)

    def start(
        self,
        id: str | None = None,
        *,
        name: str | None = None,
        kind: str | None = None,
        interrupting: bool = True,
        parallel: bool = False,
        **what: Unpack[EventOptions],
    ) -> Node:
        """Add a start event; without keywords a plain one.

        Parameters
        ----------
        id, name
            Identity and label.
        kind
            Kind of event whose details are not given, such as ``"message"``.
        interrupting
            Only meaningful in an event sub-process.
        parallel
            All of several definitions must occur.
        **what
            As in :class:`bpmnsim.model.draft.EventOptions`.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").start(message="order placed")
        Node(id='start')
        """
        node_id = self._new_id(id, "start")
        definitions = self._draft.definitions(node_id, kind, what)
        start = events.StartEvent(
            id=node_id,
            name=name or "",
            definitions=definitions,
            interrupting=interrupting,
            parallel_multiple=parallel,
        )
        return self._put(start)

    def end(
        self, id: str | None = None, *, name: str | None = None, kind: str | None = None, **what: Unpack[EventOptions]
    ) -> Node:
        """Add an end event; parameters as in :meth:`start`.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").end("failed", error="E1")
        Node(id='failed')
        """
        node_id = self._new_id(id, "end")
        definitions = self._draft.definitions(node_id, kind, what)
        return self._put(events.EndEvent(id=node_id, name=name or "", definitions=definitions))

    def event(
        self,
        id: str | None = None,
        *,
        name: str | None = None,
        kind: str | None = None,
        throw: bool | None = None,
        parallel: bool = False,
        **what: Unpack[EventOptions],
    ) -> Node:
        """Add an intermediate event.

        Parameters
        ----------
        id, name, kind, parallel
            As in :meth:`start`.
        throw
            Throws instead of waiting; where not given true for a plain, an escalation and a compensation event.
        **what
            As in :class:`bpmnsim.model.draft.EventOptions`.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> b = ProcessBuilder("p")
        >>> b.event("wait", timer="PT5M") >> b.event("tell", signal="ready", throw=True)
        Node(id='tell')
        """
        node_id = self._new_id(id, "event")
        definitions = self._draft.definitions(node_id, kind, what)
        thrown = events.EscalationEventDefinition | events.CompensateEventDefinition
        if throw is None:
            throw = all(isinstance(definition, thrown) for definition in definitions)
        if throw:
            return self._put(events.IntermediateThrowEvent(id=node_id, name=name or "", definitions=definitions))
        catch = events.IntermediateCatchEvent(
            id=node_id, name=name or "", definitions=definitions, parallel_multiple=parallel
        )
        return self._put(catch)

    def boundary(
        self,
        host: Node,
        kind: str | None = None,
        id: str | None = None,
        *,
        name: str | None = None,
        interrupting: bool = True,
        parallel: bool = False,
        handler: Node | None = None,
        **what: Unpack[EventOptions],
    ) -> Node:
        """Attach an event to an activity.

        Parameters
        ----------
        host
            The activity; of this container.
        kind, id, name, parallel
            As in :meth:`start`; the id is made of the host and the kind where not given.
        interrupting
            Cancels the activity when it fires.
        handler
            Of a compensation boundary: the activity that undoes the host.
        **what
            As in :class:`bpmnsim.model.draft.EventOptions`.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> b = ProcessBuilder("p")
        >>> work = b.user("work")
        >>> b.boundary(work, "timer", timer="PT1H", interrupting=False) >> b.task("remind")
        Node(id='remind')
        >>> b.boundary(work, "compensation", handler=b.task("undo"))
        Node(id='work_compensation')
        """
        found = self._draft.find(host.id)
        if not isinstance(found, activities.Activity) or found.parent != self._container:
            hint = "attach it to a task, sub-process or call activity of the same container"
            raise ModelError("a boundary event needs an activity beside it", element_id=host.id, hint=hint)
        node_id = self._draft.take_id(id, f"{host.id}_{kind or next(iter(what), 'boundary')}")
        definitions = self._draft.definitions(node_id, kind, what)
        event = events.BoundaryEvent(
            id=node_id,
            name=name or "",
            attached_to=host.id,
            definitions=definitions,
            interrupting=interrupting,
            parallel_multiple=parallel,
        )
        if handler is not None:
            undo = self._draft.find(handler.id)
            if not isinstance(undo, activities.Activity):
                raise ModelError("a compensation handler is an activity", element_id=handler.id)
            self._draft.elements[undo.id] = replace(undo, is_for_compensation=True)
            self.associate(node_id, undo.id, direction="One")
        return self._put(event)

    def exclusive(self, id: str | None = None, *, name: str | None = None, direction: str = "unspecified") -> Node:
        """Add a gateway that takes the first flow whose condition holds.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").exclusive("large", name="Large order?")
        Node(id='large')
        """
        return self._gateway(gateways.ExclusiveGateway(id=self._new_id(id, "exclusive")), name, direction)

    def parallel(self, id: str | None = None, *, name: str | None = None, direction: str = "unspecified") -> Node:
        """Add a gateway that takes every flow and waits for every flow.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> b = ProcessBuilder("p")
        >>> b.start() >> b.parallel("fork") >> [b.task("A"), b.task("B")] >> b.parallel("join") >> b.end()
        Node(id='end')
        """
        return self._gateway(gateways.ParallelGateway(id=self._new_id(id, "parallel")), name, direction)

    def inclusive(self, id: str | None = None, *, name: str | None = None, direction: str = "unspecified") -> Node:
        """Add a gateway that takes every flow whose condition holds.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").inclusive("some")
        Node(id='some')
        """
        return self._gateway(gateways.InclusiveGateway(id=self._new_id(id, "inclusive")), name, direction)

    def complex(
        self,
        id: str | None = None,
        *,
        name: str | None = None,
        direction: str = "unspecified",
        activation_condition: Expression | None = None,
    ) -> Node:
        """Add a gateway that fires under an activation condition.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> ProcessBuilder("p").complex("two", activation_condition="activationCount >= 2")
        Node(id='two')
        """
        node_id = self._new_id(id, "complex")
        condition = None if activation_condition is None else formal(activation_condition, node_id)
        return self._gateway(gateways.ComplexGateway(id=node_id, activation_condition=condition), name, direction)

    def event_based(
        self,
        id: str | None = None,
        *,
        name: str | None = None,
        direction: str = "unspecified",
        instantiate: bool = False,
        is_parallel: bool = False,
    ) -> Node:
        """Add a gateway that takes the flow of the first event that occurs.

        Examples
        --------
        >>> from bpmnsim.model import ProcessBuilder
        >>> b = ProcessBuilder("p")
        >>> b.event_based("race") >> [b.event(message="yes"), b.event(timer=60)]
        [Node(id='event'), Node(id='event_2')]
        """
        gateway = gateways.EventBasedGateway(
            id=self._new_id(id, "event_based"), instantiate=instantiate, is_parallel=is_parallel
        )
        return self._gateway(gateway, name, direction)

    def _gateway(self, gateway: gateways.Gateway, name: str | None, direction: str) -> Node:
        return self._put(replace(gateway, name=name or "", direction=direction))
