"""Python-style expressions: simpleeval over a checked syntax tree.

Here: which Python syntax and which functions an expression may use, and what it reads. Records are read with a
dot or brackets. Not here: arithmetic and its limits (``operations``).
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from simpleeval import EvalWithCompoundTypes

from bpmnsim.errors import ExpressionError
from bpmnsim.expr import operations as ops
from bpmnsim.expr.functions import FUNCTIONS, require_call, text_of
from bpmnsim.expr.limits import TOO_DEEP, Work, require_bits, require_size

__all__ = ["parse"]

_C_LIKE = re.compile(r"&&|\|\||!(?!=)")
_CONSTANTS = {"true": True, "false": False, "null": None}
_SINGLETONS = frozenset({"None", "True", "False", *_CONSTANTS})


def parse(text: str) -> tuple[Callable[[Mapping[str, object]], object], frozenset[str]]:
    """Return a function that evaluates *text* over names, and the names and dotted paths it reads.

    Parameters
    ----------
    text
        One Python expression; line breaks count as spaces.

    Raises
    ------
    ExpressionError
        If the text is not an expression, is too large, or uses what is not available.

    Examples
    --------
    >>> run, reads = parse("order.total > 100 and len(items) > 1")
    >>> run({"order": {"total": 150}, "items": [1, 2]}), sorted(reads)
    (True, ['items', 'order.total'])
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a doubtful escape in the text is no warning of ours
            tree = ast.parse(" ".join(text.splitlines()), mode="eval").body
    except (SyntaxError, ValueError) as error:  # how Python words its reason depends on its version
        if "too many nested" in str(error):
            raise ExpressionError(TOO_DEEP) from None
        hint = "Python-style conditions use and, or, not" if _C_LIKE.search(text) else None
        raise ExpressionError("not a Python-style expression", hint=hint) from None
    except (MemoryError, RecursionError):
        raise ExpressionError(TOO_DEEP) from None
    _check(tree)
    return lambda names: _Evaluator(names).result(tree), frozenset(_reads(tree, frozenset()))


class _Evaluator(EvalWithCompoundTypes, Work):  # type: ignore[misc]
    """simpleeval without Python attributes, and the work it may do; one object per evaluation.

    Only nodes in ``_HANDLERS`` are evaluated. What simpleeval keeps on the evaluator (operators, names) is
    made per evaluation, so that one parsed expression may be evaluated in several threads.
    """

    operators: ClassVar = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}

    def __init__(self, names: Mapping[str, object]) -> None:
        Work.__init__(self)
        self.names = names

    def __del__(self) -> None:
        """Nothing to release, unlike in simpleeval."""

    def result(self, tree: ast.expr) -> object:
        return self.finish(self._eval(tree))

    def _eval(self, node: ast.AST) -> Any:
        self.left -= 1
        if self.left < 0:
            self.spend(0)
        return _HANDLERS[type(node)](self, node)

    def _eval_constant(self, node: ast.Constant) -> object:
        return node.value

    def _eval_name(self, node: ast.Name) -> object:
        try:
            return self.names[node.id]
        except KeyError:
            if node.id in _CONSTANTS:
                return _CONSTANTS[node.id]
            raise ExpressionError(f"{node.id!r} has no value", missing=node.id) from None

    def _eval_attribute(self, node: ast.Attribute) -> object:
        return ops.member(self._eval(node.value), node.attr, lambda: ast.unparse(node))

    def _eval_subscript(self, node: ast.Subscript) -> object:
        values, key = self._eval(node.value), self._eval(node.slice)
        if not isinstance(key, slice):
            return ops.pick(values, key, lambda: ast.unparse(node.value))
        if not isinstance(values, list | tuple | str):
            raise TypeError("only a list or text has slices")
        part = values[key]
        self.make(len(part))
        return part

    def _eval_binop(self, node: ast.BinOp) -> object:
        return _BINARY[type(node.op)](self._eval(node.left), self._eval(node.right), self)

    def _eval_compare(self, node: ast.Compare) -> bool:
        left = self._eval(node.left)
        for sign, operand in zip(node.ops, node.comparators, strict=True):
            right = self._eval(operand)
            if not _COMPARE[type(sign)](left, right, self):
                return False
            left = right
        return True

    def _eval_call(self, node: ast.Call) -> object:
        assert isinstance(node.func, ast.Name)  # _check saw to it
        keywords = {str(keyword.arg): self._eval(keyword.value) for keyword in node.keywords}
        return FUNCTIONS[node.func.id](self, *[self._eval(arg) for arg in node.args], **keywords)

    def _eval_list(self, node: ast.List | ast.Tuple) -> list[object]:
        self.make(len(node.elts))
        return [self._eval(element) for element in node.elts]

    def _eval_dict(self, node: ast.Dict) -> dict[object, object]:
        self.make(len(node.keys))
        return {self._eval(key): self._eval(value) for key, value in zip(node.keys, node.values, strict=True) if key}

    def _eval_joinedstr(self, node: ast.JoinedStr) -> str:
        return text_of(self, "".join(str(self._eval(part)) for part in node.values))

    def _eval_formattedvalue(self, node: ast.FormattedValue) -> str:
        return text_of(self, self._eval(node.value))

    def _eval_comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> list[object]:
        result: list[object] = []
        outer = self.names

        def run(depth: int) -> None:
            if depth == len(node.generators):
                self.make(1)
                result.append(self._eval(node.elt))
                return
            part = node.generators[depth]
            for value in ops.iterate(self._eval(part.iter), self):
                _bind(part.target, value, local)
                if all(self._eval(test) for test in part.ifs):
                    run(depth + 1)

        local: dict[str, object] = {}
        self.names = ChainMap(local, outer)  # type: ignore[arg-type]
        run(0)
        self.names = outer
        return result


def _bind(target: ast.expr, value: Any, local: dict[str, object]) -> None:
    if isinstance(target, ast.Name):
        local[target.id] = value
    elif isinstance(target, ast.Tuple):
        for part, item in zip(target.elts, value, strict=True):
            _bind(part, item, local)


def _check(tree: ast.expr) -> None:
    """Refuse what is too large or not available, so that evaluation meets only what it knows."""
    size = 0
    todo: list[tuple[ast.AST, int]] = [(tree, 1)]
    while todo:
        node, depth = todo.pop()
        if isinstance(node, ast.expr | ast.comprehension | ast.keyword):
            size += 1
            require_size(depth, size)
            _check_node(node)
            todo.extend((child, depth + 1) for child in ast.iter_child_nodes(node))


def _check_node(node: ast.AST) -> None:
    match node:
        case ast.Constant(value=value) if type(value) not in (str, int, float, bool, type(None)):
            raise ExpressionError(f"a literal of type {type(value).__name__} is not available")
        case ast.Constant(value=int(value)):
            require_bits(value.bit_length())
        case ast.Attribute(attr=name) if name.startswith("_"):
            raise ExpressionError(f"{name!r} is not available: it starts with an underscore")
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
            require_call("function", name, FUNCTIONS, len(args), [str(keyword.arg) for keyword in keywords])
        case ast.Call():
            raise ExpressionError("methods are not available", hint=f"functions are: {', '.join(FUNCTIONS)}")
        case ast.BinOp(op=operation) if type(operation) not in _BINARY:
            raise ExpressionError(f"the operator {type(operation).__name__} is not available")
        case ast.UnaryOp(op=ast.Invert()):
            raise ExpressionError("the operator ~ is not available")
        case ast.Compare(ops=signs, comparators=operands):
            for index, (sign, operand) in enumerate(zip(signs, operands, strict=True)):
                if isinstance(sign, ast.In | ast.NotIn) and isinstance(operand, ast.Set):
                    operands[index] = ast.List(operand.elts, ast.Load())  # a set has no order, but `in` needs none
                if isinstance(sign, ast.Is | ast.IsNot) and ast.unparse(operand) not in _SINGLETONS:
                    raise ExpressionError("'is' is for None, True and False", hint="write ==")
        case ast.Dict(keys=keys) if None in keys:
            raise ExpressionError("** is not available")
        case ast.FormattedValue(conversion=conversion, format_spec=spec) if conversion != -1 or spec is not None:
            raise ExpressionError("a format in an f-string is not available")
        case ast.comprehension(is_async=1):
            raise ExpressionError("'async' is not available")
        case ast.comprehension(target=target) if any(
            not isinstance(part, ast.Name | ast.Tuple | ast.expr_context) for part in ast.walk(target)
        ):
            raise ExpressionError("a comprehension can only assign to names")
        case ast.expr() if type(node) not in _HANDLERS:
            raise ExpressionError(f"{type(node).__name__} is not available")


def _reads(node: ast.AST, bound: frozenset[str]) -> Iterator[str]:
    """Yield the names and dotted paths that *node* reads, *bound* being names of its own."""
    path = _path(node)
    if path:
        if path[0] not in bound and path[0] not in _CONSTANTS:
            yield ".".join(path)
        return
    match node:
        case ast.ListComp(elt=element, generators=parts) | ast.GeneratorExp(elt=element, generators=parts):
            for part in parts:
                yield from _reads(part.iter, bound)
                bound |= {name.id for name in ast.walk(part.target) if isinstance(name, ast.Name)}
                for test in part.ifs:
                    yield from _reads(test, bound)
            yield from _reads(element, bound)
        case ast.Call(args=args, keywords=keywords):
            for child in (*args, *keywords):
                yield from _reads(child, bound)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _reads(child, bound)


def _path(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=name):
            return (name,)
        case ast.Attribute(value=owner, attr=name):
            path = _path(owner)
            return (*path, name) if path else ()
    return ()


_BINARY: dict[type[ast.operator], Callable[[Any, Any, Work], Any]] = {
    ast.Add: ops.add,
    ast.Sub: ops.subtract,
    ast.Mult: ops.repeat,
    ast.Div: ops.divide,
    ast.FloorDiv: ops.floor_divide,
    ast.Mod: ops.modulo,
    ast.Pow: ops.power,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any, Work], bool]] = {
    ast.Eq: ops.equal,
    ast.NotEq: lambda left, right, work: not ops.equal(left, right, work),
    ast.Lt: ops.order(operator.lt),
    ast.LtE: ops.order(operator.le),
    ast.Gt: ops.order(operator.gt),
    ast.GtE: ops.order(operator.ge),
    ast.In: lambda left, right, work: ops.contains(right, left, work),
    ast.NotIn: lambda left, right, work: not ops.contains(right, left, work),
    ast.Is: lambda left, right, _: left is right,
    ast.IsNot: lambda left, right, _: left is not right,
}
_HANDLERS: dict[type[ast.AST], Callable[[_Evaluator, Any], Any]] = {
    ast.Constant: _Evaluator._eval_constant,
    ast.Name: _Evaluator._eval_name,
    ast.Attribute: _Evaluator._eval_attribute,
    ast.Subscript: _Evaluator._eval_subscript,
    ast.Slice: _Evaluator._eval_slice,
    ast.UnaryOp: _Evaluator._eval_unaryop,
    ast.BinOp: _Evaluator._eval_binop,
    ast.BoolOp: _Evaluator._eval_boolop,
    ast.Compare: _Evaluator._eval_compare,
    ast.IfExp: _Evaluator._eval_ifexp,
    ast.Call: _Evaluator._eval_call,
    ast.List: _Evaluator._eval_list,
    ast.Tuple: _Evaluator._eval_list,
    ast.Dict: _Evaluator._eval_dict,
    ast.ListComp: _Evaluator._eval_comprehension,
    ast.GeneratorExp: _Evaluator._eval_comprehension,
    ast.JoinedStr: _Evaluator._eval_joinedstr,
    ast.FormattedValue: _Evaluator._eval_formattedvalue,
}
