"""Can a run be stopped in the middle of an iteration and continued tomorrow?

Yes: a checkpoint is JSON, taken between any two steps. What was done before is not done again, and the trace is the
one of a run that was never stopped.
"""

import json
from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

walked = []


def walk(task):
    walked.append(task.ordinal)
    return {"seen": f"round {task.ordinal}: all quiet"}


sim = bs.Simulation(model, behaviors={"round": walk})
sim.run(until=lambda _: len(walked) == 1)
text = json.dumps(sim.checkpoint())
print(f"stopped after step {sim.steps}, rounds {walked}, {len(text)} bytes of JSON")

restored = bs.Simulation.restore(model, json.loads(text), behaviors={"round": walk})
trace = restored.run()
print(f"continued: rounds {walked}")
print(trace.inner_instances()[["ordinal", "state", "opened", "closed", "output"]].to_string(index=False))

assert walked == [0, 1, 2]
assert trace == bs.simulate(model, behaviors={"round": walk})
