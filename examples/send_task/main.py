"""Does a send task wait until its message is read?

No. The token goes on at once; whoever reads the newsletter is outside of the model.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

trace = bs.simulate(model)
print(trace.tokens()[["node_name", "entered", "left"]].to_string(index=False))

assert trace.outcome == "completed"
assert trace.waits().empty
