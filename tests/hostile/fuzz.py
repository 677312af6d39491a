"""Put thousands of mutated files through everything: ``python -m tests.hostile.fuzz --count 10000 --seed 0``.

An input is known by seed and index. One that brings out a defect is written to a folder, with the line that repeats it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random

from tqdm import tqdm

from .mutations import mutate
from .pipeline import Defect, TooSlow, put_through, within
from .seeds import seeds


def make(seed: int, index: int) -> tuple[str, bytes]:
    """Return name of what was mutated, and the mutated file, that belong to (seed, index)."""
    random = Random(f"{seed}/{index}")
    known = seeds()
    small = [pair for pair in known if pair[0].partition(":")[1]]
    name, data = random.choice(random.choice((small, known)))
    return name, mutate(data, random)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    ended, defects, slow = Counter(), [], []
    folder = None
    for index in tqdm(range(options.start, options.start + options.count), mininterval=5):
        name, data = make(options.seed, index)
        begun = time.process_time()
        try:
            with within(5):
                ended[put_through(data)] += 1
        except (Defect, TooSlow) as error:
            folder = folder or Path(tempfile.mkdtemp(prefix="bpmnsim-fuzz-"))
            (folder / f"{options.seed}-{index}.bpmn").write_bytes(data)
            defects.append((index, name, str(error)))
            print(f"\n{index} {name} {len(data)}: {str(error)[:400]}")
            cause = error.__cause__ or error
            print("".join(traceback.format_exception(cause, limit=-4))[-1500:])
        slow.append((time.process_time() - begun, index, name, len(data)))
    for word, count in ended.most_common():
        print(f"{count:6} {word}")
    print("slowest", sorted(slow, reverse=True)[:10])
    print(f"{len(defects)} defects", folder)
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main())
