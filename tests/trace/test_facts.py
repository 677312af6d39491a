"""Rows of facts() and history(): the expansion of core.md sections 1 and 12."""

from __future__ import annotations

from collections.abc import Callable

from bpmnsim.model import Model
from bpmnsim.trace import Trace

Run = Callable[..., Trace]


def test_a_linear_run_gives_ten_facts(run: Run, linear: Callable[..., Model]) -> None:
    """OBS-04, OBS-05: the minimal stream of s>A>e."""
    facts = run(linear("A")).facts()
    assert list(zip(facts["kind"], facts["phase"], facts["node"], strict=True)) == [
        ("InstanceState", "Created", "p"),
        ("InstanceState", "Active", "p"),
        ("NodeProgress", "Executing", "s"),
        ("NodeProgress", "Executing", "s"),
        ("NodeProgress", "Executing", "A"),
        ("NodeProgress", "Executing", "A"),
        ("NodeProgress", "Executing", "e"),
        ("NodeProgress", "Executing", "e"),
        ("NodeProgress", "Completed", "e"),
        ("InstanceState", "Completed", "p"),
    ]
    assert facts["seq"].tolist() == list(range(10))
