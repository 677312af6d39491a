"""A trace as JSON, and back."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import astuple
from typing import TYPE_CHECKING, Any, Final

from bpmnsim.choices.schedule import Schedule
from bpmnsim.errors import BpmnSimError, StateError
from bpmnsim.facts import Record
from bpmnsim.plain import digest, from_plain, plain_facts, read_facts, to_plain
from bpmnsim.trace.codec import MASKED, masked_facts
from bpmnsim.trace.parts import Stuck

if TYPE_CHECKING:
    from bpmnsim.trace.trace import Trace

VERSION: Final = 1
"""Version of the JSON form."""


def write(trace: Trace, mask: Collection[str]) -> dict[str, Any]:
    """Return a trace, without its model, as JSON-ready data.

    Raises
    ------
    StateError
        If a value is not plain data; the message names its variable.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.end()
    >>> write(bs.simulate(b.model()), ())["outcome"]
    'completed'
    """
    record = trace.record
    values = {}
    for name, value in trace.values.items():
        try:
            values[name] = MASKED if name in mask else to_plain(value)
        except (TypeError, RecursionError) as error:
            raise StateError(
                f"the value of {name!r} cannot be written: {error}", hint="keep plain values in data"
            ) from error
    cells = {
        "version": VERSION,
        "model": trace.model.digest,
        "outcome": trace.outcome,
        "stuck": [list(astuple(each)) for each in trace.stuck],
        "schedule": trace.schedule.to_json(),
        "seed": trace.seed,
        "steps": trace.steps,
        "time": trace.time,
        "values": values,
        "places": list(record.places),
        "bodies": sorted(record.bodies),
        "flows": list(record.flows),
        "tracebacks": [list(each) for each in (record.tracebacks or {}).items()],
        "facts": plain_facts(masked_facts(record.facts, mask)),
    }
    return {**cells, "digest": digest(cells)}


def read(written: Mapping[str, Any] | str, model_digest: str) -> dict[str, Any]:
    """Return the arguments of a trace, besides its model, from what :func:`write` returned.

    Raises
    ------
    StateError
        If it is no trace, of another version, of another model, or was changed.

    Examples
    --------
    >>> read("{}", "")
    Traceback (most recent call last):
    bpmnsim.errors.StateError: SIMULATION: this is no trace: 'version'
    """
    try:
        cells = dict(json.loads(written) if isinstance(written, str) else written)
        if cells["version"] != VERSION:
            raise StateError(
                f"traces of version {cells['version']!r} cannot be read", hint=f"write it as version {VERSION}"
            )
        if cells["model"] != model_digest:
            raise StateError("the trace belongs to another model", hint="hand in the model that ran")
        record = Record(
            read_facts(cells["facts"]),
            tuple(cells["places"]),
            frozenset(cells["bodies"]),
            tuple(cells["flows"]),
            {int(number): text for number, text in cells["tracebacks"]},
        )
        found = {
            "record": record,
            "outcome": cells["outcome"],
            "stuck": tuple(Stuck(*each) for each in cells["stuck"]),
            "schedule": Schedule.from_json(cells["schedule"]),
            "seed": cells["seed"],
            "steps": cells["steps"],
            "time": cells["time"],
            "values": {name: from_plain(value) for name, value in cells["values"].items()},
        }
        changed = cells.pop("digest") != digest(cells)
    except BpmnSimError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise StateError(f"this is no trace: {error}") from error
    if changed:
        raise StateError("the trace was changed or cut: its digest does not fit", hint="write it again")
    return found
