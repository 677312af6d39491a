"""What happens when the code of a task fails?

Its token stops as an incident, with the error and its traceback; other tokens go on. An operator repairs the cause
and retries, or the task has retries of its own.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

disk = {"full": True}


def upload(_):
    if disk["full"]:
        raise OSError("no space left")


sim = bs.Simulation(model, behaviors={"upload": upload})
broken = sim.run()
print(broken.outcome)
print(broken.incidents()[["incident", "node", "error", "attempts", "state"]].to_string(index=False))
print(sim.why("both"))

disk["full"] = False
sim.retry(int(broken.incidents()["incident"][0]))
repaired = sim.run()
print(repaired.outcome)
print(repaired.incidents()[["node", "attempts", "state", "opened", "resolved"]].to_string(index=False))

disk["full"] = True
gave_up = bs.simulate(model, behaviors={"upload": upload}, retries={"upload": (2, 60)})
print(f"two retries, a minute apart: {gave_up.outcome} after {gave_up.incidents()['attempts'][0]} attempts")

assert (broken.outcome, repaired.outcome, gave_up.outcome) == ("incident", "completed", "incident")
assert (gave_up.time, gave_up.incidents()["attempts"].tolist()) == (120.0, [3])
