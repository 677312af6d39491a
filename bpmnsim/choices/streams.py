"""Where random numbers come from: one private stream per purpose, derived from the seed by a stable hash."""

from __future__ import annotations

from hashlib import blake2b
from random import Random

Stream = Random
"""A stream of random numbers."""


def stream(seed: int, *key: object) -> Stream:
    """Return the random stream that belongs to (seed, key), the same on every machine and Python.

    Parameters
    ----------
    seed
        The seed of the run.
    *key
        What the stream is for, such as ``"schedule"`` or ``("durations", activity, activation, ordinal)``.

    Examples
    --------
    >>> stream(7, "schedule").random() == stream(7, "schedule").random()
    True

    Notes
    -----
    ``scheduling.md`` 1.9. Only ``random()`` of it may be used for picks.
    """
    digest = blake2b("/".join(map(str, (seed, *key))).encode(), digest_size=8).digest()
    return Stream(int.from_bytes(digest, "big"))
