"""Build-time refusals of core.md, one test per golden row, and how findings are reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bpmnsim.errors import ModelError
from bpmnsim.model import (
    Association,
    CorrelationSubscription,
    Formal,
    LinkEventDefinition,
    Model,
    ProcessBuilder,
    SequenceFlow,
    Transaction,
    parallel,
)
from bpmnsim.model.rules import Finding, check_model

Draw = Callable[[ProcessBuilder], object]


def found(draw: Draw) -> list[tuple[str, str]]:
    """Element and rule of every finding about a drawing."""
    b = ProcessBuilder("p")
    draw(b)
    return [(finding.element_id, finding.rule) for finding in check_model(b.model())]


def changed(b: ProcessBuilder, id: str, **values: object) -> Model:
    """Return the model of a builder with one element changed, as a file could hold it."""
    model = b.model()
    return Model(replace(e, **values) if e.id == id else e for e in model.elements.values())


def test_clean_model_has_no_findings() -> None:
    """A model that uses many constructs as the rules want them is not refused."""

    def draw(b: ProcessBuilder) -> None:
        split, join = b.inclusive("split", direction="diverging"), b.inclusive("join", direction="converging")
        b.start() >> split >> [b.user("A"), b.service("B")] >> join
        race = b.event_based("race")
        join >> race >> [b.event("m", message="m"), b.event("t", timer=5)] >> b.exclusive("merge") >> b.end()
        b.subprocess("h", kind="event", body=lambda h: h.start(error="E") >> h.end())

    assert found(draw) == []


def test_findings_come_in_element_order_with_line_and_hint() -> None:
    """Design section 8: element id, line, rule, problem and what to change."""
    b = ProcessBuilder("p")
    b.start() >> b.task("A", completion_quantity=3, start_quantity=2) >> b.end()
    model = changed(b, "A", line=7)
    assert check_model(model)[0] == Finding(
        "A",
        7,
        "FLW-07",
        "its start quantity is 2",
        "use 1; draw a multi-instance activity or a parallel gateway instead",
    )
    assert [(f.rule, f.problem) for f in check_model(model)[1:]] == [("FLW-07", "its completion quantity is 3")]
    frame = model.check()
    assert list(frame["rule"]) == ["FLW-07", "FLW-07"]
    assert list(frame["line"]) == [7, 7]


def test_flw_07() -> None:
    """FLW-07.1: startQuantity 2 is refused."""
    assert found(lambda b: b.start() >> b.task("A", start_quantity=2) >> b.end()) == [("A", "FLW-07")]


def test_flw_08() -> None:
    """FLW-08.1: a flow from inside a sub-process to a node outside is refused, by the builder and in a file."""
    b = ProcessBuilder("p")
    out = b.task("out")
    b.subprocess("sp", body=lambda s: s.task("in"))
    with pytest.raises(ModelError, match="FLW-08"):
        b.inside(b.subprocess("other")).task("in2") >> out
    flow = SequenceFlow(id="f", parent="p", source="in", target="out")
    model = Model([*b.model().elements.values(), flow])
    assert [(f.element_id, f.rule) for f in check_model(model)] == [("f", "FLW-08")]


def test_gw_01() -> None:
    """GW-01.1: diverging with 2 incoming is refused; converging with 2 outgoing and one-sided mixed likewise."""

    def draw(b: ProcessBuilder) -> None:
        [b.task("A"), b.task("B")] >> b.exclusive("x", direction="diverging") >> b.task("C")
        b.task("D") >> b.parallel("y", direction="converging") >> [b.task("E"), b.task("F")]
        b.parallel("z", direction="mixed") >> b.task("G")
        b.parallel("u", direction="unspecified")
        b.task("H") >> b.parallel("ok", direction="diverging") >> [b.task("I"), b.task("J")]

    assert found(draw) == [("x", "GW-01"), ("y", "GW-01"), ("z", "GW-01")]


@pytest.mark.parametrize(
    ("condition", "refused"),
    [
        ("activationCount >= 4", True),
        ("${activationCount > 3}", True),
        ("activationCount >= 0", True),
        (None, True),
        ("activationCount >= 3", False),
        ("activationCount == 2", False),
        ("activationCount >= 4 or urgent", False),
    ],
)
def test_cpx_07(condition: str | None, refused: bool) -> None:
    """CPX-07.1: count 4 on 3 incoming flows is refused, and so is a join without any rule."""

    def draw(b: ProcessBuilder) -> None:
        join = b.complex("c", activation_condition=condition)
        [b.task("A"), b.task("B"), b.task("C")] >> join >> b.task("D")

    assert found(draw) == ([("c", "CPX-07")] if refused else [])


def test_cpx_07_leaves_a_split_alone() -> None:
    """CPX-07: a complex gateway with one incoming flow has nothing to wait for."""
    assert found(lambda b: b.start() >> b.complex("c") >> [b.task("A"), b.task("B")]) == []


def test_ebg_06() -> None:
    """EBG-06.1: one arm only is refused."""
    assert found(lambda b: b.start() >> b.event_based("g") >> b.event("t", timer=5)) == [("g", "EBG-06")]


def _arms(*arms: Draw, **gate: bool) -> Draw:
    def draw(b: ProcessBuilder) -> None:
        gateway = b.event_based("g", **gate)
        if not gate:
            b.start() >> gateway
        gateway >> [arm(b) for arm in arms]

    return draw


def _boundary_on_arm(b: ProcessBuilder) -> None:
    arm = b.receive("r", message="m")
    b.event_based("g") >> [arm, b.event("t", timer=5)]
    b.boundary(arm, "timer", timer=5)


@pytest.mark.parametrize(
    ("draw", "problem"),
    [
        (_arms(lambda b: b.task("A"), lambda b: b.event("t", timer=5)), "its arm 'A' is not"),
        (_arms(lambda b: b.event("a", throw=True), lambda b: b.event("t", timer=5)), "its arm 'a' is not"),
        (_arms(lambda b: b.receive("r"), lambda b: b.event("m", message="m")), "it mixes"),
        (_arms(lambda b: b.event("m", message="m"), lambda b: b.event("t", timer=5), instantiate=True), "it starts"),
        (
            _arms(lambda b: b.receive("r"), lambda b: b.receive("q"), instantiate=True, is_parallel=True),
            "it is parallel",
        ),
        (_boundary_on_arm, "its arm 'r' carries"),
    ],
)
def test_ebg_06_other_shapes(draw: Draw, problem: str) -> None:
    """EBG-06: what an arm may be, what may be mixed, and what starts a process."""
    b = ProcessBuilder("p")
    draw(b)
    problems = [f.problem for f in check_model(b.model()) if f.rule == "EBG-06"]
    assert any(text.startswith(problem) for text in problems), problems


def test_ebg_06_arm_flows_and_entries() -> None:
    """EBG-06: arms have one incoming flow and no condition; all problems are collected."""
    b = ProcessBuilder("p")
    gate, arm = b.event_based("g"), b.event("m", message="m")
    gate.flow(arm, when="x > 1")
    b.task("A") >> arm
    gate >> b.event("t", timer=5)
    assert [f.problem for f in check_model(b.model())] == [
        "its flow 'f_g_m' has a condition",
        "its arm 'm' has other incoming flows",
    ]


def test_ebg_06_accepts_what_the_rule_names() -> None:
    """EBG-06: multiple events, and a parallel start with a correlation key, are accepted."""
    assert found(_arms(lambda b: b.event("m", message="m", signal="S"), lambda b: b.event(condition="x"))) == []

    def draw(b: ProcessBuilder) -> None:
        b.correlation("order", {"orderId": {"m1": "id", "m2": "id"}})
        gate = b.event_based("g", instantiate=True, is_parallel=True)
        gate >> [b.event(message="m1"), b.event(message="m2")] >> b.parallel("join") >> b.end()

    assert found(draw) == []


def test_ebg_10() -> None:
    """EBG-10.1: a parallel gate with an incoming flow is refused."""

    def draw(b: ProcessBuilder) -> None:
        b.correlation("order", {"orderId": {"m1": "id"}})
        gate = b.event_based("g", instantiate=True, is_parallel=True)
        b.start() >> gate >> [b.event(message="m1"), b.event(message="m2")]

    assert found(draw) == [("g", "EBG-06"), ("g", "EBG-10")]


def test_evt_05() -> None:
    """EVT-05.1: an error definition on an intermediate catch is refused."""
    assert found(lambda b: b.event("c", error="E", throw=False)) == [("c", "EVT-05")]


@pytest.mark.parametrize(
    ("draw", "rules"),
    [
        (lambda b: b.start("x", error="E"), ["EVT-05"]),
        (lambda b: b.start("x", message="m", signal="S", timer=5), []),
        (lambda b: b.start("x", terminate=True), ["EVT-05"]),
        (lambda b: b.event("x", timer=5, throw=True), ["EVT-05"]),
        (lambda b: b.event("x", message="m", signal="S", escalation="X", compensation=True, throw=True), []),
        (lambda b: b.event("x", throw=False), ["EVT-05"]),
        (lambda b: b.event("x", message="m", timer=5, condition="c", signal="S"), []),
        (lambda b: b.event("x", escalation="X", throw=False), ["EVT-05"]),
        (lambda b: [b.start("s"), b.end("x", timer=5)], ["EVT-05"]),
        (lambda b: [b.start("s"), b.end("x", message="m", error="E", escalation="X", terminate=True)], []),
        (lambda b: b.boundary(b.task("A"), id="x", terminate=True), ["EVT-05"]),
        (lambda b: b.boundary(b.task("A"), id="x"), ["EVT-05"]),
        (lambda b: b.boundary(b.task("A"), id="x", message="m", error="E", compensation=True), []),
    ],
)
def test_evt_05_positions(draw: Draw, rules: list[str]) -> None:
    """EVT-05: each position accepts its own definitions; several of them make a multiple event."""
    assert found(draw) == [("x", rule) for rule in rules]


def test_evt_05_event_subprocess_starts() -> None:
    """EVT-05: condition, error, escalation and compensation start event sub-processes only."""
    starts = [{"condition": "x"}, {"error": "E"}, {"escalation": "X"}, {"compensation": True}, {"message": "m"}]

    def draw(b: ProcessBuilder) -> None:
        for n, start in enumerate(starts):
            b.subprocess(f"h{n}", kind="event", body=lambda h, start=start: h.start(**start) >> h.end())

    assert found(draw) == []


@pytest.mark.parametrize(
    ("timer", "rules"),
    [
        ({"date": "2030-01-01T00:00Z", "duration": "PT5S"}, ["TMR-01"]),
        ({"date": "2030-01-01T00:00Z", "cycle": "R/PT5S"}, ["TMR-01"]),
        ({"kind": "timer"}, ["TMR-01"]),
        ({"cycle": "R3"}, ["TMR-01"]),
        ({"cycle": 3}, ["TMR-01"]),
        ({"cycle": 3, "duration": "PT5S"}, []),
        ({"cycle": "R3/PT10H"}, []),
        ({"cycle": "R/PT5S"}, []),
        ({"cycle": "${cycle}"}, []),
        ({"duration": "P1Y2M3W4DT5H6M7.5S"}, []),
        ({"duration": "PT0S"}, []),
        ({"duration": "sla"}, []),
        ({"date": "2030-01-01T00:00Z"}, []),
        ({"duration": "-PT1S"}, ["TMR-02"]),
        ({"duration": "pt1s"}, ["TMR-02"]),
        ({"cycle": "R3/PT-5S"}, ["TMR-02"]),
        ({"duration": "5"}, ["TMR-04"]),
        ({"duration": Formal(text="n", evaluates_to="xsd:int")}, ["TMR-04"]),
        ({"date": "${true}"}, ["TMR-04"]),
    ],
)
def test_tmr_01_02_04(timer: dict[str, object], rules: list[str]) -> None:
    """TMR-01.1, TMR-02.6, TMR-04.1: the forms, the texts and the types of a timer."""
    assert found(lambda b: b.event("t", **timer)) == [("t", rule) for rule in rules]


def test_err_01() -> None:
    """ERR-01.1: an error definition on an intermediate throw is refused."""
    assert found(lambda b: b.event("t", error="E", throw=True)) == [("t", "ERR-01")]


def test_err_11() -> None:
    """ERR-11.1: a non-interrupting error boundary is refused, and such a start too."""

    def draw(b: ProcessBuilder) -> None:
        b.boundary(b.task("A"), "error", "e", interrupting=False)
        b.subprocess("h", kind="event", body=lambda h: h.start("s", error="E", interrupting=False) >> h.end())

    assert found(draw) == [("e", "ERR-11"), ("s", "ERR-11")]


def test_cnd_08() -> None:
    """CND-08.1: a process with a conditional start is refused."""
    assert found(lambda b: b.start("s", condition="x > 1") >> b.end()) == [("s", "CND-08")]


def test_lnk_01() -> None:
    """LNK-01.1: throw L without catch is refused."""
    assert found(lambda b: b.start() >> b.event("t", link="L", throw=True)) == [("t", "LNK-01")]


def test_lnk_01_other_shapes() -> None:
    """LNK-01: two catches, pairing across levels and links elsewhere are refused; several throws are not."""

    def draw(b: ProcessBuilder) -> None:
        b.start() >> b.parallel("fork") >> [b.event("t1", link="L", throw=True), b.event("t2", link="L", throw=True)]
        b.event("c1", link="L") >> b.task("A")
        b.event("c2", link="L") >> b.task("B")
        b.subprocess("sp", body=lambda s: s.event("t3", link="L", throw=True))
        b.boundary(b.task("C"), "link", "x", link="M")

    assert found(draw) == [("c2", "LNK-01"), ("t3", "LNK-01"), ("x", "LNK-01")]


def test_lnk_01_event_based_arm_and_names() -> None:
    """LNK-01: no link behind an event-based gateway; a link may go by the name of its event."""
    assert found(_arms(lambda b: b.event("l", link="L"), lambda b: b.event(timer=5))) == [
        ("g", "EBG-06"),
        ("l", "LNK-01"),
    ]

    def draw(b: ProcessBuilder) -> None:
        b.event("t", name="L", kind="link", throw=True)
        b.event("c", name="L", kind="link", throw=False)

    assert found(draw) == []
    assert LinkEventDefinition(id="d").name == ""


def test_bnd_08() -> None:
    """BND-08.1: two interrupting boundaries on one declaration are refused."""

    def draw(b: ProcessBuilder) -> None:
        a = b.task("A")
        b.boundary(a, "message", "m1", message="m")
        b.boundary(a, "message", "m2", message="m", interrupting=False)
        b.boundary(a, "timer", "t1", timer=5)
        b.boundary(a, "timer", "t2", timer=9)
        c = b.task("C")
        b.boundary(c, "error", "e1", error="E")
        b.boundary(c, "error", "e2", error="E")

    assert found(draw) == [("C", "BND-08")]


def test_bnd_10() -> None:
    """BND-10: a boundary event has no incoming flow."""

    def draw(b: ProcessBuilder) -> None:
        a = b.task("A")
        a >> b.boundary(a, "timer", "t", timer=5) >> b.task("B")

    assert found(draw) == [("t", "BND-10")]


def test_esp_01() -> None:
    """ESP-01.1: an event sub-process with an incoming flow is refused."""

    def draw(b: ProcessBuilder) -> None:
        h = b.subprocess("h", kind="event", body=lambda h: h.start(message="m") >> h.end())
        b.start() >> h

    assert found(draw) == [("h", "ESP-01")]


def test_esp_01_starts_and_boundaries() -> None:
    """ESP-01: exactly one start and no boundary; several definitions on it are fine."""

    def draw(b: ProcessBuilder) -> None:
        b.subprocess("none", kind="event", body=lambda h: h.task("A"))
        b.subprocess("two", kind="event", body=lambda h: [h.start(message="m"), h.start(message="n")])
        b.subprocess("ok", kind="event", body=lambda h: h.start(message="m", signal="S", parallel=True))
        b.boundary(b.subprocess("b", kind="event", body=lambda h: h.start(message="m")), "timer", timer=5)

    assert found(draw) == [("none", "ESP-01"), ("two", "ESP-01"), ("b", "ESP-01")]


def test_ins_07() -> None:
    """INS-07.1: an end event without any start is refused; an instantiating receive task or gateway is a start."""
    assert found(lambda b: b.task("A") >> b.end()) == [("p", "INS-07")]
    assert found(lambda b: b.task("A")) == []
    assert found(lambda b: b.receive(message="m", instantiate=True) >> b.end()) == []
    gate = _arms(lambda b: b.event(message="m"), lambda b: b.event(message="n"), instantiate=True)
    assert found(lambda b: [gate(b), b.end()]) == []


def test_cor_07() -> None:
    """COR-07.1: predicate correlation is refused."""
    binding = (("orderId", Formal(text="order.id")),)
    assert found(lambda b: b.add(CorrelationSubscription(id="s", key="k", bindings=binding))) == [("s", "COR-07")]
    assert found(lambda b: b.correlation("k", {"orderId": {"m": "id"}})) == []


def test_sub_03() -> None:
    """SUB-03.1: two none starts in a sub-process are refused."""
    draw: Draw = lambda b: b.subprocess("sp", body=lambda s: [s.start() >> s.end(), s.start() >> s.end()])  # noqa: E731
    assert found(draw) == [("sp", "SUB-03")]


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        (lambda s: s.start(message="m") >> s.end(), True),
        (lambda s: [s.start() >> s.end(), s.task("A")], True),
        (lambda s: [s.start() >> s.end(), s.parallel("g") >> s.task("A")], True),
        (lambda s: [s.task("A"), s.parallel("g") >> s.task("B")], False),
        (lambda s: [s.start() >> s.end(), s.task("undo", is_for_compensation=True)], False),
        (lambda s: [s.start() >> s.end(), s.subprocess("h", kind="event", body=lambda h: h.start(signal="S"))], False),
        (lambda s: [s.start() >> s.event(link="L", throw=True), s.event(link="L") >> s.end()], False),
    ],
)
def test_sub_03_other_shapes(body: Draw, refused: bool) -> None:
    """SUB-03: triggered starts and mixed entries are refused; entries without a start are not."""
    assert found(lambda b: b.subprocess("sp", body=body)) == ([("sp", "SUB-03")] if refused else [])


def test_txn_01() -> None:
    """TXN-01.1: a cancel end outside a transaction is refused."""
    assert found(lambda b: b.start() >> b.end("c", cancel=True)) == [("c", "TXN-01")]


def test_txn_01_other_shapes() -> None:
    """TXN-01: nested transactions, cancel end deeper inside, and cancel boundaries elsewhere are refused."""

    def draw(b: ProcessBuilder) -> None:
        ok = b.subprocess("ok", kind="transaction", body=lambda t: t.start() >> t.end("c1", cancel=True))
        b.boundary(ok, "cancel", "b1")
        b.boundary(ok, "cancel", "b2", interrupting=False)
        b.boundary(b.task("A"), "cancel", "b3")
        outer = b.inside(b.subprocess("outer", kind="transaction"))
        middle = outer.inside(outer.subprocess("middle"))
        middle.end("c2", cancel=True)
        middle.subprocess("inner", kind="transaction")

    assert found(draw) == [("b2", "TXN-01"), ("b3", "TXN-01"), ("c2", "TXN-01"), ("inner", "TXN-01")]
    both = Model([Transaction(id="t", triggered_by_event=True)])
    assert "TXN-01" in [f.rule for f in check_model(both)]


@pytest.mark.parametrize(("method", "rules"), [("##Store", ["TXN-05"]), ("##image", ["TXN-05"]), ("##Compensate", [])])
def test_txn_05(method: str, rules: list[str]) -> None:
    """TXN-05 and section 18: the methods store and image are refused."""
    assert [f.rule for f in check_model(Model([Transaction(id="t", method=method)]))] == rules


def test_adh_09() -> None:
    """ADH-09.1: a start event inside an ad-hoc sub-process is refused, an end event too; everything else is fine."""

    def draw(b: ProcessBuilder) -> None:
        b.subprocess("a", kind="adhoc", body=lambda a: [a.start("s") >> a.task("A")])
        b.subprocess("e", kind="adhoc", body=lambda a: [a.task("B") >> a.end("x")])
        b.subprocess("ok", kind="adhoc", body=lambda a: [a.task("C") >> a.exclusive("g") >> a.event(timer=5)])

    assert found(draw) == [("a", "ADH-09"), ("e", "ADH-09")]


def test_cmp_02() -> None:
    """CMP-02: several compensation handlers on one activity are refused, not ignored."""

    def draw(b: ProcessBuilder) -> None:
        a = b.task("A")
        b.boundary(a, "compensation", handler=b.task("undo"))
        b.boundary(a, "compensation", "again", handler=b.task("undo2"))
        c = b.task("C")
        one = b.boundary(c, "compensation", handler=b.task("undo3"))
        b.task("undo4", is_for_compensation=True)
        b.add(Association(id="line", source=one.id, target="undo4"))
        b.boundary(b.task("ok"), "compensation", handler=b.task("undo5"))

    assert found(draw) == [("A", "CMP-02"), ("C", "CMP-02")]


def test_ref() -> None:
    """REF: a flow, host or default that names nothing is refused with a suggestion; an undeclared code is not."""
    b = ProcessBuilder("p")
    a = b.task("approve")
    a >> b.task("B")
    b.boundary(a, "timer", "t", timer=5)
    b.event("c", message="payment")
    b.end("e", error="E1")
    b.start() >> b.exclusive("x")
    assert check_model(b.model()) == ()
    cases = {
        "f_approve_B": {"source": "aprove"},
        "t": {"attached_to": "B2"},
        "approve": {"default": "nowhere"},
        "x": {"default": "f_approve_B"},
    }
    for id, values in cases.items():
        assert [(f.element_id, f.rule) for f in check_model(changed(b, id, **values))] == [(id, "REF")]
    (finding,) = check_model(changed(b, "f_approve_B", source="aprove"))
    assert (finding.problem, finding.hint) == ("its source 'aprove' does not exist", "did you mean 'approve'?")
    gone = Model(e for e in b.model().elements.values() if e.id not in ("message_payment", "error_E1"))
    assert check_model(gone) == ()


def test_behavior_event_must_exist() -> None:
    """REF: a behavior that names no event definition would throw nothing."""
    b = ProcessBuilder("p")
    b.task("A", multi_instance=parallel(cardinality=2, behavior="one", events="done"))
    loop = replace(b.model().element("A").loop, one_event="gone")
    assert [(f.element_id, f.rule) for f in check_model(changed(b, "A", loop=loop))] == [("A", "REF")]


def test_files_with_known_outcomes_are_not_refused(corpus: Path) -> None:
    """Every real file whose outcome is known from its engine's own tests can run."""
    reader = pytest.importorskip("bpmnsim.xml.reader")
    cases = json.loads((corpus / "cases.json").read_text(encoding="utf-8"))
    refused = {
        name: [(f.element_id, f.rule) for f in check_model(reader.read_bpmn(corpus / name))]
        for case in cases
        for name in case["shared"]
    }
    assert {name: findings for name, findings in refused.items() if findings} == {}
