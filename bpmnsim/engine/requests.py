"""What an executor may ask of the loop, and what it is told; frozen records, no behavior.

An executor is a pure function ``resume(record, reply) -> (record, request)``. It knows neither tracks nor scopes by
id: the loop
applies each request to the track that asks. :class:`Park`, :class:`Leave`, :class:`Finish` and :class:`Fault` end the
turn of the track;
every other request is answered at once and the executor is resumed with the reply.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bpmnsim.expr.language import Expression
from bpmnsim.facts import ABSENT


@dataclass(frozen=True, slots=True)
class Work:
    """Call the behavior of the node; the reply is its outputs as a tuple of (name, value).

    Parameters
    ----------
    deferred
        Its work ends later: the reply is ``(outputs, error)``, and an error counts only then (core.md EXE-05).
    """

    deferred: bool = False


@dataclass(frozen=True, slots=True)
class Duration:
    """Ask how long the work takes; the reply is seconds, or ``None`` where it takes no time."""


@dataclass(frozen=True, slots=True)
class Read:
    """Look a name up from a scope outwards; the reply is the value, ``ABSENT`` where there is none.

    Parameters
    ----------
    where
        ``"track"`` for the scope of the track, ``"hosted"`` for the scope it hosts.
    """

    name: str
    where: str = "track"


@dataclass(frozen=True, slots=True)
class Evaluate:
    """Evaluate an expression in the scope of the track; the reply is the value, and the evaluation becomes a fact.

    Parameters
    ----------
    role
        condition, cardinality, completion, loop, behavior, output, key, correlation or timer.
    boolean
        Only a boolean will do (core.md FLW-04).
    where
        ``"track"`` for the scope of the track, ``"hosted"`` for the scope it hosts.
    bindings
        Further names, inner to the scope.
    """

    expression: Expression
    role: str
    boolean: bool = False
    where: str = "track"
    bindings: tuple[tuple[str, Any], ...] = ()
    member: int | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """Write outputs atomically where their names are declared or held (core.md EXE-04, DAT-04)."""

    values: tuple[tuple[str, Any], ...]
    where: str = "track"


@dataclass(frozen=True, slots=True)
class Bind:
    """Set names in the scope the track hosts, without a fact of data: attributes and items."""

    values: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Arm:
    """Let time pass: resume with ``fired`` after *delay* seconds.

    Parameters
    ----------
    completion
        Whether it is the end of work, which goes before timers due at the same instant (core.md BND-04).
    """

    delay: float
    completion: bool = False


@dataclass(frozen=True, slots=True)
class Offer:
    """Register a wait for somebody outside; resume with ``delivered``.

    The reply is ``delivered`` at once where a buffered message fits, else ``None``.

    Parameters
    ----------
    verb
        complete or deliver.
    what
        What is awaited, in words: ``"user task"``, ``"message payment"``.
    name
        Name of the message or signal; empty for work.
    key
        Value that a message must carry to be meant for this wait, ``ABSENT`` where any will do.
    """

    verb: str
    what: str
    name: str = ""
    key: Any = ABSENT


@dataclass(frozen=True, slots=True)
class OpenScope:
    """Open one scope below the track and let tracks start in it.

    The track rests until the scope is empty and is resumed with ``drained``, unless it keeps the scope for a group.

    Parameters
    ----------
    place
        Index of the container that the scope belongs to.
    seeds
        Indexes of the nodes at which a track starts.
    bindings
        Values the scope starts with.
    member
        Frozen on the scope and on every fact inside it.
    keep
        The track goes on at once: the scope holds what belongs to a group, and is closed by :class:`CloseScope`.
    """

    place: int
    seeds: tuple[int, ...]
    bindings: tuple[tuple[str, Any], ...] = ()
    member: int | None = None
    keep: bool = False


@dataclass(frozen=True, slots=True)
class OpenGroup:
    """Open one scope per member in a single step; all are registered before any can drain (SRD-056.A).

    Parameters
    ----------
    place, seeds
        As in :class:`OpenScope`.
    members
        What the scope of each member starts with, in order of member; these become the data of the scopes.
    capture
        Names read from a member when it drains, before it closes.
    first
        Number of the first member.
    alone
        One member at a time: no barrier, so no events of one are reported; its drain and what the host does about it
        are one step.
    at_once
        Its tracks only have to come to rest, and do so in the same step.
    """

    place: int
    seeds: tuple[int, ...]
    members: tuple[dict[str, Any], ...]
    capture: tuple[str, ...] = ()
    first: int = 0
    alone: bool = False
    at_once: bool = False


@dataclass(frozen=True, slots=True)
class AwaitDrain:
    """Rest until a drain of the group is queued; one delivery per drain.

    The reply is the drain at the head of the queue, as (member, captured, terminated).
    """


@dataclass(frozen=True, slots=True)
class AwaitAll:
    """Rest until every member of the group has drained, for a host that asks nothing after a single drain.

    The loop takes one drain per action all the same, sets how many members there are, are left, have completed and
    were terminated under the *names*, in turn, and re-arms. The reply is (completed, terminated).
    """

    names: tuple[str, ...]


Awaiting = AwaitDrain | AwaitAll


@dataclass(frozen=True, slots=True)
class ReArm:
    """Set names like :class:`Bind`, let the next queued drain be delivered, then rest like :class:`AwaitDrain`."""

    values: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class CloseGroup:
    """Cancel the members still open and drop the group.

    The reply is the drains that were still queued, as a tuple of (member, captured, terminated).
    """

    reason: str


@dataclass(frozen=True, slots=True)
class Stage:
    """Keep values in slots, invisible until they are published (ITER-D-04); where one is taken, none is filled.

    The reply is the tuple of what the slots held before, ``ABSENT`` where nothing.

    Parameters
    ----------
    outputs
        Pairs of slot and value.
    """

    outputs: tuple[tuple[Any, Any], ...]


@dataclass(frozen=True, slots=True)
class Assemble:
    """Take what is staged; the reply is the list of slots 0 to *total* - 1, ``None`` where one is empty (ITER-D-07)."""

    total: int


@dataclass(frozen=True, slots=True)
class CloseScope:
    """Close the scope that the track hosts and drop the group it held; one that drained by itself is closed already."""


@dataclass(frozen=True, slots=True)
class Emit:
    """Report a fact.

    Parameters
    ----------
    what
        ``"Kind Phase"`` in the words of core.md OBS-02.
    details
        Pairs of detail key and value.
    """

    what: str
    details: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Again:
    """Queue the track for another turn; resume with ``fired``."""


@dataclass(frozen=True, slots=True)
class Park:
    """Rest until something is delivered.

    Parameters
    ----------
    executing
        Work goes on meanwhile, instead of waiting for an event.
    what
        What the track waits for, in words.
    """

    what: str
    executing: bool = False


@dataclass(frozen=True, slots=True)
class Leave:
    """The visit is complete: follow the outgoing flows by the rule of the node."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The visit is complete and the track ends here."""


@dataclass(frozen=True, slots=True)
class Fault:
    """The visit failed (core.md INC-01); a retry resumes from the record that came with it, ``None`` from scratch.

    After any other request that fails a retry asks that request again.

    Parameters
    ----------
    error
        ``("error", code)`` for a business error, ``("technical", text, traceback)`` for any other.
    """

    error: tuple[str, ...]


Reply = tuple[Any, ...]
"""What a parked executor is resumed with: plain data whose first cell says which.

``("fired",)`` a timer or the end of work is due; ``("delivered", values, error)`` what was awaited from outside has
come, ``error`` being
``None`` or as in :class:`Fault`; ``("drained",)`` a scope of the track is empty: its own, or a member of its group.
"""

FIRED: Reply = ("fired",)
DRAINED: Reply = ("drained",)

Request = (
    Work
    | Duration
    | Read
    | Evaluate
    | Commit
    | Bind
    | Arm
    | Offer
    | OpenScope
    | OpenGroup
    | AwaitDrain
    | AwaitAll
    | ReArm
    | CloseGroup
    | Stage
    | Assemble
    | CloseScope
    | Emit
    | Again
    | Park
    | Leave
    | Finish
    | Fault
)
Record = tuple[Any, ...]
"""What an executor remembers between two steps: plain data."""

Step = tuple[Record | None, Request]
"""What an executor answers: what to remember, and what it asks next."""

Resume = Callable[[Record | None, Any], Step]
