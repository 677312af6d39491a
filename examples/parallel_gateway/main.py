"""What does a parallel gateway wait for?

Diverging it gives every outgoing flow a token. Converging it waits for one token on every incoming flow, whatever
their order, and lets one of them go on; the others are absorbed by it.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

sim = bs.Simulation(model, scenario=bs.Scenario())
sim.run()
print(sim.outcome, "-", sim.why("ready"))
assert sim.why("ready").blockers[0].tokens == ((1, "toast"),)

sim.complete("toast")
trace = sim.run()
print(trace.joins()[["step", "node", "flow", "filled", "empty", "fired", "survivor"]].to_string(index=False))
print(trace.tokens()[["track", "parent", "merged_into", "node", "entered", "left"]].to_string(index=False))

assert trace.outcome == "completed"
assert trace.tokens()["node"].tolist().count("eaten") == 1
