"""Thousands of inputs of strangers: ``make fuzz``, or ``python -m tests.hostile.fuzz --count 10000 --seed 0``.

An input is known by seed and index. Where one brings out a defect it is written to a folder, and ``--start INDEX
--count 1`` with the same seed repeats it.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random

from tqdm import tqdm

from . import live, saved, values
from .case import Case
from .mutations import mutate
from .pipeline import Defect, put_through
from .seeds import seeds

_MEMORY = 4_000_000_000
_SHARES = {"file": 70, "saved": 10, "value": 10, "live": 10}


def file(random: Random) -> Case:
    """Return a mutated file; half of them come from the small models."""
    known = seeds()
    small = [pair for pair in known if not pair[0].startswith("corpus:")]
    name, data = random.choice(random.choice((small, known)))
    changed = mutate(data, random)
    return Case(name, changed, lambda: put_through(changed))


_MAKERS = {"file": file, "saved": saved.case, "value": values.case, "live": live.case}


def make(seed: int, index: int) -> Case:
    """Return the input that belongs to (seed, index)."""
    random = Random(f"{seed}/{index}")
    (kind,) = random.choices(list(_SHARES), weights=list(_SHARES.values()))
    return _MAKERS[kind](random)


def main() -> int:
    """Try the inputs; return 1 if there is a defect."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    ended: Counter[str] = Counter()
    slowest: list[tuple[float, int, str]] = []
    defects: list[int] = []
    folder = Path(tempfile.mkdtemp(prefix="bpmnsim-fuzz-"))
    for index in tqdm(range(options.start, options.start + options.count), mininterval=10):
        case = make(options.seed, index)
        begun = time.process_time()
        try:
            ended[f"{case.name.partition(' ')[0].partition(':')[0]}: {case.attempt()}"] += 1
        except Defect as defect:
            defects.append(index)
            (folder / f"{options.seed}-{index}").write_bytes(case.data)
            cause = "".join(traceback.format_exception(defect.__cause__ or defect, limit=-3))
            tqdm.write(f"input {index}, made from {case.name}: {defect}\n{cause}")
        slowest = sorted([*slowest, (time.process_time() - begun, index, case.name)])[-5:]
    for word, count in sorted(ended.items()):
        print(f"{count:6} {word}")
    for seconds, index, name in reversed(slowest):
        print(f"{seconds:6.1f} s for input {index}, made from {name}")
    print(f"{len(defects)} of {options.count} inputs bring out a defect{f', see {folder}' if defects else ''}")
    for index in defects:
        print(f"  python -m tests.hostile.fuzz --seed {options.seed} --start {index} --count 1")
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main())
