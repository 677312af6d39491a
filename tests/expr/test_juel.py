"""JUEL-lite and the Java-like expressions of jBPM."""

import pytest

from bpmnsim.errors import ExpressionError
from bpmnsim.expr import compile_expression

DATA = {
    "x": 11,
    "name": "Ann",
    "ok": True,
    "nothing": None,
    "order": {"total": 150, "items": [{"price": 5}], "empty": 7},
    "rates": {"EUR": 1.5},
    "xs": [3, 1, 2],
    "none": [],
    "loopCounter": 2,
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${x > 10}", True),
        ("#{x gt 10 and x le 11}", True),
        ("${x lt 10 || x ge 11}", True),
        ("${not (x eq 11) or name ne 'Ann'}", False),
        ("${!ok && ok}", False),
        ("${ok ? 'a' : nothing ? 'b' : 'c'}", "a"),
        ("${5-2}", 3),
        ("${-x + 1}", -10),
        ("${1 / 2 >= 0.5}", True),
        ("${7 div 2}", 3.5),
        ("${7 mod 3 + 7 % 4}", 4),
        ("${2 + 3 * 4 - (1 + 1)}", 12),
        ("${'a' == \"a\"}", True),
        (r"${'it\'s'}", "it's"),
        ("${'}'}", "}"),
        ("${x == '11'}", False),
        ("${ok == 1}", False),
        ("${nothing == null}", True),
        ("${empty none && empty nothing && empty '' && !empty xs}", True),
        ("${order.total}", 150),
        ("${order['total']}", 150),
        ("${order.items[0].price}", 5),
        ("${order.empty}", 7),
        ("${rates['EUR']}", 1.5),
        ("${xs.size() == 3 && name.length() == 3}", True),
        ("${name.equals('Ann') && !name.equals(11)}", True),
        ("${name.equalsIgnoreCase('ANN')}", True),
        ("${xs.contains(3.0) && name.contains('nn') && rates.containsKey('EUR')}", True),
        ("${none.isEmpty()}", True),
        ("${xs.get(1)}", 1),
        ("${rates.get('GBP')}", None),
        ("${name.startsWith('A') && name.endsWith('n')}", True),
        ("${name.toUpperCase().toLowerCase().trim()}", "ann"),
        ("${execution.getVariable('x')}", 11),
        ("${execution.getVariable('y')}", None),
        ("${execution.hasVariable('x') && !execution.hasVariable('y')}", True),
        ("My Task ${loopCounter}", "My Task 2"),
        ("${name} has #{ok}, ${nothing}, ${1.5}.", "Ann has true, , 1.5."),
        ("\n        ${x <= 11}\n      ", True),
        ("${1.5e2}", 150.0),
    ],
)
def test_value(text, value):
    """Issue "expr": JUEL-lite; lessons.md section C; DAT-06 for paths."""
    expression = compile_expression(text)
    assert (expression.language, expression.problem) == ("juel", None)
    found = expression.evaluate(DATA)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("return x > 10;", True),
        ("return !ok;", False),
        (' return name.equals("Ann") && x == 11 ; ', True),
        ("return order.total >= 150L ? 1 : 2.5f;", 1),
        ("return nothing == null;", True),
        ("return 'a' + \"b\";", "ab"),
        ("return x !== 11 || x === 11;", True),
    ],
)
def test_java_value(text, value):
    """Issue "expr": the `return x > 10;` of jBPM."""
    expression = compile_expression(text)
    assert (expression.language, expression.problem) == ("java", None)
    assert expression.evaluate(DATA) == value


def test_java_without_return():
    """Issue "expr": MVEL conditions are expressions without `return`, or written `#{…}`."""
    for text in ("x > 10", "x > 10;", "#{x > 10}"):
        assert compile_expression(text, language="http://www.mvel.org/2.0").evaluate(DATA) is True


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("${order.total > 100 && x}", ("order.total", "x")),
        ("${order.items[i].price}", ("i", "order.items")),
        ("${order.items.size()}", ("order.items",)),
        ("${execution.hasVariable('x') && execution.getVariable('y')}", ("x", "y")),
        ("a ${b} c ${d}", ("b", "d")),
    ],
)
def test_reads(text, reads):
    """CND-03: the declared read paths."""
    assert compile_expression(text).reads == reads


@pytest.mark.parametrize(
    ("text", "missing"),
    [("${y > 1}", "y"), ("${order.totl}", "order.totl"), ('${rates["GBP"]}', 'rates["GBP"]'), ("a ${y}", "y")],
)
def test_missing_value_is_named_with_its_path(text, missing):
    """DAT-06, design section 4: a condition that cannot be evaluated names the missing name."""
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text).evaluate(DATA)
    assert caught.value.missing == missing


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("${name < 5}", "'<' not supported between instances of 'str' and 'int'"),
        ("${!name}", "'!' needs a boolean, and name is a value of type str"),
        ("${x && ok}", "'&&' needs a boolean, and x is a value of type int"),
        ("${nothing || ok}", "'||' needs a boolean, and nothing is null"),
        ("${x ? 1 : 2}", "'?' needs a boolean, and x is a value of type int"),
        ("${nothing.size()}", "nothing is null, so it has no size()"),
        ("${x.startsWith('a')}", "a value of type int is no text"),
        ("${x / 0}", "division by zero"),
        ("${name * 2}", "'*' does not apply to a value of type str and a value of type int"),
        ("${order}!", "a value of type dict has no text"),
    ],
)
def test_operation_that_does_not_apply_is_an_error(text, message):
    """FLW-04: an evaluation error is an ExpressionError, never a silent false."""
    expression = compile_expression(text)
    assert expression.problem is None
    with pytest.raises(ExpressionError) as caught:
        expression.evaluate(DATA)
    assert caught.value.message == f'{message}, in "{text}"'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("${someBean.check(x)}", "unknown method 'check'"),
        ("${name.equal('Ann')}", "unknown method 'equal'; did you mean 'equals'?"),
        ("${name.equals()}", "method 'equals' does not take the values given to it"),
        ("${check(x)}", "unknown function 'check'"),
        ("${execution.getVariable(x)}", "execution.getVariable() takes one name in quotes"),
        ("${execution.getProcessInstanceId()}", "unknown method 'getProcessInstanceId'"),
        ("${x", "not a JUEL expression: a brace is not closed"),
        ("${}", "not a JUEL or Java-like expression: it ends too early"),
        ("${x = 5}", "not a JUEL or Java-like expression: unexpected '=' at character 3"),
        ("${x y}", "not a JUEL or Java-like expression: unexpected 'y' at character 3"),
        ("return x; y", "not a JUEL or Java-like expression: unexpected ';' at character 3"),
        ("return new Date();", "not a JUEL or Java-like expression: unexpected 'Date' at character 6"),
    ],
)
def test_what_is_not_available_is_a_problem(text, problem):
    """Lessons.md section C: what is not understood is an error at import, never a silent null."""
    expression = compile_expression(text)
    assert expression.problem == problem
    with pytest.raises(ExpressionError):
        expression.evaluate(DATA)
