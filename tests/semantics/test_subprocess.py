"""Embedded sub-processes: open, drain, close, paths (core.md SUB-01 to SUB-12)."""

from __future__ import annotations

import pytest

import bpmnsim as bs
from bpmnsim.model import Process, SubProcess, UserTask
from bpmnsim.model.inside import Inside

from ..models import changes, count, live, path, phases, rows


def fulfil() -> bs.Model:
    """Build s>accept>[fulfil: pick>pack]>notify>e."""
    b = bs.ProcessBuilder("p")
    body = b.subprocess("fulfil", body=lambda f: f.start() >> f.service("pick") >> f.service("pack") >> f.end())
    _ = b.start("s") >> b.task("accept") >> body >> b.task("notify") >> b.end("e")
    return b.model()


def with_user(inside: Inside) -> None:
    """Fill a sub-process with one user task."""
    _ = inside.start() >> inside.user("u") >> inside.end()


def nested() -> bs.Model:
    """Build s>[a: [b: user u]]>e."""
    b = bs.ProcessBuilder("p")
    outer = b.subprocess("a")
    inside = b.inside(outer)
    _ = inside.start() >> inside.subprocess("b", body=with_user)
    _ = b.start("s") >> outer >> b.end("e")
    return b.model()


def scopes(trace: bs.Trace) -> list[tuple[str, str]]:
    """Return (phase, path) of every fact about a scope."""
    facts = trace.facts()
    return rows(facts[facts.kind == "Scope"], "phase", "scope")


def test_a_sub_process_runs_between_its_neighbors() -> None:
    """M-15, SUB-05.1 (SUB-05, DAT-03): accept; Opened; pick; pack; Completed; notify; inner reads 4711."""
    read = []
    trace = bs.simulate(
        fulfil(), data={"order_id": 4711}, behaviors={"pick": lambda task: read.append(task["order_id"])}
    )
    assert read == [4711]
    assert trace.outcome == "completed"
    facts = trace.facts()
    seen = facts[(facts.kind == "Scope") | (facts.track_state == "process_step_results")]
    assert list(seen.node + seen.phase.where(seen.kind == "Scope", "")) == [
        *("s", "accept", "fulfilOpened", "fulfil_start", "pick", "pack", "fulfil_end", "fulfilCompleted"),
        *("fulfil", "notify", "e"),
    ]


def test_locals_of_a_closed_scope_are_gone() -> None:
    """SUB-05.1 (SUB-05, DAT-01): what pick created in the child cannot be read by notify."""
    trace = bs.simulate(fulfil(), behaviors={"pick": lambda _: {"w": 1}, "notify": lambda task: {"seen": "w" in task}})
    assert dict(trace.values) == {"seen": False}


def test_the_path_of_an_inner_node() -> None:
    """SUB-01.1 (SUB-01): pack in fulfil has the action run(p/fulfil/pack)."""
    sim = bs.Simulation(fulfil())
    sim.run(until="pack")
    assert [action.name for action in sim.enabled] == ["run(p/fulfil/pack)"]
    assert rows(sim.trace().tokens().query("node == 'pack'"), "scope") == [("/p/fulfil",)]


def test_the_path_of_an_inner_instance() -> None:
    """SUB-01.2 (SUB-01): ordinal 1 of panel in process order is /order/panel[1]."""
    b = bs.ProcessBuilder("order")
    panel = b.subprocess("panel", body=with_user, multi_instance=bs.parallel(cardinality="2"))
    _ = b.start("s") >> panel >> b.end("e")
    trace = bs.Simulation(b.model(), scenario=bs.Scenario()).run()
    assert [path for _, path in scopes(trace)] == ["/order/panel[0]", "/order/panel[1]"]


def test_ids_in_paths_are_percent_encoded() -> None:
    """SUB-01: ids are percent-encoded, so a slash or a bracket in an id is no part of the path."""
    model = bs.Model([Process(id="p"), SubProcess(id="x/y[0]", parent="p"), UserTask(id="u", parent="x/y[0]")])
    trace = bs.simulate(model)
    assert scopes(trace)[0] == ("Opened", "/p/x%2Fy%5B0%5D")
    sim = bs.Simulation(model)
    sim.step()
    assert [action.name for action in sim.enabled] == ["run(p/x%2Fy%5B0%5D/u)"]


def test_the_scope_opens_before_anything_inside_executes() -> None:
    """SUB-02.1 (SUB-02): Opened before any inner Executing row; the host rests at the sub-process."""
    facts = bs.simulate(fulfil()).facts()
    opened = int(facts[facts.phase == "Opened"].seq.iloc[0])
    assert all(seq > opened for seq in facts[facts.scope == "/p/fulfil"].seq.iloc[1:])
    rest = facts[(facts.node == "fulfil") & (facts.kind == "NodeProgress")]
    assert list(rest.track_state) == ["wait_for_event", "ready", "executing_step", "process_step_results"]


def test_two_none_starts_in_a_sub_process_are_refused() -> None:
    """SUB-03.1 (SUB-03): two none starts in a sub-process."""
    b = bs.ProcessBuilder("p")
    sub = b.subprocess("sp", body=lambda i: [i.start("s1") >> i.task("A"), i.start("s2") >> i.task("B")])
    _ = b.start("s") >> sub >> b.end("e")
    with pytest.raises(bs.ModelError, match=r"SUB-03"):
        bs.simulate(b.model())


def test_without_a_start_every_entry_is_seeded() -> None:
    """SUB-03: every inner activity and gateway without an incoming flow starts a track, in declared order."""
    b = bs.ProcessBuilder("p")
    sub = b.subprocess("sp", body=lambda i: [i.task("A") >> i.task("B"), i.parallel("g") >> i.task("C")])
    _ = b.start("s") >> sub >> b.end("e")
    trace = bs.simulate(b.model())
    assert (path(trace, 1), path(trace, 2)) == (["A", "B"], ["g", "C"])
    assert rows(trace.tokens().query("node in ('A', 'g')"), "parent", "host_track") == [(None, 0), (None, 0)]


def test_an_empty_sub_process_is_left_at_once() -> None:
    """SUB-04: a scope without any track is empty; its host goes on, in a step of its own."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.subprocess("sp") >> b.end("e")
    trace = bs.simulate(b.model())
    assert scopes(trace) == [("Opened", "/p/sp"), ("Completed", "/p/sp")]
    assert (trace.outcome, trace.steps) == ("completed", 4)


def test_a_dead_join_keeps_its_scope_open() -> None:
    """SUB-04.1 (SUB-04): inner AND join with one dead branch: scope stays open, outcome deadlocked."""
    b = bs.ProcessBuilder("p")

    def body(inside: Inside) -> None:
        x, join = inside.exclusive("x"), inside.parallel("J")
        _ = inside.start() >> x
        _ = x.flow(inside.task("A"), "True") >> join
        _ = x.flow(inside.task("B"), "False") >> join

    _ = b.start("s") >> b.subprocess("sp", body=body) >> b.end("e")
    trace = bs.simulate(b.model())
    assert scopes(trace) == [("Opened", "/p/sp")]
    assert trace.outcome == "deadlocked"
    assert [(s.node, s.scope, s.waits_for) for s in trace.stuck] == [("sp", "/p", "scope"), ("J", "/p/sp", "f_B_J")]


def test_an_open_sub_process_is_entered_a_second_time() -> None:
    """SUB-06.1 (SUB-06): both tokens inside at once: /p/sp, /p/sp~2, then 2 Completed; body twice, e twice."""
    b = bs.ProcessBuilder("p")
    sub = b.subprocess("sp", body=lambda i: i.start() >> i.task("body") >> i.end())
    _ = b.start("s") >> b.parallel("split") >> [b.task("A"), b.task("B")] >> sub >> b.end("e")
    trace = bs.simulate(b.model())
    assert scopes(trace) == [
        ("Opened", "/p/sp"),
        ("Opened", "/p/sp~2"),
        ("Completed", "/p/sp"),
        ("Completed", "/p/sp~2"),
    ]
    assert (count(trace, "body"), count(trace, "e")) == (2, 2)


def test_a_sub_process_entered_one_after_the_other_keeps_its_path() -> None:
    """SUB-06, SUB-01: only an entry while another is open gets a number."""
    b = bs.ProcessBuilder("p")
    sub = b.subprocess("sp", body=lambda i: i.start() >> i.task("body") >> i.end())
    _ = b.start("s") >> b.parallel("split") >> [b.task("A"), b.task("B")] >> sub >> b.end("e")
    trace = bs.simulate(b.model(), strategy="priority(sp,sp_start,body,sp_end,e)")
    assert [path for phase, path in scopes(trace) if phase == "Opened"] == ["/p/sp", "/p/sp"]


def test_nested_scopes_are_canceled_deepest_first() -> None:
    """SUB-10.1 (SUB-07, SUB-10): cancel with 2 open scopes: 2 synthetic Terminated, deepest first."""
    sim = bs.Simulation(nested(), scenario=bs.Scenario())
    sim.run()
    sim.cancel()
    facts = sim.trace().facts()
    closed = facts[(facts.kind == "Scope") & (facts.phase == "Terminated")]
    assert rows(closed, "scope", "detail") == [("/p/a/b", "synthetic=true"), ("/p/a", "synthetic=true")]


def test_tracks_of_a_canceled_scope_end_canceled_and_wake_nobody() -> None:
    """SUB-08.1 (SUB-08): track of a canceled scope: canceled, host not resumed."""
    sim = bs.Simulation(nested(), scenario=bs.Scenario())
    sim.run()
    sim.cancel()
    trace = sim.trace()
    last = trace.history().groupby("track").last()
    assert rows(last, "node", "track_state") == [("a", "canceled"), ("b", "canceled"), ("u", "canceled")]
    assert (live(trace), sim.enabled) == ([], ())


def test_five_nested_sub_processes_are_five_open_scopes() -> None:
    """SUB-12.1 (SUB-12): 5 nested sub-processes, 5 open scopes."""
    b = bs.ProcessBuilder("p")
    inside: Inside = b
    before = b.start("s")
    for number in range(5):
        sub = inside.subprocess(f"n{number}")
        _ = before >> sub
        inside = b.inside(sub)
        before = inside.start()
    _ = before >> inside.user("u")
    sim = bs.Simulation(b.model(), scenario=bs.Scenario())
    sim.run()
    assert scopes(sim.trace())[-1] == ("Opened", "/p/n0/n1/n2/n3/n4")
    assert len(scopes(sim.trace())) == 5
    assert [action.name for action in bs.Simulation(b.model()).enabled] == ["run(p/s)"]


def test_two_thousand_nested_sub_processes_open_and_close() -> None:
    """SUB-12, design section 4: compiling, canceling and draining use no recursion over depth."""
    b = bs.ProcessBuilder("p")
    inside: Inside = b
    before = b.start("s")
    for number in range(2000):
        sub = inside.subprocess(f"n{number}")
        _ = before >> sub
        inside = b.inside(sub)
        before = inside.start()
    _ = before >> inside.user("u")
    sim = bs.Simulation(b.model(), scenario=bs.Scenario())
    sim.run()
    other = bs.Simulation(b.model(), scenario=bs.Scenario().complete("u"))
    assert other.run().outcome == "completed"
    sim.cancel()
    assert sim.trace().outcome == "terminated"


def test_the_host_leaves_in_a_step_of_its_own() -> None:
    """SUB-05, design section 4: an empty scope queues its host; nothing leaves a scope inline."""
    sim = bs.Simulation(fulfil())
    sim.run(until="fulfil_end")
    sim.step()
    assert [action.name for action in sim.enabled] == ["drain(p/fulfil)"]
    sim.step()
    assert [action.name for action in sim.enabled] == ["run(p/notify)"]


def test_writes_follow_the_scope_that_holds_the_name() -> None:
    """DAT-04.1 (DAT-04): root v=1, inner task writes v=2: root v=2 afterwards; DataChange Value_Updated."""
    trace = bs.simulate(fulfil(), data={"v": 1}, behaviors={"pick": lambda _: {"v": 2}})
    assert dict(trace.values) == {"v": 2}
    assert changes(trace) == [("Value_Updated", "v", "pick", 1, 2)]
    assert [phase for phase, _ in phases(trace, "DataChange")] == ["Value_Updated"]


def test_a_path_that_opens_again_is_a_node_of_its_own() -> None:
    """SUB-11.1 (SUB-11): a sub-process opened twice: 2 tree nodes below the process."""
    b = bs.ProcessBuilder("p")
    sub = b.subprocess("sp", body=lambda i: i.start() >> i.task("body") >> i.end())
    _ = b.start("s") >> b.parallel("split") >> [b.task("A"), b.task("B")] >> sub >> b.end("e")
    tree = bs.simulate(b.model(), strategy="priority(sp,sp_start,body,sp_end,e)").scope_tree()
    assert sorted(tree.edges()) == [("/p", "/p/sp"), ("/p", "/p/sp#2")]
