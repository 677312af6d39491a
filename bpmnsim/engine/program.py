"""A model compiled for running: every node a number with one function, flows as numbers, conditions parsed.

A program never changes once it is compiled and is shared by all runs. It knows no construct by name:
``semantics.registry`` compiles it. It
is pickled as the recipe that compiles it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bpmnsim.errors import InternalError
from bpmnsim.expr.language import Expression
from bpmnsim.facts import NOBODY
from bpmnsim.model.base import Element, SequenceFlow

if TYPE_CHECKING:
    from bpmnsim.engine.loop import Engine

Operation = Callable[["Engine", int, int, int], None]
"""What a node does when a track takes its turn on it: ``operation(run, track, scope, flow)``."""

Choose = Callable[["Engine", int, int], tuple[int, ...] | None]
"""Which flows are taken when a visit is complete: ``choose(run, track, scope)``.

``None`` where that has become a choice of its own.
"""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a run that are not inputs of the process.

    Parameters
    ----------
    profile
        ``"engine"`` or ``"standard"`` (iteration.md section 0.1).
    on_ambiguous_message
        ``"refuse"``, or ``"ordinal"``: the waiting inner instance with the lowest ordinal gets it (ITER-M-02).
    missing_output
        ``"fault"``, or ``"none"``: a missing output item becomes ``None`` (ITER-D-06).
    max_parallel_width
        Most inner instances that may start at once (ITER-A-09).
    network
        Delivery model of messages; ``"bag"`` keeps no order between them.
    record
        ``"all"``.

    Examples
    --------
    >>> Options(profile="standard").max_parallel_width
    100000
    """

    profile: str = "engine"
    on_ambiguous_message: str = "refuse"
    missing_output: str = "fault"
    max_parallel_width: int = 100_000
    network: str = "bag"
    record: str = "all"


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything besides the model that shapes how nodes are compiled.

    Parameters
    ----------
    behaviors, durations
        By element id, resolved from ids and names already.
    decisions
        ``"evaluate"`` or ``"free"``.
    granularity
        ``"task"`` or ``"phase"``.
    retries
        Element id -> (most automatic retries, delay in seconds).
    options
        See :class:`Options`.
    """

    behaviors: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    durations: Mapping[str, Any] = field(default_factory=dict)
    decisions: str = "evaluate"
    granularity: str = "task"
    retries: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    options: Options = field(default_factory=Options)


class Program:
    """A compiled model.

    Attributes
    ----------
    places
        Place number -> element; processes and flow nodes have one place each, the body of an activity with a marker a
        second one.
    container
        Place -> place of the process or sub-process around it.
    outgoing, incoming
        Place -> flow numbers, in declared order.
    operations, exits
        Place -> what it does; place -> flows taken when its visit is complete, or the function that chooses them.
    flows, source, target
        Flow number -> sequence flow; -> place it leaves; -> place it enters.
    body_of
        Place -> the place whose body it is, ``NOBODY`` for every ordinary place.
    declares
        Place -> names that a scope of it declares (core.md DAT-10).
    seeds
        Container place -> places at which a track starts when it opens (core.md EXE-09, SUB-03).
    retrievals
        Message name -> expressions of its correlation properties, which find a key in its payload (core.md COR-01).
    fixed
        Container place -> names in a scope of it that nobody may write.
    shallow
        Places whose scopes take no new names: those go further out, to the scope around the activity (ITER-SL-09).
    outward
        Whether a new name is created in the process scope instead of the innermost one (core.md DAT-04).
    """

    def __init__(self, setup: Setup, recipe: tuple[Callable[..., Program], tuple[Any, ...]]) -> None:
        self.setup = setup
        self.recipe = recipe
        self.places: list[Element] = []
        self.index: dict[str, int] = {}
        self.container: list[int] = []
        self.outgoing: list[tuple[int, ...]] = []
        self.incoming: list[tuple[int, ...]] = []
        self.operations: list[Operation] = []
        self.exits: list[tuple[int, ...] | Choose] = []
        self.body_of: list[int] = []
        self.flows: list[SequenceFlow] = []
        self.source: list[int] = []
        self.target: list[int] = []
        self.declares: list[frozenset[str]] = []
        self.seeds: dict[int, tuple[int, ...]] = {}
        self.outward = False
        self.fixed: dict[int, frozenset[str]] = {}
        self.retrievals: dict[str, tuple[Expression, ...]] = {}
        self.shallow: dict[int, None] = {}

    def add(self, element: Element, container: int, body_of: int = NOBODY) -> int:
        """Give *element* a place and return its number."""
        place = len(self.places)
        self.places.append(element)
        self.container.append(container)
        self.outgoing.append(())
        self.incoming.append(())
        self.exits.append(())
        self.operations.append(_unset)
        self.declares.append(frozenset())
        self.body_of.append(body_of)
        return place

    def connect(self, flows: Iterable[SequenceFlow]) -> None:
        """Give every flow a number; flows come in declared order (core.md FLW-01)."""
        out: dict[int, list[int]] = {}
        into: dict[int, list[int]] = {}
        for number, flow in enumerate(flows):
            source, target = self.index[flow.source], self.index[flow.target]
            self.flows.append(flow)
            self.source.append(source)
            self.target.append(target)
            out.setdefault(source, []).append(number)
            into.setdefault(target, []).append(number)
        for place, numbers in out.items():
            self.outgoing[place] = tuple(numbers)
        for place, numbers in into.items():
            self.incoming[place] = tuple(numbers)

    def __reduce__(self) -> tuple[Any, ...]:
        return self.recipe


def _unset(run: Engine, track: int, scope: int, flow: int) -> None:
    raise InternalError(f"place {run.state.tracks[track][0]} has no operation (track {track}, {scope}, {flow})")
