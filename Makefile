# make exam   install, then examine the bundled organisms on the bundled phantoms
# make test   install everything the tests need, then run them all
# make check  lint and types
# make bench  speed, side by side with the tools people use now
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: exam test check bench clean

exam: $(VENV)/.core
	$(BIN)/snellen exam --out exam

test: $(VENV)/.test
	$(BIN)/python -m pytest

check: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/throughput.py
	$(BIN)/python benchmarks/client.py
	$(BIN)/python benchmarks/resume.py
	$(BIN)/python benchmarks/phantoms.py
	$(BIN)/python benchmarks/report.py
	$(BIN)/python benchmarks/imports.py

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@ $(VENV)/.core

$(VENV)/.bench: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	touch $@ $(VENV)/.test $(VENV)/.core

clean:
	rm -rf $(VENV) exam
