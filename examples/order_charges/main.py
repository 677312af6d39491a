"""Is an order charged twice when the machine dies while three are being charged?

Two orders are charged, then the run is saved as JSON and killed. The restored run has one order open: it charges that
one, repeats nothing, and publishes the receipts once.
"""

import json

import bpmnsim as bs

model = bs.load_sample("order_charges")
charged = []


def charge(task):
    charged.append(task["order"])
    return {"receipt": f"receipt for {task['order']}"}


run = {"data": {"orders": ["o1", "o2", "o3"]}, "behaviors": {"charge": charge}}
sim = bs.Simulation(model, **run)
sim.run(until=lambda _: len(charged) == 2)
before = sim.trace().barriers()
text = json.dumps(sim.checkpoint())
del sim
print("killed with", charged, "charged and open:", before["open"].iloc[-1])

restored = bs.Simulation.restore(model, json.loads(text), **run)
trace = restored.run()
barrier = trace.barriers()
print(barrier[["step", "event", "ordinal", "open", "completed", "output"]].to_string(index=False))
print("charged in all:", charged)

assert before["open"].iloc[-1] == "2"
assert charged == ["o1", "o2", "o3"]
assert barrier["event"].tolist().count("fan_out") == barrier["event"].tolist().count("publish") == 1
assert trace.values["receipts"] == ["receipt for o1", "receipt for o2", "receipt for o3"]
assert trace.tokens()["node"].tolist().count("book") == 1
