"""Saved runs as a stranger may change them: JSON of traces, checkpoints and schedules, and lines of schedules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

Path = tuple[int | str, ...]
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
