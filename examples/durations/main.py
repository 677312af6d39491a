"""How long does a run take?

The clock is virtual: it jumps to the next moment at which something is due. A duration is a number of seconds, an ISO
8601 text, or a function of a random stream, which belongs to seed and task, so that the order of other things never
changes it.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

fixed = bs.simulate(model, durations={"bake": "PT45M", "icing": 600, "decorate": "PT20M"})
tokens = fixed.tokens()[["node_name", "entered_time", "left_time"]]
print(tokens.to_string(index=False))
print("minutes:", fixed.time / 60)

drawn = {"bake": lambda rng, _: 60 * (40 + round(10 * rng.random())), "icing": 600, "decorate": "PT20M"}
print("minutes, drawn:", [bs.simulate(model, seed=seed, durations=drawn).time / 60 for seed in range(6)])

assert fixed.time == 65 * 60
assert bs.simulate(model, seed=3, durations=drawn) == bs.simulate(model, seed=3, durations=drawn)
