"""Who wins when BPMN leaves it open?

Whoever the strategy picks. Without one it is first in, first out; a seed alone walks at random; others are known by
name. The same strategy and seed give the same run everywhere.
"""

from collections import Counter
from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))


def winner(**who):
    tokens = bs.simulate(model, **who).tokens()
    crossed = tokens[tokens["node"] == "cross"].sort_values("left")
    first = crossed["track"].iloc[0]
    return tokens.loc[tokens["node"].str.startswith("run_") & (tokens["track"] == first), "node"].iloc[0]


for strategy in ("fifo", "depth", "round-robin", "priority(run_eve,cross)"):
    print(f"{strategy:24} {winner(strategy=strategy)}")
won = Counter(winner(seed=seed) for seed in range(60))
print("60 seeds:", dict(sorted(won.items())))

assert winner(strategy="priority(run_eve,cross)") == "run_eve"
assert winner(seed=7) == winner(seed=7)
assert len(won) == 3
