"""Models that come with bpmnsim."""

from __future__ import annotations

from importlib.resources import files

from bpmnsim.errors import ModelError, did_you_mean
from bpmnsim.model.process import Model

__all__ = ["load_sample", "sample_names"]


def sample_names() -> tuple[str, ...]:
    """Return the names of the bundled models, sorted.

    Examples
    --------
    >>> "order_handling" in sample_names()
    True
    """
    folder = files(__name__)
    return tuple(sorted(entry.name.removesuffix(".bpmn") for entry in folder.iterdir() if entry.name.endswith(".bpmn")))


def load_sample(name: str) -> Model:
    """Read a bundled model.

    Parameters
    ----------
    name
        One of :func:`sample_names`.

    Raises
    ------
    ModelError
        If there is no such sample; the hint names the nearest one.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> bs.load_sample("order_handling").processes[0].id
    'order_handling'
    """
    from bpmnsim.xml.reader import read_bpmn

    known = sample_names()
    if name not in known:
        hint = did_you_mean(name, known) or f"the samples are {', '.join(known)}"
        raise ModelError(f"there is no sample {name!r}", element_id=name, hint=hint)
    return read_bpmn((files(__name__) / f"{name}.bpmn").read_bytes())
