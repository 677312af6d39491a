"""The rules that only FEEL has: logic of three values, paths over lists, filters and loops.

Not here: the grammar (``feel``) and functions (``feel_functions``).
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bpmnsim.errors import ExpressionError
from bpmnsim.expr import operations as ops
from bpmnsim.expr import safe
from bpmnsim.expr.feel_functions import as_list
from bpmnsim.expr.limits import Work
from bpmnsim.expr.safe import Names, Part

__all__ = ["Binding", "count_to", "every", "field", "loop", "negate", "select", "some", "truth"]

_BINDING = 3  # units of work to bind a name


class Binding(NamedTuple):
    """A name of ``for``, ``some`` or ``every`` and where its values come from.

    Examples
    --------
    >>> Binding("x", safe.name("items")).name
    'x'
    """

    name: str
    values: Part


def truth(value: Any) -> bool | None:
    """Return *value*, which must be true, false or null.

    Examples
    --------
    >>> truth("yes")
    Traceback (most recent call last):
    bpmnsim.errors.ExpressionError: EXPRESSION: a boolean is needed, not a value of type str
    """
    if value is True or value is False or value is None:
        return value
    raise ExpressionError(f"a boolean is needed, not {ops.kind(value)}")


def every(verdicts: Iterable[Any]) -> bool | None:
    """Return false if one verdict is false, else null if one is null, else true.

    Examples
    --------
    >>> every([True, None]), every([None, False])
    (None, False)
    """
    result: bool | None = True
    for verdict in verdicts:
        known = truth(verdict)
        if known is False:
            return False
        if known is None:
            result = None
    return result


def some(verdicts: Iterable[Any]) -> bool | None:
    """Return true if one verdict is true, else null if one is null, else false.

    Examples
    --------
    >>> some([False, None]), some([None, True])
    (None, True)
    """
    return negate(every(negate(truth(verdict)) for verdict in verdicts))


def negate(value: bool | None) -> bool | None:
    """Return the opposite of *value*; that of null is null.

    Examples
    --------
    >>> negate(True), negate(None)
    (False, None)
    """
    return None if value is None else not value


def _free(part: Part, bound: Collection[str]) -> frozenset[str]:
    return frozenset(read for read in part.reads if read.split(".")[0] not in bound)


def field(value: Any, key: str, path: str, work: Work) -> Any:
    """Return the value of *key* in a record, or in each record of a list; null where there is none.

    Examples
    --------
    >>> field([{"price": 5}, {}], "price", "items.price", Work())
    [5, None]
    """
    if isinstance(value, list | tuple):
        work.make(len(value))
        return [field(element, key, path, work) for element in value]
    if value is None or (isinstance(value, Mapping) and key not in value):
        return None
    return ops.member(value, key, lambda: path)


def _element(values: Sequence[Any], position: float) -> Any:
    """Return element number *position*, counted from 1, or from the end where it is negative."""
    index = int(position) - (1 if position > 0 else 0)
    return values[index] if position and -len(values) <= index < len(values) else None


def select(owner: Part, condition: Part) -> Part:
    """Return the part ``owner[condition]``: one element for a number, else the elements that fulfill it.

    Examples
    --------
    >>> select(safe.name("items"), safe.constant(2)).run({"items": ["a", "b"]}, Work())
    'b'
    >>> select(safe.name("items"), safe.name("ok")).run({"items": [{"ok": True}, {"ok": False}]}, Work())
    [{'ok': True}]
    """
    read, test = owner.run, condition.run
    bound = {"item"}
    may_be_position = not condition.logical and _free(condition, bound) == condition.reads

    def run(names: Names, work: Work) -> Any:
        found = read(names, work)
        if found is None:
            return None
        values = as_list(found)
        if may_be_position:
            try:
                position = test(names, work)
            except ExpressionError as error:
                if error.missing is None or not values:
                    raise
            else:
                if isinstance(position, int | float) and not isinstance(position, bool):
                    return _element(values, position)
        kept = []
        for value in values:
            work.make(condition.size)
            record = [dict(value)] if isinstance(value, Mapping) else []
            if truth(test(ChainMap(*record, {"item": value}, names), work)):  # type: ignore[arg-type]
                kept.append(value)
        return kept

    return safe.compose(run, [owner, condition], reads=owner.reads | _free(condition, bound), path=f"{owner.path}[…]")


def loop(bindings: Sequence[Binding], body: Part, gather: Callable[[Iterable[Any]], Any]) -> Part:
    """Return the part that gathers the values of *body* for all values of the bound names.

    Examples
    --------
    >>> loop([Binding("x", safe.name("items"))], safe.name("x"), list).run({"items": [1, 2]}, Work())
    [1, 2]
    """
    bound: set[str] = set()
    reads: frozenset[str] = frozenset()
    for binding in bindings:
        reads |= _free(binding.values, bound)
        bound.add(binding.name)

    def values(depth: int, names: Names, work: Work) -> Iterator[Any]:
        if depth == len(bindings):
            work.make(body.size)
            yield body.run(names, work)
            return
        binding = bindings[depth]
        for value in as_list(binding.values.run(names, work)):
            work.spend(_BINDING)
            yield from values(depth + 1, ChainMap({binding.name: value}, names), work)  # type: ignore[arg-type]

    return safe.compose(
        lambda names, work: gather(values(0, names, work)),
        [*(binding.values for binding in bindings), body],
        reads=reads | _free(body, bound),
    )


def count_to(low: Any, high: Any, work: Work) -> list[int]:
    """Return the whole numbers from *low* to *high*, downwards where *high* is lower.

    Examples
    --------
    >>> count_to(1, 3, Work()), count_to(3, 1, Work())
    ([1, 2, 3], [3, 2, 1])
    """
    numbers = range(low, high + 1) if low <= high else range(low, high - 1, -1)
    work.make(len(numbers))
    return list(numbers)
