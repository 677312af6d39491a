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
# Every name is loaded when it is first used, so that importing bpmnsim is quick.

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bpmnsim.choices.scenario import Scenario
    from bpmnsim.choices.schedule import Schedule
    from bpmnsim.engine.executor import Options
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

    __version__: str

_HOMES = {
    "choices.scenario": "Scenario",
    "choices.schedule": "Schedule",
    "engine.executor": "Options",
    "errors": "BpmnError BpmnSimError ConditionTypeError ExpressionError LimitReached ModelError NoSuchTask "
    "ScheduleDivergence SimulationError StateError UnsupportedError",
    "model.build": "ProcessBuilder",
    "model.markers": "loop parallel sequential",
    "model.process": "Model",
    "samples": "load_sample",
    "simulation": "Simulation simulate",
    "trace.schema": "columns",
    "trace.trace": "Trace",
    "views.bundle": "render_trace",
    "views.mpl": "plot_barrier plot_timeline",
    "views.svg": "render_svg",
    "xml.reader": "read_bpmn",
    "xml.writer": "write_bpmn",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

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
        value: Any = import_module("importlib.metadata").version("bpmnsim")
    elif name in _HOME:
        value = getattr(import_module(f"bpmnsim.{_HOME[name]}"), name)
    else:
        raise AttributeError(f"module 'bpmnsim' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME, "__version__"])
