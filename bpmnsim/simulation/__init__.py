"""Running a model: the place where model, semantics, choices and scenario are wired to a trace.

``simulate`` runs in one call, ``Simulation`` step by step; ``inputs`` checks what a run is given, ``driver`` moves it,
``outcomes`` says how it ended, ``explain`` why something waits, ``checkpoints`` saves and restores.
"""

from bpmnsim.simulation.live import Action, Simulation
from bpmnsim.simulation.whole import simulate

__all__ = ["Action", "Simulation", "simulate"]
