"""What bare CPython needs for the same walk: a deque, dict dispatch, one tuple per step, and no BPMN rules."""

from __future__ import annotations

from collections import deque

import bpmnsim as bs
from bpmnsim.model.gateways import ParallelGateway


class Walk:
    """Walks a model of tasks, forks and joins."""

    def __init__(self, model: bs.Model) -> None:
        process = model.processes[0].id
        self.kinds: dict[str, str] = {}
        self.targets: dict[str, tuple[str, ...]] = {}
        self.needed: dict[str, int] = {}
        for node in model.nodes(process):
            self.targets[node.id] = tuple(flow.target for flow in model.outgoing(node.id))
            self.needed[node.id] = len(model.incoming(node.id))
            joins = isinstance(node, ParallelGateway) and self.needed[node.id] > 1
            self.kinds[node.id] = "join" if joins else "pass" if len(self.targets[node.id]) == 1 else "fork"
        self.start = next(node.id for node in model.nodes(process) if not model.incoming(node.id))

    def run(self) -> list[tuple[int, str, str]]:
        """Walk to the end and return one tuple per step."""
        ready, log, waiting = deque([self.start]), [], dict.fromkeys(self.kinds, 0)
        kinds, targets, needed = self.kinds, self.targets, self.needed

        def move(node: str) -> None:
            ready.append(targets[node][0])

        def fork(node: str) -> None:
            ready.extend(targets[node])

        def join(node: str) -> None:
            waiting[node] += 1
            if waiting[node] == needed[node]:
                ready.extend(targets[node])

        dispatch = {"pass": move, "fork": fork, "join": join}
        while ready:
            node = ready.popleft()
            kind = kinds[node]
            log.append((len(log), node, kind))
            dispatch[kind](node)
        return log
