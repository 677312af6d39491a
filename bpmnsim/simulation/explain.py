"""Why an element waits: in words, and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from bpmnsim.engine.loop import Engine
from bpmnsim.engine.names import scope_path
from bpmnsim.engine.state import EXECUTING, INCIDENT, MERGING
from bpmnsim.facts import NOBODY
from bpmnsim.simulation.outcomes import missing_flows, waits_for


@dataclass(frozen=True, slots=True)
class Blocker:
    """Something an element waits for.

    Attributes
    ----------
    scope
        Path of the scope in which it waits.
    waits_for
        Id of a flow, or words.
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
        Of a node, or of a process: why it does not end.
    """
    place = run.program.index[element_id]
    if run.program.container[place] == NOBODY:
        return _process(run, place, element_id)
    lines: list[str] = []
    blockers: list[Blocker] = []
    joined: dict[int, None] = {}
    hosts = Counter(run.state.tracks[track][1] for track in run.state.open if run.state.tracks[track][0] == place)
    for track, (at, scope, _, position) in sorted(run.state.tracks.items()):
        if at != place or (position == MERGING and scope in joined):
            continue
        path = f"/{scope_path(run, scope)}"
        if position == MERGING:
            joined[scope] = None
            found = tuple(_join(run, place, scope, path))
            lines.append(_join_text(run, place, path, element_id, found))
        elif track in run.state.open:
            activation = f" (activation {run.state.scopes[run.state.hosted[track]][4]})" if hosts[scope] > 1 else ""
            found = (*_incident(run, track, path), *_members(run, track))
            lines.append(f"{element_id} in {path}{activation} {_activation_text(run, track, found)}")
        elif position >= 0:
            found = ()
            lines.append(f"{element_id} in {path}: token {track} is ready to act")
        else:
            found = (Blocker(path, waits_for(run, track), state=_state(position)),)
            lines.append(f"{element_id} in {path}: token {track} waits for {found[0].waits_for}")
        blockers += found
    return Why("\n".join(lines) or _absent(run, place, element_id), tuple(blockers))


def _state(position: int) -> str:
    return {INCIDENT: "incident", EXECUTING: "running", MERGING: "missing"}.get(position, "waiting")


def _process(run: Engine, place: int, process_id: str) -> Why:
    """Say of every token of a process what it waits for."""
    state = run.state
    found = []
    for track, (at, scope, _, position) in sorted(state.tracks.items()):
        if state.instances[state.scopes[scope][6]][0] == place:
            token = (track, run.program.places[at].id)
            status = "running" if position >= 0 else _state(position)
            found.append(Blocker(f"/{scope_path(run, scope)}", waits_for(run, track), (token,), state=status))
    words = [f"{_tokens(each.tokens)} in {each.scope} waits for {each.waits_for}" for each in found]
    ended = [phase for of, _, phase in state.instances.values() if of == place]
    return Why(
        "\n".join(words) or f"{process_id} has no token: {' '.join(ended).lower() or 'not started'}", tuple(found)
    )


def _absent(run: Engine, place: int, element_id: str) -> str:
    """Say which tokens could still come to an element at which there is none."""
    program, state = run.program, run.state
    upstream = _upstream(run, [program.source[flow] for flow in program.incoming[place]])
    around = [scope for scope, entry in state.scopes.items() if entry[2] == program.container[place]]
    coming = tuple(token for scope in around for token in _standing(run, scope, upstream))
    if not around:
        return f"no token is at {element_id}; {program.places[program.container[place]].id} is not open"
    return f"no token is at {element_id}; {_tokens(coming) or 'no token'} can still reach it"


def _join(run: Engine, place: int, scope: int, path: str) -> Iterator[Blocker]:
    program = run.program
    for flow in missing_flows(run, place, scope):
        upstream = _upstream(run, [program.source[flow]], place)
        arriving = [
            (track, program.places[place].id)
            for track in run.state.members[scope]
            if run.state.tracks[track][0] == place and run.state.tracks[track][2] == flow
        ]
        yield Blocker(path, program.flows[flow].id, (*arriving, *_standing(run, scope, upstream)))


def _join_text(run: Engine, place: int, path: str, element_id: str, found: tuple[Blocker, ...]) -> str:
    total = len(run.program.incoming[place])
    parts = [f"{element_id} in {path} holds {total - len(found)} of {total} tokens"]
    for blocker in found:
        tokens = _tokens(blocker.tokens)
        brings = f"{tokens} can still bring one" if tokens else "no token can reach it any more"
        parts.append(f"flow {blocker.waits_for} is empty: {brings}")
    return "; ".join(parts)


def _tokens(tokens: Iterable[tuple[int, str]]) -> str:
    return ", ".join(f"token {track} at {node}" for track, node in tokens)


def _upstream(run: Engine, places: list[int], barrier: int = NOBODY) -> dict[int, None]:
    """Return the places from which flows lead to one of *places*, and these, without passing the *barrier*."""
    program = run.program
    pending = [place for place in places if place != barrier]
    upstream = dict.fromkeys(pending)
    while pending:
        for incoming in program.incoming[pending.pop()]:
            source = program.source[incoming]
            if source not in upstream and source != barrier:
                upstream[source] = None
                pending.append(source)
    return upstream


def _standing(run: Engine, scope: int, places: Container[int]) -> Iterator[tuple[int, str]]:
    """Yield the tokens of a scope that stand at one of *places* and have not been given up."""
    state = run.state
    given_up = {track: None for track, *_, status in state.incidents.values() if status == "dead-lettered"}
    for track in state.members[scope]:
        place = state.tracks[track][0]
        if place in places and track not in given_up:
            yield track, run.program.places[place].id


def _incident(run: Engine, host: int, path: str) -> Iterator[Blocker]:
    """Yield the incident of an iterated activity itself, if it has one: of a condition, a behavior or a key."""
    if run.state.tracks[host][3] == INCIDENT:
        yield Blocker(path, waits_for(run, host), state="incident")


def _activation_text(run: Engine, host: int, found: tuple[Blocker, ...]) -> str:
    members = [blocker for blocker in found if blocker.ordinal is not None]
    each = ", ".join(f"{blocker.ordinal} {blocker.state} ({blocker.waits_for})" for blocker in members) or "none"
    for number, (track, _, _, error, _, status) in run.state.incidents.items():
        if track == host:
            return f"has incident {number} ({status}): {error}; its inner instances: {each}"
    return f"waits for its inner instances: {each}"


def _members(run: Engine, host: int) -> Iterator[Blocker]:
    """Yield what is open or queued in the group of *host*, by ordinal."""
    state = run.state
    rows: dict[int, Blocker] = {}
    for number, scope in state.open[host].items():
        tracks = list(state.members[scope])
        positions = [state.tracks[track][3] for track in tracks]
        resting = [track for track in tracks if state.tracks[track][3] < 0]
        status = "running" if max(positions) >= EXECUTING else "incident" if INCIDENT in positions else "waiting"
        words = ", ".join(dict.fromkeys(waits_for(run, track) for track in resting or tracks))
        tokens = tuple((track, run.program.places[state.tracks[track][0]].id) for track in tracks)
        rows[number] = Blocker(f"/{scope_path(run, scope)}", words, tokens, number, status)
    for number, *_ in state.drains[host].values():
        rows[number] = Blocker(f"/{scope_path(run, state.hosted[host])}", "delivery of its drain", (), number, "queued")
    yield from (rows[number] for number in sorted(rows))
