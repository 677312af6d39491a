"""The shapes that are measured; each grows with one number."""

from __future__ import annotations

import bpmnsim as bs
from bpmnsim.model.inside import Inside


def chain(n: int) -> bs.Model:
    """Return *n* tasks one after the other."""
    b = bs.ProcessBuilder("chain")
    node = b.start()
    for number in range(n):
        node = node >> b.task(f"t{number}")
    node >> b.end()
    return b.model()


def fork_join(n: int, k: int) -> bs.Model:
    """Return *n* parallel branches of *k* tasks each between a fork and a join."""
    b = bs.ProcessBuilder("fork_join")
    fork, join = b.parallel("fork"), b.parallel("join")
    b.start() >> fork
    for branch in range(n):
        node = fork
        for number in range(k):
            node = node >> b.task(f"t{branch}_{number}")
        node >> join
    join >> b.end()
    return b.model()


def exclusive_loop(k: int) -> bs.Model:
    """Return a task that an exclusive gateway repeats while ``i < k``; its behavior counts ``i`` up."""
    b = bs.ProcessBuilder("exclusive_loop")
    merge, again = b.exclusive("merge"), b.exclusive("again")
    b.start() >> merge >> b.script("count") >> again
    again.flow(merge, when=f"i < {k}")
    again.flow(b.end(), default=True)
    return b.model()


def nested(depth: int) -> bs.Model:
    """Return *depth* sub-processes inside each other, a task in the innermost one."""
    b = bs.ProcessBuilder("nested")
    inner: Inside = b
    for level in range(depth):
        node = inner.subprocess(f"s{level}")
        inner.start(f"in{level}") >> node >> inner.end(f"out{level}")
        inner = inner.inside(node)
    inner.start("in") >> inner.task("work") >> inner.end("out")
    return b.model()


def leaf_instances(n: int) -> bs.Model:
    """Return one task with *n* parallel instances."""
    b = bs.ProcessBuilder("leaf_instances")
    b.start() >> b.task("work", multi_instance=bs.parallel(cardinality=str(n))) >> b.end()
    return b.model()


def composite_instances(n: int) -> bs.Model:
    """Return one sub-process of three nodes with *n* parallel instances."""
    b = bs.ProcessBuilder("composite_instances")
    body = b.subprocess(
        "body",
        body=lambda inner: inner.start() >> inner.task("work") >> inner.end(),
        multi_instance=bs.parallel(cardinality=str(n)),
    )
    b.start() >> body >> b.end()
    return b.model()


def user_tasks(n: int) -> bs.Model:
    """Return one user task with *n* parallel instances, all open at once."""
    b = bs.ProcessBuilder("user_tasks")
    b.start() >> b.user("sign", multi_instance=bs.parallel(cardinality=str(n))) >> b.end()
    return b.model()
