"""The loop markers a builder puts on an activity: ``parallel``, ``sequential`` and ``loop``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bpmnsim.errors import ModelError, did_you_mean
from bpmnsim.model.base import Formal
from bpmnsim.model.draft import Draft, EventOptions, Expression, edit, formal
from bpmnsim.model.events import ImplicitThrowEvent
from bpmnsim.model.loops import (
    Behavior,
    ComplexBehaviorDefinition,
    LoopCharacteristics,
    MultiInstanceLoopCharacteristics,
    StandardLoopCharacteristics,
)

Thrown = str | EventOptions
Events = Thrown | Sequence[tuple[Expression, Thrown]]


@dataclass(frozen=True, slots=True)
class Marker:
    """A loop marker that is not attached yet.

    Parameters
    ----------
    characteristics
        The marker, still without ids.
    events
        Pairs of condition (``None`` outside behavior complex) and what is thrown.

    Examples
    --------
    >>> loop(maximum=3).characteristics.maximum
    3
    """

    characteristics: LoopCharacteristics
    events: tuple[tuple[Formal | None, EventOptions], ...] = ()

    def attach(self, draft: Draft, activity: str) -> LoopCharacteristics:
        """Return the marker of one activity, with ids, and declare what it throws."""
        marker = replace(self.characteristics, id=draft.new_id(f"{activity}_loop"), parent=activity)
        if not isinstance(marker, MultiInstanceLoopCharacteristics) or not self.events:
            return marker
        if marker.behavior is Behavior.COMPLEX:
            return replace(marker, complex_definitions=self._complex(draft, marker.id))
        ((_, what),) = self.events
        (definition,) = draft.definitions(f"{activity}_behavior", None, what)
        draft.declared[definition.id] = replace(definition, parent="")
        if marker.behavior is Behavior.NONE:
            return replace(marker, none_event=definition.id)
        return replace(marker, one_event=definition.id)

    def _complex(self, draft: Draft, marker_id: str) -> tuple[ComplexBehaviorDefinition, ...]:
        found = []
        for condition, what in self.events:
            behavior_id = draft.new_id(f"{marker_id}_behavior")
            event_id = draft.new_id(f"{behavior_id}_event")
            definitions = draft.definitions(event_id, None, what)
            event = ImplicitThrowEvent(id=event_id, parent=behavior_id, definitions=definitions)
            found.append(ComplexBehaviorDefinition(id=behavior_id, parent=marker_id, condition=condition, event=event))
        return tuple(found)


def parallel(
    *,
    cardinality: Expression | None = None,
    collection: str | None = None,
    item: str | None = None,
    output_item: str | None = None,
    output_collection: str | None = None,
    completion_condition: Expression | None = None,
    behavior: str = "all",
    events: Events | None = None,
    correlation: tuple[str, Expression] | None = None,
    output_key: Expression | None = None,
    output_reduce: str = "",
    unique_keys: bool = False,
) -> Marker:
    """Run an activity once per item, all at once.

    Parameters
    ----------
    cardinality
        Number of inner instances, or an expression for it; instead of *collection*.
    collection
        Name of the list with one item per inner instance.
    item
        Name under which an inner instance knows its item.
    output_item, output_collection
        Name of the result of one inner instance, and of the list that is published at the end.
    completion_condition
        Tested after each completion; true cancels the rest.
    behavior
        ``"all"`` throws nothing, ``"none"`` an event per completion, ``"one"`` one at the first completion,
        ``"complex"`` one per condition that holds.
    events
        What is thrown: the name of a signal, or a mapping of event keywords such as ``{"escalation": "LATE"}``;
        for ``"complex"`` pairs of a condition and such an event.
    correlation
        Name of a correlation key and expression for its value in one inner instance.
    output_key, output_reduce
        Expression of the key of a keyed result, or name of a reduction, instead of the list.
    unique_keys
        A repeated key is a fault.

    Returns
    -------
    Marker
        To be given as ``multi_instance=`` of an activity.

    Raises
    ------
    ModelError
        If the behavior is unknown or an expression is not text.

    Examples
    --------
    >>> marker = parallel(cardinality=3, completion_condition="numberOfCompletedInstances >= 2")
    >>> marker.characteristics.loop_cardinality.text
    '3'

    Notes
    -----
    iteration.md sections 3 and 5 to 8.
    """
    known = [member.value for member in Behavior]
    if behavior not in known:
        hint = did_you_mean(behavior, known) or "all, none, one or complex"
        raise ModelError(f"unknown behavior {behavior!r}", hint=hint)
    if correlation is not None and (not isinstance(correlation, tuple | list) or len(correlation) != 2):
        raise ModelError(
            f"a correlation is a pair of key name and expression, not {correlation!r}",
            hint='such as correlation=("order_id", "order.id")',
        )
    characteristics = MultiInstanceLoopCharacteristics(
        id="",
        loop_cardinality=_optional(cardinality, "cardinality"),
        input_collection=collection or "",
        input_item=item or "",
        output_collection=output_collection or "",
        output_item=output_item or "",
        completion_condition=_optional(completion_condition, "completion_condition"),
        behavior=Behavior(behavior),
        correlation=None if correlation is None else (correlation[0], formal(correlation[1], "correlation")),
        output_key=_optional(output_key, "output_key"),
        output_reduce=output_reduce,
        unique_keys=unique_keys,
    )
    return Marker(characteristics, _thrown(events))


def sequential(
    *,
    cardinality: Expression | None = None,
    collection: str | None = None,
    item: str | None = None,
    output_item: str | None = None,
    output_collection: str | None = None,
    completion_condition: Expression | None = None,
    behavior: str = "all",
    events: Events | None = None,
    correlation: tuple[str, Expression] | None = None,
    output_key: Expression | None = None,
    output_reduce: str = "",
    unique_keys: bool = False,
) -> Marker:
    """Run an activity once per item, one after the other; parameters as in :func:`parallel`.

    Examples
    --------
    >>> sequential(collection="orders", item="order").characteristics.is_sequential
    True

    Notes
    -----
    iteration.md section 4.
    """
    marker = parallel(
        cardinality=cardinality,
        collection=collection,
        item=item,
        output_item=output_item,
        output_collection=output_collection,
        completion_condition=completion_condition,
        behavior=behavior,
        events=events,
        correlation=correlation,
        output_key=output_key,
        output_reduce=output_reduce,
        unique_keys=unique_keys,
    )
    return replace(marker, characteristics=edit(marker.characteristics, is_sequential=True))


def loop(*, condition: Expression | None = None, maximum: int | None = None, test_before: bool = False) -> Marker:
    """Repeat an activity while a condition holds.

    Parameters
    ----------
    condition
        Goes on while it is true; ``loopCounter`` counts the passes from 0.
    maximum
        Greatest number of passes.
    test_before
        Test before the first pass as well.

    Examples
    --------
    >>> loop(condition="loopCounter < 3").characteristics.condition.text
    'loopCounter < 3'

    Notes
    -----
    iteration.md section 2.
    """
    condition_text = _optional(condition, "condition")
    return Marker(
        StandardLoopCharacteristics(id="", condition=condition_text, maximum=maximum, test_before=test_before)
    )


def _optional(value: Expression | None, element_id: str) -> Formal | None:
    return None if value is None else formal(value, element_id)


def _thrown(events: Events | None) -> tuple[tuple[Formal | None, EventOptions], ...]:
    if events is None:
        return ()
    if isinstance(events, str | Mapping):
        return ((None, _options(events)),)
    return tuple((formal(condition, "events"), _options(what)) for condition, what in events)


def _options(what: Thrown) -> EventOptions:
    return {"signal": what} if isinstance(what, str) else what
