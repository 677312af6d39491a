"""The peers: installed into folders of their own, run in processes of their own, asked for seconds over a pipe."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import TracebackType

import bpmnsim as bs

HERE = Path(__file__).parent
ROOT = HERE.parents[1] / ".venv-benchmarks"
"""Scratch folder; may be deleted at any time."""


class NotThereError(Exception):
    """A peer cannot be installed or run; the text says why."""


class Peer:
    """A process that runs a model once for every line it is sent, and answers with the seconds that took."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self._process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.communicate()

    def seconds(self, model: bs.Model) -> float:
        """Run a model and return how long the run took; reading the file does not count."""
        path = ROOT / f"{model.digest}.bpmn"
        if not path.exists():
            bs.write_bpmn(model, path)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise NotThereError(f"it stopped over {model!r}")
        return float(answer)


def spiffworkflow() -> Peer:
    """Install SpiffWorkflow if need be, and start it."""
    folder = ROOT / "spiffworkflow"
    python = folder / "bin" / "python"
    if not (folder / "done").exists():
        _install([sys.executable, "-m", "venv", str(folder)])
        _install([str(python), "-m", "pip", "install", "--quiet", "SpiffWorkflow==3.2.*"])
        (folder / "done").touch()
    return Peer([str(python), str(HERE / "spiff_runner.py")], folder)


def bpmn_engine() -> Peer:
    """Install bpmn-engine if need be, and start it."""
    folder = ROOT / "bpmn-engine"
    if not (folder / "done").exists():
        folder.mkdir(parents=True, exist_ok=True)
        _install(["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--silent", "bpmn-engine@25"])
        (folder / "done").touch()
    return Peer(["node", str(HERE / "bpmn_engine_runner.mjs")], folder)


def _install(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    except FileNotFoundError as error:
        raise NotThereError(f"{command[0]} is not there") from error
    except subprocess.SubprocessError as error:
        said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        raise NotThereError(f"cannot be installed: {said[-1] if said else error}") from error
