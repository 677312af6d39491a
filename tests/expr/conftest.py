"""Where the random tests keep their cache: outside the work tree, where no collection of tests meets it."""

import tempfile
from pathlib import Path

from hypothesis.configuration import set_hypothesis_home_dir

set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "bpmnsim-hypothesis")
