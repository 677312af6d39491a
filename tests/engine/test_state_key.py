"""The key of a state: equal where the same can happen, different where not (design section 4, scheduling.md 1.4)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import bpmnsim as bs
from bpmnsim.engine.own import freeze, frozen
from bpmnsim.engine.state import State
from bpmnsim.errors import StateError

from ..models import diamond, line


def boom(_: Any) -> None:
    """Fail."""
    raise RuntimeError("boom")


def state(sim: bs.Simulation) -> State:
    """Return where a run stands."""
    return sim._driver.run.state


def key(sim: bs.Simulation) -> object:
    """Return the key of where a run stands."""
    found = state(sim).key()
    assert hash(found) == hash(state(sim).copy().key())
    assert State.from_json(json.loads(json.dumps(state(sim).to_json()))).key() == found
    return found


def after(model: bs.Model, *steps: str, **run: Any) -> bs.Simulation:
    """Return a run after these steps."""
    sim = bs.Simulation(model, **run)
    for step in steps:
        sim.step(step)
    return sim


def beside(**kinds: str) -> bs.Model:
    """Build s>split>{nodes by kind}."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [getattr(b, kind)(name) for name, kind in kinds.items()]
    return b.model()


FORKED = ("run(p/s)", "run(p/split)")

# Equal.


def test_track_numbers_do_not_count() -> None:
    """Design section 4: no run-local ids: two orders of creation meet in one state, though the numbers differ."""
    b = bs.ProcessBuilder("p")
    split, merge = b.parallel("split"), b.exclusive("m")
    _ = b.start("s") >> split >> [b.task("a"), b.task("b")] >> merge >> b.parallel("two") >> [b.user("x"), b.user("y")]
    keys, numbers = [], []
    for first, second in (("a", "b"), ("b", "a")):
        sim = after(
            b.model(),
            *FORKED,
            f"run(p/{first})",
            "run(p/m)",
            "run(p/two)",
            f"run(p/{second})",
            "run(p/m)",
            scenario=bs.Scenario(),
        )
        numbers.append([(at[0], track) for track, at in state(sim).tracks.items()])
        keys.append(key(sim))
    assert (keys[0] == keys[1], numbers[0] == numbers[1]) == (True, False)


def test_scope_numbers_do_not_count() -> None:
    """Design section 4: which of two sub-processes was opened first is history."""
    b = bs.ProcessBuilder("p")
    subs = [b.subprocess(name, body=lambda i, name=name: i.start() >> i.user(f"{name}_u")) for name in ("one", "two")]
    _ = b.start("s") >> b.parallel("split") >> subs
    runs = (["one", "two"], ["two", "one"])
    sims = [after(b.model(), *FORKED, *(f"run(p/{name})" for name in names)) for names in runs]
    opened = [[entry[2] for entry in state(sim).scopes.values()] for sim in sims]
    assert opened[0] == [opened[1][0], opened[1][2], opened[1][1]] != opened[1]
    assert key(sims[0]) == key(sims[1])


def test_history_does_not_count() -> None:
    """Design section 4: steps, facts, visits and activations that nothing reads again are not in the key."""
    b = bs.ProcessBuilder("p")
    again = b.exclusive("again")
    _ = b.start("s") >> again >> b.subprocess("sp", body=lambda i: i.start("i") >> i.task("A")) >> again
    sim = after(b.model())
    keys = []
    for _ in range(3):
        sim.run(until="A")
        keys.append(key(sim))
        sim.step()
    assert keys[0] == keys[1] == keys[2]
    scopes = [entry[4] for entry in state(sim).scopes.values()]
    assert scopes == [1]
    sim.run(until="A")
    assert [entry[4] for entry in state(sim).scopes.values()] == [1, 4]


def test_absolute_time_does_not_count() -> None:
    """Scheduling.md 1.4: timers count relative to now."""
    b = bs.ProcessBuilder("p")
    again = b.exclusive("again")
    _ = b.start("s") >> again >> b.service("A") >> again
    sim = bs.Simulation(b.model(), durations={"A": 5})
    keys = []
    for _ in range(3):
        sim.run(until=lambda sim: sim.enabled[0].kind == "complete")
        keys.append(key(sim))
        sim.step()
    assert (keys[0] == keys[1] == keys[2], sim.time) == (True, 15.0)


def test_the_order_of_a_dict_does_not_count() -> None:
    """Design section 4: data is compared by value."""
    assert key(bs.Simulation(line(), data={"a": {"x": 1, "y": 2}, "b": 3})) == key(
        bs.Simulation(line(), data={"b": 3, "a": {"y": 2, "x": 1}})
    )


def test_the_place_in_a_queue_of_drains_is_relative() -> None:
    """Iteration.md ITER-P-05: what is queued counts, not how many drains there have been before in another round."""
    b = bs.ProcessBuilder("p")
    again = b.exclusive("again")
    _ = b.start("s") >> again >> b.service("A", multi_instance=bs.parallel(cardinality=2)) >> again
    sim = bs.Simulation(b.model())
    keys = []
    for _ in range(2):
        sim.run(until=lambda sim: sim.enabled[-1].kind == "drain" and len(sim.enabled) == 2)
        keys.append(key(sim))
        sim.run(until="again")
    assert keys[0] == keys[1]


# Different.

DIFFERENT: dict[str, tuple[Callable[[], bs.Simulation], Callable[[], bs.Simulation]]] = {
    "a node": (lambda: after(line()), lambda: after(line(), "run(p/s)")),
    "a flow into a join": (
        lambda: after(diamond(), *FORKED, "run(p/a)"),
        lambda: after(diamond(), *FORKED, "run(p/b)"),
    ),
    "held or ready at a join": (
        lambda: after(diamond(), *FORKED, "run(p/a)"),
        lambda: after(diamond(), *FORKED, "run(p/a)", "run(p/join)"),
    ),
    "how many tokens": (
        lambda: after(beside(a="task", b="task"), *FORKED),
        lambda: after(beside(a="task", b="task"), *FORKED, "run(p/a)"),
    ),
    "a value": (lambda: after(line(), data={"v": 1}), lambda: after(line(), data={"v": 2})),
    "a type": (lambda: after(line(), data={"v": 1}), lambda: after(line(), data={"v": True})),
    "a deep type": (lambda: after(line(), data={"v": [1]}), lambda: after(line(), data={"v": (1,)})),
    "a name": (lambda: after(line(), data={"v": 1}), lambda: after(line(), data={"w": 1})),
    "a time to go": (
        lambda: after(line(), "run(p/s)", "run(p/A)", durations={"A": 1}),
        lambda: after(line(), "run(p/s)", "run(p/A)", durations={"A": 2}),
    ),
}


def incident(attempts: int, way: str = "") -> bs.Simulation:
    """Return a run in which A has failed so often, and what an operator did."""
    sim = bs.Simulation(line(), behaviors={"A": boom}, retries={"A": 1})
    sim.run()
    for _ in range(attempts - 2):
        sim.retry(0)
        sim.run()
    if way:
        getattr(sim, way)(0)
    return sim


def keyed(orders: str) -> bs.Simulation:
    """Return a run that waits for a message with the key that `order` had when the wait was armed."""
    b = bs.ProcessBuilder("p")
    marker = bs.sequential(collection="orders", item="order", correlation=("order", "order"))
    _ = b.start("s") >> b.receive("R", message="m", multi_instance=marker) >> b.end("e")
    sim = bs.Simulation(b.model(), scenario=bs.Scenario(), data={"orders": list(orders)})
    sim.run()
    for name in ("orders", "order"):
        sim.set(name, 0)
    sim.set("order", 0, scope="/p/R[0]")
    for number, values in state(sim).data.items():
        state(sim).data[number] = {name: 0 if "item" in name else value for name, value in values.items()}
    return sim


def mail(*names: str) -> bs.Simulation:
    """Return a run with buffered messages."""
    sim = bs.Simulation(line(), scenario=bs.Scenario())
    for name in names:
        sim.message(name, payload={"v": 1})
    return sim


def ended(*stops: bool) -> bs.Simulation:
    """Return a run of several process instances, of which one goes on and the others were terminated or not."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> x
    x.flow(b.end("T", kind="terminate"), "stop")
    x.flow(b.end("e"), default=True)
    other = b.process("q")
    _ = other.start("t") >> other.user("u")
    sim = bs.Simulation(b.model(), process="p", data={"stop": stops[0]})
    for stop in stops[1:]:
        sim.start("p", {"stop": stop})
    sim.run()
    sim.start("p", {"stop": False})
    return sim


def drawn(times: int) -> bs.Simulation:
    """Return a run in which A has drawn so often."""
    b = bs.ProcessBuilder("p")
    again = b.exclusive("again")
    _ = b.start("s") >> again >> b.service("A") >> again
    sim = bs.Simulation(b.model(), behaviors={"A": lambda task: task.rng.random() and None})
    sim.run(step_limit=2 * times + 1)
    return sim


DIFFERENT |= {
    "attempts": (lambda: incident(2), lambda: incident(3)),
    "given up or open": (lambda: incident(2), lambda: incident(2, "drop")),
    "a retry or a first visit": (
        lambda: after(line(), "run(p/s)", behaviors={"A": boom}),
        lambda: incident(2, "retry"),
    ),
    "how often it was retried": (lambda: incident(2, "retry"), lambda: incident(3, "retry")),
    "the key of a wait": (lambda: keyed("a"), lambda: keyed("b")),
    "mail": (lambda: mail("m"), lambda: mail("n")),
    "the order of mail": (lambda: mail("m", "n"), lambda: mail("n", "m")),
    "what the scenario has in store": (
        lambda: after(line(), scenario=bs.Scenario().set("v", 1, at=5)),
        lambda: after(line(), scenario=bs.Scenario().set("v", 1, at=6)),
    ),
    "work that was promised": (
        lambda: after(line(), scenario=bs.Scenario()),
        lambda: after(line(), scenario=bs.Scenario().complete("A")),
    ),
    "how another instance ended": (lambda: ended(True), lambda: ended(False)),
    "what another instance left": (lambda: ended(False), lambda: ended(False, False)),
    "a random stream": (lambda: drawn(1), lambda: drawn(2)),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_can_happen_next_tells_states_apart(name: str) -> None:
    """Design section 4: one difference each; nothing else about the two states differs."""
    one, other = (build() for build in DIFFERENT[name])
    assert key(one) != key(other)
    assert key(one) == key(DIFFERENT[name][0]())


def test_who_completes_what_tells_states_apart() -> None:
    """Design section 4: a listed completion that one token has taken is not the other one's."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.task("a"), b.task("b")] >> b.user("u") >> b.end("e")
    scenario = bs.Scenario().complete("u", outputs={"v": 1}).complete("u", outputs={"v": 2})
    keys = []
    for first, second in (("a", "b"), ("b", "a")):
        sim = after(
            b.model(), *FORKED, f"run(p/{first})", "run(p/u)", f"run(p/{second})", "run(p/u)", scenario=scenario
        )
        keys.append(key(sim))
    assert keys[0] != keys[1]


# Values.


def test_a_value_without_a_canonical_form_is_named() -> None:
    """Design section 4: reported by its name, wherever it lies; the run itself goes on."""
    sim = bs.Simulation(line(), data={"fine": 1, "odd": {"deep": [lambda: 1]}})
    with pytest.raises(StateError, match="the value of 'odd' has no canonical form: a function"):
        key(sim)
    assert sim.run().outcome == "completed"


def test_sets_have_a_canonical_form() -> None:
    """Design section 9: a set counts by its members, never by their order."""
    one, other = {0}, {8}
    one.add(8)
    other.add(0)
    assert list(one) != list(other)
    assert frozen({"k": one}) == frozen({"k": other})
    assert freeze({1}) != freeze([1])
    assert key(bs.Simulation(line(), data={"v": one})) == key(bs.Simulation(line(), data={"v": other}))


def test_the_digest_of_a_state_is_the_same_everywhere() -> None:
    """Design section 9: the same text under two values of PYTHONHASHSEED; full recordings are compared on others."""
    code = (
        "import bpmnsim as bs; from bpmnsim.choices.replay import state_digest\n"
        "b = bs.ProcessBuilder('p'); _ = b.start('s') >> b.task('A') >> b.end('e')\n"
        "sim = bs.Simulation(b.model(), data={'v': {'x', 'y', 'z'}, 'w': {'b': 1, 'a': 2}})\n"
        "print(state_digest(sim._driver.run.state))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1


def test_counts_that_nobody_can_read_do_not_count() -> None:
    """Design section 4: no counter that nothing reads: one drain taken before or after the last body ends."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("x", multi_instance=bs.parallel(cardinality=2)) >> b.end("e")
    keys = []
    for order in (["run(p/x[0])", "drain(p/x)", "run(p/x[1])"], ["run(p/x[0])", "run(p/x[1])", "drain(p/x)"]):
        sim = bs.Simulation(b.model())
        for name in ["run(p/s)", "run(p/x)", *order]:
            sim.step(name)
        keys.append(key(sim))
    assert keys[0] == keys[1]
