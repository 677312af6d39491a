"""What does a terminate end event do to the other tokens?

It cancels every token of its scope. Whoever still searches the village when the dog is found stops where he is.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

found = bs.simulate(model, strategy="priority(woods,call,found)")
tokens = found.tokens()[["track", "node_name", "track_state", "entered", "left"]]
print("the woods are quicker:", found.outcome)
print(tokens.to_string(index=False))

both = bs.simulate(model, strategy="priority(village,nothing)")
print("\nthe village is quicker:", both.outcome)
print(both.tokens()[["track", "node_name", "track_state", "entered", "left"]].to_string(index=False))

assert tokens.loc[tokens["node_name"] == "Search village", "track_state"].tolist() == ["canceled"]
assert "canceled" not in both.tokens()["track_state"].tolist()
assert found.outcome == both.outcome == "terminated"
