"""Why something waits, in words and as data (design section 7, core.md AND-04, DLK-01, iteration.md ITER-P-04)."""

from __future__ import annotations

from typing import Any

import pytest

import bpmnsim as bs
from bpmnsim.simulation.explain import Blocker

from ..models import dead_join, diamond


def boom(_: Any) -> None:
    """Fail."""
    raise RuntimeError("boom")


def office(**run: Any) -> bs.Simulation:
    """Build s>+>{A that takes 5, user B, C that fails, receive R}>J>e, and run it as far as it goes."""
    b = bs.ProcessBuilder("p")
    work = [b.service("A"), b.user("B", name="Approve"), b.service("C"), b.receive("R", message="m")]
    _ = b.start("s") >> b.parallel("split") >> work >> b.parallel("J") >> b.end("e")
    sim = bs.Simulation(
        b.model(),
        scenario=bs.Scenario(),
        durations={"A": 5},
        behaviors={"C": boom},
        **{"retries": {"C": (1, 7)}, **run},
    )
    sim.run(until=1.0)
    return sim


def told(sim: bs.Simulation, element: str) -> str:
    """Return the words."""
    return sim.why(element).text


def test_a_join_names_the_flow_and_who_can_bring_it() -> None:
    """AND-04: which flows are empty, and which tokens could still come over them."""
    sim = bs.Simulation(diamond())
    sim.run(step_limit=2)
    assert told(sim, "join") == "no token is at join; token 0 at a, token 1 at b can still reach it"
    sim.run(step_limit=2)
    assert told(sim, "join") == "join in /p: token 0 is ready to act\njoin in /p: token 1 is ready to act"
    sim.step("run(p/join)")
    why = sim.why("join")
    assert why.text == (
        "join in /p holds 1 of 2 tokens; flow f_b_join is empty: token 1 at join can still bring one\n"
        "join in /p: token 1 is ready to act"
    )
    assert why.blockers == (Blocker("/p", "f_b_join", ((1, "join"),)),)
    assert str(why) == why.text


def test_a_dead_join_has_no_hope() -> None:
    """DLK-01: no token can reach the missing flow."""
    sim = bs.Simulation(dead_join())
    sim.run()
    assert told(sim, "J") == "J in /p holds 1 of 2 tokens; flow f_B_J is empty: no token can reach it any more"
    assert sim.why("J").blockers == (Blocker("/p", "f_B_J"),)


def test_a_token_that_was_given_up_brings_nothing() -> None:
    """INC-06, AND-04: what waits behind a dropped incident waits for ever; other tokens still count."""
    sim = office(retries={})
    assert "flow f_C_J is empty: token 2 at C can still bring one" not in told(sim, "J")
    sim.run()
    assert "flow f_C_J is empty: token 2 at C can still bring one" in told(sim, "J")
    sim.drop(0)
    assert "flow f_C_J is empty: no token can reach it any more" in told(sim, "J")
    assert told(sim, "C") == "C in /p: token 2 waits for nothing: it was given up"
    assert "flow f_B_J is empty: token 1 at B can still bring one" in told(sim, "J")


def test_the_join_itself_is_no_way_to_the_join() -> None:
    """AND-04: a loop that leads back from the join to its missing flow does not count: nothing passes the join."""
    b = bs.ProcessBuilder("p")
    join, again = b.parallel("J"), b.exclusive("again")
    _ = b.start("s") >> b.parallel("split") >> [b.user("u"), join]
    _ = join >> again
    again.flow(b.task("a"), "True") >> join
    again.flow(b.end("e"), default=True)
    sim = bs.Simulation(b.model(), scenario=bs.Scenario())
    sim.run()
    assert told(sim, "J") == "J in /p holds 1 of 2 tokens; flow f_a_J is empty: no token can reach it any more"


@pytest.mark.parametrize(
    ("element", "words", "state"),
    [
        ("A", "A in /p: token 0 waits for the end of its work at 5.0", "running"),
        ("B", "B in /p: token 1 waits for completion", "waiting"),
        ("Approve", "B in /p: token 1 waits for completion", "waiting"),
        ("C", "C in /p: token 2 waits for its retry at 7.0: RuntimeError: boom", "incident"),
        ("R", "R in /p: token 3 waits for message m", "waiting"),
    ],
)
def test_every_token_says_what_it_waits_for(element: str, words: str, state: str) -> None:
    """Design section 7: why(element), by id or name."""
    why = office().why(element)
    assert (why.text, [blocker.state for blocker in why.blockers]) == (words, [state])


def test_what_is_ready_or_not_there_waits_for_nothing() -> None:
    """Design section 7: no blockers; who can still come, or that nobody can."""
    sim = office()
    assert told(sim, "s") == "no token is at s; no token can still reach it"
    assert told(sim, "e").startswith(
        "no token is at e; token 0 at A, token 1 at B, token 2 at C, token 3 at R can still"
    )
    assert sim.why("e").blockers == sim.why("s").blockers == ()
    sim.goto(2)
    assert told(sim, "B") == "B in /p: token 1 is ready to act"


def test_a_process_says_why_it_does_not_end() -> None:
    """EXE-08: every live token, wherever it is; afterwards how it ended."""
    sim = office()
    assert told(sim, "p").splitlines() == [
        "token 0 at A in /p waits for the end of its work at 5.0",
        "token 1 at B in /p waits for completion",
        "token 2 at C in /p waits for its retry at 7.0: RuntimeError: boom",
        "token 3 at R in /p waits for message m",
    ]
    assert [blocker.state for blocker in sim.why("p").blockers] == ["running", "waiting", "incident", "waiting"]
    sim.cancel()
    assert told(sim, "p") == "p has no token: terminated"


def test_inner_instances_are_listed_by_ordinal() -> None:
    """ITER-P-04: which are running, waiting for what, in an incident, or queued behind the barrier."""
    b = bs.ProcessBuilder("p")
    panel = b.subprocess("panel", multi_instance=bs.parallel(cardinality=3))
    i = b.inside(panel)
    _ = i.start("in") >> i.parallel("two") >> [i.user("x"), i.service("y")]
    _ = b.start("s") >> panel >> b.end("e")
    run: dict[str, Any] = {"behaviors": {"y": lambda task: boom(task) if task.ordinal == 1 else None}}
    sim = bs.Simulation(b.model(), scenario=bs.Scenario(), strategy="priority(in,two)", **run)
    sim.run(until="y")
    assert told(sim, "panel") == (
        "panel in /p waits for its inner instances: 0 running (its turn), 1 running (its turn), 2 running (its turn)"
    )
    sim.run()
    assert told(sim, "panel") == (
        "panel in /p waits for its inner instances: "
        "0 waiting (completion), 1 incident (completion, RuntimeError: boom), 2 waiting (completion)"
    )
    sim.complete("x", ordinal=2)
    why = sim.why("panel")
    assert why.text.endswith("2 queued (delivery of its drain)")
    assert [(each.ordinal, each.state, each.scope) for each in why.blockers] == [
        (0, "waiting", "/p/panel[0]"),
        (1, "incident", "/p/panel[1]"),
        (2, "queued", "/p/panel"),
    ]
    assert why.blockers[1].tokens[0][1] == "x"
    assert told(sim, "x").splitlines()[0].startswith("x in /p/panel[0]: token")
    assert told(sim, "in") == "no token is at in; no token can still reach it"
    sim.cancel()
    assert told(sim, "x") == "no token is at x; panel is not open"


@pytest.mark.parametrize(
    "marker",
    [{"multi_instance": bs.sequential(cardinality=3)}, {"loop": bs.loop(condition="loopCounter < 3")}],
    ids=["sequential", "loop"],
)
def test_a_pass_is_an_inner_instance(marker: dict[str, Any]) -> None:
    """ITER-SQ-01, ITER-SL-01: the pass that is open, and what it waits for."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.user("u", **marker) >> b.end("e")
    sim = bs.Simulation(b.model(), scenario=bs.Scenario())
    sim.run()
    sim.complete("u")
    sim.run()
    assert told(sim, "u") == "u in /p waits for its inner instances: 1 waiting (completion)"


REPORTING = {"output_item": "r", "output_collection": "o"}


@pytest.mark.parametrize(
    ("marker", "error"),
    [
        ({"completion_condition": "gone"}, """EXPRESSION [u]: 'gone' has no value, in "gone\""""),
        ({"behavior": "complex", "events": [("gone", "A")]}, """EXPRESSION [u]: 'gone' has no value, in "gone\""""),
        ({"output_key": "''", **REPORTING}, "inner instance 0 has an empty key (ITER-E-17)"),
    ],
    ids=["condition", "behavior", "key"],
)
def test_an_incident_of_the_activity_itself_comes_first(marker: dict[str, Any], error: str) -> None:
    """ITER-IN-05, INC-09: number and error of the incident, then which ordinals are open or queued; also given up."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.user("u", multi_instance=bs.parallel(cardinality=3, **marker)) >> b.end("e")
    sim = bs.Simulation(b.model(), scenario=bs.Scenario())
    sim.run()
    for ordinal in (0, 2):
        sim.complete("u", ordinal=ordinal, outputs={"r": 1})
        sim.run()
    rest = "its inner instances: 1 waiting (completion), 2 queued (delivery of its drain)"
    why = sim.why("u")
    assert why.text == f"u in /p has incident 0 (open): {error}; {rest}"
    assert why.blockers[0] == Blocker("/p", error, state="incident")
    assert [(each.ordinal, each.state) for each in why.blockers[1:]] == [(1, "waiting"), (2, "queued")]
    sim.drop(0)
    assert told(sim, "u") == f"u in /p has incident 0 (dead-lettered): {error}; {rest}"


def test_an_incident_between_two_passes() -> None:
    """ITER-IN-04, ITER-IN-05: no pass is open while the condition has an incident."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.user("u", loop=bs.loop(condition="gone")) >> b.end("e")
    sim = bs.Simulation(b.model(), scenario=bs.Scenario())
    sim.run()
    sim.complete("u")
    sim.run()
    error = """EXPRESSION [u]: 'gone' has no value, in "gone\""""
    assert told(sim, "u") == f"u in /p has incident 0 (open): {error}; its inner instances: none"


def test_several_activations_are_told_apart() -> None:
    """ITER-C-06: two tokens in one activity: each line names its activation."""
    b = bs.ProcessBuilder("p")
    split, merge = b.parallel("split"), b.exclusive("merge")
    u = b.user("u", multi_instance=bs.parallel(cardinality=1))
    _ = b.start("s") >> split >> [b.task("a"), b.task("b")] >> merge >> u >> b.end("e")
    sim = bs.Simulation(b.model(), scenario=bs.Scenario())
    sim.run()
    assert told(sim, "u") == (
        "u in /p (activation 1) waits for its inner instances: 0 waiting (completion)\n"
        "u in /p (activation 2) waits for its inner instances: 0 waiting (completion)"
    )
    sim.complete("u")
    sim.run()
    assert told(sim, "u") == "u in /p waits for its inner instances: 0 waiting (completion)"


def test_an_open_decision_and_a_key_are_named() -> None:
    """Design section 4, ITER-IC-01: what is decided from outside; which key a message must have."""
    b = bs.ProcessBuilder("p")
    marker = bs.parallel(collection="orders", item="order", correlation=("order", "order"))
    _ = (
        b.start("s")
        >> b.receive("R", message="m", multi_instance=marker)
        >> b.exclusive("x")
        >> [b.end("e"), b.end("f")]
    )
    sim = bs.Simulation(b.model(), scenario=bs.Scenario(), data={"orders": ["a", "b"]})
    sim.run()
    assert told(sim, "R").endswith("0 waiting (message m with key 'a'), 1 waiting (message m with key 'b')")
    sim.message("m", key="a")
    sim.message("m", key="b")
    sim.run(until=lambda sim: any(action.kind == "take" for action in sim.enabled))
    assert told(sim, "x") == "x in /p: token 0 waits for a decision"


def test_a_misspelt_element_is_named() -> None:
    """Design section 8: did you mean."""
    with pytest.raises(bs.ModelError, match=r"no element 'Aprove'(.|\n)*did you mean 'Approve'"):
        office().why("Aprove")
