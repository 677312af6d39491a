"""What somebody does to a run by hand: as cells, as the text that a schedule keeps, and how it is done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

from bpmnsim.choices.scenario import Stimulus
from bpmnsim.engine import incidents, instances
from bpmnsim.engine.loop import Engine
from bpmnsim.engine.names import segment
from bpmnsim.engine.outside import set_value
from bpmnsim.engine.own import private
from bpmnsim.errors import StateError
from bpmnsim.plain import from_plain, to_plain

# What is done by hand is a dict with the cells kind, target, and, where they are given, values (name -> value), member,
# key, error and scope.

_OPERATOR: Final = {"retry": incidents.retry, "resolve": incidents.resolve, "drop": incidents.drop}
_OUTSIDE: Final = ("message", "signal", "complete", "fail")

Starts = Mapping[str, tuple[int, tuple[int, ...]]]
"""Process id -> its place, and the places at which a track starts."""


def act(kind: str, target: str = "", values: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return the cells of something done by hand, with private copies of all values.

    Raises
    ------
    StateError
        If a value is no plain data; the message names it.
    """
    cells: dict[str, Any] = {"kind": kind, "target": target}
    if values:
        cells["values"] = {name: _recorded(value, name) for name, value in values.items()}
    return cells | {name: _recorded(value, name) for name, value in more.items() if value is not None}


def _recorded(value: Any, name: str) -> Any:
    copy = private(value, name)
    try:
        to_plain(copy)
    except (TypeError, RecursionError) as error:
        hint = "hand in plain values: numbers, text, lists, dicts"
        raise StateError(f"the value of {name!r} cannot be recorded: {error}", hint=hint) from error
    return copy


def written(cells: Mapping[str, Any]) -> str:
    """Return the text of something done by hand, such as ``complete(review){"member":1}``."""
    more = {name: to_plain(cell) for name, cell in cells.items() if name not in ("kind", "target", "values")}
    if "values" in cells:
        more["values"] = {name: to_plain(value) for name, value in cells["values"].items()}
    shown = json.dumps(more, sort_keys=True, ensure_ascii=False, separators=(",", ":")) if more else ""
    return f"{cells['kind']}({segment(cells['target'])}){shown}"


def read(text: str) -> dict[str, Any]:
    """Return the cells that :func:`written` wrote.

    Raises
    ------
    ValueError
        If the text is none of this kind.
    """
    call, _, shown = text.partition(")")
    kind, bracket, target = call.partition("(")
    if not bracket or kind not in (*_OPERATOR, *_OUTSIDE, "cancel", "start", "set"):
        raise ValueError(f"{text!r} is nothing that can be done by hand")
    more = json.loads(shown) if shown else {}
    values = {name: from_plain(value) for name, value in more.pop("values", {}).items()}
    cells = {"kind": kind, "target": unquote(target), **{name: from_plain(cell) for name, cell in more.items()}}
    return {**cells, "values": values} if values else cells


def apply(run: Engine, cells: Mapping[str, Any], starts: Starts) -> None:
    """Do to *run* what the cells say; where that fails the run is left as it was, but for its facts."""
    kind, target, values = cells["kind"], cells["target"], cells.get("values", {})
    if kind in _OPERATOR:
        _OPERATOR[kind](run, int(target))
    elif kind == "cancel":
        instances.cancel(run)
    elif kind == "start":
        instances.begin(run, *starts[target], dict(values))
    elif kind == "set":
        scope = run.scope_at(cells["scope"]) if "scope" in cells else None
        set_value(run, target, values[target], scope)
    else:
        extra = {name: cells[name] for name in ("member", "key", "error") if name in cells}
        run.outside.apply(run, Stimulus(kind, target, tuple(values.items()), **extra))
