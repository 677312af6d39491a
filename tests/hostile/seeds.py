"""What the fuzz test mutates: the bundled samples, small models that run, and the corpus of real files if present."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import bpmnsim as bs
from bpmnsim.samples import sample_names

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
LARGE = 100_000
"""Bytes above which a file is known to be slow: it may take longer, and a mutation of it is rare."""


@cache
def seeds(*, corpus: bool = True) -> tuple[tuple[str, bytes], ...]:
    """Return pairs of name and content, in a fixed order; small models that run are half of what is mutated."""
    small = [(f"sample:{name}", _text(bs.load_sample(name))) for name in sample_names()]
    small += [(f"model:{model.processes[0].id}", _text(model)) for model in runnable()]
    real = [
        (str(path.relative_to(CORPUS)), path.read_bytes())
        for path in (sorted(CORPUS.rglob("*")) if corpus else ())
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
    x = b.exclusive("x")
    _ = b.start("s") >> b.task("a", name="A") >> x
    _ = (
        x.flow(b.service("b"), form % "amount > 100", id="f")
        >> b.parallel("fork")
        >> [b.task("c"), b.task("d")]
        >> b.parallel("join")
    )
    _ = x.flow(b.manual("e"), default=True, id="g") >> b.end("stop", terminate=True)
    return b.model()


def _iterations() -> list[bs.Model]:
    found = []
    for name, marker in (
        ("all", {"multi_instance": bs.parallel(cardinality=3)}),
        (
            "quorum",
            {
                "multi_instance": bs.parallel(
                    cardinality="1 + 2", completion_condition="numberOfCompletedInstances >= 2"
                )
            },
        ),
        ("items", {"multi_instance": bs.sequential(cardinality=2, output_item="r", output_collection="rs")}),
        ("again", {"loop": bs.loop(condition="loopCounter < 3", maximum=5)}),
    ):
        b = bs.ProcessBuilder(f"iterate_{name}")
        _ = (
            b.start("s")
            >> b.user("u", **marker)
            >> b.subprocess("sub", body=lambda p: p.start("i") >> p.task("t") >> p.end("o"), **marker)
            >> b.end("e")
        )
        found.append(b.model())
    return found


def _nested() -> bs.Model:
    b = bs.ProcessBuilder("nested")
    _ = (
        b.start("s")
        >> b.subprocess(
            "one",
            body=lambda p: (
                p.start("s1")
                >> p.subprocess("two", body=lambda q: q.start("s2") >> [q.task("a"), q.task("b")])
                >> p.end("e1")
            ),
        )
        >> b.end("e")
    )
    return b.model()


def _waits() -> bs.Model:
    b = bs.ProcessBuilder("waits")
    _ = (
        b.start("s")
        >> b.parallel("fork")
        >> [b.user("u"), b.receive("r", message="paid"), b.script("c")]
        >> b.parallel("join")
        >> b.end("e")
    )
    return b.model()


def _cycle() -> bs.Model:
    b = bs.ProcessBuilder("cycle")
    a, x = b.task("a"), b.exclusive("x")
    _ = b.start("s") >> a >> x >> b.end("e")
    x.flow(a, "True")
    return b.model()
