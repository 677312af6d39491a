"""Random small models for property tests with hypothesis: every run of them ends.

Blocks are drawn inside blocks; some are unbalanced on purpose, so that tokens multiply, get stuck or are terminated.
Loops are bounded by a behavior that counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from bpmnsim.model.build import ProcessBuilder
from bpmnsim.model.contents import Node
from bpmnsim.model.inside import Inside
from bpmnsim.model.markers import loop, parallel, sequential
from bpmnsim.model.process import Model
from bpmnsim.simulation import Simulation, simulate
from bpmnsim.trace.trace import Trace

__all__ = ["Case", "Count", "Write", "models"]


@dataclass(frozen=True, slots=True)
class Count:
    """A behavior that counts its calls in a value; it can be pickled.

    Parameters
    ----------
    name
        Of the value.

    Examples
    --------
    >>> from bpmnsim.model import ProcessBuilder
    >>> b = ProcessBuilder("p")
    >>> _ = b.start() >> b.service("A")
    >>> simulate(b.model(), data={"n": 2}, behaviors={"A": Count("n")}).values
    {'n': 3}
    """

    name: str

    def __call__(self, task: Any) -> dict[str, Any]:
        """Return the value one higher."""
        return {self.name: task.data.get(self.name, 0) + 1}


@dataclass(frozen=True, slots=True)
class Write:
    """A behavior that writes one value; it can be pickled.

    Parameters
    ----------
    name, value
        What is written.

    Examples
    --------
    >>> Write("v", 1)(None)
    {'v': 1}
    """

    name: str
    value: int

    def __call__(self, _: Any) -> dict[str, Any]:
        """Return the value."""
        return {self.name: self.value}


@dataclass(frozen=True)
class Case:
    """A drawn model with what its runs are given.

    Parameters
    ----------
    model
        What runs.
    run
        Keywords of :func:`bpmnsim.simulate`: behaviors and durations.

    Examples
    --------
    >>> case = Case(ProcessBuilder("p").model())
    >>> case.simulate(seed=3).outcome, case.simulation().steps
    ('completed', 0)
    """

    model: Model
    run: dict[str, Any] = field(default_factory=dict)

    def simulate(self, **more: Any) -> Trace:
        """Run it to its end."""
        return simulate(self.model, **{**self.run, **more})

    def simulation(self, **more: Any) -> Simulation:
        """Return a run of it that has not begun to move."""
        return Simulation(self.model, **{**self.run, **more})


_LEAVES = ("task", "service", "user", "manual", "timed", "receive")
_BLOCKS = ("sequence", "choice", "fork", "repeat", "inside", "merged", "stuck", "cut", "terminated")


@st.composite
def models(draw: st.DrawFn, *, depth: int = 2, iterated: bool = False) -> Case:
    """Draw a small model whose runs end.

    Parameters
    ----------
    depth
        How deep blocks lie in each other.
    iterated
        Give some activities a loop or multi-instance marker.

    Examples
    --------
    >>> from hypothesis import given, settings
    >>> @settings(max_examples=3, database=None)
    ... @given(models())
    ... def every_run_ends(case):
    ...     assert case.simulate(seed=1).outcome in ("completed", "terminated", "deadlocked")
    >>> every_run_ends()

    Notes
    -----
    Constructs: none events, tasks of most kinds, exclusive and parallel gateways, uncontrolled merges, embedded
    sub-processes, terminate end events, conditions over data; with *iterated* markers instead of receive tasks, which
    nothing would tell apart there.
    """
    builder = ProcessBuilder("p")
    sketch = _Sketch(draw, iterated)
    sketch.fill(builder, builder.start("s"), depth)
    return Case(builder.model(), {"behaviors": sketch.behaviors, "durations": sketch.durations})


class _Sketch:
    """Draws blocks into a builder; each method returns the node at which its block is left."""

    def __init__(self, draw: st.DrawFn, iterated: bool) -> None:
        self.draw = draw
        self.iterated = iterated
        self.behaviors: dict[str, Count | Write] = {}
        self.durations: dict[str, float] = {}
        self.count = 0

    def new(self, kind: str) -> str:
        """Return a new id."""
        self.count += 1
        return f"{kind}{self.count}"

    def fill(self, inside: Inside, start: Node, depth: int) -> None:
        """Draw what lies between a start and an end event."""
        _ = self.block(inside, start, depth) >> inside.end(self.new("e"))

    def block(self, inside: Inside, before: Node, depth: int) -> Node:
        """Draw one block behind *before*."""
        leaves = _LEAVES[:-1] if self.iterated else _LEAVES
        kind = self.draw(st.sampled_from((*leaves, *_BLOCKS) if depth else leaves))
        if kind in leaves:
            return self.leaf(inside, before, kind)
        drawn: Node = getattr(self, kind)(inside, before, depth - 1)
        return drawn

    def leaf(self, inside: Inside, before: Node, kind: str) -> Node:
        """Draw a task."""
        task_id = self.new(kind)
        if kind == "receive":
            return before >> inside.receive(task_id, message="m")
        options = self.marked()
        if kind == "service":
            name = self.draw(st.sampled_from("vw"))
            self.behaviors[task_id] = Write(name, self.draw(st.integers(0, 2)))
        if kind == "timed":
            self.durations[task_id] = self.draw(st.sampled_from((0.0, 1.0, 2.0)))
        method = {"timed": "service"}.get(kind, kind)
        task: Node = getattr(inside, method)(task_id, **options)
        return before >> task

    def marked(self) -> dict[str, Any]:
        """Draw a marker, or none."""
        if not self.iterated:
            return {}
        markers: list[dict[str, Any]] = [
            {},
            {"multi_instance": parallel(cardinality="2")},
            {"multi_instance": sequential(cardinality="2")},
            {"loop": loop(condition="loopCounter < 2")},
        ]
        return self.draw(st.sampled_from(markers))

    def sequence(self, inside: Inside, before: Node, depth: int) -> Node:
        """Draw two blocks behind each other."""
        return self.block(inside, self.block(inside, before, depth), depth)

    def choice(self, inside: Inside, before: Node, depth: int) -> Node:
        """Draw an exclusive choice: by data, or left open where there is no condition."""
        split, merge = inside.exclusive(self.new("x")), inside.exclusive(self.new("x"))
        _ = before >> split
        by_data = self.draw(st.booleans())
        for number in range(2):
            first = inside.task(self.new("task"))
            if by_data:
                split.flow(first, "1 > 2" if number == 0 else None, default=number == 1)
            else:
                split.flow(first)
            _ = self.block(inside, first, depth) >> merge
        return merge

    def fork(self, inside: Inside, before: Node, depth: int) -> Node:
        """Draw parallel branches that are joined."""
        return self._branches(inside, before, depth, inside.parallel(self.new("j")))

    def merged(self, inside: Inside, before: Node, depth: int) -> Node:
        """Draw parallel branches that are merged without being joined: what follows runs once per token."""
        return self._branches(inside, before, depth, inside.exclusive(self.new("x")))

    def _branches(self, inside: Inside, before: Node, depth: int, together: Node) -> Node:
        split = before >> inside.parallel(self.new("f"))
        for _ in range(self.draw(st.integers(2, 3))):
            _ = self.block(inside, split, depth) >> together
        return together

    def stuck(self, inside: Inside, before: Node, depth: int) -> Node:
        """Draw a choice whose branches are joined, which no single token can pass."""
        split = before >> inside.exclusive(self.new("x"))
        join = inside.parallel(self.new("j"))
        for _ in range(2):
            _ = self.block(inside, split, depth) >> join
        return join

    def cut(self, inside: Inside, before: Node, depth: int) -> Node:
        """Draw a branch that ends beside one that goes on; a task does the fork."""
        return self._beside(inside, before, depth, inside.end(self.new("e")))

    def terminated(self, inside: Inside, before: Node, depth: int) -> Node:
        """Draw a branch that terminates its scope beside one that goes on."""
        return self._beside(inside, before, depth, inside.end(self.new("t"), kind="terminate"))

    def _beside(self, inside: Inside, before: Node, depth: int, end: Node) -> Node:
        split = before >> inside.task(self.new("task"))
        _ = self.block(inside, split, depth) >> end
        return self.block(inside, split, depth)

    def repeat(self, inside: Inside, before: Node, depth: int) -> Node:
        """Draw a loop that is left when it has been counted twice."""
        again, count, choice = (inside.exclusive(self.new("x")), self.new("count"), inside.exclusive(self.new("x")))
        self.behaviors[count] = Count(f"n_{count}")
        _ = before >> again
        _ = self.block(inside, again, depth) >> inside.service(count) >> choice
        choice.flow(again, f"n_{count} < 2")
        after = inside.task(self.new("task"))
        choice.flow(after, default=True)
        return after

    def inside(self, inside: Inside, before: Node, depth: int) -> Node:
        """Draw a sub-process."""
        sub = inside.subprocess(self.new("sub"), **self.marked())
        body = inside.inside(sub)
        self.fill(body, body.start(self.new("s")), depth)
        return before >> sub
