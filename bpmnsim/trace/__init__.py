"""What happened in a run: facts as tables, graphs, snapshots and logs."""

from __future__ import annotations

from bpmnsim.trace.parts import ChoiceRow, Stuck
from bpmnsim.trace.schema import columns
from bpmnsim.trace.trace import Trace

__all__ = ["ChoiceRow", "Stuck", "Trace", "columns"]
