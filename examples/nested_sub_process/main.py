"""What if a second token enters a sub-process while the first is still inside?

It opens a scope of its own: the two activations, and what is nested in them, know nothing of each other. Each leaves
by itself.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

trace = bs.simulate(model, strategy="round-robin")
scopes = trace.scopes()[["scope", "activation", "opened", "closed", "outcome"]]
print(scopes.to_string(index=False))
print("\n".join(f"{parent} holds {child}" for parent, child in trace.scope_tree().edges()))

chapters = scopes[scopes["scope"].str.fullmatch("/book/chapter.*") & ~scopes["scope"].str.contains("page")]
assert len(chapters) == 2
assert chapters["opened"].max() < chapters["closed"].min()
assert trace.tokens()["node"].tolist().count("printed") == 2
