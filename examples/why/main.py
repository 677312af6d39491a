"""Why is nothing happening?

`why` tells for any element what its tokens wait for, and which other tokens could still bring it; in words and as
data. Going back undoes whatever was done.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

sim = bs.Simulation(model, scenario=bs.Scenario())
sim.run()
print(sim.why("ann"))
print(sim.why("bob"))

sim.complete("Ann accepts")
sim.run()
print("\nAnn has accepted:")
why = sim.why("all_in")
print(why)

sim.goto(2)
print("\nstep 2 again:", [action.name for action in sim.enabled])

assert [blocker.waits_for for blocker in why.blockers] == ["f_bob_all_in"]
assert [blocker.tokens for blocker in why.blockers] == [((1, "bob"),)]
assert sim.why("all_in").text == "no token is at all_in"
