"""Nothing reaches a run but its model, inputs and schedule (style sections 1.3 and 2.4, design section 9)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from .source import PACKAGE, Plant, modules

RUNNING = ("engine", "semantics", "choices")
AMBIENT = {
    "asyncio",
    "concurrent",
    "multiprocessing",
    "os",
    "secrets",
    "socket",
    "subprocess",
    "threading",
    "time",
    "uuid",
}
NOT_PORTABLE = {
    "choice",
    "expovariate",
    "gauss",
    "getrandbits",
    "lognormvariate",
    "normalvariate",
    "randbytes",
    "randint",
}
NOT_PORTABLE |= {"randrange", "shuffle", "triangular", "uniform", "weibullvariate"}
SET_OPERATORS = ast.BitOr | ast.BitAnd | ast.BitXor | ast.Sub
SET_METHODS = {"union", "intersection", "difference", "symmetric_difference", "copy"}
ORDER_FREE = {"sorted", "set", "frozenset", "any", "all", "len", "min", "max"}
ORDER_SEEN = {"list", "tuple", "iter", "enumerate", "map", "zip", "join", "extend", "fromkeys"}


def ambient_input(root: Path) -> list[str]:
    """Clocks, threads, the environment, `hash` and `id` where a run is computed."""
    findings = []
    for module in modules(root, *RUNNING):
        for found in module.imports():
            if found.target.split(".")[0] in AMBIENT:
                findings.append(f"{module.file}:{found.line}: imports {found.target}")
        for node in ast.walk(module.tree):
            match node:
                case ast.Call(ast.Name("hash" | "id")):
                    findings.append(f"{module.file}:{node.lineno}: calls {node.func.id}")
                case ast.Attribute(ast.Name("datetime" | "date") | ast.Attribute(attr="datetime" | "date"), attr):
                    if attr in {"now", "utcnow", "today"}:
                        findings.append(f"{module.file}:{node.lineno}: reads the clock: {attr}")
    return findings


def random_source(root: Path) -> list[str]:
    """`random` outside `choices`, and there anything but `Random(key).random()`, the one portable sequence."""
    findings = []
    for module in modules(root):
        for found in module.imports():
            if found.target == "random" and module.layer != "choices":
                findings.append(f"{module.file}:{found.line}: imports random")
        for node in ast.walk(module.tree) if module.layer == "choices" else ():
            used = []
            match node:
                case ast.ImportFrom("random", names):
                    used = [alias.name for alias in names if alias.name != "Random"]
                case ast.Attribute(ast.Name("random"), attr) if attr != "Random":
                    used = [attr]
                case ast.Call(ast.Attribute(attr=attr)) if attr in NOT_PORTABLE:
                    used = [attr]
            findings += [f"{module.file}:{node.lineno}: uses {name} of random" for name in used]
    return sorted(set(findings))


def code_from_text(root: Path) -> list[str]:
    """Builtins that turn text into running code, in any module."""
    return [
        f"{module.file}:{node.lineno}: uses {node.id}"
        for module in modules(root)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Name) and node.id in {"eval", "exec", "compile", "__import__"}
    ]


def set_order(root: Path) -> list[str]:
    """Places where a run is computed that see the order of a set.

    A heuristic: local names are followed within their function, attributes within their module.
    """
    findings = []
    for module in modules(root, *RUNNING):
        fields = set_attributes(module.tree)
        scopes = [
            module.tree,
            *(node for node in ast.walk(module.tree) if isinstance(node, ast.FunctionDef | ast.Lambda)),
        ]
        lines = {line for scope in scopes for line in lines_seeing_order(scope, fields)}
        findings += [f"{module.file}:{line}: sees the order of a set" for line in sorted(lines)]
    return findings


def set_attributes(tree: ast.Module) -> set[str]:
    """Attributes that some class or method of the module declares or fills as a set, each with a leading dot."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(body=body):
                found |= {
                    f".{field.target.id}" for field in body if isinstance(field, ast.AnnAssign) and set_type(field)
                }
            case ast.Assign([ast.Attribute(attr=attr)], value) if is_set(value, set()):
                found.add(f".{attr}")
            case ast.AnnAssign(ast.Attribute(attr=attr)) if set_type(node):
                found.add(f".{attr}")
    return found


def lines_seeing_order(scope: ast.AST, fields: set[str]) -> Iterator[int]:
    nodes = list(nodes_of(scope))
    names = set(fields)
    for node in nodes:
        match node:
            case ast.Assign(targets, value) if is_set(value, names):
                names |= {ast.unparse(target) for target in targets}
            case ast.AnnAssign(target, value=value) if set_type(node) or (value and is_set(value, names)):
                names.add(ast.unparse(target))
            case ast.arg(arg) if set_type(node):
                names.add(arg)
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    order_free = {argument for call in calls if call.func.id in ORDER_FREE for argument in call.args}
    for node in nodes:
        seen: list[ast.expr] = []
        match node:
            case (
                ast.For(iter=over) | ast.Starred(over) | ast.YieldFrom(over) | ast.Call(ast.Attribute(over, "pop"), [])
            ):
                seen = [over]
            case ast.ListComp() | ast.GeneratorExp() | ast.DictComp() if node not in order_free:
                seen = [clause.iter for clause in node.generators]
            case ast.Call(ast.Name(name) | ast.Attribute(attr=name), args) if (
                name in ORDER_SEEN and node not in order_free
            ):
                seen = args
        yield from (node.lineno for over in seen if is_set(over, names))


def nodes_of(scope: ast.AST) -> Iterator[ast.AST]:
    """Walk *scope*, but not the functions inside it, which are scopes of their own."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield from nodes_of(child)


def is_set(node: ast.expr, names: set[str]) -> bool:
    match node:
        case ast.Set() | ast.SetComp() | ast.Call(ast.Name("set" | "frozenset")):
            return True
        case ast.Name(name):
            return name in names
        case ast.Attribute(attr=attr):
            return f".{attr}" in names or ast.unparse(node) in names
        case ast.BinOp(left, op, right) if isinstance(op, SET_OPERATORS):
            return any(is_set(side, names) or ast.unparse(side).endswith(".keys()") for side in (left, right))
        case ast.Call(ast.Attribute(value, method)) if method in SET_METHODS:
            return is_set(value, names)
        case ast.IfExp(body=body, orelse=orelse):
            return is_set(body, names) or is_set(orelse, names)
    return False


def set_type(node: ast.AnnAssign | ast.arg) -> bool:
    text = ast.unparse(node.annotation).strip("'\"") if node.annotation else ""
    return re.match(r"(set|frozenset|Set|AbstractSet)\b", text) is not None


def test_no_ambient_input() -> None:
    """Design 9: no uuid, time, threading, asyncio, clock, hash or id in engine, semantics and choices."""
    assert ambient_input(PACKAGE) == []


def test_random_only_in_choices() -> None:
    """Design 9: picks come from Random(key).random() alone, and only choices imports random."""
    assert random_source(PACKAGE) == []


def test_no_code_from_text() -> None:
    """Models are untrusted: no eval, exec or compile anywhere."""
    assert code_from_text(PACKAGE) == []


def test_no_order_of_a_set() -> None:
    """Design 9: no set iteration in engine, semantics and choices."""
    assert set_order(PACKAGE) == []


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        ("import time", "imports time"),
        ("from uuid import uuid4", "imports uuid"),
        ("def late():\timport threading", "imports threading"),
        ("import asyncio.events", "imports asyncio.events"),
        ("start = datetime.now()", "reads the clock: now"),
        ("start = datetime.datetime.utcnow()", "reads the clock: utcnow"),
        ("start = date.today()", "reads the clock: today"),
        ("key = hash(node)", "calls hash"),
        ("key = id(node)", "calls id"),
    ],
)
@pytest.mark.parametrize("layer", RUNNING)
def test_ambient_input_is_found(plant: Plant, layer: str, line: str, finding: str) -> None:
    """Design 9: each of these would make two equal calls differ."""
    root = plant({f"{layer}/part.py": line, "views/part.py": line, "explore/part.py": line})
    assert ambient_input(root) == [f"{layer}/part.py:1: {finding}"]


def test_virtual_time_and_own_names_pass(plant: Plant) -> None:
    """Design 4: the virtual clock may be called now, and an element has an id."""
    root = plant(
        {"engine/clock.py": "import datetime\nnow = clock.now()\nid = node.id\nnode.hash()\ndatetime.datetime(1, 1, 1)"}
    )
    assert ambient_input(root) == []


@pytest.mark.parametrize(
    ("file", "line", "finding"),
    [
        ("engine/loop.py", "import random", "imports random"),
        ("testing/kit.py", "def late():\tfrom random import Random", "imports random"),
        ("choices/choosers.py", "from random import shuffle", "uses shuffle of random"),
        ("choices/choosers.py", "k = random.random()", "uses random of random"),
        ("choices/choosers.py", "k = self.stream.randrange(3)", "uses randrange of random"),
    ],
)
def test_another_source_of_randomness_is_found(plant: Plant, file: str, line: str, finding: str) -> None:
    """Design 9: other modules, the shared generator and sequences that Python does not promise."""
    assert random_source(plant({file: line})) == [f"{file}:1: {finding}"]


def test_the_portable_sequence_passes_in_choices(plant: Plant) -> None:
    """Design 9: Random(key).random() in choices."""
    text = "import random\nfrom random import Random\nk = int(random.Random(7).random() * 3) + Random(8).random()"
    assert random_source(plant({"choices/choosers.py": text})) == []


@pytest.mark.parametrize("name", ["eval", "exec", "compile", "__import__"])
def test_code_from_text_is_found(plant: Plant, name: str) -> None:
    """Also where the builtin is only passed on; `re.compile` is something else."""
    root = plant({"expr/feel.py": f"re.compile('x')\nrun = {name}", "cli.py": f"{name}('1')"})
    assert code_from_text(root) == [f"cli.py:1: uses {name}", f"expr/feel.py:2: uses {name}"]


@pytest.mark.parametrize(
    "text",
    [
        "for x in {1, 2}: pass",
        "for x in set(rows): pass",
        "y = [x for x in {r for r in rows}]",
        "y = {x: 1 for x in frozenset(rows)}",
        "y = sum(x for x in set(rows))",
        "y = tuple(set(rows))",
        "y = ' '.join({1, 2})",
        "y = [*{1, 2}]",
        "y = next(iter(set(rows)))",
        "y = set(rows).pop()",
        "for x in before.keys() - after: pass",
        "def f(rows):\n  left = set(rows)\n  right = left | other\n  for x in right: pass",
        "def f(rows: set[int]):\n  for x in rows if rows else (): pass",
        "def f(rows):\n  left: frozenset[int] = g(rows)\n  yield from left",
        "class A:\n  left: set[int]\n  def f(self):\n    for x in self.left: pass",
        "class A:\n  def g(self): self.left = set()\n  def f(self): return list(self.left)",
    ],
)
def test_seeing_the_order_of_a_set_is_found(plant: Plant, text: str) -> None:
    """Design 9: loops, comprehensions and calls over displays, `set(...)`, set operators and names of sets."""
    root = plant({"engine/part.py": text, "views/part.py": text})
    assert set_order(root) == [f"engine/part.py:{len(text.splitlines())}: sees the order of a set"]


@pytest.mark.parametrize(
    "text",
    [
        "for x in sorted({1, 2}): pass",
        "y = sorted(x.id for x in set(rows))",
        "y = sorted(list({1, 2}))",
        "y = {x for x in set(rows)}",
        "y = any(x > 1 for x in {1, 2})",
        "y = 1 in {1, 2}",
        "for x in dict.fromkeys(rows): pass",
        "def f(rows):\n  left = set(rows)\ndef g(left):\n  for x in left: pass",
        "y = stack.pop()",
    ],
)
def test_a_set_whose_order_nobody_sees_passes(plant: Plant, text: str) -> None:
    """Design 9: membership, sorting and order-free results are fine."""
    assert set_order(plant({"semantics/part.py": text})) == []
