"""In which order do parallel inner instances finish, and does the result depend on it?

Any order can happen, and a seed picks one. The result does not depend on it: place 0 of the list belongs to inner
instance 0, and so on. The activity is left once, when all are done.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

orders = []
for seed in range(1, 5):
    trace = bs.simulate(model, seed=seed, behaviors={"taste": lambda task: {"note": "abc"[task.ordinal]}})
    barrier = trace.barriers()
    orders.append(barrier.loc[barrier["event"] == "drain", "ordinal"].tolist())
    print(f"seed {seed}: finished {orders[-1]}, published {trace.values['notes']}")
    assert trace.values["notes"] == ["a", "b", "c"]

print(barrier[["step", "event", "ordinal", "open", "queued", "completed"]].to_string(index=False))

assert len({tuple(order) for order in orders}) > 1
assert trace.tokens()["node"].tolist().count("ranked") == 1
