"""What a Python callable sees of the data: the data itself, but nothing that could change it.

Here: views of records and lists, made when they are read, and the call of a function with them. Not here:
expressions in text, which cannot write at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from bpmnsim.errors import ExpressionError

__all__ = ["guard"]


class _MissingKeyError(KeyError):
    """A key that a record does not have, with the path to it."""


class _Record(Mapping[str, Any]):
    """A record that can only be read."""

    __slots__ = ("_data", "_path")

    def __init__(self, data: Mapping[str, Any], path: str = "") -> None:
        self._data = data
        self._path = path

    def __getitem__(self, key: str) -> Any:
        path = f"{self._path}.{key}" if self._path else str(key)
        if key not in self._data:
            raise _MissingKeyError(path)
        return _view(self._data[key], path)

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        return repr(self._data)


class _List(Sequence[Any]):
    """A list that can only be read."""

    __slots__ = ("_data", "_path")

    def __init__(self, data: Sequence[Any], path: str) -> None:
        self._data = data
        self._path = path

    def __getitem__(self, index: Any) -> Any:
        return _view(self._data[index], f"{self._path}[{index}]")

    def __len__(self) -> int:
        return len(self._data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _List | list | tuple) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._data)


def guard(function: Callable[[Mapping[str, object]], object]) -> Callable[[Mapping[str, object]], object]:
    """Return *function*, made to see names that it can only read.

    Parameters
    ----------
    function
        Takes the names and returns the value of an expression.

    Examples
    --------
    >>> guard(lambda names: names["order"]["total"] > 100)({"order": {"total": 150}})
    True
    >>> guard(lambda names: names["items"].append(1))({"items": []})
    Traceback (most recent call last):
    AttributeError: '_List' object has no attribute 'append'

    Notes
    -----
    ITER-CC-12: an attempted write is an error.
    """

    def run(names: Mapping[str, object]) -> object:
        try:
            return _plain(function(_Record(names)))
        except _MissingKeyError as error:
            path = error.args[0]
            raise ExpressionError(f"{path!r} has no value", missing=path) from error

    return run


def _view(value: Any, path: str) -> Any:
    if isinstance(value, Mapping):
        return _Record(value, path)
    if isinstance(value, list | tuple):
        return _List(value, path)
    return frozenset(value) if isinstance(value, set) else value


def _plain(value: Any) -> Any:
    """Return *value* with the data itself in place of views of it."""
    if isinstance(value, _Record | _List):
        return value._data
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
