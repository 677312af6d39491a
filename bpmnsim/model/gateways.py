"""The five gateways."""

from __future__ import annotations

from dataclasses import dataclass

from bpmnsim.model.base import FlowNode, Formal


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway(FlowNode):
    """Splits or joins paths.

    Parameters
    ----------
    direction
        unspecified, diverging, converging or mixed, as drawn (core.md GW-01).
    default
        Id of the default flow of an exclusive, inclusive or complex gateway, or empty.

    Examples
    --------
    >>> Gateway(id="g").direction
    'unspecified'
    """

    direction: str = "unspecified"
    default: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusiveGateway(Gateway):
    """Takes the first flow whose condition holds (core.md XOR-01).

    Examples
    --------
    >>> ExclusiveGateway(id="x", default="f2").default
    'f2'
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ParallelGateway(Gateway):
    """Takes every flow and waits for every flow (core.md AND-01 to AND-09).

    Examples
    --------
    >>> ParallelGateway(id="g").id
    'g'
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class InclusiveGateway(Gateway):
    """Takes every flow whose condition holds (core.md IOR-01).

    Examples
    --------
    >>> InclusiveGateway(id="o").default
    ''
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ComplexGateway(Gateway):
    """Fires under an activation condition (core.md CPX-01).

    Examples
    --------
    >>> ComplexGateway(id="c", activation_condition=Formal(text="activationCount >= 2")).default
    ''
    """

    activation_condition: Formal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventBasedGateway(Gateway):
    """Takes the flow of the first event that occurs (core.md EBG-01).

    Examples
    --------
    >>> EventBasedGateway(id="e").is_parallel
    False
    """

    instantiate: bool = False
    is_parallel: bool = False
