"""Declared schemas: the same for empty and filled tables; closed sets are closed (style 4.4)."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

import bpmnsim as bs
from bpmnsim.errors import InternalError, SimulationError
from bpmnsim.model import Model
from bpmnsim.trace import Trace
from bpmnsim.trace.frames import build_frame
from bpmnsim.trace.schema import SCHEMAS, columns, schema_of

PROMISED = {
    "facts": "step time instance kind phase node node_name scope track ordinal activation detail",
    "tokens": "instance track parent host_track merged_into node node_name scope track_state token_state via_flow "
    "entered left entered_time left_time",
    "scopes": "instance scope parent node ordinal activation opened closed outcome peak_tokens",
    "barriers": "instance host activation step event ordinal n open pending delivered completed active terminated "
    "condition output",
    "iterations": "activity activation kind source total completed terminated exit_reason opened closed",
    "inner_instances": "activity activation ordinal identity state opened started closed item output late task_id",
    "joins": "node scope flow track filled empty blocking fired survivor",
    "decisions": "node flow condition value taken",
    "evaluations": "node ordinal role expression values verdict error",
    "throws": "node ordinal kind code counters caught_by",
    "data": "scope name old new by order_dependent",
    "messages": "name key thrown_by received_by ordinal state",
    "waits": "activity ordinal definition armed withdrawn reason",
    "choices": "kind options picked strategy",
    "incidents": "node ordinal error opened resolved",
    "log": "case:concept:name concept:name time:timestamp lifecycle:transition org:resource",
}


def dtypes(table: str) -> dict[str, str]:
    return {name: column.dtype for name, column in schema_of(table).items()}


@pytest.mark.parametrize("table", PROMISED)
def test_promised_columns_are_declared(table: str) -> None:
    """Design 6: at least the columns listed there."""
    assert set(PROMISED[table].split()) <= set(schema_of(table))


@pytest.mark.parametrize("table", SCHEMAS)
def test_an_empty_table_has_the_declared_types(table: str) -> None:
    """Style 4.4: a schema does not depend on data."""
    frame = build_frame(table, [])
    assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == dtypes(table)
    assert isinstance(frame.index, pd.RangeIndex)


@pytest.mark.parametrize("table", [name for name in SCHEMAS if name != "log"])
def test_a_trace_has_every_table_with_the_declared_types(
    table: str, handmade: Callable[..., Trace], iterated: Model
) -> None:
    """Style 4.4: also where nothing happened; the method is documented with its columns."""
    trace = bs.simulate(iterated, data={"xs": []}) if table == "choices" else handmade(iterated, [])
    frame = getattr(trace, table)()
    assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == dtypes(table)
    assert all(f"\n        {name}\n" in getattr(Trace, table).__doc__ for name in schema_of(table))


def test_filled_and_empty_tables_can_be_joined(diamond: Model) -> None:
    """Style 4.4: closed sets share one dtype, so nothing degrades to plain text."""
    filled = bs.simulate(diamond).tokens()
    both = pd.concat([filled, build_frame("tokens", [])])
    assert both["track_state"].dtype == filled["track_state"].dtype
    assert isinstance(both["track_state"].dtype, pd.CategoricalDtype)


def test_a_value_outside_a_closed_set_is_an_error() -> None:
    """Style 4.4: pandas would turn it into a missing value."""
    with pytest.raises(InternalError, match=r"choices.kind: \['dice'\] not in the schema"):
        build_frame("choices", [(1, 0.0, 0, "dice", "a b", "a", "fifo")])


def test_columns_explains_a_table() -> None:
    """Style 4.4: one row per column, in their order, with the values of a closed set."""
    frame = columns("tokens")
    assert frame["column"].tolist() == list(schema_of("tokens"))
    meaning = frame.set_index("column")["meaning"]
    assert meaning["token_state"].endswith("(alive, waiting, consumed, incident)")
    assert frame["meaning"].str.len().min() > 5


def test_columns_of_no_table_names_the_nearest() -> None:
    """Style 4.3: did you mean."""
    with pytest.raises(SimulationError, match="did you mean 'tokens'"):
        columns("token")


def test_values_stay_what_they_are() -> None:
    """DAT-13: lists and dicts of the user's data are cells as they are."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("A") >> b.end("e")
    trace = bs.simulate(b.model(), behaviors={"A": lambda _: {"v": [1, 2], "w": {"k": (3,)}}})
    assert trace.data()["new"].tolist() == [[1, 2], {"k": (3,)}]
