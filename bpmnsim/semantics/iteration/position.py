"""Where an iteration stands: the record of its executor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Pairs = tuple[tuple[str, Any], ...]


@dataclass(slots=True)
class At:
    """A record of fixed size, open for one turn; what is kept per ordinal lies with the loop.

    Attributes
    ----------
    stage
        What has been asked, and so what the next reply answers.
    total, completed, terminated
        Counts so far.
    number
        Ordinal of the drain being handled, or of the pass under way.
    seen
        Values the inner instance at hand has left, its output last; ``None`` if it was terminated.
    key
        Key of its output, where results are collected in a map.
    cursor
        Position in the events of the behavior.
    rest
        What is taken one by one within a step: elements of the collection, drains left in the queue.
    reason
        Why the activity ends; empty before that.
    """

    stage: str
    total: int = 0
    completed: int = 0
    terminated: int = 0
    number: int = 0
    seen: Pairs | None = None
    key: Any = None
    cursor: int = 0
    rest: tuple[Any, ...] | None = None
    reason: str = ""

    def to(self, stage: str, **changes: Any) -> tuple[Any, ...]:
        """Change what is given and return the record of another stage, as the plain tuple that the loop keeps.

        Examples
        --------
        >>> At("counted").to("opened", total=3)
        ('opened', 3, 0, 0, 0, None, None, 0, None, '')
        """
        for name, value in changes.items():
            setattr(self, name, value)
        return (
            stage,
            self.total,
            self.completed,
            self.terminated,
            self.number,
            self.seen,
            self.key,
            self.cursor,
            self.rest,
            self.reason,
        )

    @property
    def outstanding(self) -> int:
        """Number of inner instances that are neither completed nor terminated."""
        return self.total - self.completed - self.terminated
