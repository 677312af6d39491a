"""How a run has ended, and what every token that is stuck waits for (core.md DLK-01 to DLK-06)."""

from __future__ import annotations

from typing import Any

from bpmnsim.engine.loop import Engine
from bpmnsim.engine.names import scope_path
from bpmnsim.engine.state import EXECUTING, INCIDENT, MERGING
from bpmnsim.engine.waits import COMPLETE
from bpmnsim.facts import ABSENT, NOBODY, STRIDE, Fact, Record
from bpmnsim.trace.trace import Stuck


def outcome_of(run: Engine, *, at_limit: bool) -> str:
    """Return the outcome of a run that has come to rest, or was cut by the step limit (core.md DLK-05)."""
    state = run.state
    if at_limit and (state.ready or state.offers or state.timers):
        return "truncated"
    if any(status == "open" for *_, status in state.incidents.values()):
        return "incident"
    if state.waits:
        return "waiting"
    if any(status == "dead-lettered" and track in state.tracks for track, *_, status in state.incidents.values()):
        return "failed"
    if state.tracks:
        return "deadlocked"
    phases = {phase: None for _, _, phase in state.instances.values()}
    for phase, outcome in (("Failed", "failed"), ("Terminated", "terminated")):
        if phase in phases:
            return outcome
    return "completed"


def stuck_tokens(run: Engine, outcome: str) -> tuple[Stuck, ...]:
    """Return every live token with what it waits for, in order of creation."""
    cycle = last_cycle(run) if outcome == "truncated" else ""
    return tuple(
        Stuck(
            track,
            run.program.places[place].id,
            f"/{scope_path(run, scope)}",
            cycle or waits_for(run, track),
        )
        for track, (place, scope, _, _) in sorted(run.state.tracks.items())
    )


def missing_flows(run: Engine, place: int, scope: int) -> list[int]:
    """Return the incoming flows of a join on which no token lies."""
    return [flow for flow in run.program.incoming[place] if (scope, flow) not in run.state.first]


def waits_for(run: Engine, track: int) -> str:
    """Return what a track waits for: ids of flows, an error, or words."""
    state = run.state
    place, scope, flow, position = state.tracks[track]
    if position == MERGING:
        missing = missing_flows(run, place, scope)
        return " ".join(run.program.flows[each].id for each in missing or [flow])
    if position >= 0:
        return "its turn"
    holds = dict(state.holds.get(track, ()))
    due = state.timers[holds["timer"]][0] if "timer" in holds else None
    if position == INCIDENT:
        if "incident" not in holds:
            return "nothing: it was given up"
        error: str = state.incidents[holds["incident"]][3]
        return error if due is None else f"its retry at {due}: {error}"
    if track in state.hosted:
        return "inner instances" if track in state.open else "scope"
    if track in state.waits:
        verb, _, name, key, *_ = state.waits[track]
        return "completion" if verb == COMPLETE else f"message {name}" + ("" if key is ABSENT else f" with key {key!r}")
    if due is not None:
        return f"the end of its work at {due}" if position == EXECUTING else f"the time {due}"
    return "a decision" if position == EXECUTING else "an event"


def last_cycle(run: Engine) -> str:
    """Return the nodes that the track which acted last went through since it was at the same node before (DLK-06)."""
    facts: list[Any] = run.facts
    seen: list[int] = []
    track = NOBODY
    for at in range(len(facts) - STRIDE, -1, -STRIDE):
        if facts[at] != Fact.VISIT or (track != NOBODY and facts[at + 2] != track):
            continue
        track, place = facts[at + 2], facts[at + 3]
        if place in seen:
            seen = [*seen[seen.index(place) + 1 :], place]
            break
        seen.append(place)
    return "step limit; last nodes: " + " ".join(run.program.places[place].id for place in reversed(seen))


def record_of(run: Engine) -> Record:
    """Return the facts of a run together with what their numbers stand for."""
    program = run.program
    return Record(
        run.facts.copy(),
        tuple(place.id for place in program.places),
        frozenset(place for place, of in enumerate(program.body_of) if of != NOBODY),
        tuple(flow.id for flow in program.flows),
        dict(run.tracebacks),
    )
