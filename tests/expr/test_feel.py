"""FEEL-lite: values, null, what is read and what is refused."""

import pytest

from bpmnsim.errors import ConditionTypeError, ExpressionError
from bpmnsim.expr import compile_expression

DATA = {
    "x": 11,
    "name": "Ann",
    "ok": True,
    "nothing": None,
    "order": {"total": 150, "items": [{"price": 5, "express": True}, {"price": 2, "express": False}]},
    "xs": [3, 1, 2],
    "i": 2,
    "order total": 9,
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("=x > 10", True),
        ("=x = 11 and x != 12", True),
        ("=x >= 12 or not(x <= 11)", False),
        ('=x = "11"', False),
        ("=ok = 1", False),
        ("=1 / 2", 0.5),
        ("=2 + 3 * 2 ** 2 - -1", 15),
        ('="a" + "b"', "ab"),
        ('=if x > 10 then "big" else "small"', "big"),
        ("=if nothing then 1 else 2", 2),
        ("=order.total", 150),
        ("=order.items[1].price", 5),
        ("=order.items[-1].price", 2),
        ("=order.items.price", [5, 2]),
        ("=order.items[price > 3].price", [5]),
        ("=order.items[item.price < 3].price", [2]),
        ("=order.items[express].price", [5]),
        ("=xs[i]", 1),
        ("=xs[4]", None),
        ("=xs[0]", None),
        ("=xs[item > 1]", [3, 2]),
        ("=[][item > 1]", []),
        ("=x[1]", 11),
        ("=x in [1..11]", True),
        ("=x in [1..11)", False),
        ("=x in (11..20]", False),
        ("=x in (10..12)", True),
        ("=x in (1, 11, 12)", True),
        ("=x in (1, [10..12])", True),
        ("=x in [1, 2]", False),
        ("=x between 11 and 12 and ok", True),
        ("=some v in xs satisfies v > 2", True),
        ("=every v in xs satisfies v > 1", False),
        ("=some v in xs, w in xs satisfies v + w = 6", True),
        ("=for v in xs return v * 2", [6, 2, 4]),
        ("=for n in 1..3 return n", [1, 2, 3]),
        ("=for n in 3..1, v in [n, n] return v", [3, 3, 2, 2, 1, 1]),
        ('={a: 1, "b c": [x]}', {"a": 1, "b c": [11]}),
        ("={a: 1}.a", 1),
        ("=`order total` + 1", 10),
        ("=count(xs) + sum(xs) + min(xs) + max(1, 4)", 14),
        ("=mean([1, 2])", 1.5),
        ('=contains(name, "nn") and starts with(name, "A") and ends with(name, "n")', True),
        ("=list contains(xs, 3)", True),
        ("=string length(name)", 3),
        ("=upper case(name) + lower case(name)", "ANNann"),
        ("=[floor(1.5), ceiling(1.5), abs(-2), modulo(-7, 3)]", [1, 2, 2, 2]),
        ("=append(xs, 4, 5)", [3, 1, 2, 4, 5]),
        ("=concatenate(xs, [4])", [3, 1, 2, 4]),
        ("=is defined(x) and is defined(nothing) and is defined(order.total)", True),
        ("=is defined(y) or is defined(order.totl)", False),
        (r'="a\"b\u00e9"', 'a"bé'),
        ("\n=x\n>\n10\n", True),
    ],
)
def test_value(text, value):
    """Issue "expr": FEEL-lite; lessons.md section C; DAT-06 for paths."""
    expression = compile_expression(text)
    assert (expression.language, expression.problem) == ("feel", None)
    found = expression.evaluate(DATA)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null = null", True),
        ("null = 1", False),
        ("nothing > 1", None),
        ("nothing + 1", None),
        ("-nothing", None),
        ("not(null)", None),
        ("true and null", None),
        ("null and true", None),
        ("false and null", False),
        ("null and false", False),
        ("true or null", True),
        ("null or true", True),
        ("false or null", None),
        ("nothing between 1 and 2", None),
        ("nothing in [1..2]", None),
        ("order.totl", None),
        ("nothing.total", None),
        ("nothing[1]", None),
        ("count(nothing)", None),
        ("sum([])", None),
        ("sum([1, null])", None),
        ("max([])", None),
        ('contains(nothing, "a")', None),
        ("some v in [null, 1] satisfies v > 1", None),
        ("every v in [null, 1] satisfies v > 1", False),
        ("[1, null, 3][item > 2]", [3]),
    ],
)
def test_null(text, value):
    """Issue "expr": logic of three values; a missing key of a record is null, as DMN says."""
    assert compile_expression(text, language="feel").evaluate(DATA) == value


def test_null_condition_is_an_error():
    """FLW-04: a misspelled key makes the condition null, and null is no boolean."""
    with pytest.raises(ConditionTypeError, match="returned None, not a boolean"):
        compile_expression("=order.totl > 100").condition(DATA)


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("=order.total > 100 and x", ("order.total", "x")),
        ("=order.items[price > low].price", ("low", "order.items", "price")),
        ("=xs[item > 2]", ("xs",)),
        ("=for v in xs, w in v.parts return v + w + x", ("x", "xs")),
        ("=some v in xs satisfies v.ok", ("xs",)),
        ("=is defined(order.total)", ("order.total",)),
    ],
)
def test_reads(text, reads):
    """CND-03: the declared read paths; a name in a filter may be a key of the element or a name outside."""
    assert compile_expression(text).reads == reads


@pytest.mark.parametrize(
    ("text", "missing"),
    [("=y > 1", "y"), ("=order.items[cost > 1]", "cost"), ("=xs[y]", "y"), ("=[][y]", "y"), ("=y.total", "y")],
)
def test_missing_name_is_never_null(text, missing):
    """Lessons.md section C: a name without a value is an error that names it, also in FEEL."""
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text).evaluate(DATA)
    assert caught.value.missing == missing


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("=name < 5", "'<' not supported between instances of 'str' and 'int'"),
        ("=x and ok", "a boolean is needed, not a value of type int"),
        ("=if x then 1 else 2", "a boolean is needed, not a value of type int"),
        ('=xs["a"]', "a boolean is needed, not a value of type str"),
        ("=x / 0", "division by zero"),
        ("=name * 2", "'*' does not apply to a value of type str and a value of type int"),
        ("=x.total", "'x.total': a value of type int has no named parts"),
        ("=string length(x)", "a value of type int is no text"),
    ],
)
def test_operation_that_does_not_apply_is_an_error(text, message):
    """FLW-04: an evaluation error is an ExpressionError, never a silent null."""
    expression = compile_expression(text)
    assert expression.problem is None
    with pytest.raises(ExpressionError) as caught:
        expression.evaluate(DATA)
    assert caught.value.message == f'{message}, in "{text}"'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("=cout(xs)", "unknown function 'cout'; did you mean 'count'?"),
        (
            "=starts with(name)",
            "function 'starts with' does not take the values given to it",
        ),
        ('=date("2000-01-01")', "date() is not available: FEEL dates, times and durations are not"),
        ("=date and time(x)", "date and time() is not available: FEEL dates, times and durations are not"),
        ("=is defined(xs[1])", "is defined() takes a name or a path such as order.total"),
        ("=x >", "not a FEEL expression: it ends too early"),
        ("=x == 1", "not a FEEL expression: unexpected '=' at character 4"),
        ("=", "not a FEEL expression: it ends too early"),
        ("=no such(x)", "not a FEEL expression: unexpected 'such' at character 4"),
    ],
)
def test_what_is_not_available_is_a_problem(text, problem):
    """Lessons.md section C: what is not understood is an error at import, never a silent null."""
    expression = compile_expression(text)
    assert expression.problem == problem
    with pytest.raises(ExpressionError):
        expression.evaluate(DATA)
