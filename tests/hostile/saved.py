"""Saved runs as a stranger may change them: JSON of traces, checkpoints and schedules, and lines of schedules."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

import bpmnsim as bs
from bpmnsim.choices.schedule import _checksum
from bpmnsim.errors import StateError
from bpmnsim.plain import digest

from .case import Case
from .pipeline import Defect, allowed
from .seeds import runnable

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 7, 2**63, 10**400, 0.5, -0.0, 1e308, float("nan"), float("inf"), "", "x", "\ud800"),
    *("fifo", "7", "9" * 5000, "depth@7", "priority(a)", "uniform", [], {}, [[]], [[], []], {"x": 1}, {"tuple": 5}),
    *(
        {"dict": [[1]]},
        {"dict": [[[], 1]]},
        {"set": [[1]]},
        {"absent": 1},
        {"nonsense": 1},
        {"timedelta": [1e99, 0, 0]},
    ),
    *({"datetime": "x"}, {"decimal": "x"}, {"float": "x"}, {"tuple": [], "list": []}, [1, 2, 3], "1", "a" * 10_000),
)
_PARTS = (
    *("d=0:run(p/a),0:x", "d=99999999999999999999:x", "d=-1:x", "d=1", "d=1:", "d=" + "1:x," * 500, "d=\u0663:run"),
    *(
        "x=1:%7B%7D",
        "x=1:[]",
        "x=1:null",
        "x=1:set(v)",
        "x=1:set(v)%7B%22values%22:5%7D",
        "x=2:retry(z)",
        "x=1:start(z)",
    ),
    *(
        "x=1:complete(z)",
        "x=1:message(m)%7B%22values%22:%7B%22a%22:%7B%22nonsense%22:1%7D%7D%7D",
        "x=1:fail(u)",
        "x=1:(",
    ),
    *("s=%FF", "s=" + "9" * 5000, "s=-", "s=depth@-", "s=priority(", "s=", "c=a<b,c", "c=<", "t=\ud800", "m=", "", "="),
    *("z=1", "t=untimed", "g=phase", "o=0000", "i=0000", "k=0:0000", "k=x", "x=1:cancel()", "x=1:signal(a)%5B%5D"),
)


@cache
def _runs() -> tuple[tuple[bs.Model, dict[str, Any], dict[str, Any], bs.Schedule], ...]:
    """Return models with a checkpoint, a trace and a schedule of each, from the middle of a run."""
    found = []
    for model in runnable():
        run = bs.Simulation(model, seed=3)
        for _ in range(6):
            if run.enabled:
                run.step()
        found.append((model, run.checkpoint(), run.trace().to_json(), run.trace().schedule))
    return tuple(found)


def change(saved: Any, random: Random) -> Any:
    """Return a copy of JSON-ready data with one to three places changed."""
    changed = json.loads(json.dumps(saved))
    for _ in range(random.randint(1, 3)):
        places = list(_places(changed))
        if not places:
            return random.choice(ODD)
        inside, key = random.choice(places)
        what = random.randrange(5)
        if what == 0:
            del inside[key]
        elif what == 1 and isinstance(inside, list):
            inside.insert(random.randrange(len(inside) + 1), inside[key])
        elif what == 2:
            other, there = random.choice(places)
            inside[key], other[there] = other[there], inside[key]
        elif what == 3 and isinstance(inside[key], int):
            inside[key] += random.choice((-1, 1, 100))
        else:
            inside[key] = json.loads(json.dumps(random.choice(ODD)))
    return changed


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every (container, key), nested at most ten deep."""
    pending = [(value, 0)]
    while pending:
        inside, depth = pending.pop()
        if not isinstance(inside, list | dict) or depth > 10:
            continue
        for key, item in enumerate(inside) if isinstance(inside, list) else inside.items():
            yield inside, key
            pending.append((item, depth + 1))


def checkpoint(random: Random) -> Case:
    """Return a changed checkpoint; half of them with a digest that fits again."""
    model, saved, _, _ = random.choice(_runs())
    changed = change(saved, random)
    if random.random() < 0.5 and isinstance(changed, dict):
        cells = ("state", "strategy", "schedule", "facts", "fact_count", "tracebacks")
        changed["digest"] = digest({name: changed.get(name) for name in cells})
    text = json.dumps(changed)

    def attempt() -> str:
        def restore() -> bs.Simulation:
            try:
                return bs.Simulation.restore(model, changed if random.random() < 0.5 else text)
            except bs.ScheduleDivergence as error:
                raise StateError(str(error)) from error

        return _ended(allowed("restore", restore))

    return Case("checkpoint", text.encode(), attempt)


def trace(random: Random) -> Case:
    """Return a changed trace."""
    model, _, saved, _ = random.choice(_runs())
    changed = change(saved, random)
    text = json.dumps(changed)

    def attempt() -> str:
        read = allowed("from_json", lambda: bs.Trace.from_json(changed, model))
        allowed("from_json", lambda: bs.Trace.from_json(text, model))
        if read is not None and json.dumps(read.to_json()) != json.dumps(saved):
            raise Defect("from_json: a trace that nobody wrote")
        return _ended(read)

    return Case("trace", text.encode(), attempt)


def schedule(random: Random) -> Case:
    """Return a changed schedule, as JSON."""
    model, _, _, recorded = random.choice(_runs())
    changed = change(recorded.to_json(), random)
    return Case("schedule", json.dumps(changed).encode(), lambda: _replay(model, changed, bs.Schedule.from_json))


def line(random: Random) -> Case:
    """Return a changed line of a schedule with a checksum that fits again, where it can have one."""
    model, _, _, recorded = random.choice(_runs())
    parts = str(recorded).rpartition("~")[0].split(";")
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(parts))
        part = parts[at]
        cut = part[: random.randrange(len(part) + 1)]
        parts[at] = random.choice(
            (*_PARTS, cut, part + part, part[::-1], part.replace(":", ","), part.replace("=", ""))
        )
    text = ";".join(parts)
    text += f"~{_checksum(text)}" if text.isascii() else "~0000"
    return Case("line", text.encode("utf-8", "replace"), lambda: _replay(model, text, bs.Schedule.parse))


def _replay(model: bs.Model, saved: Any, read: Callable[[Any], bs.Schedule]) -> str:
    found = allowed("read", lambda: read(saved))
    if found is None:
        return "refused"
    if allowed("again", lambda: bs.Schedule.parse(str(found))) != found:
        raise Defect("parse: another schedule")
    allowed("live", lambda: bs.Simulation(model, schedule=found).run(step_limit=300))
    allowed("edited", lambda: bs.simulate(model, schedule=found, allow_edited=True, step_limit=300))
    ran = allowed("replay", lambda: bs.simulate(model, schedule=found, step_limit=300))
    return "refused" if ran is None else str(ran.outcome)


def _ended(found: object) -> str:
    return "refused" if found is None else "accepted"


def case(random: Random) -> Case:
    """Return a changed form of a saved run."""
    return random.choice((checkpoint, trace, schedule, line))(random)
