"""How does a run get into a process mining tool?

As an event log: a frame with the usual columns, XES text, or OCEL 2.0 JSON. Virtual time becomes dates of a calendar.
"""

import json
from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

trace = bs.simulate(model, durations={"inspect": "PT30M", "order_parts": "P2D", "fix": "PT1H"})
log = trace.to_log(epoch="2026-03-02T08:00Z")
print(log[["concept:name", "time:timestamp", "lifecycle:transition"]].to_string(index=False))

xes = trace.to_xes(epoch="2026-03-02T08:00Z")
print(xes[:300], "...")
objects = json.loads(trace.to_ocel())
print("OCEL:", len(objects["events"]), "events,", len(objects["objects"]), "objects")

assert log["lifecycle:transition"].tolist() == ["start", "complete"] * 3
assert str(log["time:timestamp"].iloc[-1]) == "2026-03-04 09:30:00+00:00"
assert xes.count("<event>") == len(log)
