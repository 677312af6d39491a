"""``python -m bpmnsim`` is the command ``bpmnsim``."""

import sys

from bpmnsim.cli import main

if __name__ == "__main__":
    sys.exit(main())
