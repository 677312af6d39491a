"""Schedules: who was picked at every choice, as a base strategy plus named deviations; one line of text, or JSON.

``bs1;m=…;t=instant;g=task;s=fifo;o=…;i=…;d=4:complete(order/review%5B2%5D),7:timer(order/T1)~8e1d``
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any
from urllib.parse import quote, unquote

from bpmnsim.errors import ScheduleDivergence

_VERSION = "bs1"
_SAFE = "()/[]#~+@"


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
        What was done to a run by hand: pairs of step and JSON text.
    model, options, inputs
        Digests that tie the schedule to what it was recorded with.
    time, granularity
        Modes that decide what is a choice.
    constraints
        Pairs of action names, the first held before the second (scheduling.md 1.2, third form).

    Examples
    --------
    >>> schedule = Schedule(base="7", model="3f9c02")
    >>> str(schedule)
    'bs1;m=3f9c02;t=instant;g=task;s=7;o=;i=~082a'
    >>> Schedule.parse(str(schedule)) == schedule
    True

    Notes
    -----
    ``scheduling.md`` 1.2. The trailer is a checksum of the body, so a mistyped schedule fails at once.
    """

    base: str = "fifo"
    deviations: tuple[tuple[int, str], ...] = ()
    stimuli: tuple[tuple[int, str], ...] = ()
    model: str = ""
    options: str = ""
    inputs: str = ""
    time: str = "instant"
    granularity: str = "task"
    constraints: tuple[tuple[str, str], ...] = field(default=())

    def __str__(self) -> str:
        parts = [
            _VERSION,
            f"m={self.model}",
            f"t={self.time}",
            f"g={self.granularity}",
            f"s={quote(self.base, safe=_SAFE)}",
            f"o={self.options}",
            f"i={self.inputs}",
        ]
        if self.deviations:
            parts.append("d=" + ",".join(f"{number}:{_written(name)}" for number, name in self.deviations))
        if self.stimuli:
            parts.append("x=" + ",".join(f"{step}:{_written(text)}" for step, text in self.stimuli))
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
        body, mark, checksum = text.strip().rpartition("~") if isinstance(text, str) else ("", "", "")
        if not mark or not body.startswith("bs"):
            raise ScheduleDivergence("this is no schedule", hint=f"a schedule begins with {_VERSION!r}")
        if checksum != _checksum(body):
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
            deviations, stimuli = _numbered(cells.get("d", "")), _numbered(cells.get("x", ""))
        except ValueError as error:
            raise ScheduleDivergence(f"this is no schedule: {error}") from error
        return cls(
            base=unquote(cells.get("s", "fifo")),
            deviations=deviations,
            stimuli=stimuli,
            model=cells.get("m", ""),
            options=cells.get("o", ""),
            inputs=cells.get("i", ""),
            time=cells.get("t", "instant"),
            granularity=cells.get("g", "task"),
            constraints=tuple(
                (_read(first), _read(then))
                for first, _, then in (pair.partition("<") for pair in cells.get("c", "").split(",") if pair)
            ),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the schedule as JSON-ready data.

        Examples
        --------
        >>> Schedule().to_json()["base"]
        'fifo'
        """
        return {
            "version": _VERSION,
            "base": self.base,
            "deviations": [list(pair) for pair in self.deviations],
            "stimuli": [list(pair) for pair in self.stimuli],
            "model": self.model,
            "options": self.options,
            "inputs": self.inputs,
            "time": self.time,
            "granularity": self.granularity,
            "constraints": [list(pair) for pair in self.constraints],
        }

    @classmethod
    def from_json(cls, saved: dict[str, Any] | str) -> Schedule:
        """Return the schedule that :meth:`to_json` wrote.

        Raises
        ------
        ScheduleDivergence
            If it is of another version or no schedule at all.

        Examples
        --------
        >>> Schedule.from_json(Schedule(base="depth").to_json()).base
        'depth'
        """
        try:
            cells = json.loads(saved) if isinstance(saved, str) else dict(saved)
            if cells.pop("version") != _VERSION:
                raise ScheduleDivergence("schedules of this version cannot be read", hint=f"record it as {_VERSION}")
            for name in ("deviations", "stimuli", "constraints"):
                cells[name] = tuple((first, then) for first, then in cells[name])
            return cls(**cells)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ScheduleDivergence(f"this is no schedule: {error}") from error


def _written(text: str) -> str:
    return quote(text, safe=_SAFE)


def _read(text: str) -> str:
    return unquote(text)


def _numbered(text: str) -> tuple[tuple[int, str], ...]:
    pairs = (part.partition(":") for part in text.split(",") if part)
    return tuple((int(number), unquote(name)) for number, _, name in pairs)


def _checksum(body: str) -> str:
    return blake2b(body.encode(), digest_size=2).hexdigest()
