"""The state of a run after one of its steps, rebuilt from the facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bpmnsim.errors import SimulationError
from bpmnsim.facts import ABSENT, Fact
from bpmnsim.trace.column import TOKEN_OF
from bpmnsim.trace.stays import stays
from bpmnsim.trace.story import Story


@dataclass(frozen=True, slots=True)
class Token:
    """A token at one moment.

    Parameters
    ----------
    track
        Number of its track.
    node
        Element on which it stands.
    scope
        Path of its scope.
    track_state, token_state
        As in ``tokens()``.
    flow
        Flow it came by, ``None`` where it began.

    Examples
    --------
    >>> Token(0, "a", "/p", "ready", "alive", None).node
    'a'
    """

    track: int
    node: str
    scope: str
    track_state: str
    token_state: str
    flow: str | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Where a run stands after a step.

    Parameters
    ----------
    step, time
        Of the run.
    tokens
        Those alive or waiting, and one for each open incident (core.md TRK-05); none before the first step (TRK-04).
    scopes
        Paths of the open scopes, outermost first.
    values
        Scope path -> what is known of its data; a process that has ended keeps its last ones.

    Examples
    --------
    >>> Snapshot(0, 0.0, (), ("/p",), {}).scopes
    ('/p',)
    """

    step: int
    time: float
    tokens: tuple[Token, ...]
    scopes: tuple[str, ...]
    values: Mapping[str, Mapping[str, object]]


def snapshot_of(story: Story, step: int, last: int, final: Mapping[str, object]) -> Snapshot:
    """Return where the run stood after *step*.

    Parameters
    ----------
    step
        From 0, before the first one, to *last*; negative ones count from the end.
    last
        Number of steps of the run.
    final
        Data of the process at the end: what the values were that never changed.

    Raises
    ------
    SimulationError
        If the run has no such step.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.task("A") >> b.end()
    >>> trace = bs.simulate(b.model())
    >>> [token.node for token in snapshot_of(trace.story, 1, trace.steps, {}).tokens]
    ['A']

    Notes
    -----
    Linear in the number of facts.
    """
    number = step if step >= 0 else last + 1 + step
    if not 0 <= number <= last:
        raise SimulationError(f"the run has no step {step}", hint=f"its steps are 0 to {last}")
    here = [stay for stay in stays(story, number) if stay.left is None] if number else []
    tokens = tuple(
        Token(
            stay.track,
            story.nodes[stay.place],
            story.scopes[stay.scope].path,
            stay.state,
            TOKEN_OF[stay.state],
            story.flow(stay.flow),
        )
        for stay in here
    )
    opened = [
        info
        for info in story.scopes.values()
        if info.opened <= number and (info.closed is None or info.closed > number) and not story.hidden(info)
    ]
    values, time = _values(story, number, final)
    paths = dict.fromkeys(info.path for info in opened)
    processes = [info.path for info in story.scopes.values() if info.role == "process"]
    shown = {path: MappingProxyType(values[path]) for path in (*processes, *paths) if path in values}
    return Snapshot(number, time, tokens, tuple(paths), MappingProxyType(shown))


def _values(story: Story, step: int, final: Mapping[str, object]) -> tuple[dict[str, dict[str, object]], float]:
    """Return the data of every scope and the time after *step*.

    The start data is no fact. A name that changes later had, until then, the value that its first change replaced; one
    that never changes had its final value all along.
    """
    now = 0.0
    values: dict[int, dict[str, object]] = {}
    later: dict[tuple[int, str], object] = {}
    for kind, at, time, _, _, scope, x, y in story.rows():
        if at <= step:
            now = time
        if kind == Fact.DATA and at <= step:
            values.setdefault(scope, {})[x] = y[1]
        elif kind == Fact.DATA:
            later.setdefault((scope, x), y[0])
    for (scope, name), old in later.items():
        if old is not ABSENT:
            values.setdefault(scope, {})[name] = old
    root = next(iter(story.scopes), None)
    if root is not None:
        changed = {name for scope, name in later if scope == root}
        unchanged = {name: value for name, value in final.items() if name not in changed}
        values[root] = unchanged | values.get(root, {})
    return {story.scopes[scope].path: each for scope, each in values.items()}, now
