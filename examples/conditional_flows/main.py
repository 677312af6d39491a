"""What if several flows leave an activity?

Every one whose condition holds gets a token; the default flow gets one only if no condition holds. Unlike at an
exclusive gateway, all conditions are evaluated.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))


def packed(hike, rain):
    trace = bs.simulate(model, data={"hike": hike, "rain": rain})
    print(f"hike {hike}, rain {rain}:")
    print(trace.decisions()[["flow", "condition", "value", "taken"]].to_string(index=False), "\n")
    return [node for node in trace.tokens()["node"] if node in ("boots", "umbrella", "book")]


assert packed(hike=True, rain=0.9) == ["boots", "umbrella"]
assert packed(hike=True, rain=0.1) == ["boots"]
assert packed(hike=False, rain=0.1) == ["book"]
