"""Whose score is it, when reviewers finish in any order?

The result is positional: the score of reviewer 0 stands in place 0, whoever was first. The other order is that of
completion; the barrier of the activity shows it.
"""

import bpmnsim as bs

model = bs.load_sample("reviews")
reviewers = ["Ann", "Bob", "Cara", "Dan"]


def rate(task):
    return {"score": 70 + 5 * task.ordinal}


def decide(task):
    return {"mean": sum(task["scores"]) / len(task["scores"])}


orders = []
for seed in (1, 2, 3):
    trace = bs.simulate(model, seed=seed, data={"reviewers": reviewers}, behaviors={"rate": rate, "decide": decide})
    barrier = trace.barriers()
    drained = barrier.loc[barrier["event"] == "drain", "ordinal"]
    orders.append([reviewers[ordinal] for ordinal in drained])
    print(f"seed {seed}: {orders[-1]} -> {trace.values['scores']}, mean {trace.values['mean']}")
    assert trace.values["scores"] == [70, 75, 80, 85]
    assert trace.values["mean"] == 77.5

print(trace.inner_instances()[["ordinal", "item", "output", "state", "opened", "closed"]].to_string(index=False))

assert len({tuple(order) for order in orders}) == 3
