"""Why does this model never end?

An exclusive gateway lets one token through, but the parallel gateway behind waits for two. The run ends deadlocked,
and says which flow the stuck token waits for.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

for seed in (1, 2, 3):
    trace = bs.simulate(model, seed=seed)
    (stuck,) = trace.stuck
    print(f"seed {seed}: {trace.outcome} at {stuck.node}, waiting for {stuck.waits_for}")
    assert (trace.outcome, stuck.node) == ("deadlocked", "inside")

print(bs.simulate(model, seed=1).joins()[["step", "node", "flow", "filled", "empty", "fired"]].to_string(index=False))
