"""Checkpoints: a run in progress as JSON, and back; bound to version, model, options and inputs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from bpmnsim.choices.schedule import Schedule
from bpmnsim.engine.state import State
from bpmnsim.errors import BpmnSimError, StateError
from bpmnsim.plain import digest, plain_facts, read_facts
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
    if facts:
        driver.complete_record()
    run = driver.run
    cells = {
        "state": run.state.to_json(),
        "strategy": run.strategy.save(),
        "schedule": driver.schedule().to_json(),
        "facts": plain_facts(run.facts) if facts else None,
        "fact_count": driver.fact_count,
        "tracebacks": [list(item) for item in run.tracebacks.items()],
    }
    return {
        "format": FORMAT,
        "version": VERSION,
        "model": driver.inputs.model.digest,
        **cells,
        "digest": digest(cells),
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
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
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
    if digest(cells) != saved["digest"]:
        raise StateError("the checkpoint was changed or cut: its digest does not fit", hint="save it again")
    schedule = Schedule.from_json(saved["schedule"])
    for name in ("options", "inputs", "time", "granularity"):
        now = getattr(inputs.bound, name)
        if getattr(schedule, name) != now:
            raise StateError(
                f"the checkpoint was made with other {name}: {getattr(schedule, name)}, here {now}",
                hint="restore it with the same data, scenario, behaviors, durations and options",
            )
    driver = Driver(inputs, schedule, snapshots=True)
    facts = read_facts(saved["facts"]) if saved["facts"] is not None else None
    state, tracebacks = State.from_json(saved["state"]), dict(saved["tracebacks"])
    driver.continue_from(state, saved["strategy"], facts, saved["fact_count"], tracebacks)
    return driver
