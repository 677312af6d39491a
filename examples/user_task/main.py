"""Who completes a user task?

Somebody outside, whom the scenario stands for. In a closed scenario nobody does, so the run waits; the open scenario,
the default, completes whatever is awaited.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

nobody = bs.simulate(model, scenario=bs.Scenario())
print(nobody.outcome, "for", nobody.stuck[0].waits_for, "at", nobody.stuck[0].node)

boss = bs.Scenario().complete("approve", outputs={"approved": True}, at=3600)
approved = bs.simulate(model, scenario=boss)
print(approved.outcome, "after", approved.time, "seconds with", dict(approved.values))
print(approved.waits()[["activity", "definition", "armed_time", "withdrawn_time", "reason"]].to_string(index=False))

assert nobody.outcome == "waiting"
assert (approved.outcome, approved.time, approved.values["approved"]) == ("completed", 3600.0, True)
assert bs.simulate(model).outcome == "completed"
