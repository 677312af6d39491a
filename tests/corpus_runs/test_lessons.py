"""Models on which other tools went wrong (lessons, part B): tests 1, 2 and the first half of 13."""

from __future__ import annotations

import bpmnsim as bs
from bpmnsim.model.inside import Inside

from ..models import count, live, rows


def stepwise(model: bs.Model) -> bs.Simulation:
    """Return a run in which tasks wait until told to complete, up to where it waits."""
    sim = bs.Simulation(model, scenario=bs.Scenario())
    sim.run()
    return sim


def done(sim: bs.Simulation, task: str) -> list[str]:
    """Complete a task and return the nodes at which tokens are then, sorted."""
    sim.complete(task)
    sim.run()
    return sorted(node for _, node, _ in live(sim.trace()))


def test_two_tokens_on_one_flow_do_not_open_a_join() -> None:
    """Lesson 1: A, B: D not enabled, two tokens parked on X→join; C: D once, one token parked and reported as stuck."""
    b = bs.ProcessBuilder("p")
    x, join = b.exclusive("X"), b.parallel("join")
    _ = b.start("s") >> b.parallel("split") >> [b.user("A"), b.user("B"), b.user("C")]
    for task, target in (("A", x), ("B", x), ("C", join)):
        _ = bs.model.contents.Node(task, b._draft) >> target
    _ = x >> join >> b.user("D") >> b.end("e")
    sim = stepwise(b.model())
    assert done(sim, "A") == ["B", "C", "join"]
    assert done(sim, "B") == ["C", "join", "join"]
    held = sim.trace().tokens().query("node == 'join'")
    assert rows(held, "via_flow", "track_state") == [("f_X_join", "awaiting_merge")] * 2
    assert done(sim, "C") == ["D", "join"]
    assert done(sim, "D") == ["join"]
    trace = sim.trace()
    assert (trace.outcome, count(trace, "D")) == ("deadlocked", 1)
    assert [(s.node, s.waits_for) for s in trace.stuck] == [("join", "f_C_join")]


def test_a_branch_with_an_exclusive_merge_does_not_open_a_join_early() -> None:
    """Lesson 2: complete A first, later B: D only after both."""
    b = bs.ProcessBuilder("p")
    choice, merge, join = b.exclusive("X"), b.exclusive("Xmerge"), b.parallel("join")
    _ = b.start("s") >> b.parallel("split") >> [b.user("A"), choice]
    choice.flow(b.user("B"), "True") >> merge
    choice.flow(merge, default=True)
    _ = [bs.model.contents.Node("A", b._draft), merge] >> join
    _ = join >> b.user("D")
    sim = stepwise(b.model())
    assert done(sim, "A") == ["B", "join"]
    assert done(sim, "B") == ["D"]


def test_terminate_ends_only_the_scope_it_is_in() -> None:
    """Lesson 13, first half: [s→+→{A, terminate}]→C: only the scope ends, C follows normally."""
    b = bs.ProcessBuilder("p")

    def body(inside: Inside) -> None:
        _ = inside.start() >> inside.parallel("split") >> [inside.user("A"), inside.end("T", kind="terminate")]

    _ = b.start("s") >> b.subprocess("sp", body=body) >> b.user("C") >> b.end("e")
    sim = stepwise(b.model())
    assert [node for _, node, _ in live(sim.trace())] == ["C"]
    assert count(sim.trace(), "A") == 0
    assert done(sim, "C") == []
    assert sim.outcome == "completed"
