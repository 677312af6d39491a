"""Is the script of a script task executed?

No: text from a file is never run as code. A Python function that you hand in stands for the script, and you decide
whether it does the same.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

script = model.element("add").script
print("in the file:", script)

without = bs.simulate(model, data={"home": 2, "away": 1})
print("without a behavior:", dict(without.values))

trace = bs.simulate(
    model, data={"home": 2, "away": 1}, behaviors={"add": lambda task: {"total": task["home"] + task["away"]}}
)
print("with one:", dict(trace.values))

assert "total" not in without.values
assert trace.values["total"] == 3
