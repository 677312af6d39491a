"""What comes from outside, and when?

The scenario says. A closed one holds what is listed and nothing else; an open one, the default, adds whatever else is
awaited. Things are listed with a time, behind an element, or for the first moment at which they can happen.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

PAID = {"amount": 20}
for words, scenario, outcome in (
    ("open", bs.Scenario.open(), "completed"),
    ("closed", bs.Scenario(), "waiting"),
    ("closed, paid", bs.Scenario().message("payment", payload=PAID, at=60), "waiting"),
    ("open, paid", bs.Scenario.open().message("payment", payload=PAID, at=60), "completed"),
    ("closed, all", bs.Scenario().message("payment", payload=PAID).complete("pack", after="paid"), "completed"),
):
    trace = bs.simulate(model, scenario=scenario)
    stuck = f", waiting at {trace.stuck[0].node}" if trace.stuck else ""
    print(f"{words:13} {trace.outcome} at {trace.time:g} s with {dict(trace.values)}{stuck}")
    assert trace.outcome == outcome

assert trace.values == PAID
