"""The builder: design.md section 7."""

from __future__ import annotations

import inspect

import pytest

from bpmnsim.errors import ModelError
from bpmnsim.model import (
    AdHocSubProcess,
    Behavior,
    BoundaryEvent,
    CompensateEventDefinition,
    DataAssociation,
    ErrorEventDefinition,
    EscalationEventDefinition,
    EventBasedGateway,
    Formal,
    IntermediateCatchEvent,
    IntermediateThrowEvent,
    LinkEventDefinition,
    MessageEventDefinition,
    MessageFlow,
    MultiInstanceLoopCharacteristics,
    Participant,
    ProcessBuilder,
    ReceiveTask,
    SignalEventDefinition,
    StandardLoopCharacteristics,
    StartEvent,
    TimerEventDefinition,
    Transaction,
    loop,
    parallel,
    sequential,
)


def test_example_of_the_design() -> None:
    """Design section 7: the builder example, word for word."""
    b = ProcessBuilder("review")
    panel = b.subprocess(
        "panel",
        body=lambda p: p.start() >> p.service("score") >> p.end(),
        multi_instance=parallel(
            collection="reviewers",
            item="reviewer",
            output_item="score",
            output_collection="scores",
            completion_condition="numberOfCompletedInstances >= 2",
        ),
    )
    b.start() >> panel >> b.end()
    model = b.model()
    assert list(model.elements) == [
        "review",
        "panel",
        "panel_start",
        "score",
        "f_panel_start_score",
        "panel_end",
        "f_score_panel_end",
        "start",
        "f_start_panel",
        "end",
        "f_panel_end",
    ]
    marker = model.element("panel").loop
    assert isinstance(marker, MultiInstanceLoopCharacteristics)
    assert (marker.is_sequential, marker.input_collection, marker.input_item) == (False, "reviewers", "reviewer")
    assert (marker.output_item, marker.output_collection) == ("score", "scores")
    assert marker.completion_condition == Formal(text="numberOfCompletedInstances >= 2")
    assert b.model() == model


@pytest.mark.parametrize(
    "method",
    [
        "start",
        "end",
        "task",
        "user",
        "service",
        "script",
        "receive",
        "send",
        "manual",
        "rule",
        "exclusive",
        "parallel",
        "inclusive",
        "event_based",
        "complex",
        "subprocess",
        "call",
        "event",
    ],
)
def test_every_promised_method_takes_id_and_name(method: str) -> None:
    """Design section 7: each (id, *, name=None, ...) -> node."""
    b = ProcessBuilder("p")
    made = getattr(b, method)
    node = made("x", name="X")
    assert (node.id, b.model().element("x").name, b.model().element("x").parent) == ("x", "X", "p")
    assert made().id == method


def test_promised_marker_signatures() -> None:
    """Design section 7: the parameters of parallel, sequential and loop, and their defaults."""
    promised: dict[str, object] = dict.fromkeys(
        ["cardinality", "collection", "item", "output_item", "output_collection", "completion_condition", "events"]
    )
    promised |= {"behavior": "all", "correlation": None}
    for make in (parallel, sequential):
        defaults = {name: p.default for name, p in inspect.signature(make).parameters.items()}
        assert promised.items() <= defaults.items()
    parameters = inspect.signature(loop).parameters
    assert {name: p.default for name, p in parameters.items()} == {
        "condition": None,
        "maximum": None,
        "test_before": False,
    }


def test_ids_are_generated_by_kind_and_place() -> None:
    """Design section 7: ids are optional, stable and unique, prefixed inside a sub-process."""
    b = ProcessBuilder("p")
    sub = b.subprocess("sub", body=lambda inner: [inner.task(), inner.task(), inner.start("own")])
    assert [b.end().id, b.end().id, sub.id] == ["end", "end_2", "sub"]
    assert [node.id for node in b.model().nodes("sub")] == ["sub_task", "sub_task_2", "own"]


def test_forks_and_joins_keep_declared_order() -> None:
    """FLW-01: flows drawn with lists come in the order of the lists."""
    b = ProcessBuilder("p")
    b.start() >> b.parallel("fork") >> [b.task("B"), b.task("A")] >> b.parallel("join") >> b.end()
    model = b.model()
    assert [flow.id for flow in model.outgoing("fork")] == ["f_fork_B", "f_fork_A"]
    assert [flow.id for flow in model.incoming("join")] == ["f_B_join", "f_A_join"]


def test_flows_carry_conditions_defaults_and_numbers() -> None:
    """core.md section 0: flow ids are f_<src>_<dst>; a second one is numbered."""
    b = ProcessBuilder("p")
    gate, a = b.exclusive("x"), b.task("A")
    assert gate.flow(a, when="v > 1") is a
    gate.flow(a, default=True)
    gate.flow(a, id="own", name="third")
    model = b.model()
    assert [flow.id for flow in model.outgoing("x")] == ["f_x_A", "f_x_A_2", "own"]
    assert model.element("f_x_A").condition == Formal(text="v > 1")
    assert model.element("x").default == "f_x_A_2"
    assert model.element("own").name == "third"


def test_the_later_marker_replaces_the_earlier() -> None:
    """ITER-B-01: an activity carries at most one marker."""
    b = ProcessBuilder("p")
    b.task("A", loop=loop(maximum=2), multi_instance=parallel(cardinality=3))
    b.task("B", multi_instance=parallel(cardinality=3), loop=loop(maximum=2))
    assert isinstance(b.model().element("A").loop, MultiInstanceLoopCharacteristics)
    assert b.model().element("B").loop == StandardLoopCharacteristics(id="B_loop", parent="B", maximum=2)


def test_behavior_events_are_declared() -> None:
    """ITER-BH-02 to ITER-BH-04: none and one name an event definition, complex lists conditions with events."""
    b = ProcessBuilder("p")
    b.task("N", multi_instance=parallel(cardinality=3, behavior="none", events="done"))
    b.task("O", multi_instance=sequential(cardinality=3, behavior="one", events={"escalation": "LATE"}))
    quorum = "numberOfCompletedInstances >= 2"
    b.task("C", multi_instance=parallel(cardinality=3, behavior="complex", events=[(quorum, "quorum")]))
    model = b.model()
    none, one, several = (model.element(id).loop for id in "NOC")
    assert (none.behavior, none.one_event) == (Behavior.NONE, "")
    assert model.element(none.none_event) == SignalEventDefinition(id="N_behavior_signal", signal="signal_done")
    assert (one.is_sequential, one.none_event) == (True, "")
    assert isinstance(model.element(one.one_event), EscalationEventDefinition)
    (complex_definition,) = several.complex_definitions
    assert complex_definition.condition == Formal(text=quorum)
    assert [d.signal for d in complex_definition.event.definitions] == ["signal_quorum"]


def test_events_take_their_definitions_from_keywords() -> None:
    """EVT-05: every definition in every position; several make a multiple event, in the order written."""
    b = ProcessBuilder("p")
    b.start("s", message="order")
    b.event("catch", signal="S", message=["m1", "m2"], parallel=True)
    b.event("link", link="L", throw=True)
    b.event("timer", timer=90)
    b.event("over", escalation="OVER")
    b.event("plain")
    b.end("e", error="E1")
    b.end("all", terminate=True)
    b.end("undo", compensation=True, wait=False)
    model = b.model()
    start, catch = model.element("s"), model.element("catch")
    assert isinstance(start, StartEvent)
    assert start.definitions == (MessageEventDefinition(id="s_message", parent="s", message="message_order"),)
    assert isinstance(catch, IntermediateCatchEvent)
    assert catch.parallel_multiple
    assert [d.id for d in catch.definitions] == ["catch_signal", "catch_message", "catch_message_2"]
    assert model.element("message_m2").name == "m2"
    link = model.element("link")
    assert isinstance(link, IntermediateThrowEvent)
    assert link.definitions == (LinkEventDefinition(id="link_link", parent="link", name="L"),)
    assert [type(model.element(id)) for id in ("timer", "over", "plain")] == [
        IntermediateCatchEvent,
        IntermediateThrowEvent,
        IntermediateThrowEvent,
    ]
    assert model.element("error_E1").error_code == "E1"
    (undo,) = model.element("undo").definitions
    assert (type(undo), undo.activity, undo.wait_for_completion) == (CompensateEventDefinition, "", False)


@pytest.mark.parametrize(
    ("options", "form", "text"),
    [
        ({"timer": 5}, "duration", "PT5S"),
        ({"timer": "PT5M"}, "duration", "PT5M"),
        ({"timer": "R3/PT10H"}, "cycle", "R3/PT10H"),
        ({"timer": "2030-01-01T00:00Z"}, "date", "2030-01-01T00:00Z"),
        ({"duration": "sla"}, "duration", "sla"),
        ({"cycle": 3}, "cycle", "3"),
    ],
)
def test_timer_forms(options: dict[str, object], form: str, text: str) -> None:
    """TMR-01: date, duration or cycle."""
    b = ProcessBuilder("p")
    b.event("t", **options)
    (timer,) = b.model().element("t").definitions
    assert isinstance(timer, TimerEventDefinition)
    assert getattr(timer, form) == Formal(text=text)
    assert sum(value is not None for value in (timer.date, timer.duration, timer.cycle)) == 1


def test_boundary_events_and_compensation_handlers() -> None:
    """CMP-02: an association from the boundary event names the handler."""
    b = ProcessBuilder("p")
    work, undo = b.user("work"), b.task("undo")
    b.boundary(work, "timer", timer=60, interrupting=False)
    b.boundary(work, "error")
    b.boundary(work, "compensation", handler=undo)
    model = b.model()
    timer, error, compensation = model.boundaries("work")
    assert (timer.id, timer.interrupting, error.id) == ("work_timer", False, "work_error")
    assert isinstance(error, BoundaryEvent)
    assert error.definitions == (ErrorEventDefinition(id="work_error_error", parent="work_error"),)
    line = model.element("a_work_compensation_undo")
    assert (line.source, line.target, line.direction) == (compensation.id, "undo", "One")
    assert model.element("undo").is_for_compensation


def test_kinds_of_subprocess() -> None:
    """Design section 7: transaction, ad-hoc and event sub-processes."""
    b = ProcessBuilder("p")
    b.subprocess("t", kind="transaction", body=lambda t: t.start() >> t.end(cancel=True))
    b.subprocess("a", kind="adhoc", is_parallel=False, completion_condition="done")
    b.subprocess("e", kind="event", body=lambda e: e.start(signal="S", interrupting=False) >> e.end())
    model = b.model()
    assert isinstance(model.element("t"), Transaction)
    adhoc = model.element("a")
    assert isinstance(adhoc, AdHocSubProcess)
    assert (adhoc.is_parallel, adhoc.completion_condition) == (False, Formal(text="done"))
    assert model.element("e").triggered_by_event
    assert not model.element("e_start").interrupting


def test_nesting_needs_no_recursion() -> None:
    """A thousand nested sub-processes are built one by one."""
    b = ProcessBuilder("p")
    inside = b
    for level in range(1000):
        inside = inside.inside(inside.subprocess(f"s{level}"))
    assert b.model().element("s999").parent == "s998"


def test_data_messages_lanes_keys_and_pools() -> None:
    """DAT-10, COR-01: data, correlation keys, lanes, pools and message flows."""
    shop = ProcessBuilder("shop", name="Shop")
    customer = shop.process("customer")
    order = shop.start("taken", message="order")
    check = shop.user("check").reads(shop.data("order")).writes(shop.store("stock"))
    shop.lane("clerk", [order, check])
    shop.message("payment", item="pay")
    pay = shop.receive("pay_in", message="payment")
    shop.correlation("key", {"orderId": {"payment": "orderId"}})
    shop.message_flow(customer.send("buy", message="order"), order, message="order")
    shop.message_flow(shop.black_box("bank"), pay)
    note = shop.annotate("hurry", about=check)
    model = shop.model()
    assert model == customer.model()
    assert [process.id for process in model.processes] == ["shop", "customer"]
    pools = [(e.id, e.name, e.process) for e in model.elements.values() if isinstance(e, Participant)]
    assert pools == [
        ("pool_customer", "customer", "customer"),
        ("pool_shop", "Shop", "shop"),
        ("bank", "bank", ""),
    ]
    flows = [(e.id, e.source, e.target) for e in model.elements.values() if isinstance(e, MessageFlow)]
    assert flows == [("m_buy_taken", "buy", "taken"), ("m_bank_pay_in", "bank", "pay_in")]
    assert model.element("message_payment").item == "pay"
    assert model.element("pay_in").message == "message_payment"
    assert model.element("clerk").members == ("taken", "check")
    assert model.element("key").properties == ("orderId",)
    assert model.element("orderId").retrievals == (("message_payment", Formal(text="orderId")),)
    assert (model.element("key_subscription").key, model.element("key_subscription").parent) == ("key", "shop")
    moves = [(e.sources, e.target) for e in model.elements.values() if isinstance(e, DataAssociation)]
    assert moves == [(("order",), "check_input_order"), (("check_output_stock_ref",), "stock_ref")]
    assert model.element(f"a_{note}_check").source == "note"


def test_elements_come_in_document_order() -> None:
    """FLW-01: each container is followed by its content, so that a written file reads back as the same model."""
    writer = pytest.importorskip("bpmnsim.xml.writer")
    reader = pytest.importorskip("bpmnsim.xml.reader")
    b = ProcessBuilder("p")
    sub = b.subprocess("sub")
    b.start(message="m", timer=5) >> sub >> b.end(error="E")
    b.inside(sub).user("u", multi_instance=parallel(cardinality=2, behavior="one", events="done")).reads(b.data("d"))
    q = b.process("q")
    b.message_flow(q.send("s", message="m"), b.receive("r", message="m"))
    b.correlation("k", {"orderId": {"m": "id"}})
    b.lane("lane", [sub])
    model = b.model()
    assert list(model.elements)[-2:] == ["q", "s"]
    assert reader.read_bpmn(writer.write_bpmn(model)) == model


def test_gateway_and_task_details() -> None:
    """MSG-06, EBG-08, CPX-01: what only one kind of node has."""
    b = ProcessBuilder("p")
    b.receive("r", message="m", instantiate=True)
    b.event_based("g", instantiate=True, is_parallel=True)
    b.complex("c", activation_condition="activationCount >= 2")
    b.call("call", called_element="tax-calc")
    model = b.model()
    assert model.element("r") == ReceiveTask(id="r", parent="p", message="message_m", instantiate=True)
    assert model.element("g") == EventBasedGateway(id="g", parent="p", instantiate=True, is_parallel=True)
    assert model.element("c").activation_condition == Formal(text="activationCount >= 2")
    assert model.element("call").called_element == "tax-calc"


@pytest.mark.parametrize(
    ("misuse", "element", "text"),
    [
        (lambda b: [b.task("A"), b.task("A")], "A", "such as A_2"),
        (lambda b: b.task("A b"), "A b", "id='A_b'"),
        (lambda b: b.subprocess("s", body=lambda s: s.task("in") >> b.task("out")), "in", "FLW-08"),
        (lambda b: b.task("out") >> b.process("q").task("other"), "out", "FLW-08"),
        (lambda b: b.boundary(b.exclusive("x"), "timer"), "x", "needs an activity"),
        (lambda b: b.boundary(ProcessBuilder("q").task("far"), "timer"), "far", "no such element"),
        (lambda b: b.boundary(b.task("A"), "tmer"), "A_tmer", "did you mean 'timer'"),
        (lambda b: b.end("e", mesage="m"), "e", "did you mean 'message'"),
        (lambda b: b.task("A", nme="x"), "A", "did you mean 'name'"),
        (lambda b: b.task("A", loop=3), "A", "bs.loop"),
        (lambda b: b.subprocess("s", kind="embeded"), "s", "did you mean 'embedded'"),
        (lambda b: b.inside(b.task("A")), "A", "subprocess()"),
        (lambda b: b.exclusive("x").flow(b.task("A"), when=lambda: True), "f_x_A", "text"),
        (lambda b: b.event("v").flow(b.task("A"), default=True), "v", "no default flow"),
        (lambda b: b.task("A").reads("order"), "order", "no such element"),
        (lambda b: b.task("A").reads(b.task("B").id), "B", "data()"),
        (lambda b: b.message_flow(b.task("A"), b.task("B")), "A", "sequence flow"),
        (lambda _: parallel(behavior="al"), None, "did you mean 'all'"),
        (lambda _: parallel(cardinality=len), None, "text"),
    ],
)
def test_misuse_names_the_element_and_the_remedy(misuse, element: str, text: str) -> None:
    """Design section 8: a ModelError with the element id and what to change."""
    with pytest.raises(ModelError) as caught:
        misuse(ProcessBuilder("p"))
    if element:
        assert caught.value.element_id == element
    assert text in str(caught.value)
