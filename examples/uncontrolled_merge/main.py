"""What if two flows enter an activity without a gateway?

Nothing is waited for: every token that comes runs the activity, so the friend is told twice. Only a parallel gateway
joins.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

trace = bs.simulate(model)
tokens = trace.tokens()[["track", "node", "entered", "left"]]
print(tokens.to_string(index=False))

assert tokens["node"].tolist().count("tell") == 2
assert trace.joins().empty
