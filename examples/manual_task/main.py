"""What does an engine know about a manual task?

Only that it was begun and that it is over: somebody works without its help, and nobody outside tells it anything.
Give it a duration, and the virtual clock moves.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

trace = bs.simulate(model, durations={"carry": "PT2H"})
tokens = trace.tokens()[["node_name", "entered", "left", "entered_time", "left_time"]]
print(tokens.to_string(index=False))

assert trace.outcome == "completed"
assert tokens.loc[1].tolist() == ["Carry the piano", 1, 3, 0.0, 7200.0]
