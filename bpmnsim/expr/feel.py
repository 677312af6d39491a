"""FEEL-lite, the `=…` of Zeebe: a grammar and the rules that only FEEL has.

Lists are counted from 1, logic has three values, and null follows the rules of DMN 1.3: an operation on null is
null, and so are a missing key of a record and an element that a list does not have. A name without a value is
an error, never null; so is a comparison across types. Dates, times and durations are not available. Not here:
operations on values (``operations``) and functions (``feel_functions``).
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from lark import Lark, Token, v_args

from bpmnsim.errors import ExpressionError
from bpmnsim.expr import feel_rules as rules
from bpmnsim.expr import grammar, safe
from bpmnsim.expr import operations as ops
from bpmnsim.expr.feel_functions import FUNCTIONS, as_list, null_aware
from bpmnsim.expr.feel_rules import Binding
from bpmnsim.expr.functions import require_call
from bpmnsim.expr.limits import Work
from bpmnsim.expr.safe import Names, Part

__all__ = ["parse"]

_GRAMMAR = r"""
    ?start: value
    ?value: either
        | "if" value "then" value "else" value -> choose
        | "for" bindings "return" value -> for_each
        | "some" bindings "satisfies" value -> some
        | "every" bindings "satisfies" value -> every
    bindings: binding ("," binding)*
    binding: name_token "in" value
        | name_token "in" sum ".." sum -> counting
    ?either: both | either "or" both -> any_of
    ?both: test | both "and" test -> all_of
    ?test: sum
        | sum SIGN sum -> compare
        | sum "between" sum "and" sum -> between
        | sum "in" choice -> within
        | sum "in" "(" choices ")" -> within
    choices: choice ("," choice)+
    ?choice: sum
        | "[" sum ".." sum "]" -> closed
        | "[" sum ".." sum ")" -> right_open
        | "(" sum ".." sum "]" -> left_open
        | "(" sum ".." sum ")" -> open
    ?sum: product | sum "+" product -> add | sum "-" product -> subtract
    ?product: power | product "*" power -> multiply | product "/" power -> divide
    ?power: unary | power "**" unary -> raise_to
    ?unary: postfix | "-" unary -> negative
    ?postfix: primary
        | postfix "." name_token -> member
        | postfix "[" value "]" -> filter
    ?primary: NUMBER -> number
        | STRING -> string
        | "true" -> true
        | "false" -> false
        | "null" -> null
        | name_token -> name
        | (NAME | PHRASE) "(" [values] ")" -> function
        | "not" "(" value ")" -> negation
        | "(" value ")" -> group
        | "[" [values] "]" -> listing
        | "{" [entry ("," entry)*] "}" -> record
    values: value ("," value)*
    entry: (name_token | STRING) ":" value
    name_token: NAME | QUOTED_NAME
    SIGN: "!=" | "<=" | ">=" | "=" | "<" | ">"
    QUOTED_NAME: /`[^`]+`/
    PHRASE.2: /(PHRASES)(?=\s*\()/
    STRING: /"(?:[^"\\]|\\.)*"/s
"""
_TIMES = ("date", "time", "date and time", "duration", "now", "today")
_COMPARE = {
    "=": ops.equal,
    "!=": lambda left, right, work: not ops.equal(left, right, work),
    "<": null_aware(ops.order(operator.lt)),
    "<=": null_aware(ops.order(operator.le)),
    ">": null_aware(ops.order(operator.gt)),
    ">=": null_aware(ops.order(operator.ge)),
}


def parse(text: str) -> tuple[Callable[[Names], object], frozenset[str]]:
    """Return a function that evaluates *text* over names, and the names and dotted paths it reads.

    Parameters
    ----------
    text
        A FEEL expression, with or without a leading ``=``.

    Raises
    ------
    ExpressionError
        If the text is not an expression, is too large, or calls an unknown function.

    Examples
    --------
    >>> run, reads = parse("=order.total > 100 and count(items[item.price >= 5]) = 1")
    >>> run({"order": {"total": 150}, "items": [{"price": 5}, {"price": 4}]}), sorted(reads)
    (True, ['items', 'order.total'])
    """
    return safe.evaluator(grammar.parse(_parser(), "FEEL", text.removeprefix("=")))


class _Range(NamedTuple):
    """A range in the text: its bounds, and how each compares with a value inside."""

    low: Part
    high: Part
    above: Callable[[Any, Any, Work], bool]
    below: Callable[[Any, Any, Work], bool]


@v_args(inline=True)
class _Builder(grammar.Literals):
    """Makes parts of what the grammar finds."""

    def choose(self, condition: Part, yes: Part, no: Part) -> Part:
        read = condition.run
        return safe.choose(lambda names, work: bool(rules.truth(read(names, work))), condition, yes, no)

    def for_each(self, bindings: list[Binding], body: Part) -> Part:
        return rules.loop(bindings, body, list)

    def some(self, bindings: list[Binding], body: Part) -> Part:
        return replace(rules.loop(bindings, body, rules.some), logical=True)

    def every(self, bindings: list[Binding], body: Part) -> Part:
        return replace(rules.loop(bindings, body, rules.every), logical=True)

    def bindings(self, *bindings: Binding) -> list[Binding]:
        return list(bindings)

    def binding(self, name: str, values: Part) -> Binding:
        return Binding(name, values)

    def counting(self, name: str, low: Part, high: Part) -> Binding:
        return Binding(name, safe.binary(rules.count_to, low, high))

    def any_of(self, left: Part, right: Part) -> Part:
        first, second = left.run, right.run

        def run(names: Names, work: Work) -> bool | None:
            one = rules.truth(first(names, work))
            if one is True:
                return True
            other = rules.truth(second(names, work))
            return other if one is False or other is True else None

        return safe.compose(run, [left, right], logical=True)

    def all_of(self, left: Part, right: Part) -> Part:
        first, second = left.run, right.run

        def run(names: Names, work: Work) -> bool | None:
            one = rules.truth(first(names, work))
            if one is False:
                return False
            other = rules.truth(second(names, work))
            return other if one is True or other is False else None

        return safe.compose(run, [left, right], logical=True)

    def negation(self, operand: Part) -> Part:
        return safe.unary(lambda value, _work: rules.negate(rules.truth(value)), operand, logical=True)

    def compare(self, left: Part, sign: Token, right: Part) -> Part:
        return safe.binary(_COMPARE[sign], left, right, logical=True)

    def between(self, value: Part, low: Part, high: Part) -> Part:
        return self.within(value, self.closed(low, high))

    def within(self, value: Part, choices: Part | _Range | list[Part | _Range]) -> Part:
        tests = [self._match(value, choice) for choice in (choices if isinstance(choices, list) else [choices])]
        return safe.call(lambda _work, *verdicts: rules.some(verdicts), tests, logical=True)

    def _match(self, value: Part, choice: Part | _Range) -> Part:
        if isinstance(choice, _Range):
            return self.all_of(
                safe.binary(choice.above, value, choice.low), safe.binary(choice.below, value, choice.high)
            )
        return safe.binary(lambda found, values, work: ops.contains(as_list(values), found, work), value, choice)

    def choices(self, *choices: Part | _Range) -> list[Part | _Range]:
        return list(choices)

    def closed(self, low: Part, high: Part) -> _Range:
        return _Range(low, high, _COMPARE[">="], _COMPARE["<="])

    def left_open(self, low: Part, high: Part) -> _Range:
        return _Range(low, high, _COMPARE[">"], _COMPARE["<="])

    def right_open(self, low: Part, high: Part) -> _Range:
        return _Range(low, high, _COMPARE[">="], _COMPARE["<"])

    def open(self, low: Part, high: Part) -> _Range:
        return _Range(low, high, _COMPARE[">"], _COMPARE["<"])

    def add(self, left: Part, right: Part) -> Part:
        return safe.binary(null_aware(ops.add), left, right)

    def subtract(self, left: Part, right: Part) -> Part:
        return safe.binary(null_aware(ops.subtract), left, right)

    def multiply(self, left: Part, right: Part) -> Part:
        return safe.binary(null_aware(ops.multiply), left, right)

    def divide(self, left: Part, right: Part) -> Part:
        return safe.binary(null_aware(ops.divide), left, right)

    def raise_to(self, left: Part, right: Part) -> Part:
        return safe.binary(null_aware(ops.power), left, right)

    def negative(self, operand: Part) -> Part:
        return safe.unary(null_aware(lambda value, _work: -value), operand)

    def member(self, owner: Part, key: str) -> Part:
        read, path = owner.run, f"{owner.path}.{key}"
        return safe.step(owner, key, lambda names, work: rules.field(read(names, work), key, path, work))

    def filter(self, owner: Part, condition: Part) -> Part:
        return rules.select(owner, condition)

    def listing(self, values: list[Part] | None) -> Part:
        return safe.listing(values or [])

    def record(self, *entries: tuple[str, Part] | None) -> Part:
        pairs = [entry for entry in entries if entry]

        def make(work: Work, *values: Any) -> dict[str, Any]:
            work.make(len(values))
            return {key: value for (key, _), value in zip(pairs, values, strict=True)}

        return safe.call(make, [part for _, part in pairs])

    def entry(self, key: str, value: Part) -> tuple[str, Part]:
        return grammar.text(key) if isinstance(key, Token) else key, value

    def name_token(self, token: Token) -> str:
        return token.strip("`")

    def name(self, name: str) -> Part:
        return safe.name(name)

    def function(self, name: Token, values: list[Part] | None) -> Part:
        function, values = " ".join(name.split()), values or []
        if function == "is defined" and len(values) == 1:
            return _is_defined(values[0])
        if function in _TIMES:
            raise ExpressionError(f"{function}() is not available: FEEL dates, times and durations are not")
        return safe.call(require_call("function", function, FUNCTIONS, len(values)), values)


def _is_defined(part: Part) -> Part:
    """Return whether all names and keys of a path exist, also where their value is null."""
    if not part.steps:
        raise ExpressionError("is defined() takes a name or a path such as order.total")

    def run(names: Names, _work: Work) -> bool:
        owner: Any = names
        for key in part.steps:
            if not isinstance(owner, Mapping) or key not in owner:
                return False
            owner = owner[key]
        return True

    return safe.compose(run, [part], logical=True)


@functools.cache
def _parser() -> Lark:
    phrases = "|".join(name.replace(" ", r"\s+") for name in (*FUNCTIONS, "is defined", *_TIMES) if " " in name)
    return grammar.build(_GRAMMAR.replace("PHRASES", phrases), _Builder())
