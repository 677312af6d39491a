"""What an export hides, and the digest of a run, which is the same on every machine."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from hashlib import blake2b
from typing import Any

from bpmnsim.facts import ABSENT, STRIDE, Fact
from bpmnsim.plain import plain_facts

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

MASKED = "***"
"""Stands for a value that an export must not show (core.md DAT-13)."""


def masked_facts(facts: Sequence[Any], mask: Collection[str]) -> list[Any]:
    """Return the facts without the values of the names in *mask* (core.md DAT-13).

    Examples
    --------
    >>> masked_facts([Fact.DATA, 1, 0, 2, 0, "x", (ABSENT, 5)], ("x",))[-1]
    (ABSENT, '***')
    """
    hidden = list(facts)
    for at in range(0, len(hidden), STRIDE):
        kind, x, y = hidden[at], hidden[at + 5], hidden[at + 6]
        if kind == Fact.DATA and x in mask:
            hidden[at + 6] = tuple(cell if cell is ABSENT else MASKED for cell in y)
        elif kind == Fact.EVAL and any(name in mask for name, _ in y[1]):
            text, values, verdict, *rest = y
            shown = tuple((name, MASKED if name in mask else value) for name, value in values)
            hidden[at + 6] = (text, shown, verdict if isinstance(verdict, bool) else MASKED, *rest)
    return hidden


def digest_of(model: str, outcome: str, facts: Sequence[Any]) -> str:
    """Return the hash (32 hex digits) of what a run was: its model, its facts, its outcome.

    Parameters
    ----------
    model
        Digest of the model.

    Raises
    ------
    StateError
        If a value is not plain.

    Examples
    --------
    >>> digest_of("m", "completed", []) == digest_of("m", "waiting", [])
    False

    Notes
    -----
    Design section 9: the same for every hash seed, process and Python version.
    """
    text = json.dumps([model, outcome, plain_facts(facts, canonical=True)], separators=(",", ":"))
    return blake2b(text.encode(), digest_size=16).hexdigest()


def xml_text(text: str) -> str:
    r"""Return a text with U+FFFD for the characters that XML has no place for.

    Examples
    --------
    >>> xml_text("a\x00b")
    'a\ufffdb'
    """
    return _NOT_XML.sub("\ufffd", text)
