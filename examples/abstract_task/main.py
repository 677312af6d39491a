"""What does a task without a type do?

By itself nothing: the token comes, and leaves over the outgoing flow in the same step. With `granularity="phase"`
every task has a start and an end of its own, so that others can act in between.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

trace = bs.simulate(model)
print(trace.tokens()[["node", "entered", "left"]].to_string(index=False))

phases = bs.simulate(model, granularity="phase")
print("\nwith two phases:")
print(phases.tokens()[["node", "entered", "left"]].to_string(index=False))

assert (trace.steps, phases.steps) == (4, 6)
assert trace.values == phases.values == {}
