"""Build-time refusals: models that would run wrongly are refused before the first step.

Each rule is a small function in ``rules_flow``, ``rules_events``, ``rules_scopes`` or ``rules_iteration``;
here they are applied to every element.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpmnsim.model import rules_events, rules_flow, rules_iteration, rules_scopes
from bpmnsim.model.process import Model
from bpmnsim.model.rules_common import Rule

_RULES: tuple[Rule, ...] = (*rules_flow.RULES, *rules_events.RULES, *rules_scopes.RULES, *rules_iteration.RULES)


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason why a model cannot run as drawn.

    Parameters
    ----------
    element_id, line
        Where it is.
    rule
        Id of the rule in the semantics, or ``REF`` for a reference that names nothing.
    problem
        What is wrong.
    hint
        What to change.

    Examples
    --------
    >>> Finding("a", None, "FLW-07", "its start quantity is 2", "use 1").rule
    'FLW-07'
    """

    element_id: str
    line: int | None
    rule: str
    problem: str
    hint: str


def check_model(model: Model, *, profile: str = "engine", on_ambiguous_message: str = "refuse") -> tuple[Finding, ...]:
    """Return every reason to refuse a model, in the order of its elements.

    Parameters
    ----------
    model
        The model to check. It is not changed.
    profile
        ``"engine"`` or ``"standard"``; in the latter a behavior none or one needs no event (ITER-B-07).
    on_ambiguous_message
        ``"refuse"``, or ``"ordinal"``, which lifts ITER-M-02.

    Returns
    -------
    tuple of Finding
        Empty where the model runs as drawn.

    Examples
    --------
    >>> from bpmnsim.model import ProcessBuilder
    >>> b = ProcessBuilder("p")
    >>> _ = b.start() >> b.task("A", start_quantity=2) >> b.end()
    >>> [(finding.element_id, finding.rule) for finding in check_model(b.model())]
    [('A', 'FLW-07')]

    Notes
    -----
    core.md, the rules that say *refused*; iteration.md sections 1 and 18.
    """
    waived = (
        rules_iteration.behavior_event_needed if profile == "standard" else None,
        rules_iteration.parallel_receive_needs_a_key if on_ambiguous_message == "ordinal" else None,
    )
    rules = [rule for rule in _RULES if rule[2] not in waived]
    return tuple(
        Finding(element.id, element.line, rule_id, problem, hint)
        for element in model.elements.values()
        for rule_id, kind, check in rules
        if isinstance(element, kind)
        for problem, hint in check(model, element)
    )
