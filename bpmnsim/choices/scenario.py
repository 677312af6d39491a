"""What users, workers and partners do: an ordered list of stimuli, and whether everything else comes by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bpmnsim.errors import SimulationError, shown


@dataclass(frozen=True, slots=True)
class Stimulus:
    """One thing that happens outside.

    Parameters
    ----------
    kind
        complete, fail, message, signal or set.
    target
        Element id or name, name of the message or signal, or name of the value.
    values
        Outputs, payload, or the value that is set, as (name, value) pairs.
    member
        Number of the inner instance, or ``None`` for whichever is open.
    key
        Correlation key of a message.
    error
        Error code with which work fails.
    at
        Virtual time in seconds, or ``None``.
    after
        Element that has to be visited first, or ``None``.

    Examples
    --------
    >>> Stimulus("signal", "alert", at=3.0).at
    3.0
    """

    kind: str
    target: str
    values: tuple[tuple[str, Any], ...] = ()
    member: int | None = None
    key: Any = None
    error: str | None = None
    at: float | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """What comes from outside a run, in order; ``Scenario.open()`` lets the rest come by itself.

    Each method returns a new scenario. In an open scenario whatever is awaited arrives once per arming and user tasks
    get done, in
    an order that the strategy picks; what is listed goes first.

    Parameters
    ----------
    is_open
        Whether what is not listed arrives by itself.
    stimuli
        What is listed, in order.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.user("approve") >> b.end()
    >>> bs.simulate(b.model(), scenario=bs.Scenario()).outcome
    'waiting'
    >>> said = bs.Scenario().complete("approve", outputs={"ok": True}, at=5)
    >>> trace = bs.simulate(b.model(), scenario=said)
    >>> trace.outcome, trace.time, trace.values["ok"]
    ('completed', 5.0, True)

    Notes
    -----
    Design section 4, Outside world.
    """

    is_open: bool = False
    stimuli: tuple[Stimulus, ...] = ()

    @classmethod
    def open(cls) -> Scenario:
        """Return the open scenario, in which nothing is listed yet."""
        return cls(is_open=True)

    def complete(
        self,
        node: str,
        ordinal: int | None = None,
        outputs: Mapping[str, Any] | None = None,
        *,
        at: float | None = None,
        after: str | None = None,
    ) -> Scenario:
        """Let somebody complete the task *node* with *outputs*."""
        return self._with(Stimulus("complete", node, _pairs(outputs), ordinal, at=_time(at), after=after))

    def fail(
        self,
        node: str,
        error: str,
        ordinal: int | None = None,
        *,
        at: float | None = None,
        after: str | None = None,
    ) -> Scenario:
        """Let the work of *node* fail with the business error *error*."""
        return self._with(Stimulus("fail", node, (), ordinal, error=error, at=_time(at), after=after))

    def message(
        self,
        name: str,
        key: Any = None,
        payload: Mapping[str, Any] | None = None,
        *,
        at: float | None = None,
        after: str | None = None,
    ) -> Scenario:
        """Let a message arrive; it is buffered until somebody waits for it (core.md MSG-02)."""
        return self._with(Stimulus("message", name, _pairs(payload), key=key, at=_time(at), after=after))

    def signal(self, name: str, *, at: float | None = None, after: str | None = None) -> Scenario:
        """Broadcast a signal; it reaches those who wait at that moment (core.md SIG-02)."""
        return self._with(Stimulus("signal", name, at=_time(at), after=after))

    def set(self, name: str, value: Any, *, at: float | None = None, after: str | None = None) -> Scenario:
        """Change a value of the process data."""
        return self._with(Stimulus("set", name, ((name, value),), at=_time(at), after=after))

    def _with(self, stimulus: Stimulus) -> Scenario:
        named = isinstance(stimulus.target, str) and isinstance(stimulus.error, str | None)
        numbered = isinstance(stimulus.member, int | None) and not isinstance(stimulus.member, bool)
        if not named or not isinstance(stimulus.after, str | None) or not numbered:
            raise SimulationError("a stimulus names things by a text, and an inner instance by its number")
        if stimulus.at is not None and stimulus.after is not None:
            raise SimulationError("a stimulus has at= or after=, not both", element_id=stimulus.target)
        return replace(self, stimuli=(*self.stimuli, stimulus))


def _pairs(values: Mapping[str, Any] | None) -> tuple[tuple[str, Any], ...]:
    if values is not None and not (isinstance(values, Mapping) and all(isinstance(name, str) for name in values)):
        raise SimulationError(f"{shown(values)} is no record of names and values", hint='give a dict: {"ok": True}')
    return tuple((values or {}).items())


def _time(at: float | None) -> float | None:
    if at is None:
        return None
    if isinstance(at, bool) or not isinstance(at, int | float) or not 0 <= at < 1e300:
        raise SimulationError(f"at={shown(at)} is no time", hint="give virtual seconds >= 0")
    return float(at)
