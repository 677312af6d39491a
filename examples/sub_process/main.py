"""When does a token leave a sub-process?

When no token is left inside, by whichever of its end events. Meanwhile the token rests on the sub-process, whose
inside is a scope of its own.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

trace = bs.simulate(model)
tokens = trace.tokens()[["track", "host_track", "node", "scope", "entered", "left"]]
print(tokens.to_string(index=False))
scopes = trace.scopes()[["scope", "parent", "opened", "closed", "outcome", "peak_tokens"]]
print(scopes.to_string(index=False))

ends = tokens.loc[tokens["node"].isin(["rice_done", "curry_done"]), "left"]
assert scopes.loc[1, "closed"] == max(ends)
assert scopes.loc[1, ["scope", "outcome"]].tolist() == ["/dinner/cook", "Completed"]
