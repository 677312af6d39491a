"""What do events without a symbol do?

A none start event creates the first token, a none throw event lets it pass at once, and a none end event consumes it.
When no token is left, the process is completed.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

trace = bs.simulate(model)
tokens = trace.tokens()[["node_name", "token_state", "entered", "left"]]
print(tokens.to_string(index=False))

assert trace.outcome == "completed"
assert tokens["node_name"].tolist() == ["Ordered", "Labeled", "Sent"]
assert tokens["token_state"].tolist() == ["alive", "alive", "consumed"]
