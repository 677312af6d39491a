"""Schedules: their text, their JSON form, strict replay (scheduling.md 1.2 and 1.6)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpmnsim as bs

from ..models import diamond, line

NAMES = st.text(min_size=1, max_size=20)
SCHEDULES = st.builds(
    bs.Schedule,
    base=st.sampled_from(["fifo", "7", "depth@-3", "priority(a,b)"]),
    deviations=st.lists(st.tuples(st.integers(0, 99), NAMES), max_size=3).map(tuple),
    stimuli=st.lists(st.tuples(st.integers(1, 99), NAMES), max_size=2).map(tuple),
    model=st.sampled_from(["", "3f9c02"]),
    time=st.sampled_from(["instant", "untimed"]),
    granularity=st.sampled_from(["task", "phase"]),
    constraints=st.lists(st.tuples(NAMES, NAMES), max_size=2).map(tuple),
)


@settings(max_examples=40)
@given(SCHEDULES)
def test_a_schedule_survives_its_text_and_its_json(schedule: bs.Schedule) -> None:
    """Scheduling.md 1.2: one line of text and a JSON object say the same, whatever signs the names have."""
    text = str(schedule)
    assert bs.Schedule.parse(text) == schedule
    assert bs.Schedule.from_json(json.loads(json.dumps(schedule.to_json()))) == schedule
    assert len(text.splitlines()) == 1


@settings(max_examples=40)
@given(SCHEDULES, st.data())
def test_a_mistyped_schedule_fails_at_once(schedule: bs.Schedule, data: st.DataObject) -> None:
    """Scheduling.md 1.2: the checksum of the trailer."""
    text = str(schedule)
    at = data.draw(st.integers(0, len(text) - 1))
    sign = data.draw(st.sampled_from([each for each in "ab0;" if each != text[at]]))
    with pytest.raises(bs.ScheduleDivergence):
        bs.Schedule.parse(text[:at] + sign + text[at + 1 :])


@pytest.mark.parametrize("text", ["", "fifo", "bs1", "bs1~", "~", "bs2;s=fifo~0000", "é~é", "bs1;d=x:y~0000"], ids=repr)
def test_what_is_no_schedule_is_refused(text: str) -> None:
    """Design section 8: only our own error, whatever the text."""
    with pytest.raises(bs.ScheduleDivergence):
        bs.Schedule.parse(text)


@pytest.mark.parametrize(
    "saved", ["{", "[]", "1", {}, {"version": "bs2"}, {"version": "bs1", "deviations": [1]}], ids=str
)
def test_what_is_no_json_schedule_is_refused(saved: object) -> None:
    """Design section 8: only our own error."""
    with pytest.raises(bs.ScheduleDivergence):
        bs.Schedule.from_json(saved)  # type: ignore[arg-type]


def test_the_text_of_a_run_is_readable() -> None:
    """Scheduling.md 1.2: header, then only what deviates from the base."""
    sim = bs.Simulation(diamond())
    _ = sim.step(), sim.step(), sim.step("run(p/b)")
    text = str(sim.run().schedule)
    assert text.startswith(f"bs1;m={diamond().digest[:6]};t=instant;g=task;s=fifo;o=")
    assert text.partition(";d=")[2].partition("~")[0] == "0:run(p/b)"


def test_a_replay_is_exact() -> None:
    """Design section 2, idea 2: (model, inputs, schedule) gives the same trace."""
    sim = bs.Simulation(diamond(), seed=3)
    _ = sim.step(), sim.step(), sim.step("run(p/b)")
    trace = sim.run()
    for schedule in (trace.schedule, str(trace.schedule), bs.Schedule.from_json(trace.schedule.to_json())):
        again = bs.simulate(diamond(), schedule=schedule)
        assert again == trace
        assert again.schedule == trace.schedule


def test_an_action_that_is_not_enabled_stops_the_replay() -> None:
    """Scheduling.md 1.6: choice number, expected, enabled, nearest."""
    wrong = bs.Schedule(deviations=((0, "run(p/bb)"),))
    with pytest.raises(bs.ScheduleDivergence) as diverged:
        bs.simulate(diamond(), schedule=wrong)
    error = diverged.value
    assert (error.choice, error.expected, error.enabled) == (0, "run(p/bb)", ("run(p/a)", "run(p/b)"))
    assert error.nearest == "run(p/b)"


def test_answers_that_are_left_over_stop_the_replay() -> None:
    """Scheduling.md 1.6: an unused tail is an error."""
    with pytest.raises(bs.ScheduleDivergence, match="the schedule goes on: 9:run"):
        bs.simulate(diamond(), schedule=bs.Schedule(deviations=((9, "run(p/a)"),)))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"data": {"v": 1}}, "data"),
        ({"granularity": "phase"}, "granularity"),
        ({"time": "untimed"}, "time mode"),
        ({"decisions": "free"}, "options"),
        ({"options": bs.Options(profile="standard")}, "options"),
        ({"behaviors": {"a": lambda _: None}}, "behaviors"),
        ({"durations": {"a": 2}}, "durations"),
        ({"scenario": bs.Scenario()}, "scenario"),
        ({"retries": {"a": 1}}, "options"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_schedule_is_tied_to_what_it_was_recorded_with(change: dict[str, object], word: str) -> None:
    """Scheduling.md 1.2: hashes of model, options and inputs; the error says which differs."""
    schedule = bs.simulate(diamond(), seed=3).schedule
    with pytest.raises(bs.ScheduleDivergence, match=word):
        bs.simulate(diamond(), schedule=schedule, **change)  # type: ignore[arg-type]
    with pytest.raises(bs.ScheduleDivergence, match="model"):
        bs.simulate(line(), schedule=schedule)


def test_names_and_layout_do_not_touch_a_schedule() -> None:
    """Scheduling.md 1.2: the model hash is that of the executable content."""
    b = bs.ProcessBuilder("p", name="another name")
    split = b.start("s", name="Go") >> b.parallel("split")
    _ = split >> [b.task("a", name="A!"), b.task("b")] >> b.parallel("join") >> b.end("e")
    assert bs.simulate(b.model(), schedule=bs.simulate(diamond(), seed=3).schedule).outcome == "completed"


def test_a_schedule_excludes_seed_and_strategy() -> None:
    """Design section 7: schedule excludes both."""
    schedule = bs.simulate(line()).schedule
    for more in ({"seed": 1}, {"strategy": "fifo"}):
        with pytest.raises(bs.SimulationError, match="every choice"):
            bs.simulate(line(), schedule=schedule, **more)  # type: ignore[arg-type]


def test_what_was_done_by_hand_is_replayed() -> None:
    """Design section 5: stimuli by hand are part of the schedule."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.user("u") >> b.service("A") >> b.end("e")
    sim = bs.Simulation(b.model(), scenario=bs.Scenario(), behaviors={"A": lambda _: 1 / 0})
    sim.run()
    sim.set("v", [1, {"x": None}])
    sim.complete("u", outputs={"ok": True, "way": "dürfen; ~ ok"})
    sim.run()
    sim.resolve(0)
    trace = sim.run()
    again = bs.simulate(
        b.model(), scenario=bs.Scenario(), behaviors={"A": lambda _: 1 / 0}, schedule=str(trace.schedule)
    )
    assert (again == trace, again.outcome) == (True, "completed")


def test_looking_at_what_is_enabled_changes_nothing() -> None:
    """Design section 2, idea 1: also where what was due is taken back, and the rest of the run is drawn by a seed."""
    b = bs.ProcessBuilder("p")
    work, user, soon = b.service("A"), b.user("u"), b.service("C")
    _ = b.start("s") >> b.parallel("split") >> [work, user]
    _ = user >> soon >> b.parallel("again") >> [b.task(f"t{number}") for number in range(5)]
    given: dict[str, object] = {"durations": {"A": 2, "C": 1}, "scenario": bs.Scenario()}
    for seed in range(5):
        traces = []
        for look in (True, False):
            sim = bs.Simulation(b.model(), seed=seed, **given)  # type: ignore[arg-type]
            for _ in range(4):
                sim.step()
            if look:
                assert [action.name for action in sim.enabled] == ["complete(p/A)"]
            sim.complete("u")
            traces.append(sim.run())
        traces.append(bs.simulate(b.model(), schedule=traces[0].schedule, **given))  # type: ignore[arg-type]
        assert traces == traces[:1] * 3
