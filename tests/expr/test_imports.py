"""What importing the package loads."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
{statement}
print(" ".join(name for name in ("lark", "simpleeval", "isodate", "lxml", "pandas") if name in sys.modules))
"""


@pytest.mark.parametrize(
    ("statement", "loaded"),
    [
        ("import bpmnsim.expr.language", ""),
        ("import bpmnsim.expr", ""),
        ("import bpmnsim.expr as e; e.compile_expression(lambda names: True).condition({})", ""),
        ("import bpmnsim.expr as e; e.compile_expression('x > 1')", "simpleeval"),
        ("import bpmnsim.expr as e; e.compile_expression('=x > 1')", "lark"),
        ("import bpmnsim.expr as e; e.compile_expression('${x > 1}')", "lark"),
        ("import bpmnsim.expr as e; e.parse_duration", "isodate"),
    ],
)
def test_parsers_are_loaded_when_a_text_needs_them(statement, loaded):
    """Design section 3: the engine, which imports expr.language, needs the standard library alone."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(statement=statement)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.strip() == loaded


def test_unknown_name_of_the_package():
    """Python: a package without the name raises AttributeError."""
    import bpmnsim.expr

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = bpmnsim.expr.nothing
