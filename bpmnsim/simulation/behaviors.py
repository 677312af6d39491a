"""What a behavior sees of a run: the activity it stands for, and read access to data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bpmnsim.choices.streams import Stream, stream
from bpmnsim.engine import values
from bpmnsim.engine.loop import Engine
from bpmnsim.engine.own import private
from bpmnsim.engine.work import HIDDEN, ITEM, instance_of
from bpmnsim.errors import ExpressionError, did_you_mean
from bpmnsim.facts import ABSENT, Fact


class Task:
    """What a behavior is handed.

    ``task["name"]`` reads data, ``"name" in task`` asks whether there is any.

    Attributes
    ----------
    id, name
        Of the activity.
    ordinal
        Number of the inner instance or pass, from 0; ``None`` outside iterations.
    time
        Virtual time in seconds.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> b = bs.ProcessBuilder("p")
    >>> _ = b.start() >> b.service("double") >> b.end()
    >>> bs.simulate(b.model(), data={"x": 4}, behaviors={"double": lambda task: {"y": 2 * task["x"]}}).values["y"]
    8

    Notes
    -----
    Design section 4, Behaviors. Values are handed out as copies: changing one changes nothing in the run.
    """

    def __init__(self, run: Engine, track: int, place: int, scope: int, seed: int) -> None:
        element = run.program.places[place]
        self.id = element.id
        self.name = element.name
        self.ordinal, self._activation = instance_of(run, scope)
        self.time = run.state.now
        self._run = run
        self._at = (track, place, scope)
        self._seed = seed
        self._rng: Stream | None = None

    @property
    def rng(self) -> Stream:
        """Random stream of (seed, activity, activation, ordinal); the interleaving never changes what it yields."""
        if self._rng is None:
            self._rng = stream(self._seed, "task", self.id, self._activation, self.ordinal or 0)
        return self._rng

    @property
    def data(self) -> dict[str, Any]:
        """Copy of everything that can be read by name."""
        names = values.Names(self._run, self._at[2], {})
        return {name: private(names[name], name) for name in names if not name.startswith(HIDDEN)}

    @property
    def item(self) -> Any:
        """The element of the collection this inner instance works on, ``None`` outside collections."""
        found = values.read(self._run, self._at[2], ITEM)
        return None if found is ABSENT else private(found, "item")

    def __getitem__(self, name: str) -> Any:
        found = values.read(self._run, self._at[2], name)
        if found is ABSENT:
            hint = did_you_mean(name, self.data)
            raise ExpressionError(f"{name!r} has no value", missing=name, element_id=self.id, hint=hint)
        return private(found, name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of *name*, or *default* where it has none."""
        return self[name] if name in self else default  # noqa: SIM401 - this is that method

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and values.read(self._run, self._at[2], name) is not ABSENT

    def escalate(self, code: str) -> None:
        """Throw the escalation *code* from this activity; the activity goes on (core.md ESC-01)."""
        track, place, scope = self._at
        details = (("escalation", code), ("caught_by", ""))
        for phase in ("Thrown", "Unresolved"):
            fact = (Fact.REPORT, self._run.state.step, track, place, scope, f"Escalation {phase}", details)
            self._run.record(fact)


def viewer(seed: int) -> Callable[[Engine, int, int, int], Task]:
    """Return the function by which a run with this seed makes what behaviors are handed."""

    def view(run: Engine, track: int, place: int, scope: int) -> Task:
        return Task(run, track, place, scope, seed)

    return view
