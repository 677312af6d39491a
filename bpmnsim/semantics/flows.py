"""Which outgoing flows are taken when a visit is complete: conditions, defaults, free decisions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from bpmnsim.engine.executor import Program, Run
from bpmnsim.errors import SimulationError, UnsupportedError
from bpmnsim.expr.language import Expression, compile_expression
from bpmnsim.model.activities import Activity
from bpmnsim.model.base import Formal, SequenceFlow
from bpmnsim.model.gateways import ExclusiveGateway, Gateway, ParallelGateway

Choose = Callable[[Run, int, int], tuple[int, ...] | None]
MISSING_IS_TRUE = frozenset({"camunda", "operaton", "flowable", "activiti"})
"""Dialects in which a flow without a condition is taken (core.md XOR-03)."""

MOST_FREE = 8
"""Most flows whose combinations are offered, each as an option of its own."""


def expression_of(formal: Formal, dialect: str, element_id: str) -> Expression:
    """Compile an expression of the model."""
    return compile_expression(formal.text, language=formal.language or None, dialect=dialect, element_id=element_id)


def exits_of(program: Program, place: int, dialect: str) -> tuple[int, ...] | Choose:
    """Return the flows a node is left by, or the function that chooses them.

    Notes
    -----
    core.md FLW-02 and FLW-03 for activities and events, XOR-01 to XOR-04, AND-01, IOR-01.
    """
    node = program.places[place]
    flows = program.outgoing[place]
    if isinstance(node, ParallelGateway) or not flows:
        return flows
    default_id = node.default if isinstance(node, Activity | Gateway) else ""
    default = next((flow for flow in flows if program.flows[flow].id == default_id), None)
    rule = _Exits(program, place, flows, default, dialect)
    if isinstance(node, Gateway) and len(flows) > 1:
        if program.setup.decisions == "free" or not rule.conditions:
            return rule.decide_one if isinstance(node, ExclusiveGateway) else rule.decide_some()
        return rule.first_true if isinstance(node, ExclusiveGateway) else rule.every_true
    free = program.setup.decisions == "free"
    if not rule.conditions or (free and len(flows) == 1):
        return flows
    return rule.decide_some() if free else rule.by_activity


class _Exits:
    """The outgoing flows of one node with their compiled conditions."""

    def __init__(self, program: Program, place: int, flows: tuple[int, ...], default: int | None, dialect: str) -> None:
        self.place = place
        self.flows = flows
        self.default = default
        self.node = program.places[place]
        self.missing_is_true = dialect in MISSING_IS_TRUE
        self.conditions: dict[int, Expression] = {}
        for flow in flows:
            drawn: SequenceFlow = program.flows[flow]
            if drawn.condition is not None and flow != default:
                self.conditions[flow] = expression_of(drawn.condition, dialect, drawn.id)

    def holds(self, run: Run, track: int, scope: int, flow: int) -> bool:
        """Evaluate the condition of a flow; one without is taken or not as the dialect says."""
        condition = self.conditions.get(flow)
        if condition is None:
            return self.missing_is_true
        return bool(run.evaluate(track, self.place, scope, condition, flow))

    def first_true(self, run: Run, track: int, scope: int) -> tuple[int, ...]:
        """First flow whose condition holds; later ones are not evaluated (XOR-01)."""
        for flow in self.flows:
            if flow != self.default and self.holds(run, track, scope, flow):
                return (flow,)
        return self.fall_back()

    def every_true(self, run: Run, track: int, scope: int) -> tuple[int, ...]:
        """Every flow whose condition holds (IOR-01)."""
        taken = tuple(flow for flow in self.flows if flow != self.default and self.holds(run, track, scope, flow))
        return taken or self.fall_back()

    def by_activity(self, run: Run, track: int, scope: int) -> tuple[int, ...]:
        """Unconditional flows, true ones, and the default where no condition held (FLW-02, FLW-03)."""
        true = {
            flow: None
            for flow in self.conditions
            if run.evaluate(track, self.place, scope, self.conditions[flow], flow)
        }
        taken = tuple(
            flow
            for flow in self.flows
            if (flow in true) or (flow not in self.conditions and (flow != self.default or not true))
        )
        return taken or self.fall_back()

    def fall_back(self) -> tuple[int, ...]:
        """Return the default flow, or fail the visit (XOR-04)."""
        if self.default is not None:
            return (self.default,)
        raise SimulationError(
            "no outgoing flow can be taken: no condition holds and there is no default",
            element_id=self.node.id,
            hint='draw a default flow, change the data, or let the caller decide with decisions="free"',
        )

    def decide_one(self, run: Run, track: int, scope: int) -> None:
        """Leave it open which one flow is taken."""
        run.decide(track, self.place, scope, tuple((flow,) for flow in self.flows))

    def decide_some(self) -> Choose:
        """Return the function that leaves it open which flows are taken: any of the open ones, at least one in all.

        Raises
        ------
        UnsupportedError
            If there are too many combinations to offer each.
        """
        always = () if isinstance(self.node, Gateway) else tuple(f for f in self.flows if f not in self.conditions)
        always = tuple(flow for flow in always if flow != self.default)
        free = [flow for flow in self.flows if flow not in always and flow != self.default]
        if len(free) > MOST_FREE:
            raise UnsupportedError(
                f"with free decisions each combination of its {len(free)} flows would be an option",
                element_id=self.node.id,
                line=self.node.line,
                hint='let the conditions decide: decisions="evaluate"',
            )
        options = []
        for picked in (set(some) for size in range(len(free) + 1) for some in combinations(free, size)):
            if not picked and self.default is not None:
                picked = {self.default}
            flows = tuple(flow for flow in self.flows if flow in picked or flow in always)
            if flows:
                options.append(flows)

        def decide(run: Run, track: int, scope: int) -> None:
            run.decide(track, self.place, scope, tuple(options))

        return decide
