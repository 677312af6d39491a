"""How does a service task compute something?

A behavior stands for the service: a function of the task, which reads data and returns what is written. A business
error is raised as BpmnError; nothing catches it here, so it becomes an incident, and a failed visit writes nothing.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))


def add_tax(task):
    if task["net"] < 0:
        raise bs.BpmnError("NEGATIVE")
    return {"gross": round(task["net"] * 1.19, 2)}


sold = bs.simulate(model, data={"net": 100}, behaviors={"tax": add_tax})
print(sold.outcome, dict(sold.values))
print(sold.data()[["step", "name", "new", "by"]].to_string(index=False))

failed = bs.simulate(model, data={"net": -1}, behaviors={"tax": add_tax})
print("\nwith a negative amount:", failed.outcome)
print(failed.throws()[["step", "node", "kind", "code"]].to_string(index=False))

assert (sold.outcome, sold.values["gross"]) == ("completed", 119.0)
assert (failed.outcome, dict(failed.values)) == ("incident", {"net": -1})
