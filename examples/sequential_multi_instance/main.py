"""What does a sequential multi-instance activity see, and what does it leave?

One element of the collection at a time, with counters; the results stay invisible until the last is done, and are
published once, as a list in the order of the elements.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

seen = []


def add_tax(task):
    counters = ("loopCounter", "numberOfActiveInstances", "numberOfCompletedInstances")
    seen.append([task["amount"], *(task[name] for name in counters)])
    return {"gross": task["amount"] * 120 // 100}


trace = bs.simulate(model, data={"amounts": [100, 250, 80]}, behaviors={"add_tax": add_tax})
print(trace.inner_instances()[["ordinal", "item", "output", "opened", "closed"]].to_string(index=False))
print(trace.data()[["step", "scope", "name", "new"]].to_string(index=False))

assert trace.values["taxed"] == [120, 300, 96]
assert seen == [[100, 0, 1, 0], [250, 1, 1, 1], [80, 2, 1, 2]]
assert trace.data()["name"].tolist().count("taxed") == 1
