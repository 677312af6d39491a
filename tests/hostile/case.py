"""One input of the fuzz test: what it was made from, how it looks in a file, and how it is tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """An input.

    ``attempt()`` returns how it ended, in a word; it raises a ``Defect`` where something comes out that must not.
    """

    name: str
    data: bytes
    attempt: Callable[[], str]
