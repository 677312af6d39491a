"""What ``read_bpmn`` makes of the elements of a file (design.md section 7; lessons.md A 33 to 39)."""

from __future__ import annotations

import pickle

import pytest

from bpmnsim import model as m
from bpmnsim.errors import ModelError
from bpmnsim.xml import read_bpmn

MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"


def read(body: str, attributes: str = "", **options: str) -> m.Model:
    """Read a file with this inside."""
    return read_bpmn(
        f'<definitions xmlns="{MODEL}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" {attributes}>{body}'
        "</definitions>",
        **options,
    )


def read_process(body: str, attributes: str = "", **options: str) -> m.Model:
    """Read a file with one process with this inside."""
    return read(f'<process id="p">{body}</process>', attributes, **options)


def notes(model: m.Model) -> list[str]:
    """Return the notes as text."""
    return [f"{note.element_id}: {note.text}" for note in model.notes]


@pytest.mark.parametrize(
    "name, cls",
    [
        ("task", m.Task),
        ("userTask", m.UserTask),
        ("manualTask", m.ManualTask),
        ("serviceTask", m.ServiceTask),
        ("sendTask", m.SendTask),
        ("receiveTask", m.ReceiveTask),
        ("scriptTask", m.ScriptTask),
        ("businessRuleTask", m.BusinessRuleTask),
        ("callActivity", m.CallActivity),
        ("subProcess", m.SubProcess),
        ("transaction", m.Transaction),
        ("adHocSubProcess", m.AdHocSubProcess),
        ("startEvent", m.StartEvent),
        ("endEvent", m.EndEvent),
        ("intermediateCatchEvent", m.IntermediateCatchEvent),
        ("intermediateThrowEvent", m.IntermediateThrowEvent),
        ("exclusiveGateway", m.ExclusiveGateway),
        ("parallelGateway", m.ParallelGateway),
        ("inclusiveGateway", m.InclusiveGateway),
        ("complexGateway", m.ComplexGateway),
        ("eventBasedGateway", m.EventBasedGateway),
    ],
)
def test_every_kind_of_flow_node_is_read(name: str, cls: type[m.FlowNode]) -> None:
    """Design section 7: every executable element."""
    model = read_process(f'<{name} id="n" name="N"/>')
    assert model.element("n") == cls(id="n", name="N", parent="p")
    assert notes(model) == []


def test_attributes_of_activities() -> None:
    """BPMN 2.0.2 tables 10.3 to 10.29."""
    model = read(
        """<message id="m"/><interface id="i" name="I" implementationRef="java:I"><operation id="o"
          implementationRef="java:o"><inMessageRef>m</inMessageRef><errorRef>e</errorRef></operation></interface>
        <error id="e" errorCode="E1"/>
        <process id="p" isExecutable="false" processType="Private" isClosed="TRUE">
          <receiveTask id="r" messageRef="m" operationRef="o" instantiate="true" implementation="##WebService"
            isForCompensation="1" startQuantity="2" completionQuantity="3" default="f"/>
          <scriptTask id="s" scriptFormat="python"><script><![CDATA[
              if a < b:
                  c = 1
          ]]></script></scriptTask>
          <callActivity id="c" calledElement="p"/>
          <transaction id="t" method="##Store"/>
          <adHocSubProcess id="a" ordering="Sequential" cancelRemainingInstances="false">
            <completionCondition>done</completionCondition></adHocSubProcess>
          <subProcess id="u" triggeredByEvent="true"/>
          <sequenceFlow id="f" sourceRef="r" targetRef="s" isImmediate="false"/>
        </process>"""
    )
    assert model.element("r") == m.ReceiveTask(
        id="r",
        parent="p",
        message="m",
        operation="o",
        instantiate=True,
        implementation="##WebService",
        is_for_compensation=True,
        start_quantity=2,
        completion_quantity=3,
        default="f",
    )
    assert model.element("s") == m.ScriptTask(id="s", parent="p", script_format="python", script="if a < b:\n    c = 1")
    assert model.element("c") == m.CallActivity(id="c", parent="p", called_element="p")
    assert model.element("t") == m.Transaction(id="t", parent="p", method="##Store")
    assert model.element("a") == m.AdHocSubProcess(
        id="a", parent="p", is_parallel=False, cancel_remaining=False, completion_condition=m.Formal(text="done")
    )
    assert model.element("u") == m.SubProcess(id="u", parent="p", triggered_by_event=True)
    assert model.element("f") == m.SequenceFlow(id="f", parent="p", source="r", target="s", is_immediate=False)
    assert model.element("o") == m.Operation(id="o", parent="i", implementation="java:o", in_message="m", errors=("e",))
    assert model.process("p") == m.Process(id="p", is_executable=False, process_type="Private", is_closed=True)
    assert notes(model) == []


def test_attributes_of_gateways() -> None:
    """BPMN 2.0.2 section 10.6."""
    model = read_process(
        """<exclusiveGateway id="x" gatewayDirection="Diverging" default="f"/><task id="a"/>
        <complexGateway id="c"><activationCondition>activationCount >= 2</activationCondition></complexGateway>
        <eventBasedGateway id="e" eventGatewayType="Parallel" instantiate="true"/>
        <sequenceFlow id="f" sourceRef="x" targetRef="a"/>"""
    )
    assert model.element("x") == m.ExclusiveGateway(id="x", parent="p", direction="diverging", default="f")
    condition = m.Formal(text="activationCount >= 2")
    assert model.element("c") == m.ComplexGateway(id="c", parent="p", activation_condition=condition)
    assert model.element("e") == m.EventBasedGateway(id="e", parent="p", is_parallel=True, instantiate=True)


EVENT_DEFINITIONS = [
    ('<messageEventDefinition id="d" messageRef="m"><operationRef>o</operationRef></messageEventDefinition>',
     m.MessageEventDefinition(id="d", parent="e", message="m", operation="o")),
    ('<signalEventDefinition id="d" signalRef="s"/>', m.SignalEventDefinition(id="d", parent="e", signal="s")),
    ('<errorEventDefinition id="d" errorRef="x"/>', m.ErrorEventDefinition(id="d", parent="e", error="x")),
    ('<escalationEventDefinition id="d" escalationRef="y"/>',
     m.EscalationEventDefinition(id="d", parent="e", escalation="y")),
    ('<timerEventDefinition id="d"><timeDate>2030-01-01</timeDate></timerEventDefinition>',
     m.TimerEventDefinition(id="d", parent="e", date=m.Formal(text="2030-01-01"))),
    ('<timerEventDefinition id="d"><timeDuration>PT5M</timeDuration></timerEventDefinition>',
     m.TimerEventDefinition(id="d", parent="e", duration=m.Formal(text="PT5M"))),
    ('<timerEventDefinition id="d"><timeCycle>R3/PT5M</timeCycle></timerEventDefinition>',
     m.TimerEventDefinition(id="d", parent="e", cycle=m.Formal(text="R3/PT5M"))),
    ('<conditionalEventDefinition id="d"><condition xsi:type="tFormalExpression">a > 1</condition>'
     '</conditionalEventDefinition>',
     m.ConditionalEventDefinition(id="d", parent="e", condition=m.Formal(text="a > 1"))),
    ('<linkEventDefinition id="d" name="L"/>', m.LinkEventDefinition(id="d", parent="e", name="L")),
    ('<compensateEventDefinition id="d" activityRef="a" waitForCompletion="false"/>',
     m.CompensateEventDefinition(id="d", parent="e", activity="a", wait_for_completion=False)),
    ('<cancelEventDefinition id="d"/>', m.CancelEventDefinition(id="d", parent="e")),
    ('<terminateEventDefinition id="d"/>', m.TerminateEventDefinition(id="d", parent="e")),
]  # fmt: skip


@pytest.mark.parametrize(
    "event", ["startEvent", "endEvent", "intermediateCatchEvent", "intermediateThrowEvent", "boundaryEvent"]
)
@pytest.mark.parametrize("text, definition", EVENT_DEFINITIONS)
def test_every_definition_in_every_event(event: str, text: str, definition: m.EventDefinition) -> None:
    """Design section 7: all events and event definitions in all positions."""
    model = read(
        f"""<message id="m"/><signal id="s"/><error id="x"/><escalation id="y"/>
        <interface id="i"><operation id="o"/></interface>
        <process id="p"><task id="a"/><{event} id="e" attachedToRef="a">{text}</{event}></process>"""
    )
    found = model.element("e")
    assert isinstance(found, m.Event)
    assert found.definitions == (definition,)
    assert notes(model) == []


def test_attributes_of_events_and_order_of_definitions() -> None:
    """EVT-05: a multiple event keeps its definitions in document order."""
    model = read_process(
        """<startEvent id="s" isInterrupting="false" parallelMultiple="true"><timerEventDefinition id="t"/>
          <signalEventDefinition id="g"/></startEvent>
        <task id="a"/><boundaryEvent id="b" attachedToRef="a" cancelActivity="false"/>"""
    )
    start = model.element("s")
    assert isinstance(start, m.StartEvent)
    assert (start.interrupting, start.parallel_multiple) == (False, True)
    assert [definition.id for definition in start.definitions] == ["t", "g"]
    assert model.boundaries("a") == (m.BoundaryEvent(id="b", parent="p", attached_to="a", interrupting=False),)


def test_definitions_at_the_top_are_shared_by_reference() -> None:
    """BPMN 2.0.2 section 10.5.1: eventDefinitionRef; the definition stays one element of the model."""
    model = read(
        """<process id="p"><startEvent id="s"><eventDefinitionRef>d</eventDefinitionRef></startEvent>
        <endEvent id="e"><eventDefinitionRef>tns:d</eventDefinitionRef></endEvent></process>
        <signalEventDefinition id="d" signalRef="g"/><signal id="g" name="alert"/>"""
    )
    definition = m.SignalEventDefinition(id="d", signal="g")
    assert model.element("d") == definition
    for name in ("s", "e"):
        event = model.element(name)
        assert isinstance(event, m.Event)
        assert event.definitions == (definition,)


def test_standard_loop() -> None:
    """iteration.md section 2."""
    model = read_process(
        """<task id="a"><standardLoopCharacteristics id="l" testBefore="true" loopMaximum="3">
        <loopCondition>again</loopCondition></standardLoopCharacteristics></task>"""
    )
    assert model.element("a") == m.Task(
        id="a",
        parent="p",
        loop=m.StandardLoopCharacteristics(
            id="l", parent="a", test_before=True, maximum=3, condition=m.Formal(text="again")
        ),
    )


def test_an_activity_has_one_marker() -> None:
    """iteration.md ITER-B-01: at most one; the second is noted."""
    model = read_process(
        '<task id="a"><standardLoopCharacteristics id="l"/><multiInstanceLoopCharacteristics id="m"/></task>'
    )
    assert model.element("a").loop == m.StandardLoopCharacteristics(id="l", parent="a")  # type: ignore[attr-defined]
    assert notes(model) == ["m: a second element of this kind was passed over"]


def test_multi_instance_with_behavior_and_events() -> None:
    """iteration.md ITER-BH-01 to ITER-BH-04: behavior, its events and complex definitions."""
    model = read(
        """<signalEventDefinition id="d" signalRef="g"/><signal id="g"/>
        <process id="p"><subProcess id="a"><multiInstanceLoopCharacteristics id="l" isSequential="true"
          behavior="Complex" noneBehaviorEventRef="d" oneBehaviorEventRef="d">
          <loopCardinality>3</loopCardinality>
          <complexBehaviorDefinition id="c"><condition>numberOfCompletedInstances >= 2</condition>
            <event id="ev"><signalEventDefinition id="k" signalRef="g"/></event></complexBehaviorDefinition>
          <complexBehaviorDefinition><condition>true</condition></complexBehaviorDefinition>
          <completionCondition>numberOfCompletedInstances >= 3</completionCondition>
        </multiInstanceLoopCharacteristics></subProcess></process>"""
    )
    loop = model.element("a").loop  # type: ignore[attr-defined]
    assert loop == m.MultiInstanceLoopCharacteristics(
        id="l",
        parent="a",
        is_sequential=True,
        loop_cardinality=m.Formal(text="3"),
        completion_condition=m.Formal(text="numberOfCompletedInstances >= 3"),
        behavior=m.Behavior.COMPLEX,
        none_event="d",
        one_event="d",
        complex_definitions=(
            m.ComplexBehaviorDefinition(
                id="c",
                parent="l",
                condition=m.Formal(text="numberOfCompletedInstances >= 2"),
                event=m.ImplicitThrowEvent(
                    id="ev", parent="c", definitions=(m.SignalEventDefinition(id="k", parent="ev", signal="g"),)
                ),
            ),
            m.ComplexBehaviorDefinition(id="complexBehaviorDefinition_2", parent="l", condition=m.Formal(text="true")),
        ),
    )


def test_data_chain_is_read_as_names() -> None:
    """iteration.md ITER-D-12: references to data become the names that expressions know."""
    model = read_process(
        """<property id="P1" name="orders"/><dataObject id="D1"/>
        <dataObjectReference id="R1" name="results" dataObjectRef="D1"/>
        <task id="a">
          <ioSpecification><dataInput id="in" name="IN"/><dataInput id="in2"/><dataOutput id="out" name="OUT"/>
            <inputSet id="is"><dataInputRefs>in</dataInputRefs></inputSet>
            <outputSet id="os"><dataOutputRefs>out</dataOutputRefs></outputSet></ioSpecification>
          <dataInputAssociation id="other"><sourceRef>R1</sourceRef><targetRef>in2</targetRef></dataInputAssociation>
          <dataInputAssociation id="ia"><sourceRef>P1</sourceRef><targetRef>in</targetRef></dataInputAssociation>
          <dataOutputAssociation id="oa"><sourceRef>out</sourceRef><targetRef>R1</targetRef></dataOutputAssociation>
          <multiInstanceLoopCharacteristics><loopDataInputRef>in</loopDataInputRef>
            <loopDataOutputRef>out</loopDataOutputRef>
            <inputDataItem id="i1" name="order"/><outputDataItem id="result"/></multiInstanceLoopCharacteristics>
        </task>
        <task id="b"><multiInstanceLoopCharacteristics><loopDataInputRef>P1</loopDataInputRef>
          <inputDataItem name="x"/></multiInstanceLoopCharacteristics></task>
        <task id="c"><multiInstanceLoopCharacteristics><loopDataInputRef>anything</loopDataInputRef>
          </multiInstanceLoopCharacteristics></task>"""
    )
    loops = [node.loop for node in model.nodes("p")]  # type: ignore[attr-defined]
    names = [(x.input_collection, x.input_item, x.output_collection, x.output_item) for x in loops]
    assert names == [("orders", "order", "results", "result"), ("orders", "x", "", ""), ("anything", "", "", "")]
    assert notes(model) == []


def test_data_elements_belong_to_their_owner() -> None:
    """Design section 2: containment is flat; DAT-10: data elements, associations and assignments."""
    model = read(
        """<itemDefinition id="i" structureRef="xsd:int" isCollection="true" itemKind="Physical"/>
        <dataStore id="ds" name="S" capacity="3" isUnlimited="false"/>
        <process id="p">
          <ioSpecification><dataInput id="pi" itemSubjectRef="i"/><inputSet id="ps"/></ioSpecification>
          <dataObject id="d" isCollection="true" itemSubjectRef="i"><dataState name="fresh"/></dataObject>
          <dataStoreReference id="r" dataStoreRef="ds"/>
          <userTask id="u">
            <ioSpecification><dataInput id="ui"/><dataOutput id="uo"/>
              <inputSet id="us"><dataInputRefs>ui</dataInputRefs><optionalInputRefs>ui</optionalInputRefs>
                <whileExecutingInputRefs>ui</whileExecutingInputRefs><outputSetRefs>uos</outputSetRefs></inputSet>
              <outputSet id="uos"><dataOutputRefs>uo</dataOutputRefs></outputSet></ioSpecification>
            <property id="up" name="limit" itemSubjectRef="i"/>
            <dataInputAssociation id="a"><sourceRef>d</sourceRef><targetRef>ui</targetRef>
              <transformation>d + 1</transformation>
              <assignment><from>d.x</from><to>ui.y</to></assignment></dataInputAssociation>
          </userTask>
          <startEvent id="s"><dataOutput id="so"/><outputSet id="ss"><dataOutputRefs>so</dataOutputRefs></outputSet>
          </startEvent>
        </process>"""
    )
    assert [(e.id, e.parent) for e in model.elements.values() if e.parent not in ("", "p")] == [
        ("ui", "u"), ("uo", "u"), ("us", "u"), ("uos", "u"), ("up", "u"), ("a", "u"), ("so", "s"), ("ss", "s"),
    ]  # fmt: skip
    assert model.element("i") == m.ItemDefinition(id="i", structure="xsd:int", is_collection=True, kind="Physical")
    assert model.element("ds") == m.DataStore(id="ds", name="S", capacity=3, is_unlimited=False)
    assert model.element("pi") == m.DataInput(id="pi", parent="p", item="i")
    assert model.element("d") == m.DataObject(id="d", parent="p", item="i", is_collection=True, state="fresh")
    assert model.element("r") == m.DataStoreReference(id="r", parent="p", target="ds")
    assert model.element("us") == m.InputSet(
        id="us", parent="u", members=("ui",), optional=("ui",), while_executing=("ui",), rules=("uos",)
    )
    assert model.element("a") == m.DataAssociation(
        id="a",
        parent="u",
        kind=m.AssociationKind.INPUT,
        sources=("d",),
        target="ui",
        transformation=m.Formal(text="d + 1"),
        assignments=(m.Assignment(source=m.Formal(text="d.x"), target=m.Formal(text="ui.y")),),
    )


def test_pools_lanes_message_flows_and_artifacts() -> None:
    """Design section 7: black-box pools, nested lanes, artifacts; none of them needs a process."""
    model = read(
        """<collaboration id="c" isClosed="true">
          <participant id="shop" name="Shop" processRef="p"><participantMultiplicity minimum="1" maximum="5"/>
          </participant><participant id="guest" name="Guest"/>
          <messageFlow id="mf" sourceRef="guest" targetRef="a" messageRef="m"/>
          <textAnnotation id="t" textFormat="text/x"><text>Mind</text></textAnnotation>
          <correlationKey id="k" name="order"><correlationPropertyRef>cp</correlationPropertyRef></correlationKey>
        </collaboration><message id="m" name="M"/>
        <correlationProperty id="cp" type="xsd:string"><correlationPropertyRetrievalExpression messageRef="m">
          <messagePath>id</messagePath></correlationPropertyRetrievalExpression></correlationProperty>
        <category id="cat"><categoryValue id="v" value="Urgent"/></category>
        <process id="p"><laneSet id="ls"><lane id="l1" name="One"><childLaneSet><lane id="l2">
            <flowNodeRef>a</flowNodeRef></lane></childLaneSet></lane></laneSet>
          <task id="a"/><association id="as" sourceRef="t" targetRef="a" associationDirection="Both"/>
          <group id="g" categoryValueRef="v"/>
          <correlationSubscription id="sub" correlationKeyRef="k"><correlationPropertyBinding
            correlationPropertyRef="cp"><dataPath>orderId</dataPath></correlationPropertyBinding>
          </correlationSubscription></process>"""
    )
    expected = [
        m.Collaboration(id="c", is_closed=True),
        m.Participant(id="shop", name="Shop", parent="c", process="p", minimum=1, maximum=5),
        m.Participant(id="guest", name="Guest", parent="c"),
        m.MessageFlow(id="mf", parent="c", source="guest", target="a", message="m"),
        m.TextAnnotation(id="t", parent="c", text="Mind", text_format="text/x"),
        m.CorrelationKey(id="k", name="order", parent="c", properties=("cp",)),
        m.Message(id="m", name="M"),
        m.CorrelationProperty(id="cp", type="xsd:string", retrievals=(("m", m.Formal(text="id")),)),
        m.Category(id="cat", values=(("v", "Urgent"),)),
        m.Process(id="p"),
        m.Lane(id="l1", name="One", parent="p"),
        m.Lane(id="l2", parent="l1", members=("a",)),
        m.Task(id="a", parent="p"),
        m.Association(id="as", parent="p", source="t", target="a", direction="Both"),
        m.Group(id="g", parent="p", category_value="v"),
        m.CorrelationSubscription(id="sub", parent="p", key="k", bindings=(("cp", m.Formal(text="orderId")),)),
    ]
    assert list(model.elements.values()) == expected
    assert notes(model) == []


def test_resources_and_roles() -> None:
    """core.md HUM-02: who performs a task."""
    model = read(
        """<resource id="clerk" name="Clerk"><resourceParameter id="rp" name="region"/></resource>
        <process id="p"><userTask id="u">
          <potentialOwner id="o"><resourceRef>clerk</resourceRef><resourceParameterBinding parameterRef="region">
            <formalExpression>area</formalExpression></resourceParameterBinding></potentialOwner>
          <performer id="q"><resourceAssignmentExpression><formalExpression>boss</formalExpression>
            </resourceAssignmentExpression></performer>
        </userTask></process>"""
    )
    assert model.element("clerk") == m.Resource(id="clerk", name="Clerk", parameters=("region",))
    assert model.element("o") == m.ResourceRole(
        id="o", parent="u", kind="potentialOwner", resource="clerk", bindings=(("region", m.Formal(text="area")),)
    )
    assert model.element("q") == m.ResourceRole(id="q", parent="u", kind="performer", assignment=m.Formal(text="boss"))


def test_documentation_foreign_attributes_and_extensions_are_kept() -> None:
    """lessons.md A 33: foreign content is kept, without effect on what is read."""
    model = read_process(
        """<task id="a" v:color="red" xsi:type="tTask"><documentation> One </documentation><documentation/>
        <documentation>Two</documentation><extensionElements><v:meta key="k"> <v:x> 1</v:x> </v:meta>
        </extensionElements><v:loose/></task>""",
        'xmlns:v="urn:v"',
    )
    assert model.element("a") == m.Task(
        id="a",
        parent="p",
        documentation="One\n\nTwo",
        attributes=(("{urn:v}color", "red"),),
        extensions=(
            m.Extension(
                name="{urn:v}meta",
                attributes=(("key", "k"),),
                children=(m.Extension(name="{urn:v}x", text=" 1"),),
            ),
            m.Extension(name="{urn:v}loose"),
        ),
    )
    assert notes(model) == []


def test_elements_inside_extensions_are_not_elements_of_the_model() -> None:
    """A vendor may put BPMN names into its extensions, even with ids of the model."""
    model = read_process(
        '<extensionElements><v:x xmlns:v="urn:v"><task id="a"/></v:x></extensionElements><task id="a"/>'
    )
    assert list(model.elements) == ["p", "a"]
    assert notes(model) == []


def test_unknown_and_meaningless_elements_are_noted_with_their_line() -> None:
    """Design section 8: notes carry the element id."""
    model = read_process('<task id="a"><monitoring/>\n<wobble/></task></process><globalTask id="g"/><process id="q">')
    assert notes(model) == [
        "a: element <monitoring> says nothing about a run and was passed over",
        "a: element <wobble> is not known here and was passed over",
        ": element <globalTask> cannot be called, only a process can, and was passed over",
    ]
    assert [note.line for note in model.notes] == [1, 2, 2]


def test_a_wrong_value_is_noted_and_the_default_taken() -> None:
    """Import as much as possible, list the rest (lessons.md A 35)."""
    model = read_process('<task id="a" startQuantity="many" isForCompensation="perhaps"/>')
    assert model.element("a") == m.Task(id="a", parent="p")
    assert notes(model) == [
        "a: isForCompensation 'perhaps' is not one of true, false, 1, 0 and was passed over",
        "a: startQuantity 'many' is not a whole number and was passed over",
    ]


def test_flows_follow_source_and_target_not_incoming_and_outgoing() -> None:
    """lessons.md A 34."""
    model = read_process(
        """<task id="a"><incoming>f</incoming><outgoing>wrong</outgoing></task><task id="b"/>
        <sequenceFlow id="f" sourceRef="a" targetRef="b"/>"""
    )
    assert [flow.id for flow in model.outgoing("a")] == ["f"]
    assert model.incoming("a") == ()
    assert notes(model) == []


def test_expressions_keep_text_and_language() -> None:
    """Section C of the lessons: text as drawn, CDATA and markup included, language of the file as default."""
    body = """<task id="a"/><sequenceFlow id="f" sourceRef="a" targetRef="a">
        <conditionExpression xsi:type="tFormalExpression" evaluatesToTypeRef="xsd:bool" LANGUAGE>
          <![CDATA[${a < b}]]> </conditionExpression></sequenceFlow>
        <sequenceFlow id="g" sourceRef="a" targetRef="a"><conditionExpression> </conditionExpression></sequenceFlow>"""

    def condition(attribute: str, file: str) -> m.Formal | None:
        model = read_process(body.replace("LANGUAGE", attribute), file)
        assert model.element("g") == m.SequenceFlow(id="g", parent="p", source="a", target="a")
        found = model.element("f")
        assert isinstance(found, m.SequenceFlow)
        return found.condition

    plain = m.Formal(text="${a < b}", evaluates_to="xsd:bool")
    assert condition("", "") == plain
    assert condition("", 'expressionLanguage="http://www.w3.org/1999/XPath"') == plain
    feel = m.Formal(text="${a < b}", evaluates_to="xsd:bool", language="feel")
    assert condition("", 'expressionLanguage="feel"') == feel
    assert condition('language="feel"', 'expressionLanguage="mvel"') == feel


def test_expressions_that_can_never_be_evaluated_are_noted() -> None:
    """Section C of the lessons: what is not understood is reported at import, with the element, and kept as drawn."""
    model = read_process(
        """<task id="a"/><sequenceFlow id="f" sourceRef="a" targetRef="a"><conditionExpression>a &lt;&lt; &lt;
          </conditionExpression></sequenceFlow>
        <sequenceFlow id="g" sourceRef="a" targetRef="a"><conditionExpression>lenn(a) > 1</conditionExpression>
          </sequenceFlow>
        <sequenceFlow id="h" sourceRef="a" targetRef="a"><conditionExpression language="klingon">a
          </conditionExpression></sequenceFlow>
        <sequenceFlow id="i" sourceRef="a" targetRef="a"><conditionExpression>a > 1</conditionExpression>
          </sequenceFlow>
        <startEvent id="s"><timerEventDefinition id="t"><timeCycle>R3/PT5M</timeCycle></timerEventDefinition>
          <timerEventDefinition id="u"><timeDate>${lenn(a)}</timeDate></timerEventDefinition></startEvent>"""
    )
    assert [note.element_id for note in model.notes] == ["f", "g", "h", "u"]
    assert model.notes[1].text == (
        "the expression 'lenn(a) > 1' can never be evaluated: unknown function 'lenn'; did you mean 'len'?"
    )
    assert model.element("f").condition == m.Formal(text="a << <")  # type: ignore[attr-defined]


def test_what_a_file_says_about_itself() -> None:
    """Exporter, name and target namespace are kept; equality looks at the last two only."""
    model = read("", 'name="N" targetNamespace="urn:t" exporter="Pen" exporterVersion="2"')
    assert (model.name, model.target_namespace, model.exporter, model.dialect) == ("N", "urn:t", "Pen 2", "bpmn")
    assert model == read("", 'name="N" targetNamespace="urn:t"')
    assert model != read("", 'name="N" targetNamespace="urn:u"')


def test_deep_nesting_is_read_without_recursion() -> None:
    """Design section 4: no recursion over depth."""
    depth = 1_500
    body = "".join(f'<subProcess id="s{i}">' for i in range(depth)) + "</subProcess>" * depth
    model = read_process(body)
    assert len(model.elements) == depth + 1
    assert model.element("s1499").parent == "s1498"
    assert pickle.loads(pickle.dumps(model)) == model


def test_deep_extensions_are_cut() -> None:
    """What is compared, printed and pickled by recursion must be shallow."""
    body = '<task id="a"><extensionElements>' + '<x xmlns="u">' * 1_500 + "</x>" * 1_500
    model = read_process(body + "</extensionElements></task>")
    assert notes(model) == ["a: what is nested deeper than 50 levels in an extension was passed over"]
    assert pickle.loads(pickle.dumps(model)) == model


def test_an_unknown_dialect_is_refused() -> None:
    """Design section 8: did you mean."""
    with pytest.raises(ModelError, match="did you mean 'camunda'"):
        read("", dialect="camnuda")
