"""The rows of ``facts()``: every dense fact expanded into the kinds and phases of core.md OBS-02."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from bpmnsim.facts import ABSENT, NOBODY, Fact
from bpmnsim.model.gateways import Gateway, ParallelGateway
from bpmnsim.trace.changes import changes
from bpmnsim.trace.column import TOKEN_OF
from bpmnsim.trace.story import Row, Story, known

PHASE_OF = {
    "ready": "Entered",
    "executing_step": "Executing",
    "process_step_results": "Executing",
    "wait_for_event": "Parked",
    "awaiting_merge": "Parked",
    "await_sync": "Parked",
    "merged": "Merged",
    "ended": "Completed",
    "canceled": "Canceled",
    "failed": "Failed",
    "incident": "Incident",
}
"""Track state -> phase of NodeProgress (core.md TRK-02)."""

_INSTANCE_PHASES: dict[str | None, str] = {
    "Opened": "InstanceStarted",
    "Completed": "InstanceCompleted",
    "Canceled": "InstanceCanceled",
    "Terminated": "InstanceTerminated",
}
_RAISED = ("Fault Thrown", "Fault Uncaught", "Escalation Thrown")

Said = tuple[str, str, str | None, str, Any, Any, int | None]
"""kind, phase, track state, detail, old, new, ordinal (``None``: that of the scope)."""


def pairs(details: Iterable[tuple[str, object]]) -> str:
    """Write detail pairs as one text that can be split again.

    Examples
    --------
    >>> pairs([("action", "raised"), ("incident_id", 0), ("error", "no such name")])
    'action=raised incident_id=0 error="no such name"'
    >>> pairs([("chosen_flows", "f1 f2"), ("synthetic", True)])
    'chosen_flows="f1 f2" synthetic=true'
    """
    return " ".join(f"{key}={_word(value)}" for key, value in details)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = value if isinstance(value, str) else repr(value)
    plain = text and not any(sign.isspace() or sign in '"=' for sign in text)
    return text if plain else json.dumps(text, ensure_ascii=False)


def fact_rows(story: Story) -> Iterator[tuple[object, ...]]:
    """Yield the rows of ``facts()``.

    Parameters
    ----------
    story
        The record to expand.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start("s") >> b.end("e")
    >>> [row[4:6] for row in fact_rows(bs.simulate(b.model()).story)][:3]
    [('InstanceState', 'Created'), ('InstanceState', 'Active'), ('NodeProgress', 'Executing')]

    Notes
    -----
    Core.md OBS-02 to OBS-06, TRK-06, TRK-08. The inner work of an iterated activity has no node progress of its own:
    the Iteration facts tell it (iteration.md ITER-F-04, ITER-F-06).
    """
    expansion = _Expansion(story)
    seq = 0
    for row in story.rows():
        _, step, time, track, place, scope, _, _ = row
        said = expansion.said(row)
        if not said:
            continue
        instance, path, inner, _ = story.where(scope)
        for kind, phase, state, detail, old, new, ordinal in said:
            yield (
                step,
                time,
                instance,
                seq,
                kind,
                phase,
                *story.node(place),
                path,
                known(track),
                inner if ordinal is None else ordinal,
                expansion.activation(track, scope, ordinal),
                state,
                detail,
                None if old is ABSENT else old,
                None if new is ABSENT else new,
            )
            seq += 1


def history_rows(story: Story) -> Iterator[tuple[object, ...]]:
    """Yield the rows of ``history()``: the node progress, with the lineage of each track.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start("s") >> b.end("e")
    >>> [row[-2:] for row in history_rows(bs.simulate(b.model()).story)][-1]
    ('ended', 'consumed')
    """
    for row in fact_rows(story):
        step, time, instance, seq, _, _, node, name, path, track, _, _, state = row[:13]
        if state is not None and isinstance(track, int):
            info = story.tracks[track]
            lineage = (info.parent, info.merged_into, info.host)
            yield (step, time, instance, seq, track, *lineage, path, node, name, state, TOKEN_OF[str(state)])


class _Expansion:
    """Expands one fact after the other, remembering which tracks execute or rest."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.executing: set[int] = set()
        self.parked: set[int] = set()
        self.stopping: set[int] = set()
        self.entry_of: dict[int, int] = {}
        self.forks = _forks(story)
        self.index = -1

    def activation(self, track: int, scope: int, ordinal: int | None) -> int | None:
        """Return the activation a row belongs to."""
        return self.story.where(scope)[3] if ordinal is None else self.entry_of.get(track)

    def said(self, row: Row) -> list[Said]:
        """Return what one fact says, in order."""
        kind, _, _, track, place, scope, x, y = row
        self.index += 1
        inner = self.story.inner(track)
        match kind:
            case Fact.VISIT:
                return [] if inner else self._visit(track, x)
            case Fact.BEGIN:
                return self._executing(track, inner)
            case Fact.WAIT if track not in self.parked:
                self.parked.add(track)
                if inner:
                    return [_say("Iteration", "InstanceWaiting", "")]
                return [_progress("wait_for_event", [("waits_for", y)])]
            case Fact.READY:
                self.parked.discard(track)
                return [] if inner else [_progress("ready", [("delivered", y)])]
            case Fact.AWAIT:
                return [_progress(held_state(self.story, place), [("flow", self.story.flow(x) or "")])]
            case Fact.MERGE:
                return [_progress("merged", [("merged_into", x)] if x != NOBODY else [])]
            case Fact.CANCEL:
                self._forget(track)
                return [] if inner else [_progress("canceled", [("reason", y)])]
            case Fact.FAIL:
                self._forget(track)
                return [_progress("failed", [("error", y)])]
            case Fact.STUCK:
                said = self._executing(track, inner)
                self._forget(track)
                raised = pairs([("action", "raised"), ("incident_id", x), ("error", y)])
                return [*said, _progress("incident", []), _say("Fault", "Incident", raised)]
            case Fact.OPEN | Fact.CLOSE:
                return self._scope(kind, track, scope, y)
            case Fact.DATA:
                return self._changed(track, inner, x, y)
            case Fact.INSTANCE:
                if y == "Terminating":
                    self.stopping.add(x)
                return [_say("InstanceState", y, "")]
            case Fact.REPORT:
                return self._report(track, inner, x, y)
        return []

    def _forget(self, track: int) -> None:
        self.executing.discard(track)
        self.parked.discard(track)

    def _executing(self, track: int, inner: bool) -> list[Said]:
        """Enter executing_step, once per visit (TRK-06)."""
        if track in self.executing or track == NOBODY:
            return []
        self.executing.add(track)
        return [] if inner else [_progress("executing_step", [])]

    def _visit(self, track: int, flow: int) -> list[Said]:
        said = [*self._executing(track, False), _progress("process_step_results", [])]
        self._forget(track)
        chosen = self.forks.get(self.index)
        if chosen is not None:
            said.append(_say("GatewayDecision", "BranchesChosen", pairs([("chosen_flows", chosen)])))
        if flow == NOBODY:
            said.append(_progress("ended", []))
        return said

    def _scope(self, kind: int, track: int, scope: int, y: Any) -> list[Said]:
        info = self.story.scopes[scope]
        if info.role in ("process", "iteration"):
            return []
        phase = "Opened" if kind == Fact.OPEN else y
        synthetic = phase == "Terminated" and info.instance in self.stopping
        said = [_say("Scope", phase, pairs([("synthetic", True)]) if synthetic else "")]
        if self.story.hidden(info):
            said.clear()
        if info.own_ordinal is not None:
            said.append(_say("Iteration", _INSTANCE_PHASES["Opened" if kind == Fact.OPEN else info.ended], ""))
        elif track in self.parked:
            self.parked.discard(track)
            said.append(_progress("ready", []))
        return said

    def _changed(self, track: int, inner: bool, name: str, change: tuple[Any, Any]) -> list[Said]:
        said = self._executing(track, inner)
        for phase, path, old, new in changes(name, *change):
            said.append(("DataChange", phase, None, pairs([("data_path", path)]), old, new, None))
        return said

    def _report(self, track: int, inner: bool, what: str, details: Any) -> list[Said]:
        kind, _, phase = what.partition(" ")
        said = self._executing(track, inner) if what in _RAISED else []
        named = dict(details)
        ordinal = named.pop("member", None)
        if what == "Iteration Activated":
            self.entry_of[track] = named.get("activation", 1)
        shown = pairs(named.items())
        return [*said, (kind, phase, None, shown, None, None, ordinal)]


def _progress(state: str, details: Iterable[tuple[str, object]]) -> Said:
    return ("NodeProgress", PHASE_OF[state], state, pairs(details), None, None, None)


def _say(kind: str, phase: str, detail: str) -> Said:
    return (kind, phase, None, detail, None, None, None)


def held_state(story: Story, place: int) -> str:
    """Return the state of a track that is held at a join: only a parallel one takes it for good (TRK-02).

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start("s") >> b.end("e")
    >>> held_state(bs.simulate(b.model()).story, 1)
    'await_sync'
    """
    element = story.model.elements.get(story.nodes[place])
    return "awaiting_merge" if isinstance(element, ParallelGateway) else "await_sync"


def _forks(story: Story) -> dict[int, str]:
    """Return for each visit of a gateway with several outgoing flows the flows it chose (GW-02)."""
    elements = [story.model.elements.get(node) for node in story.nodes]
    deciding = [isinstance(each, Gateway) and len(story.model.outgoing(each.id)) > 1 for each in elements]
    return {
        index: " ".join(story.record.flows[flow] for flow in flows)
        for index, place, flows in chosen_flows(story)
        if deciding[place]
    }


def chosen_flows(story: Story) -> Iterator[tuple[int, int, list[int]]]:
    """Yield number of the fact, place and chosen flows, in selection order, of every visit that went on.

    Flows are chosen in declared order, which is the order of their numbers (core.md FLW-01); the track itself takes one
    of them, those it creates in the same step take the others.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start("s") >> b.end("e")
    >>> [flows for _, _, flows in chosen_flows(bs.simulate(b.model()).story)]
    [[0]]
    """
    visit: tuple[int, int, int, int] | None = None
    flows: list[int] = []
    for index, (kind, step, _, track, place, _, x, y) in enumerate(story.rows()):
        if kind == Fact.TRACK and visit is not None and visit[2:] == (step, y) and x != NOBODY:
            flows.append(x)
        elif kind == Fact.VISIT:
            if visit is not None:
                yield visit[0], visit[1], sorted(flows)
            visit, flows = ((index, place, step, track) if x != NOBODY else None), [x]
    if visit is not None:
        yield visit[0], visit[1], sorted(flows)
