"""Strategies: each keeps its own index of the enabled actions and picks one of them; here they get their names."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

from bpmnsim.choices.strategies.base import Run, Strategy
from bpmnsim.choices.strategies.fifo import Depth, Fifo
from bpmnsim.choices.strategies.priority import Priority
from bpmnsim.choices.strategies.turns import RoundRobin
from bpmnsim.choices.strategies.uniform import Uniform
from bpmnsim.errors import SimulationError, did_you_mean

__all__ = ["Fifo", "Run", "Strategy", "base_of", "parts_of", "strategy_of"]

_SIMPLE: dict[str, Callable[[], Strategy]] = {"fifo": Fifo, "depth": Depth, "round-robin": RoundRobin}
_SEED = re.compile(r"-?[0-9]+")


def strategy_of(spec: str) -> Strategy:
    """Return the strategy that *spec* names: fifo, depth, round-robin, priority(a,b), or a seed as text.

    Raises
    ------
    SimulationError
        If no strategy has this name.

    Examples
    --------
    >>> strategy_of("depth").name
    'depth'
    >>> strategy_of("7").name
    '7'
    """
    if spec in _SIMPLE:
        return _SIMPLE[spec]()
    listed = re.fullmatch(r"priority\((.+)\)", spec)
    if listed:
        return Priority([element.strip() for element in listed[1].split(",")])
    if _SEED.fullmatch(spec):
        return Uniform(int(spec))
    known = [*_SIMPLE, "priority(first,second)", "uniform"]
    hint = did_you_mean(spec, known) or f"use one of {', '.join(known)}"
    raise SimulationError(f"there is no strategy {spec!r}", hint=hint)


def base_of(seed: int | None, strategy: str | None) -> str:
    """Return the text that names a strategy with its seed: ``"fifo"``, ``"7"``, ``"depth@7"``.

    Raises
    ------
    SimulationError
        If the seed is no whole number, or a strategy needs one and has none.

    Examples
    --------
    >>> base_of(None, None), base_of(7, None), base_of(7, "uniform"), base_of(7, "depth")
    ('fifo', '7', '7', 'depth@7')
    """
    if seed is not None:
        seed = _whole(seed)
    if strategy == "uniform" and seed is None:
        raise SimulationError("the uniform walk needs a seed", hint="give seed=7 as well")
    if strategy is None or strategy == "uniform":
        return "fifo" if seed is None else str(seed)
    if not isinstance(strategy, str) or _SEED.fullmatch(strategy):
        raise SimulationError(f"strategy={strategy!r} is no name", hint='such as strategy="depth"; a seed is seed=7')
    name = strategy_of(strategy).name
    return name if seed is None else f"{name}@{seed}"


def _whole(seed: int) -> int:
    if not isinstance(seed, bool):
        try:
            return operator.index(seed)
        except TypeError:
            pass
    raise SimulationError(f"seed={seed!r} is no whole number", hint="give an int, such as seed=7")


def parts_of(base: str) -> tuple[Strategy, int | None]:
    """Return the strategy and the seed that a base names.

    Raises
    ------
    SimulationError
        If it names none.

    Examples
    --------
    >>> parts_of("depth@7")[1], parts_of("7")[1], parts_of("fifo")[1]
    (7, 7, None)
    """
    if _SEED.fullmatch(base):
        return strategy_of(base), int(base)
    seeded = re.fullmatch(rf"(.*)@({_SEED.pattern})", base)
    return (strategy_of(seeded[1]), int(seeded[2])) if seeded else (strategy_of(base), None)
