"""Untrusted files: a BpmnSimError or a harmless result, each call within a second, in bounded memory."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

import bpmnsim as bs

from .pipeline import SECONDS, allowed, memory, put_through

MODEL = 'xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "ha"}">' for n in range(10))
TWO = "<subProcess id='a'/><subProcess id='b'/>"


def file(inside: str = "", before: str = "", at: str = "") -> str:
    return f'{before}<definitions {MODEL} {at}><process id="p"><startEvent id="s"/>{inside}</process></definitions>'


def after_start(node: str) -> str:
    """Put a node with the id n behind the start event."""
    return file(f'<sequenceFlow id="f" sourceRef="s" targetRef="n"/>{node}')


def iterating(cardinality: str, kind: str = "task") -> str:
    loop = f"<multiInstanceLoopCharacteristics><loopCardinality>{cardinality}</loopCardinality>"
    return after_start(f'<{kind} id="n">{loop}</multiInstanceLoopCharacteristics></{kind}>')


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """Load every library once, so that no attack is charged for it."""
    put_through(file(), 20)


def hold(source: str | bytes, seconds: float = SECONDS) -> str:
    """Put a file through everything, within time and memory; return how it ended."""
    with memory():
        return put_through(source, seconds)


@pytest.mark.parametrize(
    "before",
    [
        f"<!DOCTYPE d [{LAUGHS}]>",
        '<!DOCTYPE d [<!ENTITY l9 "x">]>',
        '<!DOCTYPE d [<!ENTITY l9 SYSTEM "file:///dev/zero">]>',
        '<!DOCTYPE d [<!ENTITY % p SYSTEM "file:///dev/zero"> %p;]>',
        '<!DOCTYPE d [<!ATTLIST process name CDATA "&l9;">]>',
        f'<!DOCTYPE d [<!ENTITY l9 "{"a" * 100_000}">]>',
    ],
)
def test_entities(before: str) -> None:
    """Issue text: entities, DTDs, external references are refused, in attributes and in text."""
    assert hold(file("<task id='t' name='&l9;'/>", before)) == "refused"
    assert hold(file("<documentation>&l9;</documentation>", before)) == "refused"


@pytest.mark.parametrize(
    "source",
    [
        file(before='<!DOCTYPE definitions SYSTEM "HERE">'),
        file(before='<!DOCTYPE definitions PUBLIC "-//x//EN" "HERE">'),
        file(before='<!DOCTYPE d [<!ENTITY x SYSTEM "HERE">]>', inside="<task name='&x;'/>"),
        file(before='<!DOCTYPE d [<!ENTITY % x SYSTEM "HERE"> %x;]>'),
        file(before='<?xml-stylesheet href="HERE" type="text/xsl"?>'),
        file('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="HERE" parse="text"/>'),
        file(at='xmlns:x="http://www.w3.org/2001/XMLSchema-instance" x:schemaLocation="HERE HERE"'),
        file().replace("<process", '<import importType="HERE" location="HERE" namespace="HERE"/><process'),
    ],
)
def test_nothing_else_is_read(source: str, tmp_path: Path) -> None:
    """Issue text: external references; neither the network nor another file is touched."""
    secret = tmp_path / "secret.dtd"
    secret.write_text('<!ENTITY x "what only this file says">')
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        for place in (f"http://127.0.0.1:{server.getsockname()[1]}/x.dtd", secret.as_uri(), str(secret)):
            hold(source.replace("HERE", place))
            model = allowed("read_bpmn", lambda place=place: bs.read_bpmn(source.replace("HERE", place)))
            assert model is None or "what only" not in f"{bs.write_bpmn(model)}{model.notes}"
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.parametrize(
    ("source", "ended"),
    [
        (file("".join(f'<a xmlns="u{i}">' for i in range(5_000)) + "</a>" * 5_000), "refused"),
        (f"<definitions {MODEL}>" + "<a>" * 1_000_000, "refused"),
        (file("<subProcess>" * 100 + "</subProcess>" * 100), "completed"),
        (file("<subProcess>" * 5_000 + "</subProcess>" * 5_000), "refused"),
        (file("<laneSet>" + "<lane><childLaneSet>" * 900 + "</childLaneSet></lane>" * 900 + "</laneSet>"), "completed"),
        (file("<extensionElements>" + "<x xmlns='u'>" * 1_900 + "</x>" * 1_900 + "</extensionElements>"), "completed"),
    ],
    ids=["foreign", "open", "sub-processes", "too many", "lanes", "extensions"],
)
def test_deep_nesting(source: str, ended: str) -> None:
    """Issue text: deep nesting."""
    assert hold(source) == ended


def test_the_deepest_model_that_opens() -> None:
    """Issue text: deep nesting; a file of 2,000 elements with a layout is known to take more than a second in all."""
    assert hold(file("<subProcess>" * 1_990 + "</subProcess>" * 1_990), seconds=10) == "truncated"


@pytest.mark.parametrize(
    ("source", "ended"),
    [
        (file(f'<task id="t" name="{"a" * 1_000_000}"/>'), "completed"),
        (file(f'<task id="t" name="{"a " * 500_000}"/>'), "completed"),
        (file(f'<task id="t" name="{"&#65;" * 150_000}"/>'), "completed"),
        (file(f'<task id="t" name="{"a" * 1_000_001}"/>'), "refused"),
        (file(f'<task id="{"a" * 99_000}"/>'), "completed"),
        (file(f'<task id="{"a" * 1_000_000}"/>'), "refused"),
        (file(f'<sequenceFlow id="f" sourceRef="{"a" * 1_000_000}" targetRef="s"/>'), "completed"),
        (file("<task " + " ".join(f'a{i}="x"' for i in range(50_000)) + "/>"), "refused"),
        (file("<task " + " ".join(f'a{i}="x"' for i in range(900)) + "/>"), "completed"),
        (file("<task " + " ".join(f'xmlns:a{i}="u{i}"' for i in range(5_000)) + "/>"), "completed"),
        (file(f"<documentation>{'a' * 10_000_000}</documentation>"), "completed"),
        (file(f"<{'a' * 1_000_000}/>"), "completed"),
        (file("<!-- -->" * 100_000), "completed"),
        (" " * 1_000_000 + file(before='<?xml version="1.0"?>'), "completed"),
        ("\n<?xml " * 300_000, "refused"),
    ],
    ids=[
        *(
            "name",
            "words",
            "references",
            "longer name",
            "id",
            "longer id",
            "flow",
            "many attributes",
            "900 attributes",
        ),
        *("namespaces", "text", "tag", "comments", "blanks", "declarations"),
    ],
)
def test_huge_parts(source: str, ended: str) -> None:
    """Issue text: huge attributes, and whatever else may be huge."""
    assert hold(source) == ended


CAMUNDA = 'xmlns:camunda="http://camunda.org/schema/1.0/bpmn"'
TIMER = "<intermediateCatchEvent id='n'><timerEventDefinition>HERE</timerEventDefinition></intermediateCatchEvent>"
LOOP = "<task id='n'><multiInstanceLoopCharacteristics HERE</multiInstanceLoopCharacteristics></task>"


@pytest.mark.parametrize("text", [" ", "1", "1.", "a:", "${", "P1Y", "R/", "-", "activationCount "])
@pytest.mark.parametrize(
    "place",
    [
        LOOP.replace("HERE", f"{CAMUNDA} camunda:collection='TEXT' camunda:elementVariable='TEXT'>"),
        LOOP.replace("HERE", "><loopCardinality>TEXT</loopCardinality><completionCondition>TEXT</completionCondition>"),
        LOOP.replace("HERE", "><loopDataInputRef>TEXT</loopDataInputRef><inputDataItem name='TEXT'/>"),
        TIMER.replace("HERE", "<timeDuration>TEXT</timeDuration><timeDate>TEXT</timeDate><timeCycle>TEXT</timeCycle>"),
        "<complexGateway id='n'><activationCondition>TEXT</activationCondition></complexGateway>",
        "<scriptTask id='n' scriptFormat='TEXT' startQuantity='TEXT'><script>TEXT</script></scriptTask>",
    ],
    ids=["vendor", "loop", "data", "timer", "gateway", "script"],
)
def test_patterns_read_long_texts_in_linear_time(place: str, text: str) -> None:
    """A pattern with two ways to read a blank takes minutes for a long one: no such pattern meets a text of a file."""
    hold(after_start(place.replace("TEXT", text * (100_000 // len(text)))))


def test_paths_of_nested_ids_are_bounded() -> None:
    """Tables name a scope by all ids around it: they would grow with depth times length."""
    deep = "".join(f'<subProcess id="{"a" * 500}{i}">' for i in range(190))
    assert hold(file(deep + "</subProcess>" * 190)) == "truncated"
    with pytest.raises(bs.ModelError, match="the ids of an element and of all around it"):
        bs.read_bpmn(file(deep.replace("aaa", "aaab") + "</subProcess>" * 190))


@pytest.mark.parametrize(
    "source",
    [
        after_start('<task id="n"/><sequenceFlow id="g" sourceRef="n" targetRef="n"/>'),
        after_start('<task id="n"/>' + "".join(f'<sequenceFlow id="g{i}" sourceRef="n" targetRef="n"/>' for i in "ab")),
        after_start('<exclusiveGateway id="n" default="g"/><sequenceFlow id="g" sourceRef="n" targetRef="n"/>'),
        file("<boundaryEvent id='b' attachedToRef='b'/>"),
        file("<boundaryEvent id='a' attachedToRef='b'/><boundaryEvent id='b' attachedToRef='a'/>"),
        file("<callActivity id='c' calledElement='p'/>"),
        file("<callActivity id='c' calledElement='c'/>"),
        file("<laneSet><lane id='a'><flowNodeRef>a</flowNodeRef></lane></laneSet>"),
        file("<laneSet><lane id='a'><childLaneSet><lane id='a'/></childLaneSet></lane></laneSet>"),
        file("<subProcess id='p'><subProcess id='p'/></subProcess>"),
        file(
            f"{TWO}<sequenceFlow id='f' sourceRef='a' targetRef='s'/><sequenceFlow id='g' sourceRef='s' targetRef='f'/>"
        ),
        file("<subProcess id='a'><task id='t'/></subProcess><sequenceFlow id='f' sourceRef='t' targetRef='s'/>"),
        file("<dataObjectReference id='d' dataObjectRef='d'/><dataObject id='o' itemSubjectRef='o'/>"),
        file("<task id='t'><dataInputAssociation><sourceRef>t</sourceRef></dataInputAssociation></task>"),
        file("<task id='t'><dataOutputAssociation><targetRef>t</targetRef></dataOutputAssociation></task>"),
        file("<association id='a' sourceRef='a' targetRef='a'/><group id='g' categoryValueRef='g'/>"),
        file("<intermediateThrowEvent id='n'><eventDefinitionRef>n</eventDefinitionRef></intermediateThrowEvent>"),
        file(
            "<endEvent id='n'><linkEventDefinition id='l' name='n'><target>l</target></linkEventDefinition></endEvent>"
        ),
        file().replace(
            "<process", "<collaboration id='c'><participant id='c' processRef='c'/></collaboration><process"
        ),
        file().replace(
            "<process", "<collaboration><messageFlow id='m' sourceRef='m' targetRef='m'/></collaboration><process"
        ),
        file().replace("<process", "<process id='p'/><process id='p'/><process"),
    ],
)
def test_cyclic_references(source: str) -> None:
    """Issue text: cyclic references, and references across borders."""
    hold(source)


@pytest.mark.parametrize("text", ["1000000000", "-1", "2 ** 4000", "len('x' * 400000)", "[1] * 20000"])
@pytest.mark.parametrize("kind", ["task", "userTask", "subProcess"])
def test_giant_cardinalities(text: str, kind: str) -> None:
    """Issue text: giant numbers where a number of inner instances is meant."""
    assert hold(iterating(text, kind)) in ("completed", "incident", "does not run")


def test_tokens_that_multiply_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flows and nested inner instances that multiply end in incidents, not in a full memory."""
    monkeypatch.setattr("bpmnsim.engine.scopes.MOST", 1_000)
    narrow = bs.Options(max_parallel_width=1_000)
    loops = "".join(f'<sequenceFlow id="g{i}" sourceRef="n" targetRef="n"/>' for i in range(50))
    forking = bs.read_bpmn(after_start(f'<task id="n"/>{loops}'))
    outer = iterating("900", "subProcess")
    inner = outer.partition('targetRef="n"/>')[2].partition("</process>")[0].replace('"n"', '"m"')
    nested = bs.read_bpmn(outer.replace("</subProcess>", f"{inner}</subProcess>"))
    for model in (forking, nested):
        trace = bs.simulate(model, options=narrow, step_limit=300)
        assert trace.outcome in ("truncated", "incident")
        assert "more than 1,000 tokens or scopes" in trace.incidents().error[0]
        assert len(trace.record.facts) // 7 < 15_000


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\0" * 1_000,
        b"PK\x03\x04" + b"\0" * 100,
        bytes(range(256)) * 100,
        "{}",
        "<html/>",
        file()[:-40],
        file("<task id='t' name='&#1;'/>"),
        file("<task id='t' name='&#xD800;'/>"),
        file("<task id='t' name='\ud800'/>"),
        file(before='<?xml version="1.1"?>', inside="<task id='t' name='&#1;'/>"),
        b'<?xml version="1.0" encoding="UTF-16"?>' + file().encode(),
        b'<?xml version="1.0" encoding="UTF-8"?>' + file("<task name='\xfc'/>").encode("latin-1"),
        b'<?xml version="1.0" encoding="nonsense"?>' + file().encode(),
        '<?xml version="1.0" encoding="UTF-7"?>' + file(),
        file().encode("utf-16")[:-1],
        file().encode("utf-32")[:-1],
        file().encode() + b"\0",
    ],
)
def test_what_is_no_xml(source: str | bytes) -> None:
    """Issue text: encodings lied about, control characters, and files that are something else."""
    hold(source)
