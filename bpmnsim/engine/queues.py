"""Queues whose first item is found without looking at the others."""

from __future__ import annotations

from heapq import heappop, heappush

from bpmnsim.facts import NOBODY


class Queue:
    """Numbers by ascending rank, then in the order in which they were added.

    What is removed stays in the heap until it comes to the front, where it is skipped.

    Examples
    --------
    >>> queue = Queue()
    >>> for rank, item in ((2, 7), (0, 8), (1, 9)):
    ...     queue.add(rank, item)
    >>> queue.remove(8)
    >>> len(queue), queue.first(), queue.items()
    (2, 9, [9, 7])
    """

    __slots__ = ("_added", "_heap", "_turns")

    def __init__(self) -> None:
        self._added = 0
        self._heap: list[tuple[int, int, int]] = []
        self._turns: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._turns)

    def add(self, rank: int, item: int) -> None:
        """Add an item that is not in the queue."""
        self._added += 1
        self._turns[item] = self._added
        heappush(self._heap, (rank, self._added, item))

    def remove(self, item: int) -> None:
        """Remove an item from wherever it is."""
        del self._turns[item]

    def first(self) -> int:
        """Return the item that comes first, ``NOBODY`` where there is none."""
        heap = self._heap
        while heap and not self._is_in(heap[0]):
            heappop(heap)
        return heap[0][2] if heap else NOBODY

    def items(self) -> list[int]:
        """Return all items in their order."""
        return [entry[2] for entry in sorted(self._heap) if self._is_in(entry)]

    def _is_in(self, entry: tuple[int, int, int]) -> bool:
        _, turn, item = entry
        return self._turns.get(item) == turn
