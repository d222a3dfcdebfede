# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

# Compiled modules are kept, so that no process of a test compiles them again.
export PYTHONDONTWRITEBYTECODE =

# What snippets may import, where that is more than our own packages: docs/libraries.md.
SNIPPETS := $(VENV)-snippets

.PHONY: demo test test-all snippets snippets-test lint types mutants check clean

demo: $(READY)
	$(BIN)/torchmedic ask examples/minmax.md

# Most tests run side by side, then what mostly waits, then what has a clock of half a second. A test
# waits for the run that it asked for, so there is one process more than there are cores.
# `test-all` also tries every program of every codemod, which no change but one to it can break, and
# property tests look for examples that nobody has seen.
# The longest files come early when files keep their order, so no core is idle at the end.
test: WHICH := and not daily
test-all: EXPLORE := --hypothesis-profile explore
test test-all: $(READY)
	$(BIN)/python -m pytest -q -m "not alone and not waiting $(WHICH)" $(EXPLORE) --no-loadscope-reorder \
		-n $$(($$(nproc) + 1)) --maxprocesses 4
	$(BIN)/python -m pytest -q -m "waiting $(WHICH)" $(EXPLORE) --no-loadscope-reorder -n 4
	$(BIN)/python -m pytest -q -m "alone $(WHICH)" $(EXPLORE)

# The libraries that people's code imports most, in an environment of their own, which every run
# from then on has in place of ours: 2 GB of disk. `make test` says what it left out without it.
snippets: $(SNIPPETS)/.ready

snippets-test: $(READY) $(SNIPPETS)/.ready
	$(BIN)/python -m pytest -q -n 2 tests/executor/inside/libraries tests/executor/service/test_packages.py \
		tests/executor/inside/test_scripts.py tests/executor/service/test_branches.py
	$(BIN)/python -m pytest -q tests/executor/jail/test_hostile.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check bot knowledge executor tests benchmarks
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/deptry bot knowledge executor
	$(BIN)/deptry --ignore DEP002,DEP004 benchmarks tests

types: $(READY)
	$(BIN)/mypy

# Whether the unit tests notice when a rule is changed (CONTRIBUTING.md): 75 minutes of one core.
mutants: $(READY)
	rm -rf mutants
	nice $(BIN)/mutmut run --max-children 1
	$(BIN)/python scripts/mutants.py

check: test lint types

# pip compiles on one core; all of them together take half as long. The users that snippets run as
# may not write here, so it is done now. A few packages bring files that no Python of today compiles.
COMPILE = $(1)/bin/python -m compileall -qq -j 0 $(1)/lib || true

# Installed once; again only when what is to be installed has changed.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "torchmedic needs Python 3.11 or newer; say PYTHON=/path/to/python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
		-c constraints.txt -e '.[dev]'
	$(call COMPILE,$(VENV))
	touch $@

$(SNIPPETS)/.ready: constraints-snippets.txt
	test -x $(SNIPPETS)/bin/python || $(PYTHON) -m venv $(SNIPPETS)
	$(SNIPPETS)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile \
		-r constraints-snippets.txt
	$(SNIPPETS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	$(call COMPILE,$(SNIPPETS))
	touch $@

clean:
	rm -rf $(VENV) $(SNIPPETS) build *.egg-info .pytest_cache .mypy_cache .ruff_cache mutants
