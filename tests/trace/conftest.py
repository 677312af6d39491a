"""Runs of small models as traces, without the module that simulates: the trace needs a record only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from bpmnsim.behaviors import viewer
from bpmnsim.choices.scenario import Scenario
from bpmnsim.choices.schedule import Schedule
from bpmnsim.choices.strategies import strategy_of
from bpmnsim.engine.executor import Setup
from bpmnsim.engine.loop import Engine
from bpmnsim.engine.outside import Outside
from bpmnsim.facts import Record
from bpmnsim.model import Model
from bpmnsim.model.build import ProcessBuilder
from bpmnsim.semantics.registry import compile_program
from bpmnsim.trace import Trace


def run_model(
    model: Model,
    *,
    behaviors: Mapping[str, Callable[[Any], Any]] | None = None,
    durations: Mapping[str, float] | None = None,
    retries: Mapping[str, tuple[int, float]] | None = None,
    data: dict[str, Any] | None = None,
    steps: int = 1000,
    strategy: str = "fifo",
    outcome: str = "completed",
    closed: bool = False,
    decisions: str = "evaluate",
) -> Trace:
    """Run the only process of a model and return its trace; the outcome is as given."""
    setup = Setup(behaviors=behaviors or {}, durations=durations or {}, retries=retries or {}, decisions=decisions)
    program = compile_program(model, setup, (model.processes[0].id,))
    scenario = Scenario() if closed else Scenario.open()
    engine = Engine(program, strategy_of(strategy), Outside(scenario, program), view=viewer(0))
    engine.outside.begin()
    seeds = [program.index[node.id] for node in model.nodes(model.processes[0].id) if not model.incoming(node.id)]
    engine.begin(0, tuple(seeds), data or {})
    engine.advance(steps)
    return Trace(
        model,
        record_of(engine),
        outcome=outcome,
        stuck=(),
        schedule=Schedule(base=strategy),
        seed=None,
        steps=engine.state.step,
        time=engine.state.now,
        values=next(iter(engine.state.data.values()), engine.state.results.get(0, {})),
    )


def record_of(engine: Engine) -> Record:
    """Return the facts of an engine with the names of its numbers."""
    program = engine.program
    return Record(
        engine.facts,
        tuple(element.id for element in program.places),
        frozenset(place for place, whose in enumerate(program.body_of) if whose >= 0),
        tuple(flow.id for flow in program.flows),
        engine.tracebacks,
    )


def linear_model(*tasks: str) -> Model:
    """Return ``s>task>...>e``."""
    b = ProcessBuilder("p")
    node = b.start("s")
    for task in tasks:
        node = node >> b.task(task)
    _ = node >> b.end("e")
    return b.model()


def diamond_model() -> Model:
    """Return ``s>+>{a,b}>+>e``."""
    b = ProcessBuilder("p")
    split, join = b.parallel("split"), b.parallel("join")
    b.start("s") >> split
    split >> b.task("a") >> join
    split >> b.task("b") >> join
    join >> b.end("e")
    return b.model()


@pytest.fixture
def run() -> Callable[..., Trace]:
    """Return the function that runs a model."""
    return run_model


@pytest.fixture
def linear() -> Callable[..., Model]:
    """Return the function that builds a chain of tasks."""
    return linear_model


@pytest.fixture
def diamond() -> Model:
    """Return the model of AND-05."""
    return diamond_model()
