"""Python-style expressions: values, what they read, and what is refused."""

import pytest

from bpmnsim.errors import ExpressionError
from bpmnsim.expr import compile_expression

DATA = {
    "x": 11,
    "name": "Ann",
    "ok": True,
    "nothing": None,
    "order": {"total": 150, "items": [{"price": 5}, {"price": 2.5}], "_id": 1},
    "rates": {"USD": 2, "EUR": 1.5},
    "xs": [3, 1, 2],
    "pairs": [["a", 1], ["b", 2]],
    "names": {"b", "a"},
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x > 10", True),
        ("1 < x <= 11", True),
        ("1 < x < 11", False),
        ("x / 2", 5.5),
        ("x // 2", 5),
        ("-7 % 3", 2),
        ("2 ** 10", 1024),
        ("x == 11.0", True),
        ("x == '11'", False),
        ("ok == 1", False),
        ("name != 11", True),
        ("not ok", False),
        ("ok and x > 100 or name == 'Ann'", True),
        ("'big' if x > 10 else 'small'", "big"),
        ("order.total", 150),
        ("order['total']", 150),
        ("order.items[0].price", 5),
        ("order.items[-1].price", 2.5),
        ('rates["EUR"] * 2', 3.0),
        ("len(order.items)", 2),
        ("sum(item.price for item in order.items)", 7.5),
        ("[item.price for item in order.items if item.price > 3]", [5]),
        ("[a * b for a in xs for b in xs if a < b]", [3, 2, 6]),
        ("[k for k, v in pairs if v > 1]", ["b"]),
        ("[k for k in rates]", ["EUR", "USD"]),
        ("sorted(xs, reverse=True)", [3, 2, 1]),
        ("sorted(names)", ["a", "b"]),
        ("min(xs), max(1, 2), abs(-3), round(2.567, 2)", [1, 2, 3, 2.57]),
        ("max([], default=0)", 0),
        ("sum(v > 1 for v in xs)", 2),
        ("any(v > 2 for v in xs) and all(v > 0 for v in xs)", True),
        ("int('12') + float('0.5')", 12.5),
        ("str(x) + '!'", "11!"),
        ("f'{name}-{x}'", "Ann-11"),
        ("bool(0)", False),
        ("x in {1, 11}", True),
        ("4 not in xs", True),
        ("'EUR' in rates", True),
        ("'nn' in name", True),
        ("nothing is None and ok is True", True),
        ("nothing == null and ok == true", True),
        ("xs[1:]", [1, 2]),
        ("{'a': x, 'b': [x]}", {"a": 11, "b": [11]}),
        ("xs + [4]", [3, 1, 2, 4]),
        ("xs == (3, 1, 2)", True),
        ("[0] * 3", [0, 0, 0]),
        ("\n  x > 1\n  and ok\n", True),
    ],
)
def test_value(text, value):
    """Issue "expr": Python-style expressions; lessons.md section C; DAT-06 for paths."""
    expression = compile_expression(text, language="python")
    assert expression.problem is None
    found = expression.evaluate(DATA)
    assert (found, type(found)) == (value, type(value))


def test_true_false_null_are_names_only_where_nothing_else_is_bound():
    """Design section 4: a bound name wins over the constant of other dialects."""
    assert compile_expression("null", language="python").evaluate({"null": 5}) == 5


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("order.total > 100 and x", ("order.total", "x")),
        ("order.items[0].price", ("order.items",)),
        ("rates['EUR']", ("rates",)),
        ("[i.price * x for i in order.items if i.price > low]", ("low", "order.items", "x")),
        ("len(x) + true", ("x",)),
        ("sorted(xs, reverse=down)", ("down", "xs")),
        ("1 + 1", ()),
    ],
)
def test_reads(text, reads):
    """CND-03: the declared read paths; names bound by a comprehension are its own."""
    assert compile_expression(text, language="python").reads == reads


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("y > 1", "y"),
        ("order.totl", "order.totl"),
        ("order.items[0].cost", "order.items[0].cost"),
        ("rates['GBP']", 'rates["GBP"]'),
        ("nothing.total", "nothing.total"),
        ("[z for a in xs]", "z"),
    ],
)
def test_missing_value_is_named_with_its_path(text, missing):
    """DAT-06, design section 4: a condition that cannot be evaluated names the missing name."""
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text, language="python", element_id="f1").evaluate(DATA)
    assert (caught.value.missing, caught.value.text, caught.value.element_id) == (missing, text, "f1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name < 5", "'<' not supported between instances of 'str' and 'int'"),
        ("nothing > 1", "'>' not supported between instances of 'NoneType' and 'int'"),
        ("x / 0", "division by zero"),
        ("xs[3]", "'xs[3]' is out of range: 3 elements"),
        ("xs['a']", "a value of type str is not the number of an element"),
        ("xs < [4]", "lists have no order"),
        ("x.total", "'x.total': a value of type int has no named parts"),
        ("'%s' % x", "'%' does not apply to a value of type str and a value of type int"),
        ("(-8) ** 0.5", "a root of a negative number has no value"),
        ("min([])", "an empty list has no smallest and no largest element"),
        ("10.0 ** 400", "a number is too large"),
        ("[v for v in x]", "a value of type int has no elements"),
        ("str(xs)", "a value of type list has no text"),
        ("round(x, -10 ** 9)", "a number is rounded to at most 400 digits"),
    ],
)
def test_operation_that_does_not_apply_is_an_error(text, message):
    """FLW-04: an evaluation error is an ExpressionError, never a silent false."""
    expression = compile_expression(text, language="python")
    assert expression.problem is None
    with pytest.raises(ExpressionError) as caught:
        expression.evaluate(DATA)
    assert caught.value.message == f'{message}, in "{text}"'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("lenn(xs)", "unknown function 'lenn'; did you mean 'len'?"),
        ("len()", "function 'len' does not take the values given to it"),
        ("sorted(xs, key=x)", "function 'sorted' does not take the values given to it"),
        ("x.__class__", "'__class__' is not available: it starts with an underscore"),
        ("order._id", "'_id' is not available: it starts with an underscore"),
        ("lambda: 1", "Lambda is not available"),
        ("(y := 5)", "NamedExpr is not available"),
        ("[*xs]", "Starred is not available"),
        ("{**order}", "** is not available"),
        ("{1, 2}", "Set is not available"),
        ("{k: 1 for k in xs}", "DictComp is not available"),
        ("1 << 5", "the operator LShift is not available"),
        ("x | 1", "the operator BitOr is not available"),
        ("~x", "the operator ~ is not available"),
        ("x is 11", "'is' is for None, True and False; write =="),
        ("f'{x:>9}'", "a format in an f-string is not available"),
        ("f'{x!r}'", "a format in an f-string is not available"),
        ("[0 for order.total in xs]", "a comprehension can only assign to names"),
        ("[0 for a, xs[0] in pairs]", "a comprehension can only assign to names"),
        ("[v async for v in xs]", "'async' is not available"),
        ("1j", "a literal of type complex is not available"),
        ("b'a'", "a literal of type bytes is not available"),
        ("x = 5", "not a Python-style expression"),
        ("existing user", "not a Python-style expression"),
        ("x > 1 && ok", "not a Python-style expression; Python-style conditions use and, or, not"),
    ],
)
def test_what_is_not_available_is_a_problem(text, problem):
    """Lessons.md section C: what is not understood is an error at import, never a silent null."""
    expression = compile_expression(text, language="python")
    assert expression.problem == problem
    with pytest.raises(ExpressionError):
        expression.evaluate(DATA)


def test_methods_are_a_problem():
    """ITER-CC-12: nothing that could change the data can be called."""
    for text in ("xs.append(1)", "order.items.clear()", "name.upper()", "xs[0](1)"):
        assert str(compile_expression(text, language="python").problem).startswith("methods are not available")
