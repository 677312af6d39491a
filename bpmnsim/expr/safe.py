"""The safe tree: checked parts from which the grammars of JUEL and FEEL build an expression.

Every part is a function over names together with what it reads and how large it is; putting parts together is
the only way to get a larger one, so nothing but what is written here can ever be evaluated. Not here: the
grammars (``juel``, ``feel``) and operations on values (``operations``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bpmnsim.errors import ExpressionError
from bpmnsim.expr import operations as ops
from bpmnsim.expr.limits import Work, require_size

__all__ = [
    "Names",
    "Part",
    "binary",
    "call",
    "choose",
    "compose",
    "constant",
    "evaluator",
    "group",
    "item",
    "listing",
    "member",
    "name",
    "step",
    "unary",
]

Names = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an expression.

    Parameters
    ----------
    run
        Evaluates the part.
    reads
        Names and dotted paths it reads.
    depth, size
        How deep it nests and how many parts it has.
    path
        How an error names its value, such as ``items[0].price``.
    steps
        The names of a plain path, such as ``("order", "total")``; empty for anything else.
    logical
        Whether it surely is a boolean (or null, in FEEL).

    Examples
    --------
    >>> name("x").path, name("x").size
    ('x', 1)
    """

    run: Callable[[Names, Work], Any]
    reads: frozenset[str] = frozenset()
    depth: int = 1
    size: int = 1
    path: str = "a value"
    steps: tuple[str, ...] = ()
    logical: bool = False


def compose(
    run: Callable[[Names, Work], Any],
    parts: Sequence[Part],
    *,
    reads: frozenset[str] | None = None,
    path: str = "a value",
    steps: tuple[str, ...] = (),
    logical: bool = False,
) -> Part:
    """Return the part that *run* makes of *parts*; refuse one that is too large.

    Examples
    --------
    >>> both = compose(lambda names, work: names["a"] + names["b"], [name("a"), name("b")])
    >>> both.size, sorted(both.reads)
    (3, ['a', 'b'])
    """
    depth = 1 + max((part.depth for part in parts), default=0)
    size = 1 + sum(part.size for part in parts)
    require_size(depth, size)
    if reads is None:
        reads = frozenset().union(*(part.reads for part in parts))
    return Part(run, reads, depth, size, path, steps, logical)


def constant(value: object) -> Part:
    """Return the part whose value is *value*.

    Examples
    --------
    >>> constant(5).run({}, Work())
    5
    """
    return Part(lambda _names, _work: value, logical=isinstance(value, bool))


def name(text: str) -> Part:
    """Return the part that reads the name *text*.

    Examples
    --------
    >>> name("x").run({}, Work())
    Traceback (most recent call last):
    bpmnsim.errors.ExpressionError: EXPRESSION: 'x' has no value
    """

    def run(names: Names, _work: Work) -> Any:
        try:
            return names[text]
        except KeyError:
            raise ExpressionError(f"{text!r} has no value", missing=text) from None

    return Part(run, frozenset({text}), path=text, steps=(text,))


def member(owner: Part, key: str) -> Part:
    """Return the part that reads *key* of the record *owner*.

    Examples
    --------
    >>> total = member(name("order"), "total")
    >>> total.run({"order": {"total": 5}}, Work()), total.path, sorted(total.reads)
    (5, 'order.total', ['order.total'])
    """
    path = f"{owner.path}.{key}"
    read = owner.run
    return step(owner, key, lambda names, work: ops.member(read(names, work), key, lambda: path))


def step(owner: Part, key: str, run: Callable[[Names, Work], Any]) -> Part:
    """Return the part that *run* makes of ``owner.key``: the path goes on, and it is the path that is read.

    Examples
    --------
    >>> step(name("order"), "total", lambda names, work: 5).steps
    ('order', 'total')
    """
    steps = (*owner.steps, key) if owner.steps else ()
    reads = frozenset({".".join(steps)}) if steps else owner.reads
    return compose(run, [owner], reads=reads, path=f"{owner.path}.{key}", steps=steps)


def item(owner: Part, key: Part) -> Part:
    """Return the part that reads element *key* of a list, or the value of *key* in a record.

    Examples
    --------
    >>> item(name("items"), constant(0)).run({"items": [7]}, Work())
    7
    """
    values, position = owner.run, key.run
    return compose(
        lambda names, work: ops.pick(values(names, work), position(names, work), lambda: owner.path),
        [owner, key],
        path=f"{owner.path}[…]",
    )


def unary(operate: Callable[[Any, Work], Any], operand: Part, *, logical: bool = False) -> Part:
    """Return the part ``operate(operand, work)``.

    Examples
    --------
    >>> unary(lambda value, work: -value, constant(5)).run({}, Work())
    -5
    """
    run = operand.run
    return compose(lambda names, work: operate(run(names, work), work), [operand], logical=logical)


def binary(operate: Callable[[Any, Any, Work], Any], left: Part, right: Part, *, logical: bool = False) -> Part:
    """Return the part ``operate(left, right, work)``.

    Examples
    --------
    >>> binary(ops.add, constant(1), constant(2)).run({}, Work())
    3
    """
    first, second = left.run, right.run
    return compose(
        lambda names, work: operate(first(names, work), second(names, work), work), [left, right], logical=logical
    )


def call(function: Callable[..., Any], parts: Sequence[Part], *, logical: bool = False) -> Part:
    """Return the part ``function(work, *values)``.

    Examples
    --------
    >>> call(lambda work, *values: max(values), [constant(1), constant(2)]).run({}, Work())
    2
    """
    runs = [part.run for part in parts]
    return compose(lambda names, work: function(work, *[run(names, work) for run in runs]), parts, logical=logical)


def choose(test: Callable[[Names, Work], bool], condition: Part, yes: Part, no: Part) -> Part:
    """Return the part that is *yes* where *test* (of *condition*) holds, and *no* elsewhere.

    Examples
    --------
    >>> truth = constant(True)
    >>> choose(truth.run, truth, constant("a"), constant("b")).run({}, Work())
    'a'
    """
    first, second = yes.run, no.run
    return compose(
        lambda names, work: first(names, work) if test(names, work) else second(names, work), [condition, yes, no]
    )


def listing(parts: Sequence[Part]) -> Part:
    """Return the list of *parts*.

    Examples
    --------
    >>> listing([constant(1), constant(2)]).run({}, Work())
    [1, 2]
    """

    def make(work: Work, *values: Any) -> list[Any]:
        work.make(len(values))
        return list(values)

    return call(make, parts)


def group(part: Part) -> Part:
    """Return *part* in parentheses, which only nests deeper.

    Examples
    --------
    >>> group(name("x")).depth, group(name("x")).path
    (2, 'x')
    """
    return compose(part.run, [part], reads=part.reads, path=part.path, steps=part.steps, logical=part.logical)


def evaluator(part: Part) -> tuple[Callable[[Names], object], frozenset[str]]:
    """Return the function that evaluates *part* with a fresh limit of work, and what it reads.

    Examples
    --------
    >>> run, reads = evaluator(binary(ops.add, name("a"), constant(1)))
    >>> run({"a": 1}), sorted(reads)
    (2, ['a'])
    """
    run = part.run

    def evaluate(names: Names) -> object:
        work = Work()
        return work.finish(run(names, work))

    return evaluate, part.reads
