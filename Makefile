# Each command works from a fresh clone: it first makes the virtual environment that it needs, once per pyproject.toml.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test lint notebook bench

demo: $(VENV)/.stamp  ## one run of a bundled model, printed and drawn
	$(BIN)/bpmnsim run order_handling --seed 7 --svg demo.svg

test: lint  ## everything that must pass before a commit
	$(BIN)/pytest -q $(ARGS)

lint: $(VENV)/.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.stamp  ## speed and memory against their goals; ARGS="--peers" compares with other engines as well
	$(BIN)/python tests/benchmarks/run.py $(ARGS)

notebook: $(VENV)-notebook/.stamp  ## the lessons in JupyterLab; ARGS="--no-browser" and the like are passed on
	$(VENV)-notebook/bin/jupyter lab $(ARGS) notebooks

# A notebook has an environment of its own, so that no command changes one that another is using.
$(VENV)/.stamp: EXTRA = test
$(VENV)-notebook/.stamp: EXTRA = notebook
%/.stamp: pyproject.toml
	$(PYTHON) -m venv $*
	$*/bin/pip install --quiet --editable ".[$(EXTRA)]"
	touch $@
