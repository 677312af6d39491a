"""What bare CPython needs for the same walk: a deque, dict dispatch, one tuple per step, and no BPMN rules."""

from __future__ import annotations

from collections import deque

import bpmnsim as bs
from bpmnsim.model.gateways import ParallelGateway


class Walk:
    """Walks a model of tasks, forks and joins."""

    def __init__(self, model: bs.Model) -> None:
        nodes = model.nodes(model.processes[0].id)
        self.targets = {node.id: tuple(flow.target for flow in model.outgoing(node.id)) for node in nodes}
        self.needed = {node.id: len(model.incoming(node.id)) for node in nodes if isinstance(node, ParallelGateway)}
        self.following = {node: after[0] for node, after in self.targets.items() if len(after) == 1}
        self.kinds = {node: "move" if node in self.following else "fork" for node in self.targets}
        self.kinds |= {node: "join" for node, needed in self.needed.items() if needed > 1}
        (self.start,) = (node.id for node in nodes if not model.incoming(node.id))

    def run(self) -> list[tuple[int, str]]:
        """Walk to the end and return one tuple per step."""
        ready, log = deque([self.start]), []
        kinds, targets, following, needed = self.kinds, self.targets, self.following, self.needed
        waiting = dict.fromkeys(needed, 0)

        def move(node: str) -> None:
            ready.append(following[node])

        def fork(node: str) -> None:
            ready.extend(targets[node])

        def join(node: str) -> None:
            waiting[node] += 1
            if waiting[node] == needed[node]:
                ready.extend(targets[node])

        dispatch = {"move": move, "fork": fork, "join": join}
        step = 0
        while ready:
            node = ready.popleft()
            log.append((step, node))
            step += 1
            dispatch[kinds[node]](node)
        return log
