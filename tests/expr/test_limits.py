"""Hostile expressions: an ExpressionError or a harmless result within a second and bounded memory."""

import time
import tracemalloc
from contextlib import suppress

import pytest

from bpmnsim.errors import ExpressionError
from bpmnsim.expr import compile_expression

from ..clock import slowness

DIGITS = "[0,1,2,3,4,5,6,7,8,9]"
SECONDS = 1.0  # of the processor
MEGABYTES = 64

HOSTILE = [
    "().__class__.__bases__[0].__subclasses__()",
    "x.__class__.__mro__",
    "''.__format__",
    "order.__dict__",
    "getattr(x, 'y')",
    "__import__('os').system('true')",
    "open('/etc/passwd')",
    "eval('1')",
    "9 ** 9 ** 9 ** 9",
    "2 ** 10 ** 10",
    "(2 ** 4000) ** 4000",
    "10 ** -(10 ** 400)",
    "1e308 * 10 ** 400",
    "1 << 10 ** 10",
    "'a' * 10 ** 9",
    "10 ** 9 * 'a'",
    "[0] * 10 ** 9",
    "[[0] * 10 ** 5] * 10 ** 5",
    "'%9999999999d' % 1",
    "f'{1:>9999999999}'",
    "f'{x:{10**9}}'",
    "round(5, -10 ** 9)",
    "int('9' * 100000)",
    "str(10 ** 4000 * 1)",
    "'9' * 400000 in '9' * 400000",
    f"[a for a in {DIGITS} for b in {DIGITS} for c in {DIGITS} for d in {DIGITS} for e in {DIGITS} for f in {DIGITS}]",
    "sum(1 for a in [0] * 1000 for b in [0] * 1000 for c in [0] * 1000)",
    f"[f'{{a}}{'x' * 9000}' for a in [0] * 100000]",
    "['a' * 100000 + 'b' for a in [0] * 100000]",
    "[[x] * 100000 for a in [0] * 100000]",
    "[2 ** 4000 for a in [0] * 100000]",
    "len(x for x in xs for y in xs)",
    "lambda: (lambda: 1)()",
    "(x := 10 ** 9)",
    "[" * 5000 + "]" * 5000,
    "(" * 5000 + "x" + ")" * 5000,
    "((" * 90 + "x" + "))" * 90,
    "-" * 9000 + "x",
    "not " * 2400 + "x",
    "x" + ".a" * 4900,
    "x" + "[0]" * 3300,
    "x" + "()" * 4900,
    "x" + "+x" * 4900,
    "x" + "**x" * 3300,
    "x" + " < x" * 2400,
    "x" + " and x" * 1600,
    "1 if x else " * 800 + "1",
    "lambda:" * 1400 + "x",
    "{" * 5000,
    "'" * 9999,
    "9" * 9999,
    "x" * 1_000_000,
    "\0",
    "\ud800",
    "${" * 5000,
    "${'" * 3000,
    "${" + "(" * 4900 + "x" + ")" * 4900 + "}",
    "${" + "!" * 9000 + "x}",
    "${" + "not " * 2400 + "x}",
    "${" + "-" * 9000 + "x}",
    "${x" + ".a" * 4900 + "}",
    "${x" + "[0]" * 3300 + "}",
    "${x" + "+x" * 4900 + "}",
    "${x" + "?x" * 2400 + ":x" * 2400 + "}",
    "${x" + ".size()" * 1400 + "}",
    "${x.__class__}",
    "${''.getClass().forName('java.lang.Runtime')}",
    "${'a' * 1000000000}",
    "${" + "9" * 9000 + "}",
    "${" + "9" * 4000 + " * " + "9" * 4000 + "}",
    "${x}" * 2500,
    "=" + "(" * 4900 + "x" + ")" * 4900,
    "=" + "[" * 4900 + "x" + "]" * 4900,
    "=" + "-" * 9000 + "x",
    "=" + "not(" * 2000 + "x" + ")" * 2000,
    "=x" + ".a" * 4900,
    "=x" + "[1]" * 3300,
    "=x" + "+x" * 4900,
    "=" + "if x then " * 900 + "1",
    "=" + "for i in 1..1000000000 return " * 3 + "i",
    "=" + "for i in 1..10000 return " * 3 + "i",
    '=for i in 1..100000 return "' + "a" * 9000 + '" + "b"',
    "=count(for i in 1..100000, j in 1..100000 return 1)",
    "=some i in 1..100000, j in 1..100000 satisfies false",
    "=9 ** 9 ** 9 ** 9",
    "=[9 ** 999999999]",
    '="a" * 1000000000',
    "=" + "a b" * 3000,
    "=starts" + " " * 9000 + "with(x)",
    "return " + "(" * 4900 + "x" + ")" * 4900 + ";",
    "return" + " " * 9900,
    ";" * 9999,
]
DOUBLING = "[1]"
FEEL_DOUBLING = "[1]"
for _ in range(28):
    DOUBLING = f"[[z, z] for z in [{DOUBLING}]]"
    FEEL_DOUBLING = f"(for z in [{FEEL_DOUBLING}] return [z, z])"
HOSTILE += [DOUBLING, f"{DOUBLING} == {DOUBLING}", f"={FEEL_DOUBLING}", f"={FEEL_DOUBLING} = {FEEL_DOUBLING}"]


@pytest.mark.parametrize("text", HOSTILE, ids=[f"{i}:{text[:24]!r}" for i, text in enumerate(HOSTILE)])
def test_hostile_text_ends_soon_in_little_memory(text):
    """Issue: attribute tricks, giant powers and strings end as a BpmnSimError or a harmless result."""
    compile_expression("${x}"), compile_expression("=x"), compile_expression("x")  # the parsers are loaded
    names = {"x": 3, "xs": [1, 2], "order": {"total": 5}}
    start = time.process_time()
    with suppress(ExpressionError):
        compile_expression(text).evaluate(names)
    taken = time.process_time() - start
    assert taken < SECONDS * slowness()
    tracemalloc.start()
    with suppress(ExpressionError):
        compile_expression(text).evaluate(names)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MEGABYTES * 2**20


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("${" + "(" * 4900 + "x" + ")" * 4900 + "}", "it nests deeper than 100"),
        ("=" + "(" * 4900 + "x" + ")" * 4900, "it nests deeper than 100"),
        ("(" * 4900 + "x" + ")" * 4900, "it nests deeper than 100"),
        ("-" * 150 + "x", "it nests deeper than 100"),
        ("[" + "x," * 4999 + "]", None),
        ("[" + "1," * 2500 + "x" + "+1" * 2400 + "]", "it nests deeper than 100"),
        ("x" + " < 1" * 2499, None),
    ],
)
def test_size_is_limited_when_parsed(text, problem):
    """Issue "expr": limits on size and depth; too deep is a problem, not a RecursionError."""
    assert compile_expression(text).problem == problem


def test_work_is_limited_when_evaluated():
    """Issue "expr": loops over loops end with an error that says why."""
    with pytest.raises(ExpressionError, match="more than 500000 units of work"):
        compile_expression("sum(1 for a in xs for b in xs)").evaluate({"xs": [0] * 10_000})


def test_size_of_a_result_is_limited():
    """Issue "expr": a result that is small in memory and large when written is refused."""
    with pytest.raises(ExpressionError, match="the result has more than 10000000 elements"):
        compile_expression(DOUBLING).evaluate({})


def test_large_data_is_no_problem_as_such():
    """Design section 10: a condition over the data of a wide iteration works."""
    names = {"items": [{"ok": index % 2 == 0} for index in range(100_000)], "text": "a" * 1_000_000}
    assert compile_expression("len(items)").evaluate(names) == 100_000
    assert compile_expression("items").evaluate(names) is names["items"]
    assert compile_expression("text").evaluate(names) is names["text"]
    assert (
        compile_expression("sum(1 for item in items if item.ok)").evaluate({"items": names["items"][:50_000]}) == 25_000
    )
    assert compile_expression("=count(items[ok])").evaluate(names) == 50_000


def test_deep_and_cyclic_data_is_an_error():
    """Design section 8: whatever the data is, an ExpressionError is all that comes out."""
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    cyclic: list[object] = []
    cyclic.append(cyclic)
    other: list[object] = []
    other.append(other)
    with pytest.raises(ExpressionError, match="units of work"):
        compile_expression("a == b").evaluate({"a": deep, "b": [deep[0]]})
    with pytest.raises(ExpressionError, match="units of work"):
        compile_expression("a == b").evaluate({"a": cyclic, "b": other})
    with pytest.raises(ExpressionError, match="nests too deep"):
        compile_expression("[a]").evaluate({"a": cyclic})
    while deep:
        deep = deep[0]
