"""Try a folder of BPMN files: which of them run, how they end, and why the others do not.

On the command line: ``python -m bpmnsim.testing.corpus FOLDER``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bpmnsim.errors import BpmnSimError
from bpmnsim.model.base import SequenceFlow
from bpmnsim.model.process import Model
from bpmnsim.simulation import simulate
from bpmnsim.trace.trace import Trace
from bpmnsim.xml.reader import read_bpmn

__all__ = ["Tried", "main", "try_file", "try_folder", "try_model"]

SUFFIXES = (".bpmn", ".bpmn2", ".xml")


class Tried(NamedTuple):
    """What became of one file.

    Attributes
    ----------
    file
        Its path, as it was given or relative to its folder.
    end
        The outcome of the run, or the code of the error that refused it: MODEL, UNSUPPORTED and so on.
    reason
        The tokens that are stuck, or what the error says, in one line; empty where all went well.

    Examples
    --------
    >>> Tried("order.bpmn", "completed", "").end
    'completed'
    """

    file: str
    end: str
    reason: str


def try_model(model: Model, *, step_limit: int = 2000) -> Trace:
    """Run a model that is given nothing: the outside world is open, and where flows have conditions so are decisions.

    Parameters
    ----------
    model
        What runs.
    step_limit
        Most actions to fire.

    Raises
    ------
    ModelError, UnsupportedError
        If it cannot run as drawn.

    Examples
    --------
    >>> import bpmnsim as bs
    >>> try_model(bs.load_sample("order_handling")).outcome
    'completed'
    """
    flows = (element for element in model.elements.values() if isinstance(element, SequenceFlow))
    conditional = any(flow.condition is not None for flow in flows)
    return simulate(model, decisions="free" if conditional else "evaluate", step_limit=step_limit)


def try_file(path: str | Path, *, step_limit: int = 2000) -> Tried:
    """Read and run one file.

    Parameters
    ----------
    path
        A BPMN file.
    step_limit
        Most actions to fire.

    Examples
    --------
    >>> try_file("missing.bpmn").end
    'MODEL'
    """
    try:
        trace = try_model(read_bpmn(Path(path)), step_limit=step_limit)
    except BpmnSimError as error:
        return Tried(str(path), error.code, str(error).splitlines()[0])
    return Tried(str(path), trace.outcome, "; ".join(f"{stuck.node}: {stuck.waits_for}" for stuck in trace.stuck))


def try_folder(folder: str | Path, *, step_limit: int = 2000) -> Iterator[Tried]:
    """Try every BPMN file in a folder and below it, in order of path.

    Parameters
    ----------
    folder
        Where to look for files named ``*.bpmn``, ``*.bpmn2`` or ``*.xml``.
    step_limit
        Most actions to fire in one run.

    Yields
    ------
    Tried
        One for each file; its path is relative to the folder.

    Examples
    --------
    >>> from importlib.resources import files
    >>> {tried.file: tried.end for tried in try_folder(files("bpmnsim.samples"))}["order_handling.bpmn"]
    'completed'
    """
    root = Path(folder)
    for path in sorted(path for path in root.rglob("*") if path.suffix in SUFFIXES):
        yield try_file(path, step_limit=step_limit)._replace(file=path.relative_to(root).as_posix())


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table of file, end and reason, and return 0.

    Parameters
    ----------
    arguments
        Without the program name; ``None`` takes them from the process.

    Examples
    --------
    >>> from importlib.resources import files
    >>> main([str(files("bpmnsim.samples"))])
    file...  end...  reason
    ...
    order_handling.bpmn  completed
    ...
    0
    """
    parser = argparse.ArgumentParser(prog="python -m bpmnsim.testing.corpus", description="Try a folder of BPMN files.")
    parser.add_argument("folder", metavar="FOLDER", help="folder with BPMN files, also in folders inside")
    parser.add_argument("--step-limit", type=int, default=2000, metavar="N", help="most actions to fire in one run")
    options = parser.parse_args(arguments)
    table = [Tried("file", "end", "reason"), *try_folder(options.folder, step_limit=options.step_limit)]
    widths = [max(len(row[column]) for row in table) for column in (0, 1)]
    for row in table:
        print(f"{row.file:{widths[0]}}  {row.end:{widths[1]}}  {row.reason}".rstrip())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
