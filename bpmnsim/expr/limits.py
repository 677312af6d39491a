"""How large an expression and how much work an evaluation may be.

Texts come from files of strangers: whatever they say, parsing and evaluating end soon and in little memory. Not
here: the operations that do the work (``operations``).
"""

from __future__ import annotations

from collections.abc import Mapping

from bpmnsim.errors import ExpressionError

__all__ = [
    "ATOMS",
    "MAX_BITS",
    "MAX_DEPTH",
    "MAX_NODES",
    "MAX_SIZE",
    "MAX_WORK",
    "TOO_DEEP",
    "Work",
    "require_bits",
    "require_size",
]

MAX_DEPTH = 100
"""How deep the parts of an expression may nest."""
TOO_DEEP = f"it nests deeper than {MAX_DEPTH}"
"""What an error says about an expression that nests deeper."""
MAX_NODES = 5_000
"""How many parts an expression may have."""
MAX_WORK = 500_000
"""Units of work of one evaluation: parts evaluated in loops, elements visited, elements and characters made."""
MAX_SIZE = 10_000_000
"""Elements, characters and digits of a result that an evaluation made, as it would be written out."""
MAX_BITS = 4_096
"""Length of the largest whole number that may be written, or made by a multiplication or power."""

ATOMS = frozenset({int, float, str, bool, type(None)})
"""The types of values without parts."""
_CONTAINERS = (list, tuple, dict, Mapping)


def require_size(depth: int, nodes: int) -> None:
    """Refuse an expression that nests deeper than :data:`MAX_DEPTH` or has more than :data:`MAX_NODES` parts.

    Examples
    --------
    >>> require_size(101, 101)
    Traceback (most recent call last):
    bpmnsim.errors.ExpressionError: EXPRESSION: it nests deeper than 100
    """
    if depth > MAX_DEPTH:
        raise ExpressionError(TOO_DEEP)
    if nodes > MAX_NODES:
        raise ExpressionError(f"it has more than {MAX_NODES} parts")


def require_bits(bits: int) -> None:
    """Refuse a whole number of more than :data:`MAX_BITS` bits; Python could not even write out one much longer.

    Examples
    --------
    >>> require_bits(5_000)
    Traceback (most recent call last):
    bpmnsim.errors.ExpressionError: EXPRESSION: a number of more than 4096 bits is too large
    """
    if bits > MAX_BITS:
        raise ExpressionError(f"a number of more than {MAX_BITS} bits is too large")


class Work:
    """The work one evaluation may still do.

    Examples
    --------
    >>> work = Work()
    >>> work.spend(MAX_WORK + 1)
    Traceback (most recent call last):
    bpmnsim.errors.ExpressionError: EXPRESSION: it takes more than 500000 units of work
    """

    __slots__ = ("left", "made")

    def __init__(self) -> None:
        self.left = MAX_WORK
        self.made = False

    def spend(self, units: int) -> None:
        """Use up *units*; raise ExpressionError when none are left."""
        self.left -= units
        if self.left < 0:
            raise ExpressionError(f"it takes more than {MAX_WORK} units of work")

    def make(self, units: int) -> None:
        """Use up *units* for a new list, record or text."""
        self.made = True
        self.spend(units)

    def finish(self, value: object) -> object:
        """Return *value*, a result; refuse one that the evaluation made too large.

        A list that holds one list twice is small in memory and large when it is written out, so a new result
        is measured as it would be written, but each list in it only once.
        """
        if self.made and type(value) not in ATOMS:
            _weigh(value, {})
        return value


def _weigh(value: object, known: dict[int, int]) -> int:
    """Return the number of elements, characters and digits in *value*; *known* are the lists weighed by identity."""
    if isinstance(value, str):
        return 1 + len(value)
    if isinstance(value, int):
        return 1 + value.bit_length() // 3
    if not isinstance(value, _CONTAINERS):
        return 1
    if id(value) not in known:
        weight = 1
        for item in value.values() if isinstance(value, Mapping) else value:
            weight += _weigh(item, known)
        if weight > MAX_SIZE:
            raise ExpressionError(f"the result has more than {MAX_SIZE} elements, characters and digits")
        known[id(value)] = weight
    return known[id(value)]
