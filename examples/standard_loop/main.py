"""How often does a standard loop run?

Tested after each pass, at least once, while the condition holds; tested before, perhaps never; and never more often
than its maximum. The passes are counted from 0 in `loopCounter`.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

trace = bs.simulate(model, data={"answered": True})
iterations = trace.iterations()[["activity", "kind", "total", "exit_reason"]]
print(iterations.to_string(index=False))
tests = trace.evaluations()[["node", "ordinal", "expression", "values", "verdict"]]
print(tests.to_string(index=False))

assert iterations["total"].tolist() == [3, 0, 2]
assert iterations["exit_reason"].tolist() == ["condition", "condition", "maximum"]
