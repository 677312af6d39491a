"""JUEL-lite, the `${…}` and `#{…}` of Camunda, Flowable and others, and the Java-like `return …;` of jBPM.

Both share one grammar. Records are read with a dot or brackets; of methods only those in ``_METHODS`` exist,
and of beans only ``execution``. Not here: operations on values (``operations``).

Unlike in Java, operands of ``&&``, ``||``, ``!`` and ``?:`` must be booleans, values of different types are
never converted to compare them, and ``%`` takes the sign of the divisor, as everywhere in bpmnsim.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lark import Lark, Token, v_args

from bpmnsim.errors import ExpressionError
from bpmnsim.expr import grammar, safe
from bpmnsim.expr import operations as ops
from bpmnsim.expr.functions import require_call, text_of
from bpmnsim.expr.limits import Work
from bpmnsim.expr.safe import Names, Part

__all__ = ["parse", "parse_java"]

_GRAMMAR = r"""
    ?start: choice
    ?choice: either | either "?" choice ":" choice -> choose
    ?either: both | either ("||" | "or") both -> any_of
    ?both: equality | both ("&&" | "and") equality -> all_of
    ?equality: relation | equality equality_sign relation -> compare
    ?relation: sum | relation order_sign sum -> compare
    ?sum: product | sum sum_sign product -> calculate
    ?product: unary | product product_sign unary -> calculate
    ?unary: postfix
        | "-" unary -> negative
        | ("!" | "not") unary -> negation
        | "empty" unary -> is_empty
    ?postfix: primary
        | postfix "." NAME -> member
        | postfix "." NAME "(" [values] ")" -> method
        | postfix "[" choice "]" -> item
    ?primary: NUMBER_WITH_TYPE -> number
        | STRING -> string
        | "true" -> true
        | "false" -> false
        | "null" -> null
        | NAME -> name
        | NAME "(" [values] ")" -> function
        | "(" choice ")" -> group
    values: choice ("," choice)*
    !equality_sign: "===" | "!==" | "==" | "!=" | "eq" | "ne"
    !order_sign: "<=" | ">=" | "<" | ">" | "le" | "ge" | "lt" | "gt"
    !sum_sign: "+" | "-"
    !product_sign: "*" | "/" | "%" | "div" | "mod"
    NUMBER_WITH_TYPE: /[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?[lLfFdD]?/
    STRING: /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/s
"""

_OPENING = re.compile(r"[$#]\{")
_BODY = re.compile(r"""((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^}"'])*)\}""", re.DOTALL)


def _unequal(left: Any, right: Any, work: Work) -> bool:
    return not ops.equal(left, right, work)


_COMPARE = {
    **dict.fromkeys(("==", "===", "eq"), ops.equal),
    **dict.fromkeys(("!=", "!==", "ne"), _unequal),
    **dict.fromkeys(("<", "lt"), ops.order(operator.lt)),
    **dict.fromkeys(("<=", "le"), ops.order(operator.le)),
    **dict.fromkeys((">", "gt"), ops.order(operator.gt)),
    **dict.fromkeys((">=", "ge"), ops.order(operator.ge)),
}
_CALCULATE = {
    "+": ops.add,
    "-": ops.subtract,
    "*": ops.multiply,
    **dict.fromkeys(("/", "div"), ops.divide),
    **dict.fromkeys(("%", "mod"), ops.modulo),
}


def parse(text: str) -> tuple[Callable[[Names], object], frozenset[str]]:
    """Return a function that evaluates *text* over names, and the names and dotted paths it reads.

    Parameters
    ----------
    text
        ``${…}`` or ``#{…}``, such an expression without the braces, or a text with several of them in it.

    Raises
    ------
    ExpressionError
        If the text is not an expression, is too large, or calls an unknown bean or method.

    Examples
    --------
    >>> run, reads = parse("${order.total gt 100 && !empty items}")
    >>> run({"order": {"total": 150}, "items": [1, 2]}), sorted(reads)
    (True, ['items', 'order.total'])
    >>> parse("Task ${loopCounter}")[0]({"loopCounter": 2})
    'Task 2'
    """
    if "${" not in text and "#{" not in text:
        return safe.evaluator(_expression(text))
    parts = [_expression(piece) if inside else safe.constant(piece) for inside, piece in _pieces(text)]
    return safe.evaluator(parts[0] if len(parts) == 1 else safe.call(_join, parts))


def parse_java(text: str) -> tuple[Callable[[Names], object], frozenset[str]]:
    """Return the same as :func:`parse` for ``return <expression>;`` or the expression alone.

    Examples
    --------
    >>> parse_java('return x > 10 && status.equals("open");')[0]({"x": 11, "status": "open"})
    True
    """
    return parse(re.sub(r"^\s*return\b|;\s*$", "", text))


def _expression(text: str) -> Part:
    return grammar.parse(_parser(), "JUEL or Java-like", text)


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the pieces of a template, each with whether it stood in braces."""
    end = 0
    while opening := _OPENING.search(text, end):
        body = _BODY.match(text, opening.end())
        if body is None:
            raise ExpressionError("not a JUEL expression: a brace is not closed")
        if opening.start() > end:
            yield False, text[end : opening.start()]
        yield True, body[1]
        end = body.end()
    if end < len(text):
        yield False, text[end:]


def _join(work: Work, *values: Any) -> str:
    joined = "".join("" if value is None else _java_text(work, value) for value in values)
    work.make(len(joined))
    return joined


def _java_text(work: Work, value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else text_of(work, value)


def _truth(sign: str, part: Part) -> Callable[[Names, Work], bool]:
    """Return the value of *part*, which must be a boolean."""
    read = part.run

    def run(names: Names, work: Work) -> bool:
        value = read(names, work)
        if value is True or value is False:
            return bool(value)
        raise ExpressionError(f"'{sign}' needs a boolean, and {part.path} is {ops.kind(value)}")

    return run


def _is_empty(value: Any, _work: Work) -> bool:
    return value is None or (isinstance(value, str | list | tuple | Mapping | set | frozenset) and not value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{ops.kind(value)} is no text")
    return value


def _get(_work: Work, owner: Any, key: Any, /) -> Any:
    return owner.get(key) if isinstance(owner, Mapping) else ops.pick(owner, key, lambda: "the list")


_METHODS: dict[str, Callable[..., Any]] = {
    "size": lambda _work, owner: len(owner),
    "length": lambda _work, owner: len(owner),
    "isEmpty": lambda work, owner: _is_empty(owner, work),
    "equals": lambda work, owner, other: ops.equal(owner, other, work),
    "equalsIgnoreCase": lambda _work, owner, other: _text(owner).lower() == _text(other).lower(),
    "contains": lambda work, owner, value: ops.contains(owner, value, work),
    "containsKey": lambda work, owner, key: ops.contains(owner, key, work),
    "get": _get,
    "startsWith": lambda _work, owner, start: _text(owner).startswith(start),
    "endsWith": lambda _work, owner, end: _text(owner).endswith(end),
    "toLowerCase": lambda _work, owner: _text(owner).lower(),
    "toUpperCase": lambda _work, owner: _text(owner).upper(),
    "trim": lambda _work, owner: _text(owner).strip(),
}


@v_args(inline=True)
class _Builder(grammar.Literals):
    """Makes parts of what the grammar finds."""

    def choose(self, condition: Part, yes: Part, no: Part) -> Part:
        return safe.choose(_truth("?", condition), condition, yes, no)

    def any_of(self, left: Part, right: Part) -> Part:
        first, second = _truth("||", left), _truth("||", right)
        return safe.compose(lambda names, work: first(names, work) or second(names, work), [left, right])

    def all_of(self, left: Part, right: Part) -> Part:
        first, second = _truth("&&", left), _truth("&&", right)
        return safe.compose(lambda names, work: first(names, work) and second(names, work), [left, right])

    def negation(self, operand: Part) -> Part:
        read = _truth("!", operand)
        return safe.compose(lambda names, work: not read(names, work), [operand])

    def negative(self, operand: Part) -> Part:
        return safe.unary(lambda value, _work: -value, operand)

    def is_empty(self, operand: Part) -> Part:
        return safe.unary(_is_empty, operand)

    def compare(self, left: Part, sign: str, right: Part) -> Part:
        return safe.binary(_COMPARE[sign], left, right)

    def calculate(self, left: Part, sign: str, right: Part) -> Part:
        return safe.binary(_CALCULATE[sign], left, right)

    def equality_sign(self, token: Token) -> str:
        return str(token)

    order_sign = sum_sign = product_sign = equality_sign

    def member(self, owner: Part, key: Token) -> Part:
        return safe.member(owner, str(key))

    def item(self, owner: Part, key: Part) -> Part:
        return safe.item(owner, key)

    def method(self, owner: Part, method: Token, values: list[Part] | None) -> Part:
        values = values or []
        if owner.steps == ("execution",) and method in ("getVariable", "hasVariable"):
            return self._variable(str(method), values)
        function = require_call("method", str(method), _METHODS, 1 + len(values))

        def invoke(work: Work, subject: Any, *arguments: Any) -> Any:
            if subject is None:
                raise ExpressionError(f"{owner.path} is null, so it has no {method}()")
            return function(work, subject, *arguments)

        return safe.call(invoke, [owner, *values])

    def _variable(self, method: str, values: list[Part]) -> Part:
        name = values[0].run({}, Work()) if len(values) == 1 and values[0].size == 1 and not values[0].steps else None
        if not isinstance(name, str):
            raise ExpressionError(f"execution.{method}() takes one name in quotes")
        if method == "hasVariable":
            return safe.compose(lambda names, _work: name in names, values, reads=frozenset({name}))
        return safe.compose(lambda names, _work: names.get(name), values, reads=frozenset({name}))

    def function(self, name: Token, _values: list[Part] | None) -> Part:
        raise ExpressionError(f"unknown function {str(name)!r}")

    def name(self, name: Token) -> Part:
        return safe.name(str(name))


@functools.cache
def _parser() -> Lark:
    return grammar.build(_GRAMMAR, _Builder())
