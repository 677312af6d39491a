"""The state as plain data: copies, keys, JSON, and programs that can be pickled (design section 4, core.md CKP-01)."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from dataclasses import replace

import bpmnsim as bs
from bpmnsim.engine.state import State
from bpmnsim.simulation.driver import drive
from bpmnsim.simulation.inputs import checked
from bpmnsim.simulation.traces import trace_of

from ..models import diamond, line


def busy() -> bs.Model:
    """Build a model whose run has timers, waits, nested scopes, held tokens and inner instances at once."""
    b = bs.ProcessBuilder("p")
    split, join = b.parallel("split"), b.parallel("J")
    sub = b.subprocess("sp", body=lambda i: i.start() >> i.user("u") >> i.end())
    work = [b.service("A"), b.user("many", multi_instance=bs.parallel(cardinality="3")), sub, b.task("fast")]
    _ = b.start("s") >> split >> work >> join >> b.end("e")
    return b.model()


def stepping(model: bs.Model, **run: object) -> Iterator[tuple[bs.Simulation, State]]:
    """Yield a simulation and its state after every step."""
    sim = bs.Simulation(model, **run)  # type: ignore[arg-type]
    while True:
        yield sim, sim._driver.run.state
        if not sim.enabled:
            return
        sim.step()


def test_the_state_is_json_at_every_step() -> None:
    """CKP-01.1 (CKP-01): captured after every step, each restores to the same state and the same end."""
    for sim, state in stepping(busy(), seed=5, durations={"A": 3}, data={"v": [1, {"x": 2}]}):
        written = json.loads(json.dumps(state.to_json()))
        restored = State.from_json(written)
        assert restored.to_json() == state.to_json()
        assert restored.key() == state.key()
        assert list(restored.tracks) == list(state.tracks)
        del sim


def test_a_copy_does_not_follow_its_original() -> None:
    """Design section 4: state.copy() is independent, at every step."""
    sim = bs.Simulation(busy(), durations={"A": 3})
    while sim.enabled:
        kept = sim._driver.run.state.copy()
        before = kept.to_json()
        sim.step()
        assert kept.to_json() == before


def test_two_orders_of_independent_work_meet_in_one_state() -> None:
    """Design section 4: the key holds no run-local ids, no history and no counter that nothing reads."""
    keys = []
    for first, second in (("a", "b"), ("b", "a")):
        sim = bs.Simulation(diamond())
        _ = sim.step(), sim.step(), sim.step(f"run(p/{first})"), sim.step(f"run(p/{second})")
        keys.append(sim._driver.run.state.key())
    assert keys[0] == keys[1]
    assert hash(keys[0]) == hash(keys[1])


def test_what_can_happen_next_is_in_the_key() -> None:
    """Design section 4: position, data and time until the next timer tell states apart; absolute time does not."""

    def key(sim: bs.Simulation, steps: int = 2) -> object:
        for _ in range(steps):
            sim.step()
        return sim._driver.run.state.key()

    start = key(bs.Simulation(line()), 0)
    assert len({start, key(bs.Simulation(line()), 1), key(bs.Simulation(line()), 2)}) == 3
    assert key(bs.Simulation(line(), data={"v": 1})) != key(bs.Simulation(line(), data={"v": 2}))
    assert key(bs.Simulation(line(), durations={"A": 1})) != key(bs.Simulation(line(), durations={"A": 2}))
    b = bs.ProcessBuilder("p")
    again = b.exclusive("again")
    _ = b.start("s") >> again >> b.service("A") >> again
    sim = bs.Simulation(b.model(), durations={"A": 5})
    keys = [key(sim, 2), key(sim, 3), key(sim, 3)]
    assert sim.time == 10.0
    assert keys[0] == keys[1] == keys[2]


def test_an_empty_state_is_equal_to_its_copy() -> None:
    """Design section 4: the JSON form names a version and every table, also when there is nothing in them."""
    state = State()
    assert State.from_json(state.to_json()).to_json() == state.copy().to_json()


def test_a_compiled_program_can_be_pickled() -> None:
    """Design section 4: a compiled process is shared by all runs and can be sent to worker processes."""
    inputs = checked(busy(), durations={"A": 3})
    copied = replace(inputs, program=pickle.loads(pickle.dumps(inputs.program)))
    digests = []
    for given in (inputs, copied, inputs):
        driver = drive(given, 7, None, None, snapshots=False)
        driver.advance(1000)
        digests.append(trace_of(driver).digest)
    assert digests == digests[:1] * 3


def test_a_model_can_be_pickled() -> None:
    """Design section 9: the same digest after a pickle round trip."""
    model = busy()
    other = pickle.loads(pickle.dumps(model))
    assert other == model
    assert bs.simulate(other, seed=3).digest == bs.simulate(model, seed=3).digest
