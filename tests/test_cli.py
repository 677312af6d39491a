"""The command line: exit codes, output, and what it says when something is wrong (design section 7)."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import bpmnsim as bs
from bpmnsim import cli
from bpmnsim.samples import sample_names

Save = Callable[[bs.ProcessBuilder], str]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Write what a builder holds into a file and return its path."""

    def written(builder: bs.ProcessBuilder) -> str:
        path = tmp_path / "model.bpmn"
        bs.write_bpmn(builder.model(), path)
        return str(path)

    return written


def decides_by_amount() -> bs.ProcessBuilder:
    b = bs.ProcessBuilder("p", name="Amounts")
    gate = b.exclusive("gate", name="Large?")
    b.start("begin") >> gate
    gate.flow(b.user("ask", name="Ask the boss"), "amount > 100") >> b.end("asked")
    gate.flow(b.end("done"), default=True)
    return b


def stuck_at_join() -> bs.ProcessBuilder:
    b = bs.ProcessBuilder("p")
    gate, join = b.exclusive("gate"), b.parallel("join")
    b.start() >> gate >> [b.task("A"), b.task("B")] >> join >> b.end()
    return b


def linear(*, terminate: bool = False) -> bs.ProcessBuilder:
    b = bs.ProcessBuilder("p")
    b.start() >> b.task("A") >> b.end(kind="terminate" if terminate else None)
    return b


def endless() -> bs.ProcessBuilder:
    b = bs.ProcessBuilder("p")
    gate, again = b.exclusive("gate"), b.task("again")
    b.start() >> gate >> again >> gate
    return b


def timer_without_time() -> bs.ProcessBuilder:
    b = bs.ProcessBuilder("p")
    b.start() >> b.event("wait", kind="timer") >> b.end()
    return b


def last_lines(text: str) -> dict[str, str]:
    """Return what the lines `word: value` at the end say."""
    return {key: value.strip() for key, value in re.findall(r"^(\w+):(.*)$", text, re.MULTILINE)}


# Exit codes.


@pytest.mark.parametrize(
    ("builder", "arguments", "outcome", "code"),
    [
        (linear(), [], "completed", 0),
        (linear(terminate=True), [], "terminated", 0),
        (stuck_at_join(), [], "deadlocked", 1),
        (decides_by_amount(), [], "incident", 1),
        (endless(), ["--step-limit", "9"], "truncated", 3),
    ],
)
def test_exit_code_tells_the_outcome(
    save: Save,
    capsys: pytest.CaptureFixture[str],
    builder: bs.ProcessBuilder,
    arguments: list[str],
    outcome: str,
    code: int,
) -> None:
    """Design 7: 0 completed or terminated, 1 deadlocked or incident, 3 truncated."""
    assert cli.main(["run", save(builder), *arguments]) == code
    assert last_lines(capsys.readouterr().out)["outcome"].startswith(f"{outcome} after ")


def test_every_outcome_has_an_exit_code() -> None:
    """Design 4 and 7: the outcomes that no test above can reach by itself as well."""
    assert cli.EXIT_CODES == {
        "completed": 0,
        "terminated": 0,
        "failed": 1,
        "deadlocked": 1,
        "incident": 1,
        "waiting": 3,
        "truncated": 3,
    }


@pytest.mark.parametrize("name", sample_names())
def test_samples_can_be_shown_and_checked(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Design 7: every bundled model runs as drawn, and nothing of it was passed over."""
    assert cli.main(["check", name]) == 0
    assert cli.main(["notes", name]) == 0
    assert capsys.readouterr().out == "runs as drawn\nno notes\n"
    assert cli.main(["show", name]) == 0
    assert f"process {name} (" in capsys.readouterr().out


# run


def test_run_prints_tables_without_index(save: Save, capsys: pytest.CaptureFixture[str]) -> None:
    """Design 6: the columns of `tokens()` and `scopes()` by name; a dash where something is missing."""
    assert cli.main(["run", save(linear())]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:11] == [
        "Trace(p, fifo, 3 steps, completed)",
        "",
        "tokens",
        "  track  parent  node   node_name  scope  token_state  entered  left",
        "      0       -  start  -          /p     alive              0     1",
        "      0       -  A      -          /p     alive              1     2",
        "      0       -  end    -          /p     consumed           2     3",
        "",
        "scopes",
        "  scope  opened  closed  outcome    peak_tokens",
        "  /p          0       3  Completed            1",
    ]


def test_run_prints_inner_instances(capsys: pytest.CaptureFixture[str]) -> None:
    """Design 6: only where there are any; a result that nothing sets is missing on request."""
    data = json.dumps({"voters": ["Ann", "Bob", "Cara"]})
    assert cli.main(["run", "voting", "--data", data, "--missing-output", "none"]) == 0
    out = capsys.readouterr().out
    assert "inner instances\n  activity   activation  ordinal  state" in out
    assert json.loads(last_lines(out)["values"])["ballots"] == [None, None, None]


def test_data_decides(save: Save, capsys: pytest.CaptureFixture[str]) -> None:
    """Design 7: `--data` gives the values at the start."""
    path = save(decides_by_amount())
    assert cli.main(["run", path, "--data", '{"amount": 500}']) == 0
    assert "Ask the boss" in capsys.readouterr().out
    assert cli.main(["run", path, "--data", '{"amount": 5}']) == 0
    assert "Ask the boss" not in capsys.readouterr().out


def test_free_decisions_need_no_data(save: Save, capsys: pytest.CaptureFixture[str]) -> None:
    """Design 4: `--decisions free` leaves the flow taken open; without it a missing name is an incident."""
    path = save(decides_by_amount())
    assert cli.main(["run", path, "--decisions", "free"]) == 0
    assert cli.main(["run", path]) == 1
    assert "'amount' has no value" in last_lines(capsys.readouterr().out)["incident"]


def test_seed_and_schedule_repeat_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Design 2: the printed schedule, and the same seed, give the same digest."""
    runs = []
    assert cli.main(["run", "order_handling", "--seed", "7"]) == 0
    runs.append(last_lines(capsys.readouterr().out))
    for arguments in (["--seed", "7"], ["--schedule", runs[0]["schedule"]], ["--seed", "8"]):
        assert cli.main(["run", "order_handling", *arguments]) == 0
        runs.append(last_lines(capsys.readouterr().out))
    assert [run["digest"] == runs[0]["digest"] for run in runs] == [True, True, True, False]


def test_strategy_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    """Design 5: a strategy by name."""
    assert cli.main(["run", "order_handling", "--strategy", "depth"]) == 0
    assert "Trace(order_handling, depth, " in capsys.readouterr().out


def test_stuck_tokens_say_what_they_wait_for(save: Save, capsys: pytest.CaptureFixture[str]) -> None:
    """core.md DLK-01: the empty flow of the join is named."""
    assert cli.main(["run", save(stuck_at_join())]) == 1
    assert last_lines(capsys.readouterr().out)["stuck"] == "token 0 at join in /p waits for f_B_join"


def test_facts_and_picture_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Design 7: `--facts` is the table of facts, `--svg` the last state on the diagram."""
    facts, picture = tmp_path / "facts.csv", tmp_path / "out.svg"
    assert cli.main(["run", "order_handling", "--seed", "7", "--facts", str(facts), "--svg", str(picture)]) == 0
    trace = bs.simulate(bs.load_sample("order_handling"), seed=7)
    rows = list(csv.reader(facts.read_text(encoding="utf-8").splitlines()))
    assert rows[0] == bs.columns("facts")["column"].tolist()
    assert len(rows) == 1 + len(trace.facts())
    assert picture.read_text(encoding="utf-8") == bs.render_trace(trace)
    assert f"wrote:    {facts}\nwrote:    {picture} (a browser shows it)\n" in capsys.readouterr().out


def test_a_run_that_is_cut_off_says_where(save: Save, capsys: pytest.CaptureFixture[str]) -> None:
    """core.md DLK-06: the nodes of the cycle; its tokens are not stuck."""
    assert cli.main(["run", save(endless()), "--step-limit", "9"]) == 3
    end = last_lines(capsys.readouterr().out)
    assert end["stopped"] == "step limit; last nodes: again gate"
    assert "stuck" not in end


def test_long_tables_are_cut(save: Save, capsys: pytest.CaptureFixture[str]) -> None:
    """Style 5.1: output is bounded, and says that it is."""
    assert cli.main(["run", save(endless()), "--step-limit", "500"]) == 3
    assert "  ... and 441 more rows\n" in capsys.readouterr().out


# show, notes, check


def test_show_lists_nodes_with_conditions_and_markers(save: Save, capsys: pytest.CaptureFixture[str]) -> None:
    """Design 7: what the model holds, nested as it is drawn."""
    b = decides_by_amount()
    b.subprocess("sub", body=lambda p: p.task("inner", loop=bs.loop(maximum=2)))
    b.task("each", multi_instance=bs.sequential(cardinality=2))
    b.task("all", multi_instance=bs.parallel(cardinality=2))
    assert cli.main(["show", save(b)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "Model(p; 9 nodes)",
        "process p (Amounts)",
        "  ExclusiveGateway gate (Large?) -> ask if amount > 100, done by default",
        "  StartEvent begin -> gate",
    ]
    assert lines[-4:] == [
        "  SubProcess sub",
        "    Task inner [loop]",
        "  Task each [sequential multi-instance]",
        "  Task all [parallel multi-instance]",
    ]


def test_show_draws(tmp_path: Path) -> None:
    """Design 7: the diagram without tokens."""
    picture = tmp_path / "model.svg"
    assert cli.main(["show", "order_handling", "--svg", str(picture)]) == 0
    assert picture.read_text(encoding="utf-8") == bs.render_svg(bs.load_sample("order_handling"))


def test_notes_are_listed_with_their_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Design 8: what was passed over, with element and line."""
    path = tmp_path / "model.bpmn"
    text = '<definitions xmlns="{}">\n<process id="p">\n<gadget/>\n</process></definitions>'
    path.write_text(text.format("http://www.omg.org/spec/BPMN/20100524/MODEL"), encoding="utf-8")
    assert cli.main(["notes", str(path)]) == 0
    assert capsys.readouterr().out.startswith("p (line 3): ")


def test_check_names_element_rule_and_remedy(save: Save, capsys: pytest.CaptureFixture[str]) -> None:
    """Design 8: a model that would not run as drawn is a model error, for `check` as for `run`."""
    path = save(timer_without_time())
    assert cli.main(["check", path]) == 2
    out = capsys.readouterr().out
    assert re.match(r"wait, line \d+: .+ \(TMR-01\)\n  hint: .+\n$", out)
    assert cli.main(["run", path]) == 2
    assert capsys.readouterr().err.startswith("MODEL [wait, line ")


def test_check_finds_what_cannot_run(save: Save, capsys: pytest.CaptureFixture[str]) -> None:
    """Design 8: `check` and `run` refuse the same models."""
    b = bs.ProcessBuilder("p")
    b.start() >> b.complex("gate") >> b.end()
    path = save(b)
    assert cli.main(["check", path]) == 2
    refused = capsys.readouterr()
    assert cli.main(["run", path]) == 2
    assert (refused.out, refused.err) == ("", capsys.readouterr().err)
    assert refused.err.startswith("UNSUPPORTED [gate")


# What can be wrong.


def test_a_wrong_path_names_the_nearest(save: Save, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Design 8: among the files of the folder, or the samples."""
    save(linear())
    assert cli.main(["run", str(tmp_path / "modle.bpmn")]) == 2
    assert "hint: did you mean 'model.bpmn'?" in capsys.readouterr().err
    assert cli.main(["run", "order_handlin"]) == 2
    assert capsys.readouterr().err == (
        "MODEL: there is neither a file nor a sample 'order_handlin'\n  hint: did you mean 'order_handling'?\n"
    )


def test_an_unknown_name_is_said_to_be_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    """Design 8: nothing is near."""
    assert cli.main(["show", "nothing-like-it"]) == 2
    assert capsys.readouterr().err.startswith("MODEL: there is no file 'nothing-like-it'\n")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "MODEL [line 1]: the file is empty\n"),
        ("hello", "MODEL [line 1]: this is not an XML file\n"),
        ("<html/>", "MODEL [html, line 1]: this is not a BPMN file: its root element is <html>\n"),
    ],
)
@pytest.mark.parametrize("command", ["run", "show", "notes", "check"])
def test_what_is_no_model_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, content: str, said: str
) -> None:
    """Design 7 and 8: exit code 2, one message, nothing printed."""
    path = tmp_path / "model.bpmn"
    path.write_text(content, encoding="utf-8")
    assert cli.main([command, str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--data", "{"], "SIMULATION: --data is no JSON: "),
        (["--data", "[1]"], "SIMULATION: --data must be a JSON object\n  hint: write it as '{\"amount\": 1500}'\n"),
        (["--strategy", "fif"], "SIMULATION: there is no strategy 'fif'\n  hint: did you mean 'fifo'?\n"),
        (["--process", "orders"], "MODEL [orders]: the model has no such process\n"),
        (["--schedule", "nonsense"], ""),
    ],
)
def test_a_wrong_option_is_explained(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    """Design 7: a usage error has exit code 2."""
    assert cli.main(["run", "order_handling", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(said)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Design 8: no traceback of the operating system."""
    missing = tmp_path / "missing" / "out.svg"
    assert cli.main(["show", "order_handling", "--svg", str(missing)]) == 2
    assert capsys.readouterr().err == f"SIMULATION: {str(missing)!r} cannot be written: No such file or directory\n"


@pytest.mark.parametrize("arguments", [[], ["rum", "order_handling"], ["run"], ["run", "voting", "--seed", "x"]])
def test_usage_errors_have_exit_code_two(arguments: list[str]) -> None:
    """Design 7: also those that the parser of arguments finds."""
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2


def test_a_reader_that_goes_away_is_no_error() -> None:
    """`bpmnsim run model.bpmn | head` ends without a traceback."""
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "bpmnsim", "run", "order_handling"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_the_module_runs_as_a_program() -> None:
    """Style 2.1: `python -m bpmnsim` is the same command, and hands on the exit code."""
    for arguments, code in ((["check", "order_handling"], 0), (["check", "order_handlin"], 2)):
        done = subprocess.run(
            [sys.executable, "-m", "bpmnsim", *arguments], capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == code
        assert "Traceback" not in done.stderr
