"""Small models for the tests of tables, graphs and logs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

import bpmnsim as bs
from bpmnsim.choices.schedule import Schedule
from bpmnsim.facts import Fact, Record
from bpmnsim.model import Activity, FlowNode, Model, SequenceFlow
from bpmnsim.trace import Trace


def linear_model(*tasks: str) -> Model:
    """Return ``s>task>...>e``."""
    b = bs.ProcessBuilder("p")
    node = b.start("s")
    for task in tasks:
        node = node >> b.task(task)
    _ = node >> b.end("e")
    return b.model()


def diamond_model() -> Model:
    """Return ``s>+>{a,b}>+>e``."""
    b = bs.ProcessBuilder("p")
    split, join = b.parallel("split"), b.parallel("join")
    _ = b.start("s") >> split
    for task in ("a", "b"):
        _ = split >> b.task(task) >> join
    _ = join >> b.end("e")
    return b.model()


@pytest.fixture
def linear() -> Callable[..., Model]:
    """Return the function that builds a chain of tasks."""
    return linear_model


@pytest.fixture
def diamond() -> Model:
    """Return the model of AND-05."""
    return diamond_model()


BEGUN = [
    (Fact.INSTANCE, 0, -1, "p", 0, 0, "Created"),
    (Fact.OPEN, 0, -1, "p", 0, -1, (None, 1, 0)),
    (Fact.INSTANCE, 0, -1, "p", 0, 0, "Active"),
    (Fact.TRACK, 0, 0, "s", 0, -1, -1),
]


def handmade_trace(model: Model, facts: Iterable[tuple[Any, ...]], *, outcome: str = "waiting") -> Trace:
    """Return a trace of facts written by hand, after those of the start of process p; nodes stand by id.

    ``"body:A"`` is the inner work of the task A.
    """
    nodes = [element for element in model.elements.values() if isinstance(element, FlowNode)]
    bodies = [node.id for node in nodes if isinstance(node, Activity) and node.loop is not None]
    places = ["p", *(node.id for node in nodes), *bodies]
    index = {node: place for place, node in reversed(list(enumerate(places)))}
    index |= {f"body:{node}": 1 + len(nodes) + at for at, node in enumerate(bodies)}
    cells = [(kind, step, track, index.get(place, place), *rest) for kind, step, track, place, *rest in facts]
    begun = [(kind, step, track, index[place], *rest) for kind, step, track, place, *rest in BEGUN]
    flat = [cell for fact in (*begun, *cells) for cell in fact]
    record = Record(
        flat,
        tuple(places),
        frozenset(range(1 + len(nodes), len(places))),
        tuple(element.id for element in model.elements.values() if isinstance(element, SequenceFlow)),
    )
    steps = max(fact[1] for fact in (*begun, *cells))
    return Trace(
        model, record, outcome=outcome, stuck=(), schedule=Schedule(), seed=None, steps=steps, time=0.0, values={}
    )


@pytest.fixture
def handmade() -> Callable[..., Trace]:
    """Return the function that makes a trace of facts written by hand."""
    return handmade_trace


@pytest.fixture
def iterated() -> Model:
    """Return ``s>A>e`` with a parallel multi-instance task A over xs, result y, published as ys."""
    b = bs.ProcessBuilder("p")
    marker = bs.parallel(collection="xs", item="x", output_item="y", output_collection="ys")
    _ = b.start("s") >> b.task("A", multi_instance=marker) >> b.end("e")
    return b.model()
