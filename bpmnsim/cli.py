"""The command line: run a model, show it, list what was noted when it was read, check whether it runs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bpmnsim.errors import BpmnSimError, SimulationError
from bpmnsim.model.process import Model
from bpmnsim.samples import load_sample, sample_names
from bpmnsim.simulation import simulate
from bpmnsim.trace.trace import Trace

EXIT_CODES = {
    "completed": 0,
    "terminated": 0,
    "failed": 1,
    "deadlocked": 1,
    "incident": 1,
    "waiting": 3,
    "truncated": 3,
}
_USAGE_ERROR = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments
        Without the program name; ``None`` takes them from the process.

    Returns
    -------
    int
        0 completed or terminated, 1 failed, deadlocked or incident, 2 usage or model error, 3 waiting or truncated.

    Examples
    --------
    >>> main(["notes", "order_handling"])
    no notes
    0
    """
    options = _parser().parse_args(arguments)
    try:
        return int(options.command(options))
    except BpmnSimError as error:
        print(error, file=sys.stderr)
        return _USAGE_ERROR


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bpmnsim", description="See BPMN 2.0 run.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = _command(commands, "run", _run, "run a model and show what happened")
    run.add_argument("--seed", type=int, metavar="N", help="uniform random walk with this seed (default: fifo)")
    run.add_argument("--strategy", metavar="NAME", help="fifo, depth, round-robin, uniform or priority(a,b)")
    run.add_argument("--process", metavar="ID", help="process to run, where there are several")
    run.add_argument("--data", metavar="JSON", help="values at the start, such as '{\"amount\": 1500}'")
    run.add_argument("--decisions", choices=("evaluate", "free"), default="evaluate", help="who decides at gateways")
    run.add_argument("--step-limit", type=int, default=100_000, metavar="N", help="most actions to fire")
    run.add_argument("--facts", type=Path, metavar="FILE", help="write every fact as CSV")
    run.add_argument("--svg", type=Path, metavar="FILE", help="write the diagram with the final tokens")
    show = _command(commands, "show", _show, "list what a model holds and draw it")
    show.add_argument("--svg", type=Path, metavar="FILE", help="write the diagram")
    _command(commands, "notes", _notes, "list what was passed over when the model was read")
    _command(commands, "check", _check, "list why a model would not run as drawn")
    return parser


def _command(commands: Any, name: str, function: Any, text: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
    command.add_argument("file", metavar="FILE", help=f"BPMN file, or a sample: {', '.join(sample_names())}")
    command.set_defaults(command=function)
    return command


def _model(name: str) -> Model:
    from bpmnsim.xml.reader import read_bpmn

    return load_sample(name) if name in sample_names() and not Path(name).exists() else read_bpmn(name)


def _run(options: argparse.Namespace) -> int:
    trace = simulate(
        _model(options.file),
        seed=options.seed,
        strategy=options.strategy,
        step_limit=options.step_limit,
        process=options.process,
        data=_data(options.data),
        decisions=options.decisions,
    )
    print(repr(trace))
    _print_table("tokens", trace.tokens(), ["track", "parent", "node", "scope", "token_state", "entered", "left"])
    _print_table("scopes", trace.scopes(), ["scope", "parent", "opened", "closed", "outcome", "peak_tokens"])
    if len(trace.incidents()):
        _print_table("incidents", trace.incidents(), ["node", "error"])
    for stuck in trace.stuck:
        print(f"stuck: token {stuck.track} at {stuck.node} in {stuck.scope}, waiting for: {stuck.waits_for}")
    print(f"values:   {json.dumps(dict(trace.values), default=str)}")
    print(f"schedule: {trace.schedule}")
    print(f"digest:   {trace.digest}")
    _write(options, trace)
    return EXIT_CODES[trace.outcome]


def _write(options: argparse.Namespace, trace: Trace) -> None:
    from bpmnsim.views.bundle import render_trace

    if options.facts:
        _save(options.facts, trace.facts().to_csv(index=False))
    if options.svg:
        _save(options.svg, render_trace(trace))


def _save(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SimulationError(f"{path} cannot be written: {error.strerror}") from error
    print(f"wrote     {path}")


def _print_table(name: str, frame: Any, columns: list[str]) -> None:
    print(f"\n{name} ({len(frame)} rows)")
    print(frame[columns].to_string(index=False, na_rep="", max_rows=40) if len(frame) else "(none)")
    print()


def _data(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        data = json.loads(text)
    except ValueError as error:
        raise SimulationError(f"--data is no JSON: {error}", hint="write it as '{\"amount\": 1500}'") from error
    if not isinstance(data, dict):
        raise SimulationError("--data must be a JSON object", hint="write it as '{\"amount\": 1500}'")
    return data


def _show(options: argparse.Namespace) -> int:
    from bpmnsim.views.svg import render_svg

    model = _model(options.file)
    print(repr(model))
    for process in model.processes:
        print(f"process {process.id}{f' ({process.name})' if process.name else ''}")
        for node in model.nodes(process.id):
            targets = ", ".join(flow.target for flow in model.outgoing(node.id))
            named = f" ({node.name})" if node.name else ""
            print(f"  {type(node).__name__} {node.id}{named}{f' -> {targets}' if targets else ''}")
    if options.svg:
        _save(options.svg, render_svg(model))
    return 0


def _notes(options: argparse.Namespace) -> int:
    notes = _model(options.file).notes
    print("\n".join(map(str, notes)) or "no notes")
    return 0


def _check(options: argparse.Namespace) -> int:
    found = _model(options.file).check()
    print(found.to_string(index=False) if len(found) else "runs as drawn")
    return 1 if len(found) else 0
