"""Rows to pandas frames of a declared schema; the only module of the trace that loads pandas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from bpmnsim.errors import InternalError
from bpmnsim.trace.column import Column
from bpmnsim.trace.schema import schema_of

_CLOSED_SETS: dict[tuple[str, ...], pd.CategoricalDtype] = {}


def _dtype(column: Column) -> Any:
    """Return the dtype of a column; equal closed sets share one object, so that frames can be joined."""
    if not column.categories:
        return column.dtype
    return _CLOSED_SETS.setdefault(column.categories, pd.CategoricalDtype(list(column.categories)))


def build_frame(table: str, rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    """Return rows as a frame with the declared columns of *table*, also where there are none.

    Parameters
    ----------
    table
        Name of a declared table.
    rows
        One tuple per row, in the order of the columns.

    Raises
    ------
    InternalError
        If a cell of a closed set holds another value: pandas would quietly make it a missing one.

    Examples
    --------
    >>> build_frame("choices", []).dtypes["step"]
    dtype('int64')
    """
    schema = schema_of(table)
    cells = list(zip(*rows, strict=True)) or [()] * len(schema)
    built = {}
    for (name, column), values in zip(schema.items(), cells, strict=True):
        if column.categories:
            unknown = set(values) - {None, *column.categories}
            if unknown:
                raise InternalError(f"{table}.{name}: {sorted(unknown)} not in the schema")
        built[name] = pd.Series(list(values), dtype=_dtype(column))
    return pd.DataFrame(built)
