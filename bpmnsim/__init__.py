"""See BPMN 2.0 run: deterministic, step by step, as tables, graphs and pictures.

>>> import bpmnsim as bs
>>> trace = bs.simulate(bs.load_sample("order_handling"), seed=7)
>>> trace.outcome
'completed'
"""

# Where things live. Lower rooms never import higher ones.
#
#   errors, facts                   what may go wrong; what a run records
#   choices/                        the dice: strategies, schedules, replay, what happens outside
#   model/                          the drawing: elements, builder, rules, layout
#   xml/, expr/                     files <-> model; conditions and expressions
#   engine/                         the referee: state, loop, scopes, groups, waits, clock; no construct by name
#   semantics/                      the rules: one module per construct family; iteration/ is the only home of iteration
#   trace/                          the score sheet: facts -> frames, graphs, snapshots, logs
#   simulation/                     where all that is wired: inputs, driver, outcomes, explanations, checkpoints
#   views/                          the television: SVG and plots
#   cli, testing/, samples/         the command line, helpers for users' tests, bundled models
#
# Names are loaded when they are first used, so that importing bpmnsim is quick and a run without pictures needs no
# library for them.

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bpmnsim.errors import (
    BpmnError,
    BpmnSimError,
    ConditionTypeError,
    ExpressionError,
    LimitReached,
    ModelError,
    NoSuchTask,
    ScheduleDivergence,
    SimulationError,
    StateError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from bpmnsim.choices.scenario import Scenario
    from bpmnsim.choices.schedule import Schedule
    from bpmnsim.engine.executor import Options
    from bpmnsim.model.build import ProcessBuilder
    from bpmnsim.model.markers import loop, parallel, sequential
    from bpmnsim.model.process import Model
    from bpmnsim.samples import load_sample
    from bpmnsim.simulation import Simulation, simulate
    from bpmnsim.trace.schema import columns
    from bpmnsim.trace.trace import Trace
    from bpmnsim.views.bundle import render_trace
    from bpmnsim.views.mpl import plot_barrier, plot_timeline
    from bpmnsim.views.svg import render_svg
    from bpmnsim.xml.reader import read_bpmn
    from bpmnsim.xml.writer import write_bpmn

_LATE = {
    "Model": "bpmnsim.model.process",
    "Options": "bpmnsim.engine.executor",
    "ProcessBuilder": "bpmnsim.model.build",
    "Scenario": "bpmnsim.choices.scenario",
    "Schedule": "bpmnsim.choices.schedule",
    "Simulation": "bpmnsim.simulation",
    "Trace": "bpmnsim.trace.trace",
    "columns": "bpmnsim.trace.schema",
    "load_sample": "bpmnsim.samples",
    "loop": "bpmnsim.model.markers",
    "parallel": "bpmnsim.model.markers",
    "plot_barrier": "bpmnsim.views.mpl",
    "plot_timeline": "bpmnsim.views.mpl",
    "read_bpmn": "bpmnsim.xml.reader",
    "render_svg": "bpmnsim.views.svg",
    "render_trace": "bpmnsim.views.bundle",
    "sequential": "bpmnsim.model.markers",
    "simulate": "bpmnsim.simulation",
    "write_bpmn": "bpmnsim.xml.writer",
}

__all__ = [
    "BpmnError",
    "BpmnSimError",
    "ConditionTypeError",
    "ExpressionError",
    "LimitReached",
    "Model",
    "ModelError",
    "NoSuchTask",
    "Options",
    "ProcessBuilder",
    "Scenario",
    "Schedule",
    "ScheduleDivergence",
    "Simulation",
    "SimulationError",
    "StateError",
    "Trace",
    "UnsupportedError",
    "columns",
    "load_sample",
    "loop",
    "parallel",
    "plot_barrier",
    "plot_timeline",
    "read_bpmn",
    "render_svg",
    "render_trace",
    "sequential",
    "simulate",
    "write_bpmn",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("bpmnsim")
    if name in _LATE:
        value = globals()[name] = getattr(import_module(_LATE[name]), name)
        return value
    raise AttributeError(f"module 'bpmnsim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATE])
