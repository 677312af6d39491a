"""How can a colleague see exactly this run?

Send the schedule, one line of text. It names what was picked and is tied to model, inputs and options, so it either
repeats the run, fact by fact, or says what does not fit.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

sim = bs.Simulation(model)
sim.run(until="run_eve")
sim.step("run(race/run_eve)")
sim.step("run(race/cross)")
trace = sim.run()
line = str(trace.schedule)
print(line)
print(trace.choices()[["number", "kind", "options", "picked"]].head(4).to_string(index=False))

again = bs.simulate(model, schedule=line)
print("equal:", again == trace, "-", again.digest)

try:
    bs.simulate(model, schedule=line, data={"wind": "strong"})
except bs.ScheduleDivergence as error:
    refusal = str(error)
    print(refusal)

assert again == trace
assert "run(race/run_eve)" in line
assert refusal
