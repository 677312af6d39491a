"""A package as its source: modules, and what they import. The checks beside this file import nothing of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "bpmnsim"
Plant = Callable[[dict[str, str]], Path]


@dataclass(frozen=True)
class Import:
    """One imported name: its dotted path, and the functions or TYPE_CHECKING blocks around it."""

    line: int
    target: str
    inside: tuple[str, ...]


class Module:
    """One file of the package at *root*."""

    def __init__(self, root: Path, path: Path) -> None:
        self.root = root
        self.file = path.relative_to(root).as_posix()
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)

    @cached_property
    def name(self) -> str:
        """Dotted name below the package: ``engine.loop``; ``engine`` for its ``__init__``; ``__init__`` at the top."""
        parts = self.file.removesuffix(".py").split("/")
        return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)

    @cached_property
    def layer(self) -> str:
        """First part of the name: the row of the table of layers that binds it."""
        return self.name.split(".")[0]

    def imports(self) -> Iterator[Import]:
        """Every import, also those inside functions; a path that begins with a dot lies in the package itself."""
        for node, inside in _walk(self.tree, ()):
            for target in self._targets(node):
                yield Import(node.lineno, target, inside)

    def _targets(self, node: ast.AST) -> Iterator[str]:
        match node:
            case ast.Import(names):
                yield from (self._resolve(alias.name) for alias in names)
            case ast.ImportFrom(module, names, level):
                base = module or ""
                if level:
                    here = [self.root.name, *self.file.split("/")[:-1]]
                    base = ".".join([*here[: len(here) - level + 1], *([module] if module else [])])
                yield from (self._resolve(base, alias.name) for alias in names)
            case ast.Call(
                ast.Name("import_module") | ast.Attribute(attr="import_module"), [ast.Constant(str(path)), *_]
            ):
                yield self._resolve(path)
            case ast.Call(ast.Name("import_module") | ast.Attribute(attr="import_module")):
                yield "(computed)"

    def _resolve(self, base: str, name: str = "") -> str:
        package, _, rest = base.partition(".")
        if package != self.root.name:
            return base
        path = self.root.joinpath(*filter(None, rest.split(".")), name)
        is_module = path.is_dir() or path.with_name(f"{path.name}.py").is_file()
        return "." + ".".join(filter(None, [rest, name if is_module else ""]))


def _walk(node: ast.AST, inside: tuple[str, ...]) -> Iterator[tuple[ast.AST, tuple[str, ...]]]:
    for child in ast.iter_child_nodes(node):
        yield child, inside
        deeper = inside
        if isinstance(child, ast.FunctionDef):
            deeper = (*inside, child.name)
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            deeper = (*inside, "TYPE_CHECKING")
        yield from _walk(child, deeper)


def modules(root: Path, *layers: str) -> list[Module]:
    """Return the modules of the package at *root*, those of *layers* if given, in the order of their paths."""
    found = [Module(root, path) for path in sorted(root.rglob("*.py"))]
    return [module for module in found if not layers or module.layer in layers]


def covers(prefix: str, name: str) -> bool:
    """Tell whether the dotted *name* is *prefix* or lies below it; the empty prefix covers everything."""
    return not prefix or name == prefix or name.startswith(f"{prefix}.")
