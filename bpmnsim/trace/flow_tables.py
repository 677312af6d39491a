"""Rows of the tables about control flow: joins, decisions, evaluations of expressions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bpmnsim.facts import ABSENT, NOBODY, Fact
from bpmnsim.model.base import SequenceFlow
from bpmnsim.trace.progress import chosen_flows
from bpmnsim.trace.story import Story, known

Cells = tuple[Any, ...]


def join_rows(story: Story) -> Iterator[Cells]:
    """Yield the rows of ``joins()``: each arrival that has to wait, and each firing.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> split, join = b.parallel("split"), b.parallel("join")
    >>> _ = b.start() >> split >> join, split >> b.task("a") >> join, join >> b.end()
    >>> [row[9:] for row in join_rows(bs.simulate(b.model()).story)]
    [('f_a_join', None, False, None), ('', None, True, 1)]

    Notes
    -----
    Core.md AND-03 to AND-08, IOR-05. A firing names the track that went on and the flow it came by.
    """
    queued: dict[tuple[int, int], dict[int, int]] = {}
    merged: list[int] = []
    for kind, step, time, track, place, scope, x, y in story.rows():
        if kind == Fact.MERGE and y is not None:
            queued.get((scope, place), {}).pop(track, None)
            merged.append(y)
        if kind not in (Fact.AWAIT, Fact.FIRE):
            continue
        held = queued.setdefault((scope, place), {})
        fired = kind == Fact.FIRE
        if fired:
            held.pop(track, None)
            full = {*held.values(), *merged, x}
            merged.clear()
        else:
            held[track] = x
            full = set(held.values())
        instance, path, _, _ = story.where(scope)
        filled = {story.flow(flow): None for flow in full}
        incoming = [flow.id for flow in story.model.incoming(story.nodes[place])]
        yield (
            step,
            time,
            instance,
            *story.node(place),
            path,
            story.flow(x),
            track,
            " ".join(flow for flow in incoming if flow in filled),
            " ".join(flow for flow in incoming if flow not in filled),
            None,
            fired,
            track if fired else None,
        )


def decision_rows(story: Story) -> Iterator[Cells]:
    """Yield the rows of ``decisions()``: one per outgoing flow, whenever a node had to choose between flows.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> choice = b.exclusive("choice")
    >>> _ = b.start() >> choice, choice.flow(b.end("big"), when="x > 5"), choice.flow(b.end("small"), default=True)
    >>> [row[8:] for row in decision_rows(bs.simulate(b.model(), data={"x": 7}).story)]
    [('f_choice_big', 'x > 5', True, True), ('f_choice_small', None, None, False)]

    Notes
    -----
    Core.md FLW-02, XOR-01, GW-02: a condition after the first true one of an exclusive gateway has no value.
    """
    chosen = {index: flows for index, _, flows in chosen_flows(story)}
    evaluated: dict[int, dict[int, Any]] = {}
    for index, (kind, step, time, track, place, scope, x, y) in enumerate(story.rows()):
        if kind == Fact.EVAL and isinstance(x, int):
            evaluated.setdefault(track, {})[x] = None if y[2] is ABSENT else y[2]
        elif kind in (Fact.VISIT, Fact.STUCK):
            verdicts = evaluated.pop(track, {})
            outgoing = story.model.outgoing(story.nodes[place])
            taken = [story.flow(flow) for flow in chosen.get(index, ())]
            if not verdicts and (len(outgoing) < 2 or not taken):
                continue
            values = {story.flow(flow): verdict for flow, verdict in verdicts.items()}
            instance, path, ordinal, _ = story.where(scope)
            for flow in outgoing:
                yield (
                    step,
                    time,
                    instance,
                    *story.node(place),
                    path,
                    track,
                    ordinal,
                    flow.id,
                    _condition(flow),
                    values.get(flow.id),
                    flow.id in taken,
                )


def _condition(flow: SequenceFlow) -> str | None:
    return flow.condition.text if flow.condition is not None else None


def evaluation_rows(story: Story) -> Iterator[Cells]:
    """Yield the rows of ``evaluations()``, those that raised included.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start("s").flow(b.end("e"), when="x > 5")
    >>> [row[9:] for row in evaluation_rows(bs.simulate(b.model(), data={"x": 7}).story)]
    [('f_s_e', 'x > 5', {'x': 7}, True, '')]

    Notes
    -----
    Core.md FLW-04; iteration.md ITER-SL-02, ITER-CC-09.
    """
    for kind, step, time, track, place, scope, x, y in story.rows():
        if kind == Fact.EVAL:
            text, values, verdict, error, member = y
            instance, path, ordinal, _ = story.where(scope)
            yield (
                step,
                time,
                instance,
                *story.node(place),
                path,
                known(track),
                ordinal if member is None else member,
                x if isinstance(x, str) else "condition",
                story.flow(x if isinstance(x, int) else NOBODY),
                text,
                dict(values),
                None if verdict is ABSENT else verdict,
                error,
            )
