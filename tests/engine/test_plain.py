"""Values as plain data: private copies, canonical forms, JSON (design section 4, State and Data)."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpmnsim.engine.own import freeze, private
from bpmnsim.errors import StateError
from bpmnsim.facts import ABSENT
from bpmnsim.plain import from_plain, to_plain

ATOMS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
KEYS = st.text() | st.integers() | st.booleans() | st.tuples(st.integers(), st.text())
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(KEYS, inner),
    max_leaves=12,
)


def same(one: Any, other: Any) -> bool:
    """Tell whether two values are equal in value and type, in any depth."""
    return repr(one) == repr(other)


@given(VALUES)
def test_plain_data_survives_json(value: Any) -> None:
    """CKP-01: written as JSON and read back: equal in value and type, whatever keys dicts have."""
    assert same(from_plain(json.loads(json.dumps(to_plain(value)))), value)


@given(VALUES)
def test_a_private_copy_shares_nothing_that_can_change(value: Any) -> None:
    """Design section 4, Data: equal, but no list or dict is shared."""
    copy = private(value, "v")
    assert same(copy, value)

    def parts(of: Any) -> list[Any]:
        inner = list(of.values()) if isinstance(of, dict) else list(of) if isinstance(of, list | tuple) else []
        return [of, *(part for each in inner for part in parts(each))]

    mine = [id(part) for part in parts(copy) if isinstance(part, list | dict)]
    assert not set(mine) & {id(part) for part in parts(value)}


@given(VALUES, VALUES)
def test_a_frozen_value_is_hashable_and_tells_values_apart(one: Any, other: Any) -> None:
    """Design section 4: equal values freeze alike; lists, tuples and dicts are never mixed up."""
    assert hash(freeze(one)) == hash(freeze(private(one, "v")))
    assert freeze(one) == freeze(private(one, "v"))
    if one != other:
        assert freeze(one) != freeze(other)


def test_the_order_of_a_dict_does_not_matter_to_its_frozen_form() -> None:
    """Design section 4: the key is canonical."""
    assert freeze({"a": 1, "b": 2}) == freeze({"b": 2, "a": 1})
    assert freeze([1, 2]) != freeze((1, 2))
    assert freeze({"a": 1}) != freeze([("a", 1)])


def test_library_values_are_values() -> None:
    """Design section 4: dates and decimals freeze as they are, and survive JSON."""
    for value in (date(2000, 1, 1), Decimal("1.50"), ABSENT):
        assert freeze(value) == value
        assert same(from_plain(json.loads(json.dumps(to_plain(value)))), value)


class Thing:
    """Something with an identity, but no value."""


def test_a_value_without_a_canonical_form_is_named() -> None:
    """Design section 4: reported by type or name, never silently ignored."""
    for refuse in (freeze, to_plain):
        with pytest.raises(TypeError, match="Thing"):
            refuse(Thing())
    with pytest.raises(StateError, match="'v'"):
        private((n for n in "ab"), "v")
