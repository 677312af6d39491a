"""What the tokens inside an inner instance do, and so what state it is in (iteration.md section 0.2, ITER-W-12)."""

from __future__ import annotations

from typing import Final

from bpmnsim.facts import NOBODY, Fact
from bpmnsim.trace.story import Row, Story

_STATE_AFTER: Final = {
    Fact.TRACK: "running",
    Fact.BEGIN: "running",
    Fact.READY: "running",
    Fact.WAIT: "waiting",
    Fact.AWAIT: "waiting",
    Fact.STUCK: "incident",
}
_HOSTING: Final = "hosting"
"""State of a token that rests on a scope: what is in there says what goes on."""

_HOSTED: Final = ("scope", "inner instances")
_SHOWN: Final = ("running", "incident", "waiting")
"""States of an inner instance by what any of its tokens does, the first that holds."""

_STILL_THERE: Final = ("retry-scheduled", "dead-lettered")


class Standing:
    """Reads facts one after the other, and knows what the tokens in and below each inner instance do.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.user("A", multi_instance=bs.parallel(cardinality="2")) >> b.end()
    >>> story = bs.simulate(b.model(), scenario=bs.Scenario()).story
    >>> standing = Standing(story)
    >>> changed = {scope: standing.state(scope) for row in story.rows() for scope in standing.read(row)}
    >>> sorted(changed.values())
    ['waiting', 'waiting']
    """

    def __init__(self, story: Story) -> None:
        self.story = story
        self.tracks: dict[int, str] = {}
        self.inside: dict[int, dict[int, None]] = {}
        self.counts: dict[int, dict[str, int]] = {}
        self.members: dict[int, tuple[int, ...]] = {NOBODY: ()}

    def state(self, scope: int) -> str | None:
        """Return the state of the inner instance with this scope, ``None`` while no token is in it."""
        counts = self.counts.get(scope, {})
        return next((state for state in _SHOWN if counts.get(state)), None)

    def read(self, row: Row) -> tuple[int, ...]:
        """Take one fact into account; return the scopes of the inner instances it is about, the innermost first."""
        kind, _, _, track, _, scope, x, y = row
        match kind:
            case Fact.CLOSE:
                for ended in list(self.inside.get(scope, ())):  # also an incident, which has no end of its own
                    self._stand(ended, None)
                if self.tracks.get(track) == _HOSTING:
                    self._stand(track, "running")
            case Fact.GROUP if x == "rearm":
                self._stand(track, _HOSTING)
            case Fact.REPORT if x == "Fault Incident" and dict(y)["action"] not in _STILL_THERE:
                self._stand(track, None)
            case Fact.VISIT:
                self._stand(track, "running" if x != NOBODY else None)
            case Fact.MERGE | Fact.CANCEL | Fact.FAIL:
                self._stand(track, None)
            case Fact.WAIT if y in _HOSTED:
                self._stand(track, _HOSTING)
            case _ if kind in _STATE_AFTER:
                self._stand(track, _STATE_AFTER[Fact(kind)])
        return self._around(scope)

    def _stand(self, track: int, state: str | None) -> None:
        """Note what a token does from now on, ``None`` where it is no more."""
        before = self.tracks.get(track)
        if track not in self.story.tracks or before == state:
            return
        scope = self.story.tracks[track].scope
        if state is None:
            del self.tracks[track], self.inside[scope][track]
        else:
            self.tracks[track] = state
            self.inside.setdefault(scope, {})[track] = None
        for member in self._around(scope):
            counts = self.counts.setdefault(member, dict.fromkeys((*_SHOWN, _HOSTING), 0))
            if before is not None:
                counts[before] -= 1
            if state is not None:
                counts[state] += 1

    def _around(self, scope: int) -> tuple[int, ...]:
        """Return the scopes of the inner instances that a scope lies in, itself included, the innermost first."""
        if scope not in self.members:
            info = self.story.scopes[scope]
            own = (scope,) if info.own_ordinal is not None else ()
            self.members[scope] = (*own, *self._around(info.parent))
        return self.members[scope]
