"""Queues of what waits (iteration.md ITER-W-07)."""

from __future__ import annotations

from bpmnsim.engine.queues import Queue
from bpmnsim.facts import NOBODY


def test_lowest_rank_first_then_in_order() -> None:
    """ITER-W-07: by rank, equal ranks as they were added; an empty queue has nobody."""
    queue = Queue()
    assert (queue.first(), len(queue), queue.items()) == (NOBODY, 0, [])
    for rank, item in ((1, 10), (0, 12), (0, 11)):
        queue.add(rank, item)
    assert (queue.first(), len(queue), queue.items()) == (12, 3, [12, 11, 10])


def test_what_comes_back_queues_anew() -> None:
    """ITER-W-07: what has left the queue and comes back has its new rank, not its old one."""
    queue = Queue()
    queue.add(0, 10)
    queue.add(1, 11)
    queue.remove(10)
    queue.add(2, 10)
    assert (queue.first(), queue.items()) == (11, [11, 10])
    queue.remove(11)
    assert (queue.first(), queue.items()) == (10, [10])
