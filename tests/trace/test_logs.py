"""Event logs: the frame, XES read back with lxml, OCEL read back with json."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import bpmnsim as bs
from bpmnsim.errors import SimulationError
from bpmnsim.model import Model
from bpmnsim.trace import Trace

XES = "{http://www.xes-standard.org/}"


def order(**data: Any) -> Trace:
    """Return a run of a timed task, a user task, and a task without name in a sub-process."""
    b = bs.ProcessBuilder("order")
    inner: dict[str, Any] = {"body": lambda sp: sp.start() >> sp.service("check") >> sp.end()}
    chain = b.start("s") >> b.task("pack", name="Pack <it> & go") >> b.user("sign") >> b.subprocess("sp", **inner)
    _ = chain >> b.end("e")
    behaviors = {"check": lambda _: {"secret": 5, "total": 2.5, "lines": ["a"], "paid": True}}
    return bs.simulate(b.model(), durations={"pack": 90}, data=data, behaviors=behaviors)


def test_the_log_has_the_usual_columns() -> None:
    """Design 6: case, activity, timestamp, lifecycle; names instead of ids where there are names."""
    log = order().to_log()
    columns = ["case:concept:name", "concept:name", "lifecycle:transition", "step"]
    assert log[columns].values.tolist() == [
        ["order#0", "Pack <it> & go", "start", 2],
        ["order#0", "Pack <it> & go", "complete", 3],
        ["order#0", "sign", "start", 4],
        ["order#0", "sign", "complete", 5],
        ["order#0", "sp", "start", 6],
        ["order#0", "check", "complete", 8],
        ["order#0", "sp", "complete", 10],
    ]
    assert log["time:timestamp"].tolist()[0] == datetime(2000, 1, 1, tzinfo=UTC)
    assert log["time:timestamp"].tolist()[1] == datetime(2000, 1, 1, 0, 1, 30, tzinfo=UTC)
    assert log["org:resource"].isna().all()


def test_the_calendar_starts_where_the_caller_says() -> None:
    """Design 7: epoch; a moment without zone is UTC."""
    for epoch in ("2024-03-01T08:00", "2024-03-01T09:00+01:00"):
        assert order().to_log(epoch=epoch)["time:timestamp"].iloc[1] == datetime(2024, 3, 1, 8, 1, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("epoch", "message"), [("tomorrow", "'tomorrow' is no moment"), ("9999-12-31T23:59:59Z", "beyond the calendar")]
)
def test_a_calendar_that_cannot_be_is_an_error(epoch: str, message: str) -> None:
    """Style 4.3: our error, with a remedy."""
    with pytest.raises(SimulationError, match=message):
        order().to_log(epoch=epoch)


def test_canceled_work_is_aborted() -> None:
    """XES lifecycle: a task that began and was canceled shows ate_abort."""
    b = bs.ProcessBuilder("p")
    split = b.parallel("split")
    _ = b.start("s") >> split
    _ = split >> b.user("u") >> b.end("e")
    _ = split >> b.task("t") >> b.task("t2") >> b.end("stop", kind="terminate")
    log = bs.simulate(b.model(), scenario=bs.Scenario()).to_log()
    assert log[log["node"] == "u"]["lifecycle:transition"].tolist() == ["start", "ate_abort"]


def test_inner_instances_are_the_events_of_an_iterated_task(iterated: Model) -> None:
    """ITER-R-10: the work is done by the instances, each with its ordinal; the resting token does none."""
    trace = bs.simulate(iterated, data={"xs": [1, 2]}, behaviors={"A": lambda task: {"y": task["x"]}})
    assert trace.to_log()[["node", "ordinal", "lifecycle:transition"]].values.tolist() == [
        ["A", 0, "complete"],
        ["A", 1, "complete"],
    ]


def events_of(text: str | None) -> list[dict[str, tuple[str, str]]]:
    """Read XES: for each event key -> (type, value)."""
    assert text is not None
    root = etree.fromstring(text.encode(), etree.XMLParser(resolve_entities=False, no_network=True))
    return [
        {cell.get("key"): (cell.tag.removeprefix(XES), cell.get("value")) for cell in event}
        for event in root.iter(f"{XES}event")
    ]


def test_xes_holds_the_same_events() -> None:
    """IEEE 1849: one trace per process instance, typed attributes, names escaped."""
    trace = order()
    text = trace.to_xes()
    events = events_of(text)
    log = trace.to_log()
    assert [event["concept:name"][1] for event in events] == log["concept:name"].tolist()
    assert [event["lifecycle:transition"][1] for event in events] == log["lifecycle:transition"].tolist()
    assert [datetime.fromisoformat(event["time:timestamp"][1]) for event in events] == log["time:timestamp"].tolist()
    check = events[5]
    assert check["data.secret"] == ("int", "5")
    assert check["data.total"] == ("float", "2.5")
    assert check["data.lines"] == ("string", '["a"]')
    assert check["data.paid"] == ("boolean", "true")
    assert check["scope"] == ("string", "/order/sp")
    root = etree.fromstring(str(text).encode())
    assert [each.get("value") for each in root.findall(f"{XES}trace/{XES}string")] == ["order#0"]
    assert {each.get("prefix") for each in root.findall(f"{XES}extension")} == {"concept", "lifecycle", "time", "org"}


def test_characters_that_xml_has_no_place_for_are_replaced() -> None:
    """Security: a name from outside cannot break the file."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.task("A", name="x\x00<y>\x1b\ud800") >> b.end("e")
    assert events_of(bs.simulate(b.model()).to_xes())[0]["concept:name"][1] == "x\ufffd<y>\ufffd\ufffd"


def test_ocel_relates_events_to_objects() -> None:
    """OCEL 2.0: types are declared, every relation leads to an object, values are attributes with their moment."""
    read = json.loads(str(order().to_ocel()))
    assert list(read) == ["objectTypes", "eventTypes", "objects", "events"]
    objects = {each["id"]: each for each in read["objects"]}
    assert {key: each["type"] for key, each in objects.items()} == {
        "order#0": "process instance",
        "order#0/order/sp#1": "sub-process",
    }
    declared = {kind["name"]: {one["name"]: one["type"] for one in kind["attributes"]} for kind in read["objectTypes"]}
    expected = {"secret": "integer", "total": "float", "lines": "string", "paid": "boolean"}
    assert declared["sub-process"] == expected
    values = {one["name"]: (one["value"], one["time"]) for one in objects["order#0/order/sp#1"]["attributes"]}
    assert values["total"] == (2.5, "2000-01-01T00:01:30Z")
    assert values["lines"] == ('["a"]', "2000-01-01T00:01:30Z")
    assert {each["type"] for each in read["events"]} == {each["name"] for each in read["eventTypes"]}
    for each in [*read["events"], *read["objects"]]:
        assert all(one["objectId"] in objects for one in each["relationships"])
    check = next(each for each in read["events"] if each["type"] == "check")
    assert check["relationships"] == [
        {"objectId": "order#0/order/sp#1", "qualifier": "inside"},
        {"objectId": "order#0", "qualifier": "case"},
    ]


def test_ocel_values_of_several_types_are_text() -> None:
    """OCEL 2.0: an attribute has one type."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.service("A") >> b.service("B") >> b.end("e")
    trace = bs.simulate(b.model(), behaviors={"A": lambda _: {"v": 1}, "B": lambda _: {"v": "x"}})
    read = json.loads(str(trace.to_ocel()))
    assert read["objectTypes"][0]["attributes"] == [{"name": "v", "type": "string"}]
    assert [one["value"] for one in read["objects"][0]["attributes"]] == ["1", "x"]


def test_masked_values_are_in_no_export() -> None:
    """DAT-13: exported with the name masked there is no value; the facts keep it."""
    b = bs.ProcessBuilder("p")
    x = b.exclusive("x")
    _ = b.start("s") >> b.service("A") >> x
    x.flow(b.end("e"), when='secret == "S3CR3T"')
    x.flow(b.end("f"), default=True)
    trace = bs.simulate(b.model(), behaviors={"A": lambda _: {"secret": "S3CR3T", "open": "0P3N"}})
    exports: list[Callable[..., Any]] = [trace.to_xes, trace.to_ocel, trace.to_json]
    for export in exports:
        plain = str(export(mask=["secret"])).replace('secret == "S3CR3T"', "").replace('secret == \\"S3CR3T\\"', "")
        assert "S3CR3T" in str(export())
        assert "S3CR3T" not in plain
        assert "0P3N" in plain
    assert trace.data()["new"].tolist() == ["S3CR3T", "0P3N"]


def test_a_verdict_that_gives_a_masked_value_away_is_masked(iterated: Model) -> None:
    """DAT-13: the result of an expression over a masked name is masked, but for yes and no."""
    trace = bs.simulate(iterated, data={"xs": ["S3CR3T"]}, behaviors={"A": lambda _: {"y": 1}})
    assert "S3CR3T" in str(trace.to_json())
    assert "S3CR3T" not in str(trace.to_json(mask=["xs"]))


def test_an_export_can_be_written_to_a_file(tmp_path: Path) -> None:
    """Design 7: like write_bpmn, text without a target, a file with one."""
    trace = order()
    for name, export in (("log.xes", trace.to_xes), ("log.json", trace.to_ocel)):
        target = tmp_path / name
        assert export(target) is None
        assert target.read_text(encoding="utf-8") == export()
