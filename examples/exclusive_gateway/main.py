"""Which flow does an exclusive gateway take?

The first one whose condition holds, in the order of the file; the default flow if none does. With `decisions="free"`
no condition is evaluated, and the flow is a choice.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

for amount, way in ((5000, "inspect"), (70, "pay"), (0, "reject")):
    trace = bs.simulate(model, data={"amount": amount})
    decisions = trace.decisions()[["flow", "condition", "value", "taken"]]
    print(f"amount {amount}:\n{decisions.to_string(index=False)}\n")
    assert decisions.loc[decisions["taken"], "flow"].tolist() == [f"f_size_{way}"]

without = bs.simulate(model)
print(without.incidents()["error"][0])
free = [bs.simulate(model, seed=seed, decisions="free").tokens()["node"][2] for seed in range(6)]
print("left open:", free)

assert without.outcome == "incident"
assert set(free) == {"inspect", "pay", "reject"}
