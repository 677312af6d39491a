"""What if the message comes before the receive task waits for it?

It is buffered, and consumed as soon as the task arms its wait. Its payload becomes data of the process.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

never = bs.simulate(model, scenario=bs.Scenario())
print("no message:", never.outcome, "for", never.stuck[0].waits_for)

for words, scenario in (
    ("too early", bs.Scenario().message("payment", payload={"paid": 50})),
    ("a day later", bs.Scenario().message("payment", payload={"paid": 50}, at=86400)),
):
    trace = bs.simulate(model, scenario=scenario)
    print(f"\n{words}: {trace.outcome} at {trace.time:g} s with {dict(trace.values)}")
    print(trace.messages()[["step", "time", "name", "received_by", "state"]].to_string(index=False))
    assert trace.values["paid"] == 50

assert never.outcome == "waiting"
assert trace.time == 86400.0
