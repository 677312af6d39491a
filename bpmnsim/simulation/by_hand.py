"""What somebody does to a run by hand: as cells, as the text that a schedule keeps, and how it is done."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import unquote

from bpmnsim.choices.scenario import Stimulus
from bpmnsim.engine import incidents, instances
from bpmnsim.engine.loop import Engine
from bpmnsim.engine.names import segment
from bpmnsim.engine.outside import set_value
from bpmnsim.engine.own import private
from bpmnsim.errors import NoSuchTask, SimulationError, StateError, shown
from bpmnsim.plain import from_plain, to_plain
from bpmnsim.simulation.finding import require_mapping

# What is done by hand is a dict with the cells kind, target, and, where they are given, values (name -> value), member,
# key, error and scope.

_OPERATOR: Final = {"retry": incidents.retry, "resolve": incidents.resolve, "drop": incidents.drop}
_OUTSIDE: Final = ("message", "signal", "complete", "fail")

Starts = Mapping[str, tuple[int, tuple[int, ...]]]
"""Process id -> its place, and the places at which a track starts."""


class Acts:
    """What was done to one run by hand, by step, as texts.

    Parameters
    ----------
    recorded
        Pairs of step and text.
    """

    def __init__(self, recorded: Iterable[tuple[int, str]]) -> None:
        self._texts = dict(sorted(recorded))
        self._steps = list(self._texts)

    def at(self, step: int) -> str | None:
        """Return what was done at *step*."""
        return self._texts.get(step)

    def next(self, step: int) -> float:
        """Return the first step after *step* at which something was done, infinity where there is none."""
        position = bisect_right(self._steps, step)
        return self._steps[position] if position < len(self._steps) else float("inf")

    def add(self, step: int, text: str) -> None:
        """Note what was done at *step*, the last one so far."""
        self._texts[step] = text
        self._steps.append(step)

    def items(self) -> list[tuple[int, str]]:
        """Return all pairs of step and text."""
        return list(self._texts.items())

    def take(self) -> list[tuple[int, str]]:
        """Return all pairs of step and text, and forget them."""
        taken = self.items()
        self.forget_after(-1)
        return taken

    def forget_after(self, step: int) -> None:
        """Forget what was done after *step*."""
        while self._steps and self._steps[-1] > step:
            del self._texts[self._steps.pop()]


def act(kind: str, target: str = "", values: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return the cells of something done by hand, with private copies of all values.

    Raises
    ------
    SimulationError
        If a name is no text, a number no number.
    StateError
        If a value is no plain data; the message names it.
    """
    _require(kind, "name", target, str)
    for name, wanted in (("member", int), ("error", str)):
        if more.get(name) is not None:
            _require(kind, name, more[name], wanted)
    cells: dict[str, Any] = {"kind": kind, "target": target}
    if values is not None:
        require_mapping(values, "values")
    if values:
        cells["values"] = {name: recorded(value, name) for name, value in values.items()}
    return cells | {name: recorded(value, name) for name, value in more.items() if value is not None}


def _require(kind: str, what: str, given: Any, wanted: type) -> None:
    if not isinstance(given, wanted) or isinstance(given, bool):
        named = {"member": "ordinal"}.get(what, what)
        raise SimulationError(f"{kind}: {shown(given)} is no {named}", hint=f"its type is {wanted.__name__}")


def recorded(value: Any, name: str) -> Any:
    """Return a copy of a value that a schedule can keep.

    Raises
    ------
    StateError
        If it is no plain data; the message names it.
    """
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
    text = json.dumps(more, sort_keys=True, ensure_ascii=False, separators=(",", ":")) if more else ""
    return f"{cells['kind']}({segment(cells['target'])}){text}"


def read(text: str) -> dict[str, Any]:
    """Return the cells that :func:`written` wrote.

    Raises
    ------
    ValueError
        If the text is none of this kind.
    """
    call, _, rest = text.partition(")")
    kind, bracket, target = call.partition("(")
    if not bracket or kind not in (*_OPERATOR, *_OUTSIDE, "cancel", "start", "set"):
        raise ValueError(f"{text!r} is nothing that can be done by hand")
    more = dict(json.loads(rest)) if rest else {}
    values = {name: from_plain(value) for name, value in dict(more.pop("values", {})).items()}
    cells = {
        "kind": kind,
        "target": unquote(target, errors="surrogatepass"),
        **{name: from_plain(cell) for name, cell in more.items()},
    }
    return {**cells, "values": values} if values else cells


def apply(run: Engine, cells: Mapping[str, Any], starts: Starts) -> None:
    """Do to *run* what the cells say; where that fails the run is left as it was, but for its facts."""
    kind, target, values = cells["kind"], cells["target"], cells.get("values", {})
    if kind in _OPERATOR:
        if not target.isdecimal():
            raise NoSuchTask(f"there is no incident {target}", hint="incidents are counted from 0")
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
