"""The decorator: an activity with a marker resolves to an executor around its bare activity (SRD-090.B FR-1)."""

from __future__ import annotations

from bpmnsim.engine.executor import Operation, Program, hosting, operation_of
from bpmnsim.model.activities import Activity
from bpmnsim.model.loops import MultiInstanceLoopCharacteristics, StandardLoopCharacteristics
from bpmnsim.model.process import Model
from bpmnsim.semantics.iteration.attributes import READ_ONLY
from bpmnsim.semantics.iteration.marker import compile_loop, compile_marker
from bpmnsim.semantics.iteration.parallel import Parallel
from bpmnsim.semantics.iteration.sequential import Sequential
from bpmnsim.semantics.iteration.standard_loop import StandardLoop
from bpmnsim.semantics.tasks import is_awaited


def decorate(
    program: Program, place: int, seeds: tuple[int, ...], node: Activity, model: Model, *, leaf: bool
) -> Operation:
    """Return the operation of an activity with a loop marker.

    Parameters
    ----------
    place
        Of the activity: the one token of it rests here (ITER-R-10).
    seeds
        Where a track starts in each inner instance: the body of a leaf, the entries of a composite.
    leaf
        A task: what it writes goes to the scope around it unless it is its item or output item (ITER-SQ-09).
    """
    loop = node.loop
    program.fixed[place] = READ_ONLY
    if leaf:
        program.shallow[place] = None
    at_once = leaf and is_awaited(node, program.setup)
    if isinstance(loop, StandardLoopCharacteristics):
        return operation_of(StandardLoop(compile_loop(place, seeds, node, loop, model), at_once), place)
    assert isinstance(loop, MultiInstanceLoopCharacteristics), "there are two kinds of marker"
    marker = compile_marker(program, place, seeds, node, loop, model)
    program.declares[place] |= frozenset(marker.capture)
    return operation_of(Sequential(marker, at_once), place) if loop.is_sequential else hosting(Parallel(marker), place)
