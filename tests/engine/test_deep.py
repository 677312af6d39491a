"""Long and deep models: nothing recurses over length or depth (design section 4), not even reading and drawing."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

import pytest

import bpmnsim as bs
from bpmnsim.model.base import FlowNode
from bpmnsim.model.inside import Inside


def chain(n: int) -> bs.Model:
    """Build *n* tasks one after the other."""
    b = bs.ProcessBuilder("chain")
    node = b.start()
    for number in range(n):
        node = node >> b.task(f"t{number}")
    _ = node >> b.end()
    return b.model()


def nested(depth: int) -> bs.Model:
    """Build *depth* sub-processes inside each other, a task in the innermost one."""
    b = bs.ProcessBuilder("nested")
    inner: Inside = b
    for level in range(depth):
        node = inner.subprocess(f"s{level}")
        _ = inner.start(f"in{level}") >> node >> inner.end(f"out{level}")
        inner = inner.inside(node)
    _ = inner.start("in") >> inner.task("work") >> inner.end("out")
    return b.model()


class Big(NamedTuple):
    """A model as it was built, as it was read from a file, and what a run of it must be."""

    built: bs.Model
    read: bs.Model
    nodes: int
    steps: int


@pytest.fixture(scope="module", params=["long", "deep"])
def big(request: pytest.FixtureRequest) -> Big:
    """Write a model of 10,000 tasks or of 1,000 levels and read it; lxml alone stops at 256 levels."""
    built, nodes, steps = (chain(10_000), 10_002, 10_002) if request.param == "long" else (nested(1_000), 3_003, 4_003)
    return Big(built, bs.read_bpmn(bs.write_bpmn(built)), nodes, steps)


def test_write_and_read(big: Big) -> None:
    """What is read is what was written."""
    assert big.read.digest == big.built.digest
    assert repr(big.read).endswith(f"{big.nodes} nodes)")


def test_draw(big: Big) -> None:
    """The picture holds every node."""
    drawn = set(re.findall('data-element="([^"]+)"', bs.render_svg(big.read)))
    assert sum(isinstance(element, FlowNode) and id in drawn for id, element in big.read.elements.items()) == big.nodes


def test_run_and_restore(big: Big) -> None:
    """A compiled run ends (SUB-04: an empty scope queues its host), also from a checkpoint in its middle (CKP-01)."""
    whole = bs.simulate(big.read)
    assert (whole.outcome, whole.steps) == ("completed", big.steps)
    sim = bs.Simulation(big.read)
    sim.goto(1_500)
    restored = bs.Simulation.restore(big.read, json.loads(json.dumps(sim.checkpoint())))
    assert restored.run() == whole
