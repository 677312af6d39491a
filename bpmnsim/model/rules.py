"""Build-time refusals: one function per rule, each yielding what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpmnsim.model.process import Model


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason why a model cannot run as drawn.

    Examples
    --------
    >>> Finding("a", None, "FLW-07", "start quantity 2", "use 1").rule
    'FLW-07'
    """

    element_id: str
    line: int | None
    rule: str
    problem: str
    hint: str


def check_model(model: Model) -> tuple[Finding, ...]:
    """Return every finding.

    Examples
    --------
    >>> from bpmnsim.model import Model
    >>> check_model(Model([]))
    ()
    """
    del model
    return ()
