"""What the two lark grammars share: tokens, literals and the wording of syntax errors.

Not here: the grammars themselves (``juel``, ``feel``).
"""

from __future__ import annotations

import re
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, UnexpectedToken, v_args

from bpmnsim.errors import ExpressionError
from bpmnsim.expr import safe
from bpmnsim.expr.limits import require_bits
from bpmnsim.expr.safe import Part

__all__ = ["Literals", "build", "number", "parse", "text"]

_TOKENS = r"""
    NAME: /[^\W\d][\w$]*/
    NUMBER: /[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/
    %ignore /\s+/
"""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


@v_args(inline=True)
class Literals(Transformer[Token, Part]):
    """Makes parts of literals, lists of values and parentheses; the builder of a grammar extends it.

    Examples
    --------
    >>> safe.evaluator(Literals().number(Token("NUMBER", "10")))[0]({})
    10
    """

    def number(self, token: Token) -> Part:
        """Return a number, without the letter Java may write behind it."""
        return safe.constant(number(token.rstrip("lLfFdD")))

    def string(self, token: Token) -> Part:
        """Return a text."""
        return safe.constant(text(token))

    def true(self) -> Part:
        """Return true."""
        return safe.constant(True)

    def false(self) -> Part:
        """Return false."""
        return safe.constant(False)

    def null(self) -> Part:
        """Return null."""
        return safe.constant(None)

    def group(self, part: Part) -> Part:
        """Return what stands in parentheses."""
        return safe.group(part)

    def values(self, *values: Part) -> list[Part]:
        """Return the values of a call or a list."""
        return list(values)


def build(grammar: str, transformer: Transformer[Token, Part]) -> Lark:
    """Return the parser of *grammar*; it makes the parts while it reads, so that no tree is ever walked.

    Examples
    --------
    >>> build("start: NUMBER", Transformer()).parse("5").children
    [Token('NUMBER', '5')]
    """
    return Lark(grammar + _TOKENS, parser="lalr", transformer=transformer)


def parse(parser: Lark, language: str, source: str) -> Part:
    """Return *source* as a part of an expression.

    Raises
    ------
    ExpressionError
        If *source* is not in the language, is too large or uses an unknown function.

    Examples
    --------
    >>> parse(build("?start: NUMBER -> number", Literals()), "number", "five")
    Traceback (most recent call last):
    bpmnsim.errors.ExpressionError: EXPRESSION: not a number expression: unexpected 'f' at character 1
    """
    try:
        part: Any = parser.parse(source)
    except UnexpectedInput as error:
        raise ExpressionError(f"not a {language} expression: {_where(error)}") from None
    except ValueError as error:
        if isinstance(error, ExpressionError):
            raise
        raise ExpressionError("a number in it is too long") from None
    assert isinstance(part, Part)
    return part


def number(token: str) -> int | float:
    """Return the number that *token* writes.

    Examples
    --------
    >>> number("10"), number("1.5e2")
    (10, 150.0)
    """
    if not token.isdigit():
        return float(token)
    written = int(token)
    require_bits(written.bit_length())
    return written


def text(token: str) -> str:
    r"""Return what *token*, a text in quotes, says.

    Examples
    --------
    >>> text(r'"a\tb\u00e9\""')
    'a\tbé"'
    """
    return re.sub(
        r"\\(?:u([0-9a-fA-F]{4})|(.))",
        lambda found: chr(int(found[1], 16)) if found[1] else _ESCAPES.get(found[2], found[2]),
        token[1:-1],
        flags=re.DOTALL,
    )


def _where(error: UnexpectedInput) -> str:
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        return "it ends too early"
    found = error.char if isinstance(error, UnexpectedCharacters) else str(getattr(error, "token", ""))
    return f"unexpected {found!r} at character {(error.pos_in_stream or 0) + 1}"
