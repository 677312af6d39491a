"""What becomes of the votes that are no longer needed?

After each completion the completion condition is tested. When three have voted it is true: the rest is canceled, what
they would have returned stays empty, and the result is published once.
"""

import bpmnsim as bs

model = bs.load_sample("voting")
voters = ["Ann", "Bob", "Cara", "Dan", "Eve"]
days = [4, 1, 3, 2, 9]

trace = bs.simulate(
    model,
    data={"voters": voters},
    behaviors={"cast_vote": lambda task: {"ballot": f"{task['voter']} agrees"}},
    durations={"cast_vote": lambda _, task: days[task.ordinal]},
)
barrier = trace.barriers()
print(barrier[["time", "event", "ordinal", "open", "completed", "condition"]].to_string(index=False))
print(trace.inner_instances()[["ordinal", "item", "state", "output"]].to_string(index=False))
print(trace.iterations()[["activity", "total", "completed", "terminated", "exit_reason"]].to_string(index=False))

assert barrier.loc[barrier["event"] == "drain", "ordinal"].tolist() == [1, 3, 2]
assert barrier.loc[barrier["event"] == "cancel", "ordinal"].tolist() == [0, 4]
assert trace.values["ballots"] == [None, "Bob agrees", "Cara agrees", "Dan agrees", None]
assert trace.time == 3.0
assert trace.data()["name"].tolist().count("ballots") == 1
