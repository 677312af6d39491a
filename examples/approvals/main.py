"""Which of two waits does a message end?

The one whose key it carries. Each inner instance waits for the approval of its own approver; Bob answers first, and
the verdicts still stand in the order of the approvers. A message with a foreign key reaches nobody.
"""

import bpmnsim as bs

model = bs.load_sample("approvals")


def answer(approver, verdict):
    return {"approver": approver, "verdict": verdict}


said = (
    bs.Scenario()
    .message("approval", payload=answer("Zoe", "yes"), at=1)
    .message("approval", payload=answer("Bob", "no"), at=2)
    .message("approval", payload=answer("Ann", "yes"), at=3)
)
trace = bs.simulate(model, data={"approvers": ["Ann", "Bob"]}, scenario=said)
print(trace.outcome, dict(trace.values))
print(trace.messages()[["time", "name", "key", "received_by", "ordinal", "state"]].to_string(index=False))
print(
    trace.waits()[["activity", "ordinal", "definition", "armed_time", "withdrawn_time", "reason"]].to_string(
        index=False
    )
)
print(trace.subscriptions()[["activity", "definition", "armed", "withdrawn"]].to_string(index=False))

assert trace.values["verdicts"] == ["yes", "no"]
assert trace.messages()["ordinal"].dropna().tolist() == [1, 0]
assert trace.waits()["withdrawn_time"].tolist() == [3.0, 2.0]
assert len(trace.subscriptions()) == 1
