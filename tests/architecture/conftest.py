"""A small package planted in a temporary folder, on which each check is tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from .source import Plant


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Write files, given by their path in the package, and return the folder of the package."""

    def write(files: dict[str, str]) -> Path:
        root = tmp_path / "bpmnsim"
        for file, text in files.items():
            path = root / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return root

    return write
