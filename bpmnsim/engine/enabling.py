"""What may happen next in a run: the enabled actions, what each is about, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpmnsim.choices.points import ChoiceKind
from bpmnsim.choices.strategies.base import INTERNAL, OUTSIDE, TIMER
from bpmnsim.facts import NOBODY

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine


def enabled(run: Engine) -> list[int]:
    """Return the entries of the enabled actions in canonical order (scheduling.md 1.1)."""
    state = run.state
    open_tier = TIMER if run.due_open else OUTSIDE
    offered = [(offer[3], entry) for entry, offer in state.offers.items() if offer[3] <= open_tier]
    inner = sorted([*state.ready, *(entry for tier, entry in offered if tier == INTERNAL)])
    return inner + [entry for tier, entry in sorted(offered) if tier != INTERNAL]


def enabled_any(run: Engine) -> bool:
    """Return whether anything is enabled."""
    return bool(run.state.ready or run.state.offers)


def options(run: Engine) -> int:
    """Return how many actions are enabled."""
    state = run.state
    return len(state.ready) + len(state.offers) - (0 if run.due_open else len(run.due))


def node_of(run: Engine, entry: int) -> str:
    """Return the id of the element an enabled action is about."""
    state = run.state
    track = state.ready.get(entry)
    if track is None:
        _, track, payload, _ = state.offers[entry]
        if track == NOBODY:
            return run.outside.target_of(state.timers[payload[1]][3])
    return run.program.places[state.tracks[track][0]].id


def kind_of(run: Engine, entry: int) -> ChoiceKind:
    """Return the kind of choice that an enabled action is an option of (scheduling.md 1.1)."""
    state = run.state
    track = state.ready.get(entry)
    if track is None:
        verb, _, _, tier = state.offers[entry]
        if verb in ("take", "deliver", "timer"):
            return {"take": ChoiceKind.DECISION, "deliver": ChoiceKind.MESSAGE, "timer": ChoiceKind.TIMER}[verb]
        return ChoiceKind.RACE if tier != INTERNAL else ChoiceKind.STEP
    member = state.scopes[state.tracks[track][1]][3]
    return ChoiceKind.STEP if member is None else ChoiceKind.GROUP


def next_time(run: Engine) -> float:
    """Return the virtual time after the next action: later than now only where nothing else is left to do."""
    state = run.state
    if state.ready or run.inner_offers or len(state.offers) > len(run.due) or not run.due:
        return state.now
    return max(state.now, state.released)
