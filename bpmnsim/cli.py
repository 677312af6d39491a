"""The command line: run a model, show it, list what was noted when it was read, check whether it runs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bpmnsim.engine.executor import Options
from bpmnsim.errors import BpmnSimError, ModelError, SimulationError, did_you_mean
from bpmnsim.model.activities import Activity
from bpmnsim.model.base import FlowNode, SequenceFlow
from bpmnsim.model.process import Model, Process
from bpmnsim.samples import load_sample, sample_names
from bpmnsim.simulation import simulate
from bpmnsim.simulation.inputs import checked
from bpmnsim.trace.trace import Trace

EXIT_CODES: Mapping[str, int] = MappingProxyType(
    {
        "completed": 0,
        "terminated": 0,
        "failed": 1,
        "deadlocked": 1,
        "incident": 1,
        "waiting": 3,
        "truncated": 3,
    }
)
_USAGE_OR_MODEL = 2
_CUT_OFF = 141
"""What a shell reports for a program whose reader has gone."""
_MOST_ROWS = 60


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
        code = int(options.command(options))
        sys.stdout.flush()
    except BpmnSimError as error:
        print(error, file=sys.stderr)
        return _USAGE_OR_MODEL
    except BrokenPipeError:
        # Whoever reads, such as head, has seen enough; what is left goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CUT_OFF
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bpmnsim", description="See BPMN 2.0 run.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = _command(commands, "run", _run, "run a model and show what happened")
    run.add_argument("--seed", type=int, metavar="N", help="uniform random walk with this seed (default: fifo)")
    run.add_argument("--strategy", metavar="NAME", help="fifo, depth, round-robin, uniform or priority(a,b)")
    run.add_argument("--schedule", metavar="TEXT", help="repeat the run that printed this schedule")
    run.add_argument("--process", metavar="ID", help="process to run, where there are several")
    run.add_argument("--data", metavar="JSON", help="values at the start, such as '{\"amount\": 1500}'")
    run.add_argument("--decisions", choices=("evaluate", "free"), default="evaluate", help="who decides at gateways")
    run.add_argument(
        "--missing-output",
        choices=("fault", "none"),
        default="fault",
        help="what becomes of an inner instance without its result",
    )
    run.add_argument("--step-limit", type=int, default=100_000, metavar="N", help="most actions to fire")
    run.add_argument("--facts", type=Path, metavar="OUT.csv", help="write every fact as CSV")
    run.add_argument("--svg", type=Path, metavar="OUT.svg", help="write the diagram with the tokens at the end")
    show = _command(commands, "show", _show, "list what a model holds")
    show.add_argument("--svg", type=Path, metavar="OUT.svg", help="write the diagram")
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

    if Path(name).exists():
        return read_bpmn(name)
    samples = sample_names()
    if name in samples:
        return load_sample(name)
    meant = did_you_mean(name, samples)
    if meant is not None:
        raise ModelError(f"there is neither a file nor a sample {name!r}", hint=meant)
    return read_bpmn(name)


# run


def _run(options: argparse.Namespace) -> int:
    trace = simulate(
        _model(options.file),
        seed=options.seed,
        strategy=options.strategy,
        schedule=options.schedule,
        step_limit=options.step_limit,
        process=options.process,
        data=_data(options.data),
        decisions=options.decisions,
        options=Options(missing_output=options.missing_output),
    )
    print(repr(trace))
    tokens = ["track", "parent", "node", "node_name", "scope", "token_state", "entered", "left"]
    _print_table("tokens", trace.tokens(), tokens)
    _print_table("scopes", trace.scopes(), ["scope", "opened", "closed", "outcome", "peak_tokens"])
    inner = trace.inner_instances()
    if len(inner):
        columns = ["activity", "activation", "ordinal", "state", "opened", "closed", "item", "output"]
        _print_table("inner instances", inner, columns)
    print()
    _print_end(trace)
    _write(options, trace)
    return EXIT_CODES[trace.outcome]


def _print_end(trace: Trace) -> None:
    errors = {(row["scope"], row["node"]): row["error"] for row in trace.incidents().to_dict("records")}
    for (scope, node), error in errors.items():
        print(f"incident: at {node} in {scope}: {error}")
    if trace.outcome == "truncated":
        print(f"stopped:  {trace.stuck[0].waits_for}")
    for stuck in trace.stuck if trace.outcome != "truncated" else ():
        if (stuck.scope, stuck.node) not in errors:
            print(f"stuck:    token {stuck.track} at {stuck.node} in {stuck.scope} waits for {stuck.waits_for}")
    print(f"outcome:  {trace.outcome} after {trace.steps} steps, at {trace.time:g} s of virtual time")
    print(f"values:   {json.dumps(dict(trace.values), default=str, ensure_ascii=False)}")
    print(f"schedule: {trace.schedule}")
    print(f"digest:   {trace.digest}")


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
        raise SimulationError(f"{str(path)!r} cannot be written: {error.strerror}") from error
    print(f"wrote:    {path}{' (a browser shows it)' if path.suffix == '.svg' else ''}")


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


def _print_table(title: str, frame: Any, columns: list[str]) -> None:
    """Print columns of a frame: numbers to the right, a dash for what is missing."""
    shown = frame[columns].head(_MOST_ROWS)
    text = shown.astype("string").where(shown.notna(), "-")
    cells = [[name, *text[name]] for name in columns]
    numeric = [frame[name].dtype.kind in "iuf" for name in columns]
    lines = [
        "  ".join(cell.rjust(width) if right else cell.ljust(width) for cell, width, right in row)
        for row in (
            zip(row, (max(map(len, column)) for column in cells), numeric, strict=True)
            for row in zip(*cells, strict=True)
        )
    ]
    print(f"\n{title}")
    print("\n".join(f"  {line.rstrip()}" for line in lines))
    if len(frame) > _MOST_ROWS:
        print(f"  ... and {len(frame) - _MOST_ROWS} more rows")


# show, notes, check


def _show(options: argparse.Namespace) -> int:
    from bpmnsim.views.svg import render_svg

    model = _model(options.file)
    print(repr(model))
    depth: dict[str, int] = {}
    for element in model.elements.values():
        if isinstance(element, Process | FlowNode):
            depth[element.id] = depth.get(element.parent, -1) + 1
            print(f"{'  ' * depth[element.id]}{_line(model, element)}")
    if options.svg:
        _save(options.svg, render_svg(model))
    return 0


def _line(model: Model, element: Process | FlowNode) -> str:
    kind = "process" if isinstance(element, Process) else type(element).__name__
    name = f" ({' '.join(element.name.split())})" if element.name else ""
    loop = element.loop if isinstance(element, Activity) else None
    marker = f" [{loop.kind}]" if loop is not None else ""
    flows = (
        "" if isinstance(element, Process) else ", ".join(_flow(element, flow) for flow in model.outgoing(element.id))
    )
    return f"{kind} {element.id}{name}{marker}{f' -> {flows}' if flows else ''}"


def _flow(source: FlowNode, flow: SequenceFlow) -> str:
    if getattr(source, "default", "") == flow.id:
        return f"{flow.target} by default"
    return f"{flow.target} if {' '.join(flow.condition.text.split())}" if flow.condition else flow.target


def _notes(options: argparse.Namespace) -> int:
    print("\n".join(map(str, _model(options.file).notes)) or "no notes")
    return 0


def _check(options: argparse.Namespace) -> int:
    model = _model(options.file)
    found = model.check()
    for row in found.to_dict("records"):
        line = "" if row["line"] != row["line"] else f", line {row['line']}"
        print(f"{row['element']}{line}: {row['problem']} ({row['rule']})\n  hint: {row['hint']}")
    if len(found):
        return _USAGE_OR_MODEL
    # What is drawn well may still be something that cannot run yet; that raises.
    checked(model)
    print("runs as drawn")
    return 0
