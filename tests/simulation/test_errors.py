"""Errors of the first hour: each says what is wrong, where, and what to do (design section 8, style section 4.3)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bpmnsim as bs


def office() -> bs.Model:
    """Build s>u>A>e."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.user("approve", name="Approve it") >> b.service("ship") >> b.end("e")
    return b.model()


def waiting() -> bs.Simulation:
    """Return the office with nobody outside."""
    sim = bs.Simulation(office(), scenario=bs.Scenario())
    sim.run()
    return sim


def run(**more: Any) -> Callable[[], object]:
    """Return a call of simulate."""
    return lambda: bs.simulate(office(), **more)


def live(call: Callable[[bs.Simulation], object]) -> Callable[[], object]:
    """Return a call on a simulation that waits."""
    return lambda: call(waiting())


NESTED: list[Any] = []
NESTED.append(NESTED)

TABLE: list[tuple[str, Callable[[], object], type[Exception], tuple[str, ...]]] = [
    ("wrong path", lambda: bs.read_bpmn("nowhere/order.bpmn"), bs.ModelError, ("there is no file", "order.bpmn")),
    ("a folder", lambda: bs.read_bpmn(str(Path(__file__).parent)), bs.ModelError, ("is a folder",)),
    ("an empty file", lambda: bs.read_bpmn(b""), bs.ModelError, ("the file is empty", "hint")),
    ("no XML", lambda: bs.read_bpmn(b"PK\x03\x04"), bs.ModelError, ("not an XML file", "hint")),
    ("not BPMN", lambda: bs.read_bpmn("<svg/>"), bs.ModelError, ("not a BPMN file", "<svg>", "definitions")),
    ("a number", lambda: bs.read_bpmn(7), bs.ModelError, ("cannot be read from int",)),  # type: ignore[arg-type]
    ("a sample", lambda: bs.load_sample("votin"), bs.ModelError, ("'votin'", "did you mean 'voting'?")),
    ("a path as model", lambda: bs.simulate("order.bpmn"), bs.SimulationError, ("not str", "bs.read_bpmn(path)")),  # type: ignore[arg-type]
    ("no model", lambda: bs.Simulation(None), bs.SimulationError, ("not NoneType",)),  # type: ignore[arg-type]
    ("an option", run(behavior={}), bs.SimulationError, ("no option 'behavior'", "did you mean 'behaviors'?")),
    ("an option of run", lambda: bs.Simulation(office(), step_limit=3), bs.SimulationError, ("run(step_limit=",)),  # type: ignore[call-arg]
    ("a mode", run(time="instnt"), bs.SimulationError, ("time='instnt'", "did you mean 'instant'?")),
    ("another mode", run(decisions=True), bs.SimulationError, ("decisions=True", "evaluate, free")),
    (
        "a profile",
        run(options=bs.Options(profile="std")),
        bs.SimulationError,
        ("options.profile='std'", "engine, standard"),
    ),
    ("what is not there yet", run(options=bs.Options(network="causal")), bs.SimulationError, ("'causal'", "bag")),
    ("options as dict", run(options={"profile": "x"}), bs.SimulationError, ("bs.Options(",)),
    ("a process", run(process="q"), bs.ModelError, ("[q]", "the processes are p")),
    ("a start", run(start="ss"), bs.ModelError, ("no start event 'ss'", "did you mean 's'?")),
    ("an epoch", run(epoch="yesterday"), bs.SimulationError, ("epoch='yesterday'", "2000-01-01T00:00Z")),
    ("a behavior id", run(behaviors={"shipp": print}), bs.ModelError, ("'shipp'", "did you mean 'ship'?")),
    ("a behavior name", run(behaviors={"Aprove it": print}), bs.ModelError, ("did you mean 'Approve it'?",)),
    (
        "a behavior of an event",
        run(behaviors={"s": print}),
        bs.ModelError,
        ("[s]", "a StartEvent does no work", "scenario"),
    ),
    (
        "a behavior that is none",
        run(behaviors={"ship": {"x": 1}}),
        bs.SimulationError,
        ("[ship]", "no function", "lambda task"),
    ),
    ("behaviors as list", run(behaviors=["ship"]), bs.SimulationError, ("behaviors",)),
    ("a duration", run(durations={"ship": "5 minutes"}), bs.SimulationError, ("[ship]", "'5 minutes'", "PT5M")),
    (
        "a negative duration",
        run(durations={"ship": -1}),
        bs.SimulationError,
        ("[ship]", "is -1, not a number of seconds"),
    ),
    ("retries", run(retries={"ship": "often"}), bs.SimulationError, ("[ship]", "'often'", "(3, 60.0)")),
    ("data as list", run(data=[1]), bs.SimulationError, ("data", "[1]")),
    ("a number as name", run(data={1: 2}), bs.SimulationError, ("data",)),
    ("a value in itself", run(data={"x": NESTED}), bs.StateError, ("'x' nests deeper",)),
    ("a value nobody can copy", run(data={"x": (n for n in "ab")}), bs.StateError, ("'x' cannot be copied",)),
    ("a seed", run(seed="7"), bs.SimulationError, ("seed='7' is no whole number",)),
    ("a strategy", run(strategy="dept"), bs.SimulationError, ("'dept'", "did you mean 'depth'?")),
    ("a seed as strategy", run(strategy="7"), bs.SimulationError, ("strategy='7'", "seed=7")),
    (
        "an element of a strategy",
        run(strategy="priority(shipp)"),
        bs.SimulationError,
        ("'shipp'", "did you mean 'ship'?"),
    ),
    ("a limit", run(step_limit=1.5), bs.SimulationError, ("step_limit=1.5",)),
    ("a scenario", run(scenario="closed"), bs.SimulationError, ("scenario='closed'", "bs.Scenario()")),
    (
        "a task of a scenario",
        run(scenario=bs.Scenario().complete("aprove")),
        bs.ModelError,
        ("did you mean 'approve'?",),
    ),
    ("no task in a scenario", run(scenario=bs.Scenario().complete("s")), bs.ModelError, ("[s]", "does no work")),
    ("after nothing", run(scenario=bs.Scenario().set("v", 1, after="shp")), bs.ModelError, ("did you mean 'ship'?",)),
    ("a time of a scenario", lambda: bs.Scenario().set("v", 1, at=-1), bs.SimulationError, ("at=-1 is no time",)),
    (
        "two conditions",
        lambda: bs.Scenario().complete("approve", at=1, after="s"),
        bs.SimulationError,
        ("at= or after=",),
    ),
    ("outputs as list", lambda: bs.Scenario().complete("approve", outputs=[1]), bs.SimulationError, ("[1]", "dict")),  # type: ignore[arg-type]
    ("a schedule and a seed", run(schedule="bs1", seed=7), bs.SimulationError, ("every choice",)),
    ("a text as schedule", run(schedule="hello"), bs.ScheduleDivergence, ("no schedule", "bs1")),
    ("a trace as schedule", lambda: run(schedule=bs.simulate(office()))(), bs.SimulationError, ("trace.schedule",)),
    ("a correlation", lambda: bs.parallel(cardinality=3, correlation="x"), bs.ModelError, ("a pair of key name",)),  # type: ignore[arg-type]
    (
        "an action",
        live(lambda sim: (sim.back(), sim.step("run(p/aprove)"))),
        bs.SimulationError,
        ("did you mean 'run(p/approve)'?",),
    ),
    ("a run that waits", live(lambda sim: sim.step()), bs.StateError, ("ended: waiting", "complete()", "why()")),
    ("too far back", live(lambda sim: sim.back(9)), bs.SimulationError, ("by 0 to 2 steps",)),
    ("a step", live(lambda sim: sim.goto(1.5)), bs.SimulationError, ("no step 1.5",)),  # type: ignore[arg-type]
    ("until", live(lambda sim: sim.run(until="shp")), bs.ModelError, ("did you mean 'ship'?",)),
    ("until a list", live(lambda sim: sim.run(until=[1])), bs.SimulationError, ("until=[1]", 'until="Ship"')),  # type: ignore[arg-type]
    ("work that is not open", live(lambda sim: sim.complete("ship")), bs.NoSuchTask, ("[ship]", "no open work", "why")),
    ("an ordinal", live(lambda sim: sim.complete("approve", 3)), bs.NoSuchTask, ("number 3",)),
    ("an ordinal as text", live(lambda sim: sim.complete("approve", "x")), bs.SimulationError, ("ordinal",)),  # type: ignore[arg-type]
    ("outputs by hand", live(lambda sim: sim.complete("approve", outputs=[1])), bs.SimulationError, ("[1]",)),  # type: ignore[arg-type]
    ("a value by hand", live(lambda sim: sim.set("v", object())), bs.StateError, ("'v' cannot be recorded",)),
    ("a scope", live(lambda sim: sim.set("v", 1, scope="/q")), bs.NoSuchTask, ("'/q'", "/p")),
    ("another process", live(lambda sim: sim.start("q")), bs.ModelError, ("[q]", "the processes of this run are p")),
    ("an incident", live(lambda sim: sim.retry(5)), bs.NoSuchTask, ("no incident 5", "none")),
    ("an incident by name", live(lambda sim: sim.drop("ship")), bs.SimulationError, ("'ship' is no incident",)),  # type: ignore[arg-type]
    ("an error code", live(lambda sim: sim.fail("approve", "")), bs.SimulationError, ("an error code is needed",)),
    ("a message without name", live(lambda sim: sim.message(None)), bs.SimulationError, ("message: None",)),  # type: ignore[arg-type]
    ("why", live(lambda sim: sim.why("aprove")), bs.ModelError, ("did you mean 'approve'?",)),
]


@pytest.mark.parametrize(("call", "kind", "parts"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_the_error_says_what_to_do(call: Callable[[], object], kind: type[Exception], parts: tuple[str, ...]) -> None:
    """Design section 8: our own error of the promised type; the message has every part."""
    with pytest.raises(bs.BpmnSimError) as caught:
        call()
    assert type(caught.value) is kind
    assert [part for part in parts if part not in str(caught.value)] == []


def test_a_missing_variable_is_an_incident_that_names_it() -> None:
    """Design section 4, Decisions: flow, text, missing name and both remedies; simulate() does not raise."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> x
    x.flow(b.end("big"), "amount > 1000", id="rich")
    x.flow(b.end("small"), default=True)
    trace = bs.simulate(b.model())
    assert trace.outcome == "incident"
    for part in ("[rich]", "'amount' has no value", '"amount > 1000"', "set the name in data", 'decisions="free"'):
        assert part in trace.stuck[0].waits_for


def test_a_name_that_several_elements_have_is_ambiguous() -> None:
    """Design section 8: the ids are named; nothing is guessed."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("a1", name="Work") >> b.service("a2", name="Work") >> b.end("e")
    calls: list[Callable[[], object]] = [
        lambda: bs.simulate(b.model(), behaviors={"Work": print}),
        lambda: bs.Simulation(b.model()).why("Work"),
        lambda: bs.Simulation(b.model()).run(until="Work"),
    ]
    for call in calls:
        with pytest.raises(bs.ModelError, match=r"'Work' names several elements(.|\n)*a1, a2"):
            call()
    assert bs.Simulation(b.model()).why("a1").blockers == ()
