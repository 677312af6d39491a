"""Schedules against runs: strict replay, constraints, full recordings, edited models (scheduling.md 1.2 and 1.6)."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest

import bpmnsim as bs

from ..models import count, diamond, line, path


def lanes(*more: str) -> bs.Model:
    """Build s>+>{a1>a2>a3, b1>b2, …}: lanes beside each other that end by themselves."""
    b = bs.ProcessBuilder("p")
    split = b.parallel("split")
    _ = b.start("s") >> split
    for lane in ("a1 a2 a3", "b1 b2", *more):
        before = split
        for task in lane.split():
            before = before >> b.service(task)
    return b.model()


def order(trace: bs.Trace) -> str:
    """Return the tasks in the order in which they were done."""
    visits = trace.visits().query("node not in ('s', 'split')").sort_values("left_at")
    return " ".join(visits.node)


def rich() -> str:
    """Return the text of a schedule that has every part."""
    return str(
        bs.Schedule(
            base="depth@7",
            deviations=((4, "complete(order/review[2])"), (7, "timer(order/T1)#2")),
            stimuli=((3, 'set(v){"values":{"v":[1,"ü;,~"]}}'),),
            model="3f9c02",
            options="77a0",
            inputs="c41b",
            constraints=(("run(p/x~2)", "run(p/y)"),),
            states=((0, "ab12"),),
        )
    )


# The text.


def test_every_change_of_one_sign_is_found() -> None:
    """Scheduling.md 1.2: a mistyped schedule fails at parse, always: every sign, replaced by any other one."""
    text = rich()
    assert bs.Schedule.parse(text).deviations[0] == (4, "complete(order/review[2])")
    missed = []
    for at, sign in enumerate(text):
        for other in string.printable + "é€":
            if other != sign:
                try:
                    bs.Schedule.parse(text[:at] + other + text[at + 1 :])
                except bs.ScheduleDivergence:
                    continue
                missed.append((at, sign, other))
    assert missed == []


def test_signs_that_change_places_are_found() -> None:
    """Scheduling.md 1.2: two neighbors the wrong way round, and one sign left out or doubled."""
    text = rich()
    for at in range(len(text) - 1):
        swapped = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        for wrong in {swapped, text[:at] + text[at + 1 :], text[: at + 1] + text[at:]} - {text}:
            with pytest.raises(bs.ScheduleDivergence):
                bs.Schedule.parse(wrong)


def test_every_change_of_the_json_form_is_found() -> None:
    """Scheduling.md 1.2: the JSON form has a checksum as well; each part counts."""
    saved = bs.Schedule.parse(rich()).to_json()
    text = json.dumps(saved)
    assert bs.Schedule.from_json(text) == bs.Schedule.parse(rich())
    for name, cell in saved.items():
        with pytest.raises(bs.ScheduleDivergence):
            bs.Schedule.from_json({**saved, name: f"{cell}x"})
    with pytest.raises(bs.ScheduleDivergence, match="was changed"):
        bs.Schedule.from_json(text.replace("review[2]", "review[1]"))


def test_a_schedule_is_readable() -> None:
    """Scheduling.md 1.2: what was picked and done can be read in the line."""
    assert rich() == (
        "bs1;m=3f9c02;t=instant;g=task;s=depth@7;o=77a0;i=c41b;d=4:complete(order/review[2]),7:timer(order/T1)#2;"
        'x=3:set(v){"values":{"v":[1%2C"%C3%BC%3B%2C~"]}};h=0:ab12;c=run(p/x~2)<run(p/y)~c79a'
    )


def test_lists_do_as_well_as_tuples() -> None:
    """Design section 7: a schedule that somebody writes."""
    written = bs.Schedule(deviations=[[0, "run(p/b)"]])  # type: ignore[arg-type]
    assert written == bs.Schedule(deviations=((0, "run(p/b)"),))
    assert order(bs.simulate(diamond(), schedule=written)).startswith("b a")


# Strict replay.


def test_a_deviation_that_is_none_is_forgotten() -> None:
    """Scheduling.md 1.2: only what differs from the base is a deviation; the run is that of the base."""
    for base in ("fifo", "3", "depth"):
        whole = bs.simulate(lanes(), schedule=bs.Schedule(base=base))
        every = tuple((int(row.number), row.picked) for row in whole.choices().itertuples())
        again = bs.simulate(lanes(), schedule=bs.Schedule(base=base, deviations=every))
        assert len(every) > 2
        assert again == whole
        assert again.schedule.deviations == ()


def test_a_divergence_says_everything() -> None:
    """Scheduling.md 1.6: choice number, expected name, the enabled set, the nearest name."""
    with pytest.raises(bs.ScheduleDivergence) as caught:
        bs.simulate(lanes(), schedule=bs.Schedule(deviations=((1, "run(p/b2)"), (2, "run(p/a4)"))))
    error = caught.value
    assert (error.choice, error.expected, error.enabled, error.nearest) == (
        *(1, "run(p/b2)", ("run(p/b1)", "run(p/a2)"), "run(p/b1)"),
    )
    assert str(error) == (
        "SCHEDULE: choice 1: 'run(p/b2)' is not enabled; enabled are run(p/b1), run(p/a2)\n"
        "  hint: the nearest is 'run(p/b1)'"
    )


def test_a_divergence_stays_readable() -> None:
    """Scheduling.md 1.6: of many enabled actions the first ones are shown, and how many there are."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.task("A", multi_instance=bs.parallel(cardinality=500)) >> b.end("e")
    with pytest.raises(bs.ScheduleDivergence, match="and 488 more") as caught:
        bs.simulate(b.model(), schedule=bs.Schedule(deviations=((0, "run(p/A[500])"),)))
    assert len(caught.value.enabled) == 500
    assert len(str(caught.value)) < 400


def test_a_run_goes_on_after_a_divergence() -> None:
    """Scheduling.md 1.6: nothing was taken; the open choice can be answered by hand and is recorded right."""
    sim = bs.Simulation(lanes(), schedule=bs.Schedule(base="3", deviations=((0, "run(p/b1)"), (1, "run(p/zz)"))))
    for _ in range(2):
        with pytest.raises(bs.ScheduleDivergence):
            sim.run()
    assert (sim.steps, [action.name for action in sim.enabled]) == (3, ["run(p/a1)", "run(p/b2)"])
    sim.step("run(p/b2)")
    trace = sim.run()
    assert bs.simulate(lanes(), schedule=trace.schedule) == trace


def test_answers_that_are_left_over_are_an_error() -> None:
    """Scheduling.md 1.6: leftover choices, acts and constraints, in a simulation too, but not where a limit cut it."""
    for left, shown in (
        (bs.Schedule(deviations=((9, "run(p/a1)"),)), "9:run(p/a1)"),
        (bs.Schedule(stimuli=((99, "set(v){}"),)), "99:set(v){}"),
        (bs.Schedule(constraints=(("run(p/q)", "run(p/r)"),)), "run(p/q) before run(p/r)"),
    ):
        for run in (
            lambda given: bs.simulate(lanes(), schedule=given),
            lambda given: bs.Simulation(lanes(), schedule=given).run(),
        ):
            with pytest.raises(bs.ScheduleDivergence) as caught:
                run(left)
            assert f"the schedule goes on: {shown}" in str(caught.value)
        assert bs.simulate(lanes(), schedule=left, step_limit=4).outcome == "truncated"
        assert bs.Simulation(lanes(), schedule=left).run(step_limit=4).outcome == "truncated"


def test_an_act_that_does_not_fit_is_a_divergence() -> None:
    """Scheduling.md 1.6: the step, the act, why, and that nothing has changed."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.user("u") >> b.end("e")
    given = bs.Schedule(stimuli=((2, "complete(u)"),))
    sim = bs.Simulation(b.model(), schedule=given)
    with pytest.raises(bs.ScheduleDivergence, match=r"step 2: 'complete\(u\)' does not fit: no open work") as caught:
        sim.run()
    assert (caught.value.expected, caught.value.enabled, sim.steps) == ("complete(u)", ("run(p/u)",), 1)


@pytest.mark.parametrize(
    "text",
    ["", "u", "burn(u)", "set(v)", "retry(x)", "start(q)", "complete(u)[1]", "complete(u){", 'set(v){"values":7}'],
)
def test_an_act_that_nobody_can_read_is_a_divergence(text: str) -> None:
    """Design section 8: a schedule from outside raises only our own errors."""
    with pytest.raises(bs.ScheduleDivergence, match="step 1"):
        bs.simulate(line(), schedule=bs.Schedule(stimuli=((1, text),)))


@pytest.mark.parametrize("base", ["", "fifoo", "depth@", "depth@x", "priority()", "7@7", "-"])
def test_an_unknown_base_is_refused(base: str) -> None:
    """Design section 8: what no strategy is called, is no base."""
    with pytest.raises(bs.SimulationError, match="there is no strategy"):
        bs.simulate(line(), schedule=bs.Schedule(base=base))


# Constraints.


def test_a_constraint_holds_an_action_back() -> None:
    """Scheduling.md 1.2, third form: x before y; the rest is the base's; what it forces becomes a deviation."""
    given = bs.Schedule(constraints=(("run(p/b2)", "run(p/a1)"),))
    trace = bs.simulate(lanes(), schedule=given)
    assert order(trace) == "b1 b2 a1 a2 a3"
    assert (trace.schedule.deviations, trace.schedule.constraints) == (((0, "run(p/b1)"), (1, "run(p/b2)")), ())
    assert bs.simulate(lanes(), schedule=trace.schedule) == trace


@pytest.mark.parametrize("base", ["fifo", "depth", "round-robin", "3"])
def test_constraints_hold_under_every_base(base: str) -> None:
    """Scheduling.md 1.5: constraint replay of an order; also through a checkpoint and on the way back."""
    wanted = bs.Schedule(base=base, constraints=(("run(p/b2)", "run(p/a2)"), ("run(p/a2)", "run(p/c1)")))
    sim = bs.Simulation(lanes("c1 c2"), schedule=str(wanted))
    whole = bs.simulate(lanes("c1 c2"), schedule=wanted)
    done = order(whole).split()
    assert done.index("b2") < done.index("a2") < done.index("c1")
    while sim.outcome is None:
        sim.step()
        assert bs.Simulation.restore(lanes("c1 c2"), json.loads(json.dumps(sim.checkpoint()))).run() == whole
        sim.back()
        sim.step()
    assert sim.trace() == whole


def test_a_constraint_tells_no_equal_tokens_apart() -> None:
    """Scheduling.md 1.1: #k only numbers equal names; every one of them is held back."""
    b = bs.ProcessBuilder("p")
    split, merge = b.parallel("split"), b.exclusive("m")
    _ = b.start("s") >> split >> [b.task("a"), b.task("b")] >> merge >> b.task("C") >> b.end("e")
    _ = split >> b.task("d1") >> b.task("d2") >> b.task("d3") >> b.task("d4")
    given = bs.Schedule(base="depth", constraints=(("run(p/d4)", "run(p/C)#2"),))
    assert order(bs.simulate(b.model(), schedule=given)) == "a m b d1 m d2 d3 d4 C e C e"


def test_constraints_that_cannot_be_met_are_an_error() -> None:
    """Scheduling.md 1.6: everything that is enabled is held back."""
    given = bs.Schedule(constraints=(("run(p/a2)", "run(p/a1)"), ("run(p/q)", "run(p/b2)")))
    with pytest.raises(bs.ScheduleDivergence) as caught:
        bs.simulate(lanes(), schedule=given)
    assert "everything is held back, 'run(p/a1)' until 'run(p/a2)'" in str(caught.value)
    assert caught.value.enabled == ("run(p/a1)", "run(p/b2)")


# Full recordings.


@pytest.mark.parametrize(
    "base", [{}, {"seed": 3}, {"strategy": "depth"}, {"strategy": "round-robin", "seed": 2}], ids=str
)
def test_a_full_recording_is_in_terms_of_fifo(base: dict[str, Any]) -> None:
    """Design section 5: on request all deviations from fifo; it repeats the run, durations included."""
    durations = {"a2": lambda rng, _: rng.random()}
    trace = bs.simulate(lanes("c1 c2"), durations=durations, **base)
    recorded = trace.recording()
    assert recorded.base == ("fifo" if trace.seed is None else f"fifo@{trace.seed}")
    assert [number for number, _ in recorded.states] == list(trace.choices().number)
    again = bs.simulate(lanes("c1 c2"), durations=durations, schedule=str(recorded))
    assert (again == trace, again.schedule.deviations) == (True, recorded.deviations)
    assert bs.Schedule.from_json(recorded.to_json()) == recorded


def deciding(value: int) -> dict[str, Any]:
    """Return behaviors in which b1 writes a value that decides later whether b3 follows b2."""
    return {"b1": lambda _: {"v": value}}


def decided() -> bs.Model:
    """Build s>+>{a1>a2>a3, b1>b2>x>{b3 if v>1, b4}}."""
    b = bs.ProcessBuilder("p")
    split, x = b.parallel("split"), b.exclusive("x")
    _ = b.start("s") >> split >> b.service("a1") >> b.service("a2") >> b.service("a3")
    _ = split >> b.service("b1") >> b.service("b2") >> x
    x.flow(b.service("b3"), "v > 1")
    x.flow(b.service("b4"), default=True)
    return b.model()


def test_a_divergence_says_where_the_state_first_differed() -> None:
    """Scheduling.md 1.6: which earlier choice's state first differed, where that was recorded."""
    trace = bs.simulate(decided(), strategy="priority(b1,b2,x,b3)", behaviors=deciding(2))
    assert order(trace).startswith("b1 b2 x b3")
    with pytest.raises(bs.ScheduleDivergence) as short:
        bs.simulate(decided(), schedule=bs.Schedule(deviations=trace.recording().deviations), behaviors=deciding(1))
    assert (short.value.choice, "first" in str(short.value)) == (3, False)
    with pytest.raises(bs.ScheduleDivergence, match="the state differed first at choice 1") as full:
        bs.simulate(decided(), schedule=trace.recording(), behaviors=deciding(1))
    assert (full.value.choice, full.value.expected) == (3, "run(p/b3)")


def test_a_state_that_differs_is_a_divergence_even_where_every_name_fits() -> None:
    """Scheduling.md 1.6: strict replay does not pass another run for the recorded one."""
    trace = bs.simulate(lanes(), seed=3, behaviors={"b1": lambda _: {"v": 1}})
    full = trace.recording()
    assert bs.simulate(lanes(), schedule=full, behaviors={"b1": lambda _: {"v": 1}}) == trace
    with pytest.raises(bs.ScheduleDivergence, match="all as recorded; the state differed first at choice"):
        bs.simulate(lanes(), schedule=full, behaviors={"b1": lambda _: {"v": 2}})


def test_a_trace_from_a_file_has_no_recording() -> None:
    """Design section 7: it cannot run again; the error names the way out."""
    trace = bs.simulate(line())
    with pytest.raises(bs.StateError, match=r"trace\.schedule"):
        bs.Trace.from_json(trace.to_json(), line()).recording()


# Edited models.


def test_a_schedule_of_an_edited_model_is_followed_as_far_as_it_fits() -> None:
    """Scheduling.md 1.6: allow_edited re-validates names and reports what became of them."""
    given = bs.simulate(lanes(), schedule=bs.Schedule(deviations=((0, "run(p/b1)"), (1, "run(p/b2)")))).schedule
    edited = lanes("c1")
    with pytest.raises(bs.ScheduleDivergence, match=r"another model(.|\n)*allow_edited=True"):
        bs.simulate(edited, schedule=given)
    trace = bs.simulate(edited, schedule=given, allow_edited=True)
    assert (order(trace), trace.replayed) == ("b1 b2 a1 c1 a2 a3", "replayed 2/2 choices, 0 re-mapped, 0 dropped")
    assert bs.simulate(edited, schedule=trace.schedule) == trace


def test_a_name_that_has_changed_is_replaced_by_the_nearest() -> None:
    """Scheduling.md 1.6: re-mapped, or dropped where nothing is near or the run is over."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.service("a1"), b.service("b11")]
    wanted = ((0, "run(p/b1)"), (1, "zzzzzzzzzz"), (8, "run(p/a1)"))
    trace = bs.simulate(b.model(), schedule=bs.Schedule(deviations=wanted), allow_edited=True)
    assert (order(trace), trace.replayed) == ("b11 a1", "replayed 0/3 choices, 1 re-mapped, 2 dropped")


def test_what_was_done_by_hand_waits_until_it_fits() -> None:
    """Scheduling.md 1.6: an edited model needs more steps, or fewer, before the work is open."""

    def approving(*before: str) -> bs.Model:
        b = bs.ProcessBuilder("p")
        last = b.start("s")
        for task in before:
            last = last >> b.task(task)
        _ = last >> b.user("u") >> b.service("A") >> b.end("e")
        return b.model()

    run: dict[str, Any] = {"scenario": bs.Scenario()}
    sim = bs.Simulation(approving("t"), **run)
    sim.run()
    sim.complete("u", outputs={"ok": True})
    sim.set("v", 1)
    given = sim.run().schedule
    for model in (approving(), approving("t", "t2", "t3")):
        trace = bs.simulate(model, schedule=given, allow_edited=True, **run)
        assert (trace.outcome, trace.values) == ("completed", {"ok": True, "v": 1})
        assert trace.replayed == "replayed 0/0 choices, 0 re-mapped, 0 dropped; 2/2 things done by hand"
        assert bs.simulate(model, schedule=trace.schedule, **run) == trace
    trace = bs.simulate(line(), schedule=given, allow_edited=True, **run)
    assert (count(trace, "e"), path(trace, 0)) == (1, ["s", "A", "e"])
    assert trace.replayed.endswith("0/2 things done by hand")


def test_an_element_that_is_gone_from_the_base_does_no_harm() -> None:
    """Scheduling.md 1.6: a priority list of the recorded model, on an edited one."""
    given = bs.simulate(lanes("c1"), strategy="priority(c1,b1)").schedule
    trace = bs.simulate(lanes(), schedule=given, allow_edited=True)
    assert order(trace).startswith("b1 a1")
