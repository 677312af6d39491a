# Each command works from a fresh clone: it first makes the virtual environment that it needs, once per pyproject.toml.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test lint notebook bench fuzz

demo: $(VENV)-demo/.stamp  ## one run of a bundled model, printed and drawn
	$(VENV)-demo/bin/bpmnsim run order_handling --seed 7 --svg demo.svg

test: lint  ## everything that must pass before a commit
	$(BIN)/pytest -q $(ARGS)

lint: $(VENV)/.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.stamp  ## speed and memory against their goals; ARGS="--peers" compares with other engines as well
	$(BIN)/python tests/benchmarks/run.py $(ARGS)

fuzz: $(VENV)/.stamp  ## 10,000 mutated files through everything; a defect is written down with what repeats it
	$(BIN)/python -m tests.hostile.fuzz --count 10000 $(ARGS)

notebook: $(VENV)-notebook/.stamp  ## the lessons in JupyterLab; ARGS="--no-browser" and the like are passed on
	$(VENV)-notebook/bin/jupyter lab $(ARGS) notebooks

# Each has an environment of its own: the demo needs no test tools, and no command changes one that another is using.
$(VENV)-demo/.stamp: EXTRA =
$(VENV)/.stamp: EXTRA = [test]
$(VENV)-notebook/.stamp: EXTRA = [notebook]
%/.stamp: pyproject.toml
	$(PYTHON) -m venv $*
	$*/bin/pip install --quiet --editable ".$(EXTRA)"
	touch $@
