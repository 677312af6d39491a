"""Schedules: who was picked at every choice, as a base strategy plus named deviations; one line of text, or JSON.

``bs1;m=…;t=instant;g=task;s=fifo;o=…;i=…;d=4:complete(order/review[2]),7:timer(order/T1)~8e1d``
"""

from __future__ import annotations

import json
from binascii import crc_hqx
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any
from urllib.parse import quote, unquote

from bpmnsim.errors import ScheduleDivergence

_VERSION = "bs1"
_SAFE = "()/[]#~+@{}:'\"!*"
_HEADER = {"m": "model", "t": "time", "g": "granularity", "s": "base", "o": "options", "i": "inputs"}
_NUMBERED = {"d": "deviations", "x": "stimuli", "h": "states"}

Numbered = tuple[tuple[int, str], ...]
"""Pairs of a number and a text."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """A run's answers to every choice.

    Parameters
    ----------
    base
        Strategy that picks wherever nothing else is said: ``"fifo"``, a seed as text, and so on.
    deviations
        Pairs of choice number (from 0) and name of the action picked instead.
    stimuli
        What was done to a run by hand: pairs of step and text, such as ``complete(review)`` with JSON behind it.
    model, options, inputs
        Digests that tie the schedule to what it was recorded with.
    time, granularity
        Modes that decide what is a choice.
    constraints
        Pairs of action names: the second is held back until the first has happened once (scheduling.md 1.2, third
        form).
    states
        Pairs of choice number and digest of the state there; only in a full recording, see ``Trace.recording``.

    Examples
    --------
    >>> schedule = Schedule(base="7", model="3f9c02")
    >>> str(schedule)
    'bs1;m=3f9c02;t=instant;g=task;s=7;o=;i=~fd33'
    >>> Schedule.parse(str(schedule)) == schedule
    True

    Notes
    -----
    ``scheduling.md`` 1.2. The trailer is a cyclic checksum of the body: it shows every change of one sign, and of two
    signs that stand together.
    """

    base: str = "fifo"
    deviations: Numbered = ()
    stimuli: Numbered = ()
    model: str = ""
    options: str = ""
    inputs: str = ""
    time: str = "instant"
    granularity: str = "task"
    constraints: tuple[tuple[str, str], ...] = ()
    states: Numbered = ()

    def __str__(self) -> str:
        parts = [_VERSION, *(f"{key}={_written(getattr(self, name))}" for key, name in _HEADER.items())]
        for key, name in _NUMBERED.items():
            if getattr(self, name):
                pairs = (f"{number}:{_written(text)}" for number, text in getattr(self, name))
                parts.append(f"{key}={','.join(pairs)}")
        if self.constraints:
            parts.append("c=" + ",".join(f"{_written(first)}<{_written(then)}" for first, then in self.constraints))
        body = ";".join(parts)
        return f"{body}~{_checksum(body)}"

    @classmethod
    def parse(cls, text: str) -> Schedule:
        """Return the schedule that *text* spells.

        Raises
        ------
        ScheduleDivergence
            If it is no schedule, of another version, or mistyped.

        Examples
        --------
        >>> Schedule.parse("bs1;s=fifo~0000")
        Traceback (most recent call last):
        bpmnsim.errors.ScheduleDivergence: SCHEDULE: the checksum does not fit: the text was changed or cut
          hint: copy the whole line again
        """
        body, mark, checksum = text.strip().rpartition("~")
        if not mark or not body.startswith("bs"):
            raise ScheduleDivergence("this is no schedule", hint=f"a schedule begins with {_VERSION!r}")
        if not text.isascii() or checksum != _checksum(body):
            raise ScheduleDivergence(
                "the checksum does not fit: the text was changed or cut", hint="copy the whole line again"
            )
        version, *parts = body.split(";")
        if version != _VERSION:
            raise ScheduleDivergence(
                f"schedules of version {version!r} cannot be read", hint=f"record it as {_VERSION}"
            )
        cells = dict(part.partition("=")[::2] for part in parts)
        try:
            found: dict[str, Any] = {name: unquote(cells[key]) for key, name in _HEADER.items() if key in cells}
            found |= {name: _numbered(cells[key]) for key, name in _NUMBERED.items() if key in cells}
            pairs = (pair.partition("<") for pair in cells.get("c", "").split(",") if pair)
            return cls(**found, constraints=tuple((unquote(first), unquote(then)) for first, _, then in pairs))
        except ValueError as error:
            raise ScheduleDivergence(f"this is no schedule: {error}") from error

    def to_json(self) -> dict[str, Any]:
        """Return the schedule as JSON-ready data.

        Examples
        --------
        >>> Schedule().to_json()["base"]
        'fifo'
        """
        cells = json.loads(json.dumps(asdict(self)))
        return {"version": _VERSION, **cells, "checksum": _digest(self)}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any] | str) -> Schedule:
        """Return the schedule that :meth:`to_json` wrote.

        Raises
        ------
        ScheduleDivergence
            If it is of another version, changed, or no schedule at all.

        Examples
        --------
        >>> Schedule.from_json(Schedule(base="depth").to_json()).base
        'depth'
        """
        try:
            cells = dict(json.loads(saved) if isinstance(saved, str) else saved)
            if cells.pop("version") != _VERSION:
                raise ScheduleDivergence("schedules of this version cannot be read", hint=f"record it as {_VERSION}")
            checksum = cells.pop("checksum")
            for name in _NUMBERED.values():
                cells[name] = tuple((int(number), text) for number, text in cells[name])
            cells["constraints"] = tuple((first, then) for first, then in cells["constraints"])
            schedule = cls(**cells)
            changed = _digest(schedule) != checksum
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ScheduleDivergence(f"this is no schedule: {error}") from error
        if changed:
            raise ScheduleDivergence(
                "the checksum does not fit: the schedule was changed or cut", hint="take the recorded one again"
            )
        return schedule


def _written(text: str) -> str:
    return quote(text, safe=_SAFE)


def _numbered(text: str) -> Numbered:
    pairs = (part.partition(":") for part in text.split(",") if part)
    return tuple((int(number), unquote(name)) for number, _, name in pairs)


def _digest(schedule: Schedule) -> str:
    return blake2b(str(schedule).encode(), digest_size=8).hexdigest()


def _checksum(body: str) -> str:
    return f"{crc_hqx(body.encode(), 0):04x}"
