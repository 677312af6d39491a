"""Why an element waits: in words, and as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bpmnsim.engine.loop import Engine
from bpmnsim.engine.names import scope_path
from bpmnsim.engine.state import INCIDENT, MERGING
from bpmnsim.simulation.outcomes import missing_flows, waits_for


@dataclass(frozen=True, slots=True)
class Blocker:
    """Something an element waits for.

    Attributes
    ----------
    scope
        Path of the scope in which it waits.
    waits_for
        Id of a flow, ordinal of an inner instance, or words.
    tokens
        Pairs of track and element: the tokens that could still bring it.
    ordinal
        Of the inner instance, ``None`` outside iterations.
    state
        missing, running, waiting, queued or incident.

    Examples
    --------
    >>> Blocker("/p", "f_B_J").state
    'missing'
    """

    scope: str
    waits_for: str
    tokens: tuple[tuple[int, str], ...] = ()
    ordinal: int | None = None
    state: str = "missing"


@dataclass(frozen=True, slots=True)
class Why:
    """Why an element waits.

    Attributes
    ----------
    text
        In words.
    blockers
        What it waits for; empty where it does not wait.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> fork, join = b.parallel("fork"), b.parallel("join")
    >>> _ = b.start() >> fork >> [b.task("A"), b.user("B")] >> join >> b.end()
    >>> sim = bs.Simulation(b.model(), scenario=bs.Scenario())
    >>> _ = sim.run()
    >>> print(sim.why("join"))
    join in /p holds 1 of 2 tokens; flow f_B_join is empty: token 1 at B can still bring one
    >>> sim.why("join").blockers[0].tokens
    ((1, 'B'),)

    Notes
    -----
    core.md AND-04, DLK-01; iteration.md ITER-P-04, ITER-W-12.
    """

    text: str
    blockers: tuple[Blocker, ...]

    def __str__(self) -> str:
        return self.text


def explain(run: Engine, element_id: str) -> Why:
    """Say why an element waits.

    Parameters
    ----------
    run
        The run, at rest or in progress.
    element_id
        Of the element.
    """
    place = run.program.index[element_id]
    standing = [
        (track, scope, flow, position)
        for track, (at, scope, flow, position) in sorted(run.state.tracks.items())
        if at == place
    ]
    lines: list[str] = []
    blockers: list[Blocker] = []
    seen: dict[int, None] = {}
    for track, scope, flow, position in standing:
        path = f"/{scope_path(run, scope)}"
        if position == MERGING:
            if scope not in seen:
                seen[scope] = None
                found = tuple(_join(run, place, scope, path))
                blockers += found
                lines.append(_join_text(run, place, path, element_id, found))
        elif track in run.state.open:
            found = tuple(_members(run, track))
            blockers += found
            shown = ", ".join(f"{each.ordinal} {each.state} ({each.waits_for})" for each in found) or "none"
            lines.append(f"{element_id} in {path} waits for its inner instances: {shown}")
        elif position >= 0:
            lines.append(f"{element_id} in {path}: token {track} is ready to act")
        else:
            words = waits_for(run, track, place, scope, flow, position)
            state = "incident" if position == INCIDENT else "waiting"
            blockers.append(Blocker(path, words, state=state))
            lines.append(f"{element_id} in {path}: token {track} waits for {words}")
    if not lines:
        lines = [f"no token is at {element_id}"]
    return Why("\n".join(lines), tuple(blockers))


def _join(run: Engine, place: int, scope: int, path: str) -> Iterator[Blocker]:
    for flow in missing_flows(run, place, scope):
        reaching = tuple(
            (track, run.program.places[run.state.tracks[track][0]].id) for track in _reaching(run, flow, place, scope)
        )
        yield Blocker(path, run.program.flows[flow].id, reaching)


def _join_text(run: Engine, place: int, path: str, element_id: str, found: tuple[Blocker, ...]) -> str:
    total = len(run.program.incoming[place])
    parts = [f"{element_id} in {path} holds {total - len(found)} of {total} tokens"]
    for blocker in found:
        tokens = ", ".join(f"token {track} at {node}" for track, node in blocker.tokens)
        brings = f"{tokens} can still bring one" if tokens else "no token can reach it any more"
        parts.append(f"flow {blocker.waits_for} is empty: {brings}")
    return "; ".join(parts)


def _reaching(run: Engine, flow: int, join: int, scope: int) -> list[int]:
    """Return the tracks of the scope from which a path leads to *flow* without passing the join."""
    program = run.program
    upstream = {program.source[flow]: None}
    pending = [program.source[flow]]
    while pending:
        for incoming in program.incoming[pending.pop()]:
            source = program.source[incoming]
            if source not in upstream and source != join:
                upstream[source] = None
                pending.append(source)
    return [track for track in run.state.members[scope] if run.state.tracks[track][0] in upstream]


def _members(run: Engine, host: int) -> Iterator[Blocker]:
    """Yield what is open or queued in the group of *host*, by ordinal."""
    state = run.state
    rows: dict[int, Blocker] = {}
    for number, scope in state.open[host].items():
        path = f"/{scope_path(run, scope)}"
        tracks = list(state.members[scope])
        resting = [track for track in tracks if state.tracks[track][3] < 0]
        if resting:
            place, _, flow, position = state.tracks[resting[0]]
            words = waits_for(run, resting[0], place, scope, flow, position)
            status = "incident" if position == INCIDENT else "waiting"
        else:
            words, status = "its turn", "running"
        tokens = tuple((track, run.program.places[state.tracks[track][0]].id) for track in tracks)
        rows[number] = Blocker(path, words, tokens, number, status)
    _, _, head, tail, *_ = state.groups[host]
    for position in range(head, tail):
        number = state.drains[host, position][0]
        rows[number] = Blocker(f"/{scope_path(run, state.hosted[host])}", "delivery of its drain", (), number, "queued")
    yield from (rows[number] for number in sorted(rows))
