"""Checkpoints: a run in progress as JSON, and back; bound to version, model, options and inputs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final

from bpmnsim.choices.schedule import Schedule
from bpmnsim.engine.state import State
from bpmnsim.errors import BpmnSimError, StateError
from bpmnsim.facts import STRIDE
from bpmnsim.plain import plain_facts, read_facts
from bpmnsim.simulation.driver import Driver
from bpmnsim.simulation.inputs import Inputs

FORMAT: Final = "bpmnsim checkpoint"
VERSION: Final = 1
_CELLS: Final = ("state", "strategy", "schedule", "facts", "fact_count", "tracebacks")


def saved(driver: Driver, *, facts: bool) -> dict[str, Any]:
    """Return a run as JSON-ready data (core.md CKP-01, CKP-02).

    Raises
    ------
    StateError
        If a value cannot be written; the message names it.
    """
    run = driver.run
    cells = {
        "state": run.state.to_json(),
        "strategy": run.strategy.save(),
        "schedule": driver.schedule().to_json(),
        "facts": plain_facts(run.facts) if facts else None,
        "fact_count": len(run.facts) // STRIDE,
        "tracebacks": [list(item) for item in run.tracebacks.items()],
    }
    return {
        "format": FORMAT,
        "version": VERSION,
        "model": driver.inputs.model.digest,
        **cells,
        "digest": _digest(cells),
    }


def restored(inputs: Inputs, saved: Mapping[str, Any] | str) -> Driver:
    """Return a driver that continues a saved run.

    Raises
    ------
    StateError
        If it cannot be continued here; the message says why.
    """
    try:
        return _restored(inputs, json.loads(saved) if isinstance(saved, str) else saved)
    except BpmnSimError:
        raise
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise StateError(
            f"this is no checkpoint: {error!r}", hint="hand in what Simulation.checkpoint() returned"
        ) from error


def _restored(inputs: Inputs, saved: Mapping[str, Any]) -> Driver:
    if not isinstance(saved, Mapping) or saved.get("format") != FORMAT:
        raise StateError("this is no checkpoint", hint="hand in what Simulation.checkpoint() returned")
    if saved["version"] != VERSION:
        raise StateError(
            f"the checkpoint is of version {saved['version']}, this is version {VERSION}",
            hint="restore it with the bpmnsim it was made with",
        )
    if saved["model"] != inputs.model.digest:
        raise StateError(
            f"the checkpoint is of another model: {saved['model'][:6]}, this is {inputs.model.digest[:6]}",
            hint="restore it with the model it was made from",
        )
    cells = {name: saved[name] for name in _CELLS}
    if _digest(cells) != saved["digest"]:
        raise StateError("the checkpoint was changed or cut: its digest does not fit", hint="save it again")
    schedule = Schedule.from_json(saved["schedule"])
    here = dict(zip(("options", "inputs"), inputs.digests[1:], strict=True))
    here |= {"time": inputs.time, "granularity": inputs.granularity}
    for name, now in here.items():
        if getattr(schedule, name) != now:
            raise StateError(
                f"the checkpoint was made with other {name}: {getattr(schedule, name)}, here {now}",
                hint="restore it with the same data, scenario, behaviors, durations and options",
            )
    driver = Driver(inputs, schedule, snapshots=True)
    driver.run.tracebacks.update(dict(saved["tracebacks"]))
    facts = read_facts(saved["facts"]) if saved["facts"] is not None else None
    driver.continue_from(State.from_json(saved["state"]), saved["strategy"], facts)
    return driver


def _digest(cells: Mapping[str, Any]) -> str:
    return blake2b(json.dumps(cells, sort_keys=True).encode(), digest_size=16).hexdigest()
