"""Names of actions and paths of scopes, derived only when somebody asks (scheduling.md 1.1, core.md SUB-01)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote

from bpmnsim.engine.requests import DRAINED, FIRED
from bpmnsim.errors import NoSuchTask, did_you_mean
from bpmnsim.facts import NOBODY

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine


@lru_cache(maxsize=4096)
def segment(element_id: str) -> str:
    """Return an id as one part of a path."""
    return quote(element_id, safe="", errors="surrogatepass")


def scope_path(run: Engine, scope: int) -> str:
    """Return the path of a scope as actions show it: ids joined by slashes, ordinals in brackets."""
    parts: list[str] = []
    while scope != NOBODY:
        parent, _, place, member, _, k, _ = run.state.scopes[scope]
        around = run.state.scopes.get(parent)
        if member is not None and around is not None and around[2] == place:
            parts.append(f"[{member}]")
        else:
            named = segment(run.program.places[place].id)
            inner = f"[{member}]" if member is not None else ""
            parts.append(f"/{named}{f'~{k}' if k else ''}{inner}")
        scope = parent
    return "".join(reversed(parts)).removeprefix("/")


def track_path(run: Engine, track: int) -> str:
    """Return the path of the node on which a track stands."""
    place, scope, _, _ = run.state.tracks[track]
    path = scope_path(run, scope)
    if run.program.body_of[place] != NOBODY:
        return path
    return f"{path}/{segment(run.program.places[place].id)}"


def action_name(run: Engine, entry: int) -> str:
    """Return the name of an enabled action, without the number that tells equal ones apart."""
    state = run.state
    track = state.ready.get(entry)
    if track is not None:
        reply = state.inbox.get(track)
        verb = "drain" if reply == DRAINED else "complete" if reply == FIRED else "run"
        return f"{verb}({track_path(run, track)})"
    verb, track, payload, _ = state.offers[entry]
    if track == NOBODY:
        kind, _, number = state.timers[payload[1]][3].partition("#")
        return f"{kind}({segment(run.outside.stimuli[int(number)].target)})"
    if verb == "take":
        flows = "+".join(segment(run.program.flows[flow].id) for flow in payload[1])
        return f"take({scope_path(run, state.tracks[track][1])}/{flows})"
    return f"{verb}({track_path(run, track)})"


def action_names(run: Engine, entries: Sequence[int]) -> list[str]:
    """Return the names of enabled actions; the k-th otherwise equal one gets ``#k`` from k = 2 on."""
    names = []
    seen: Counter[str] = Counter()
    for entry in entries:
        name = action_name(run, entry)
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return names


def scope_at(run: Engine, path: str) -> int:
    """Return the open scope with this path.

    Raises
    ------
    NoSuchTask
        If there is none.
    """
    known = {f"/{scope_path(run, scope)}": scope for scope in run.state.scopes}
    if path not in known:
        hint = did_you_mean(path, known) or f"open are {', '.join(known)}"
        raise NoSuchTask(f"there is no open scope {path!r}", hint=hint)
    return known[path]
