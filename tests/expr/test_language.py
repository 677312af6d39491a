"""One class for every dialect: choice of the language, conditions, problems, callables, pickling."""

import copy
import pickle
from types import MappingProxyType

import pytest

from bpmnsim.errors import ConditionTypeError, ExpressionError, ModelError
from bpmnsim.expr import compile_expression


@pytest.mark.parametrize(
    ("text", "language", "dialect", "chosen"),
    [
        ("x > 1", None, None, "python"),
        ("${x > 1}", None, None, "juel"),
        ("#{x > 1}", None, "zeebe", "juel"),
        ("Task ${x}", None, None, "juel"),
        ("=x > 1", None, "camunda", "feel"),
        ("return x > 1;", None, None, "java"),
        ("returned > 1", None, None, "python"),
        ("x > 1", None, "bpmn", "python"),
        ("x > 1", None, "camunda", "juel"),
        ("x > 1", None, "operaton", "juel"),
        ("x > 1", None, "flowable", "juel"),
        ("x > 1", None, "activiti", "juel"),
        ("x > 1", None, "zeebe", "feel"),
        ("x > 1", None, "jbpm", "java"),
        ("x > 1", "feel", "camunda", "feel"),
        ("x > 1", "http://www.omg.org/spec/FEEL/20140401", None, "feel"),
        ("x > 1", "https://www.omg.org/spec/DMN/20191111/FEEL/", None, "feel"),
        ("x > 1", "http://www.jcp.org/en/jsr/detail?id=245", None, "juel"),
        ("x > 1", "JUEL", None, "juel"),
        ("x > 1", "http://www.java.com/java", None, "java"),
        ("x > 1", "http://www.mvel.org/2.0", None, "java"),
        ("x > 1", "http://groovy.codehaus.org/", None, "java"),
        ("x > 1", "JavaScript", None, "java"),
        ("x > 1", "text/x-python", "camunda", "python"),
        ("x > 1", "http://www.w3.org/1999/XPath", None, "python"),
        ("${x > 1}", "http://www.w3.org/1999/XPath", None, "juel"),
        ("x > 1", "http://www.w3.org/1999/XPath", "zeebe", "feel"),
        ("x > 1", " ", None, "python"),
    ],
)
def test_language_is_chosen_by_name_then_syntax_then_dialect(text, language, dialect, chosen):
    """DAT-12, issue "expr": by language, by syntax, by the caller; XPath counts as not given."""
    expression = compile_expression(text, language=language, dialect=dialect)
    assert (expression.language, expression.problem, expression.text) == (chosen, None, text)
    assert expression.evaluate({"x": 2, "returned": 2}) in (True, "Task 2")


def test_unclaimed_language_fails():
    """DAT-12: an unclaimed language fails, whatever the text looks like."""
    expression = compile_expression("${x}", language="feeel", element_id="f1")
    assert expression.problem == "unknown language 'feeel'; did you mean 'feel'?"
    with pytest.raises(ExpressionError, match="unknown language 'feeel'"):
        expression.evaluate({"x": True})


def test_unknown_dialect_is_refused():
    """Design section 8: an unknown option is an error with "did you mean"."""
    with pytest.raises(ModelError, match="did you mean 'camunda'"):
        compile_expression("x", dialect="camnda")


@pytest.mark.parametrize("text", ["", " \n "])
def test_empty_text_is_a_problem(text):
    """Issue "expr": nothing written is a problem, never true or false."""
    assert compile_expression(text).problem == "empty expression"


@pytest.mark.parametrize(
    ("text", "shown"),
    [("x", "1"), ("'true'", "'true'"), ("null", "None"), ("[true]", "a list"), ("0.0", "0.0")],
)
def test_condition_must_be_a_boolean(text, shown):
    """FLW-04: a non-boolean condition is a ConditionTypeError that names the flow; there is no truthiness."""
    with pytest.raises(ConditionTypeError) as caught:
        compile_expression(text, element_id="flow1").condition({"x": 1})
    assert str(caught.value) == f'EXPRESSION [flow1]: returned {shown}, not a boolean, in "{text}"'


def test_condition_returns_the_boolean():
    """FLW-04: exactly True and False are conditions."""
    expression = compile_expression("x > 10")
    assert [expression.condition({"x": value}) for value in (10, 11)] == [False, True]


def test_problem_raises_when_evaluated():
    """Issue "expr": a note on import, an ExpressionError naming element and text when evaluated."""
    expression = compile_expression("isOpen(x)", element_id="f1")
    assert expression.problem == "unknown function 'isOpen'"
    with pytest.raises(ExpressionError) as caught:
        expression.condition({"x": 1})
    assert str(caught.value) == "EXPRESSION [f1]: unknown function 'isOpen', in \"isOpen(x)\""


def test_long_text_is_shortened_in_the_error_only():
    """Issue "expr": a text beyond the limit is a problem, and the message stays readable."""
    expression = compile_expression("x" * 20_000)
    assert (expression.problem, len(expression.text)) == ("it has 20000 characters, more than 10000", 20_000)
    with pytest.raises(ExpressionError) as caught:
        expression.evaluate({})
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize("text", ["x > 10", "${x > 10}", "=x > 10", "return x > 10;", "lenn(x)"])
def test_pickled_expression_is_equal_and_works(text):
    """Design section 4: a compiled process can be pickled to worker processes."""
    expression = compile_expression(text, element_id="f1")
    again = pickle.loads(pickle.dumps(expression))
    assert (again, again.problem, again.reads) == (expression, expression.problem, expression.reads)
    assert copy.deepcopy(expression) == expression
    if expression.problem is None:
        assert again.condition({"x": 11}) is True


def test_dialect_survives_pickling():
    """Design section 4: what was chosen by dialect stays chosen."""
    expression = compile_expression("a && b", dialect="camunda")
    assert pickle.loads(pickle.dumps(expression)).evaluate({"a": True, "b": True}) is True


def test_equality_is_by_text_language_and_element():
    """Issue "expr": comparable by text, language and element."""
    one = compile_expression("x > 1", element_id="f1")
    assert one == compile_expression("x > 1", language="python", element_id="f1")
    assert hash(one) == hash(compile_expression("x > 1", element_id="f1"))
    assert one != compile_expression("x > 1", element_id="f2")
    assert one != compile_expression("x > 1", language="feel", element_id="f1")
    assert one != compile_expression("x > 2", element_id="f1")


def over(names):
    """Return whether the order is large."""
    return names["order"]["total"] > 100 and len(names["items"]) > 1


def test_callable():
    """Issue "expr": a Python function of the names is an expression."""
    expression = compile_expression(over, element_id="f1")
    assert (expression.text, expression.language, expression.reads, expression.reads_all) == (
        "over",
        "callable",
        (),
        True,
    )
    assert expression.condition({"order": {"total": 150}, "items": [1, 2]}) is True
    assert expression == compile_expression(over, element_id="f1")
    assert expression != compile_expression(lambda _: True, element_id="f1")


@pytest.mark.parametrize(
    ("function", "missing", "message"),
    [
        (lambda names: names["y"], "y", "'y' has no value"),
        (lambda names: names["order"]["totl"], "order.totl", "'order.totl' has no value"),
        (lambda names: names["orders"][0]["totl"], "orders[0].totl", "'orders[0].totl' has no value"),
        (lambda _: 1 / 0, None, "division by zero"),
        (lambda _: {}["k"], None, "KeyError: 'k'"),
    ],
)
def test_exception_of_a_callable_is_an_expression_error(function, missing, message):
    """Issue "expr": whatever a function raises is an ExpressionError, with its cause."""
    with pytest.raises(ExpressionError) as caught:
        compile_expression(function, element_id="f1").evaluate({"order": {}, "orders": [{}]})
    assert caught.value.missing == missing
    assert caught.value.message.startswith(message)
    assert caught.value.__cause__ is not None


def put(names):
    """Try to write a name."""
    names["x"] = 1


@pytest.mark.parametrize(
    "write",
    [
        put,
        lambda names: names["order"].update(total=0),
        lambda names: names["order"].__setitem__("total", 0),
        lambda names: names["items"].append(3),
        lambda names: names["items"].sort(),
        lambda names: names["items"].__delitem__(0),
        lambda names: names["order"]["lines"][0].clear(),
        lambda names: names["tags"].add("b"),
    ],
)
def test_write_of_a_callable_is_an_error_and_changes_nothing(write):
    """ITER-CC-12: conditions run on a read-only view; an attempted write is an evaluation error."""
    data = {"order": {"total": 5, "lines": [{"a": 1}]}, "items": [2, 1], "tags": {"a"}}
    before = copy.deepcopy(data)
    with pytest.raises(ExpressionError):
        compile_expression(write).evaluate(data)
    assert data == before


def test_callable_sees_views_that_read_like_the_data():
    """ITER-CC-12: reading works as on the data itself, and the result is the data, not a view."""
    data = {"order": {"total": 5}, "items": [2, 1], "tags": {"a"}}
    read = compile_expression(
        lambda names: {
            "same": names["items"] == [2, 1] and names["order"] == {"total": 5} and names["items"][:1] == [2],
            "sorted": sorted(names["items"]),
            "items": names["items"],
            "all": [names["order"]],
            "get": names.get("y", 7),
            "in": "order" in names and len(names) == 3 and list(names) == ["order", "items", "tags"],
            "text": f"{names['items']} {names['order']}",
            "tags": sorted(names["tags"]),
        }
    ).evaluate(data)
    assert read == {
        "same": True,
        "sorted": [1, 2],
        "items": [2, 1],
        "all": [{"total": 5}],
        "get": 7,
        "in": True,
        "text": "[2, 1] {'total': 5}",
        "tags": ["a"],
    }
    assert type(read["items"]) is list
    assert type(read["all"][0]) is dict


@pytest.mark.parametrize("text", ["order.items[0].price", "${order.items[0].price}", "=order.items[1].price"])
def test_frozen_data_reads_like_plain_data(text):
    """DAT-06: records may be any mapping and lists may be tuples."""
    data = MappingProxyType({"order": MappingProxyType({"items": (MappingProxyType({"price": 5}),)})})
    assert compile_expression(text).evaluate(data) == 5


@pytest.mark.parametrize("text", ["[items + items, [o for o in items]]", "=append(items, 1)", "${items}"])
def test_evaluation_never_changes_the_data(text):
    """ITER-CC-12: conditions are pure."""
    data = {"items": [3, 1]}
    compile_expression(text).evaluate(data)
    assert data == {"items": [3, 1]}
