"""What the fuzz test mutates: bundled samples, small models that run, and the corpus of real files if it is there."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import bpmnsim as bs
from bpmnsim.samples import sample_names

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
LARGE = 100_000
"""Bytes above which a file is left out: it is known to be slow, and would be most of what the test does."""


@cache
def seeds() -> tuple[tuple[str, bytes], ...]:
    """Return pairs of name and content, in a fixed order; small models that run are half of what is mutated."""
    small = [(f"sample:{name}", _text(bs.load_sample(name))) for name in sample_names()]
    small += [(f"model:{model.processes[0].id}", _text(model)) for model in runnable()]
    real = [
        (f"corpus:{path.relative_to(CORPUS)}", path.read_bytes())
        for path in sorted(CORPUS.rglob("*"))
        if path.suffix in (".bpmn", ".xml", ".bpmn2") and path.stat().st_size <= LARGE
    ]
    return (*small, *real)


def _text(model: bs.Model) -> bytes:
    return (bs.write_bpmn(model) or "").encode()


def runnable() -> list[bs.Model]:
    """Return small models of every construct that runs, one of each dialect among them."""
    return [
        _routes("bpmn"),
        _routes("camunda", "${%s}"),
        _routes("zeebe", "=%s"),
        *_iterations(),
        _nested(),
        _waits(),
        _cycle(),
    ]


def _routes(dialect: str, form: str = "%s") -> bs.Model:
    b = bs.ProcessBuilder(f"routes_{dialect}", dialect=dialect)
    x, fork, join = b.exclusive("x"), b.parallel("fork"), b.parallel("join")
    _ = b.start("s") >> b.task("a", name="A") >> x
    _ = x.flow(b.service("b"), form % "amount > 100", id="f") >> fork >> [b.task("c"), b.task("d")] >> join
    _ = x.flow(b.manual("e"), default=True, id="g") >> b.end("stop", terminate=True)
    return b.model()


def _iterations() -> list[bs.Model]:
    enough = "numberOfCompletedInstances >= 2"
    return [
        _iterating("all", multi_instance=bs.parallel(cardinality=3)),
        _iterating("quorum", multi_instance=bs.parallel(cardinality="1 + 2", completion_condition=enough)),
        _iterating("items", multi_instance=bs.sequential(cardinality=2, output_item="r", output_collection="rs")),
        _iterating("again", loop=bs.loop(condition="loopCounter < 3", maximum=5)),
    ]


def _iterating(name: str, **marker: Any) -> bs.Model:
    b = bs.ProcessBuilder(f"iterate_{name}")
    body = b.subprocess("sub", body=lambda p: p.start("i") >> p.task("t") >> p.end("o"), **marker)
    _ = b.start("s") >> b.user("u", **marker) >> body >> b.end("e")
    return b.model()


def _nested() -> bs.Model:
    b = bs.ProcessBuilder("nested")
    one = b.subprocess("one")
    inside = b.inside(one)
    two = inside.subprocess("two", body=lambda p: p.start("s2") >> [p.task("a"), p.task("b")])
    _ = inside.start("s1") >> two >> inside.end("e1")
    _ = b.start("s") >> one >> b.end("e")
    return b.model()


def _waits() -> bs.Model:
    b = bs.ProcessBuilder("waits")
    fork, join = b.parallel("fork"), b.parallel("join")
    _ = b.start("s") >> fork >> [b.user("u"), b.receive("r", message="paid"), b.script("c")] >> join >> b.end("e")
    return b.model()


def _cycle() -> bs.Model:
    b = bs.ProcessBuilder("cycle")
    a, x = b.task("a"), b.exclusive("x")
    _ = b.start("s") >> a >> x >> b.end("e")
    x.flow(a, "True")
    return b.model()
