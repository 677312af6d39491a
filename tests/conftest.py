"""What every test may use: where the shared corpus of real files lies."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-notebooks", action="store_true", help="write the outputs of the notebooks anew")


CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Folder of the real BPMN files; the test is skipped, saying so, where it is absent."""
    if not CORPUS.is_dir():
        pytest.skip(f"the corpus of real BPMN files is not at {CORPUS}")
    return CORPUS
