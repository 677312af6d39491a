"""Small models that several test modules run, and short ways to read a trace."""

from __future__ import annotations

from typing import Any

from pandas import DataFrame

import bpmnsim as bs


def line() -> bs.Model:
    """Build s>A>e."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.task("A") >> b.end("e")
    return b.model()


def diamond() -> bs.Model:
    """Build s>split>{a,b}>join>e."""
    b = bs.ProcessBuilder("p")
    _ = b.start("s") >> b.parallel("split") >> [b.task("a"), b.task("b")] >> b.parallel("join") >> b.end("e")
    return b.model()


def dead_join() -> bs.Model:
    """Build a join over two flows of which one is never taken: s>x>{A; B never}>J>e."""
    b = bs.ProcessBuilder("p")
    x, join = b.exclusive("x"), b.parallel("J")
    _ = b.start("s") >> x
    _ = x.flow(b.task("A"), "True") >> join
    _ = x.flow(b.task("B"), "False") >> join
    _ = join >> b.end("e")
    return b.model()


def surplus(*, fourth: bool = False) -> bs.Model:
    """T1 and T2 reach J over f1, T3 over f2, and so does T4 if asked for; T0 ends elsewhere."""
    b = bs.ProcessBuilder("p")
    split, join = b.parallel("split"), b.parallel("J")
    one, two = b.exclusive("m1"), b.exclusive("m2")
    _ = b.start("s") >> split >> b.end("e0")
    for source, merge in (("t1", one), ("t2", one), ("t3", two), ("t4", two))[: 4 if fourth else 3]:
        _ = split >> b.task(source) >> merge
    one.flow(join, id="f1")
    two.flow(join, id="f2")
    _ = join >> b.end("e")
    return b.model()


def rows(frame: DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    """Return rows as tuples, ``None`` for a missing cell."""
    cells = frame[list(columns)].astype(object)
    return [tuple(row) for row in cells.where(cells.notna(), None).itertuples(index=False)]


def path(trace: bs.Trace, track: int) -> list[str]:
    """Return the nodes a track stayed at, in order."""
    tokens = trace.tokens()
    return list(tokens[tokens.track == track].node)


def live(trace: bs.Trace) -> list[tuple[int, str, str]]:
    """Return (track, node, token state) of the tokens that are still somewhere."""
    tokens = trace.tokens()
    return rows(tokens[tokens.left.isna()], "track", "node", "token_state")


def count(trace: bs.Trace, node: str) -> int:
    """Return how often a visit of *node* was completed."""
    visits = trace.visits()
    return int(((visits.node == node) & (visits.outcome == "completed")).sum())


def phases(trace: bs.Trace, kind: str) -> list[tuple[str, str]]:
    """Return (phase, node) of every fact of a kind."""
    facts = trace.facts()
    return rows(facts[facts.kind == kind], "phase", "node")


def details(trace: bs.Trace, kind: str) -> list[str]:
    """Return the details of every fact of a kind."""
    facts = trace.facts()
    return list(facts[facts.kind == kind].detail)


def changes(trace: bs.Trace) -> list[tuple[Any, ...]]:
    """Return (phase, path, node, old, new) of every change of data."""
    facts = trace.facts()
    found = facts[facts.kind == "DataChange"]
    paths = [detail.removeprefix("data_path=").strip() for detail in found.detail]
    cells = rows(found, "phase", "node", "old", "new")
    return [(phase, path, node, old, new) for path, (phase, node, old, new) in zip(paths, cells, strict=True)]
