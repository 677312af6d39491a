"""Virtual time: what is armed, when it is due, and who waits for the outside world.

Time moves to the next due time when no internal action is enabled. What is due then becomes enabled at once,
completions before timers, then
in arming order; where an action from outside is enabled too, moving time or not is one choice with it (core.md BND-04).
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from bpmnsim.choices.strategies.base import COMPLETION, INTERNAL, TIMER
from bpmnsim.engine.requests import FIRED
from bpmnsim.engine.state import EXECUTING
from bpmnsim.facts import NOBODY, Fact

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine


def arm(run: Engine, track: int, delay: float, *, completion: bool) -> None:
    """Arm a timer or the end of work for a track, *delay* seconds from now."""
    state = run.state
    number = state.next_timer
    state.next_timer += 1
    due = state.now + delay
    rank = COMPLETION if completion else TIMER
    state.timers[number] = (due, rank, track, "complete" if completion else "timer")
    state.holds[track] = (*state.holds.get(track, ()), ("timer", number))
    schedule(run, number)


def schedule(run: Engine, number: int) -> None:
    """Let timer *number* become due at its time, or at any moment in an untimed run."""
    due, rank, _, _ = run.state.timers[number]
    if run.untimed or (run.due and due == run.state.released):
        enable(run, number)
        return
    heappush(run.calendar, (due, rank, number))
    if run.due and due < run.state.released:
        retract(run)


def enable(run: Engine, number: int) -> None:
    """Enable what timer *number* stands for."""
    _, rank, track, verb = run.state.timers[number]
    run.due[number] = offer(run, track, verb, ("timer", number), rank)


def retract(run: Engine) -> None:
    """Take back what was enabled for a later instant: something due earlier has been armed."""
    state = run.state
    for number, entry in run.due.items():
        due, rank, _, _ = state.timers[number]
        del state.offers[entry]
        heappush(run.calendar, (due, rank, number))
    run.due.clear()


def release(run: Engine) -> bool:
    """Enable everything due at the next due time; return whether there was something."""
    state, calendar = run.state, run.calendar
    if run.due:
        return True
    while calendar:
        due, _, number = heappop(calendar)
        if number not in state.timers:
            continue
        state.released = due
        enable(run, number)
        while calendar and calendar[0][0] == due:
            number = heappop(calendar)[2]
            if number in state.timers:
                enable(run, number)
        return True
    return False


def move_to(run: Engine, due: float) -> None:
    """Move virtual time forward."""
    state = run.state
    if due > state.now:
        state.now = due
        run.record((Fact.CLOCK, state.step, NOBODY, NOBODY, NOBODY, NOBODY, due))


def offer(run: Engine, track: int, verb: str, payload: Any, tier: int) -> int:
    """Enable an action that is not a plain turn of a track and return its entry number."""
    state = run.state
    entry = state.next_entry
    state.next_entry += 1
    state.offers[entry] = (verb, track, payload, tier)
    if tier == INTERNAL:
        run.inner_offers += 1
    if payload[0] != "timer":
        state.holds[track] = (*state.holds.get(track, ()), ("offer", entry))
    run.push_offer(entry, tier)
    return entry


def withdraw(run: Engine, track: int, reason: str = "withdrawn") -> None:
    """Withdraw every timer, offer and wait that belongs to a track."""
    state = run.state
    for kind, number in state.holds.pop(track, ()):
        if kind == "offer":
            remove_offer(run, number)
        elif kind == "timer":
            state.timers.pop(number, None)
            state.offers.pop(run.due.pop(number, NOBODY), None)
        elif kind == "incident":
            run.close_incident(number, "overtaken")
        else:
            run.waits.forget(track, reason)


def remove_offer(run: Engine, entry: int) -> None:
    """Disable an offered action."""
    offered = run.state.offers.pop(entry, None)
    if offered is not None and offered[3] == INTERNAL:
        run.inner_offers -= 1


def reply_of(run: Engine, payload: tuple[Any, ...]) -> Any:
    """Return what a track is resumed with when an offer with this payload fires."""
    if payload[0] == "timer":
        due, _, track, what = run.state.timers.pop(payload[1])
        del run.due[payload[1]]
        move_to(run, due)
        return what if track == NOBODY else FIRED
    return run.outside.reply(payload)


def decide(run: Engine, track: int, place: int, scope: int, options: tuple[tuple[int, ...], ...]) -> None:
    """Leave it open over which flows a track leaves: one action for each option (kind ``decision``)."""
    _, _, flow, _ = run.state.tracks[track]
    run.state.tracks[track] = (place, scope, flow, EXECUTING)
    run.record((Fact.BEGIN, run.state.step, track, place, scope, NOBODY, "decision"))
    for flows in options:
        offer(run, track, "take", ("take", flows), INTERNAL)
