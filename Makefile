# make exam   install, then examine the bundled organisms on the bundled phantoms
# make test   install everything the tests need, then run them all
# make check  lint and types
# make bench  speed, side by side with the tools people use now
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Both ask for torchvision, which may not load beside this torch and is not needed: docs/design/dependencies.md.
WITHOUT_TORCHVISION := 'open_clip_torch>=3.0' 'timm>=1.0.17'
# Compiled modules are kept for the processes that tests start, and each of these works with one thread.
ENOUGH := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1

.PHONY: exam test check bench clean

exam: $(VENV)/.core
	$(BIN)/snellen exam --out exam

test: $(VENV)/.test
	$(ENOUGH) $(BIN)/python -m pytest -n auto --maxprocesses 4

check: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/throughput.py
	$(BIN)/python benchmarks/client.py
	$(BIN)/python benchmarks/resume.py
	$(BIN)/python benchmarks/phantoms.py
	$(BIN)/python benchmarks/artefacts.py
	$(BIN)/python benchmarks/report.py
	$(BIN)/python benchmarks/imports.py

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	$(PIP) -e .
	touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[test]'
	$(PIP) --no-deps $(WITHOUT_TORCHVISION)
	touch $@ $(VENV)/.core

$(VENV)/.bench: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[bench]'
	$(PIP) --no-deps $(WITHOUT_TORCHVISION)
	touch $@ $(VENV)/.test $(VENV)/.core

clean:
	rm -rf $(VENV) exam
