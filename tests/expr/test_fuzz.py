"""Random texts over random data: a value or an ExpressionError, nothing else."""

import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bpmnsim.errors import ExpressionError
from bpmnsim.expr import compile_expression

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abx"), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.dictionaries(st.sampled_from(["a", "b", "x", "item"]), JSON)
PIECES = {
    "python": "a b x ( ) [ ] { } , . : + - * / // ** % < > == != <= and or not in is if else for 'a' 1 2.5 len( sum( "
    "sorted( max( str( None True [0] .a f'{x}' \n",
    "juel": "${ } #{ a b x ( ) [ ] . + - * / % < > == != && || ! ? : and or not eq gt empty null true 'a' \"b\" 1 2.5 "
    ".size() .equals( .contains( .get( execution.getVariable('a') text \n",
    "feel": "= a b x item ( ) [ ] { } , . : .. + - * / ** < > != <= and or not( if then else for in return some every "
    'satisfies between null true "a" 1 2.5 count( sum( contains( starts with( is defined( append( `a b` \n',
    "java": "return ; a b x ( ) . + - == != && || ! ? : null true 'a' \"b\" 1 2L .equals( .size() === \n",
}


def run(text, language, names):
    """Evaluate *text*; fail on anything but a value or an ExpressionError, and on changed data."""
    before = repr(names)
    expression = compile_expression(text, language=language, element_id="f")
    with suppress(ExpressionError):
        expression.evaluate(names)
        assert expression.problem is None
    with suppress(ExpressionError):
        assert expression.condition(names) in (True, False)
    assert repr(names) == before


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
@pytest.mark.parametrize("language", sorted(PIECES))
def test_pieces_of_the_language(language, data):
    """Issue "expr": whatever the text says, an ExpressionError is all that comes out."""
    pieces = [piece for piece in PIECES[language].split(" ") if piece]
    text = " ".join(data.draw(st.lists(st.sampled_from(pieces), min_size=1, max_size=14)))
    run(text, data.draw(st.sampled_from([language, None])), data.draw(NAMES))


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60), st.sampled_from([None, "python", "juel", "feel", "java", "other"]), NAMES)
def test_any_text(text, language, names):
    """Issue "expr": so it is for texts that are no expressions at all."""
    if text.strip():
        run(text, language, names)


@settings(max_examples=300, deadline=None)
@given(JSON, JSON)
def test_equality_of_data_is_that_of_json_except_for_booleans(left, right):
    """Issue "expr": equality is never an error; equal texts in JSON are equal values."""
    for text in ("a == b", "${a == b}", "=a = b"):
        verdict = compile_expression(text).condition({"a": left, "b": right})
        if "NaN" not in json.dumps([left, right]):
            same = compile_expression(text).condition({"a": left, "b": json.loads(json.dumps(left))})
            assert same is True
        if verdict:
            assert left == right
