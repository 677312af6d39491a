"""Choice points: their kinds, options and names (scheduling.md 1.1)."""

from __future__ import annotations

import bpmnsim as bs

from ..models import diamond, line, rows


def choices(trace: bs.Trace) -> list[tuple[object, ...]]:
    """Return kind, options and pick of every choice."""
    return rows(trace.choices(), "kind", "options", "picked")


def test_one_option_is_no_choice() -> None:
    """Scheduling.md 1.1: it is neither recorded nor counted."""
    assert choices(bs.simulate(line())) == []


def test_the_choices_of_a_diamond() -> None:
    """Scheduling.md 1.1: options in canonical order (age), the pick by name."""
    assert choices(bs.simulate(diamond())) == [
        ("step", "run(p/a) run(p/b)", "run(p/a)"),
        ("step", "run(p/b) run(p/join)", "run(p/b)"),
        ("step", "run(p/join) run(p/join)#2", "run(p/join)"),
    ]


def test_a_choice_between_flows_is_a_decision() -> None:
    """Scheduling.md 1.1: where the model has no condition, flows in declared order."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.exclusive("x") >> [b.end("e2"), b.end("e1")]
    assert choices(bs.simulate(b.model())) == [("decision", "take(p/f_x_e2) take(p/f_x_e1)", "take(p/f_x_e2)")]


def test_a_choice_between_messages_is_of_its_own_kind() -> None:
    """Scheduling.md 1.1: which message arrives now."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.receive("R1", message="m"), b.receive("R2", message="n")]
    assert choices(bs.simulate(b.model()))[-1] == ("message", "deliver(p/R1) deliver(p/R2)", "deliver(p/R1)")


def test_inner_instances_are_a_group() -> None:
    """Scheduling.md 1.1: which member of a group goes next, by ordinal."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.task("A", multi_instance=bs.parallel(cardinality="2")) >> b.end("e")
    assert choices(bs.simulate(b.model()))[0] == ("group", "run(p/A[0]) run(p/A[1])", "run(p/A[0])")


def test_mixed_kinds_are_a_step() -> None:
    """Scheduling.md 1.1: its kind is step where its options share none."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.user("u"), b.receive("R", message="m"), b.task("A")]
    kinds = [kind for kind, *_ in choices(bs.simulate(b.model()))]
    assert kinds == ["step", "step", "step", "race"]


def test_choices_are_numbered_and_carry_their_step() -> None:
    """Scheduling.md 1.2: deviations name the number of a choice, not a step."""
    frame = bs.simulate(diamond(), seed=4, strategy="depth").choices()
    assert rows(frame, "number", "step", "strategy") == [(0, 3, "depth@4"), (1, 4, "depth@4")]


def test_equal_actions_are_told_apart() -> None:
    """Scheduling.md 1.1: #k for the k-th otherwise equal name; each can be picked."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.task("a"), b.task("b")] >> b.task("C") >> b.end("e")
    sim = bs.Simulation(b.model())
    sim.run(until=lambda sim: len(sim.enabled) == 2 and sim.enabled[0].node == "C")
    assert [action.name for action in sim.enabled] == ["run(p/C)", "run(p/C)#2"]
    sim.step("run(p/C)#2")
    trace = sim.run()
    assert list(trace.visits().query("node == 'C'").sort_values("left_at").track) == [1, 0]
    assert bs.simulate(b.model(), schedule=trace.schedule) == trace
