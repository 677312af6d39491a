"""Process instances: begin, settle when nothing is left, terminate (core.md sections 4 and 11)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from bpmnsim.engine import scopes
from bpmnsim.facts import NOBODY, Fact

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine

# A process instance is (place of the process, root scope, phase); its phase is Active, Completed, Terminated or Failed.


def begin(run: Engine, place: int, seeds: tuple[int, ...], data: dict[str, Any]) -> int:
    """Create a process instance, open its root scope and start a track at every seed (core.md EXE-09)."""
    state = run.state
    instance, root = len(state.instances), state.next_scope
    state.instances[instance] = (place, root, "Active")
    _report(run, place, root, instance, "Created")
    scopes.open_scope(run, NOBODY, NOBODY, place, data.items(), instance=instance)
    _report(run, place, root, instance, "Active")
    scopes.start_tracks(run, seeds, (root,))
    if not seeds:
        finish(run, root, "Completed")
    return instance


def finish(run: Engine, root: int, phase: str) -> None:
    """End a process instance whose root scope is empty (core.md EXE-08, LIF-02)."""
    state = run.state
    _, _, place, _, _, _, instance = state.scopes[root]
    state.instances[instance] = (place, root, phase)
    state.results[instance] = state.data[root]
    scopes.close_scope(run, root, phase)
    _report(run, place, root, instance, phase)


def terminate(run: Engine, scope: int, spare: int = NOBODY) -> None:
    """End a scope at once: everything in it is canceled; its host leaves as usual (core.md TRM-01, TRM-03).

    Parameters
    ----------
    spare
        The track that terminates the scope: it has just ended by itself.
    """
    state = run.state
    _, host, place, _, _, _, instance = state.scopes[scope]
    if host == NOBODY:
        _report(run, place, scope, instance, "Terminating")
    scopes.cancel_inside(run, scope, "Terminated", "terminated", spare)
    if spare != NOBODY:
        scopes.drop_track(run, spare)
    scopes.leave_scope(run, scope, "Terminated")


def cancel(run: Engine) -> None:
    """Terminate every running process instance (core.md LIF-03)."""
    for _, root, phase in list(run.state.instances.values()):
        if phase == "Active":
            terminate(run, root)


def final_values(run: Engine) -> dict[str, Any]:
    """Return the data of the process; of several instances by process id, with ``#k`` for the k-th of one process."""
    state, seen, found = run.state, Counter[str](), {}
    for instance, (place, root, _) in state.instances.items():
        process = run.program.places[place].id
        seen[process] += 1
        name = process if seen[process] == 1 else f"{process}#{seen[process]}"
        found[name] = state.results[instance] if instance in state.results else state.data[root]
    return dict(next(iter(found.values()))) if len(found) == 1 else found


def _report(run: Engine, place: int, root: int, instance: int, phase: str) -> None:
    run.record((Fact.INSTANCE, run.state.step, NOBODY, place, root, instance, phase))
