"""Untrusted input: a BpmnSimError or a harmless result, in little time and bounded memory."""

from __future__ import annotations

import json
import tracemalloc
from random import Random
from typing import Any

import pytest

import bpmnsim as bs

from .expressions import PYTHON
from .fuzz import make
from .mutations import NAMES
from .pipeline import allowed, put_through, within
from .saved import change

MODEL = 'xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'


def wrapped(inside: str, before: str = "") -> str:
    return f'{before}<definitions {MODEL}><process id="p">{inside}</process></definitions>'


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "ha"}">' for n in range(10))
ATTACKS = {
    "billion laughs": wrapped("<task id='a' name='&l9;'/>", f"<!DOCTYPE d [{LAUGHS}]>"),
    "external entity": wrapped("<task id='a' name='&x;'/>", '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
    "external dtd": wrapped("<task id='a'/>", '<!DOCTYPE d SYSTEM "http://localhost:9/x.dtd">'),
    "parameter entity": wrapped("<task id='a'/>", '<!DOCTYPE d [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;]>'),
    "deep nesting": wrapped("<subProcess>" * 5000 + "</subProcess>" * 5000),
    "huge attribute": wrapped(f"<task id='a' name='{'x' * 20_000_000}'/>"),
    "cyclic flows": wrapped("<task id='a'/><sequenceFlow id='f' sourceRef='a' targetRef='a'/>"),
    "attached to itself": wrapped("<boundaryEvent id='b' attachedToRef='b'/>"),
    "not closed": wrapped("<task")[:-40],
    "another language": "{}",
}


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """Load every library once, so that no test is charged for it."""
    put_through(wrapped("<startEvent id='s'/>").encode())


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_refused_or_harmless(attack: str) -> None:
    """Issue text, Hostile input: each of the named attacks, through everything a user does with a file."""
    source = ATTACKS[attack].encode()
    with within(4):
        put_through(source)
    tracemalloc.start()
    try:
        allowed("read_bpmn", lambda: bs.read_bpmn(source))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200_000_000


@pytest.mark.parametrize("attack", ["billion laughs", "external entity", "parameter entity"])
def test_entities_are_never_expanded(attack: str) -> None:
    """Security: the file is refused, and nothing of another file comes into the message."""
    with pytest.raises(bs.ModelError) as raised:
        bs.read_bpmn(ATTACKS[attack])
    assert "root:" not in str(raised.value)


@pytest.mark.parametrize("text", PYTHON)
def test_an_expression_is_an_incident_or_a_value(text: str) -> None:
    """Security, expressions: attribute tricks, giant powers and strings never get out."""
    b = bs.ProcessBuilder("p")
    choice = b.exclusive("x")
    _ = b.start() >> choice
    built = allowed("flow", lambda: choice.flow(b.end("yes"), when=text))
    if built is None:
        return
    choice.flow(b.end("no"), default=True)
    with within(2):
        trace = allowed("simulate", lambda: bs.simulate(b.model(), data={"x": 1}))
    assert trace is None or trace.outcome in ("completed", "incident")


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_escaped_wherever_it_is_shown(name: str) -> None:
    """Security: markup from names reaches neither pictures nor files as markup."""
    model = bs.Model(
        element if element.id != "pack" else type(element)(id="pack", parent=element.parent, name=name)
        for element in bs.load_sample("order_handling").elements.values()
    )
    assert "<script" not in bs.render_svg(model)
    put_through(allowed("write", lambda: bs.write_bpmn(model)) or "")


def test_mutated_files() -> None:
    """Issue text: 400 mutated files through the whole pipeline; 10,000 by ``make fuzz``."""
    ended: dict[str, int] = {}
    for index in range(400):
        _, data = make(1, index)
        with within(10):
            word = put_through(data)
        ended[word] = ended.get(word, 0) + 1
    assert sum(ended.values()) == 400
    assert ended["refused"] > 20, ended
    assert any("completed" in word for word in ended), ended


def test_mutated_checkpoints_and_traces() -> None:
    """Issue text: 100 changed checkpoints, traces and schedules: StateError, ScheduleDivergence or the same run."""
    model = bs.load_sample("order_handling")
    sim = bs.Simulation(model, seed=7)
    sim.run(until="ask")
    saved, trace = sim.checkpoint(), sim.trace()
    random = Random(5)

    def restore(changed: Any) -> bs.Trace:
        return bs.Simulation.restore(model, changed).run(step_limit=300)

    for _ in range(50):
        allowed("restore", lambda: restore(change(saved, random)))
        allowed("from_json", lambda: bs.Trace.from_json(json.dumps(change(trace.to_json(), random)), model))
