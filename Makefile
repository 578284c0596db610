# make exam   install, then examine the bundled organisms on the bundled phantoms
# make test   install everything the tests need, then run them all
# make fuzz   5,000 mutated inputs of each kind; FUZZ=17:18 runs case 17 alone
# make test-fast  the spine with the core's packages alone: no torch, no Ray, no browser; two minutes of two cores
# make research-test   the checks of the scripts in research/: stored figures are those that they measure
# make check  lint and types; names and sentences that a reader would stumble over may only become fewer
# make docs   the documentation as a site, in site/; a warning or a broken link is an error
# make dist   wheel and sdist in dist/, checked and tried in an empty environment; nothing is uploaded
# make bench  speed beside the tools people use now, on one page; QUICK=1 takes minutes, KEEP=1 adds it to the history
# make bench-check  the same, and fails if a ratio fell by more than 20% since the last entry of such a machine
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := -m pip install --quiet --disable-pip-version-check
PIP := $(BIN)/python $(INSTALL)
# ruff and mypy have an environment of their own: they need neither torch nor Ray.
LINT := $(VENV)-check
# What every study passes through is tested in an environment of its own, too.
FAST := $(VENV)-fast
SPINE := $(addprefix tests/,asking conditions prompts scoring store stress \
	test_items.py test_rows.py test_runtime.py test_stored_studies.py)
# The CLIP backend, without the CUDA build of torch that its torchvision asks for: docs/design/dependencies.md.
CLIP := 'open_clip_torch>=3.0' 'timm>=1.0.17' 'torchvision==0.28.0'
# Compiled modules are kept for the processes that tests start, and each of these works with one thread.
ENOUGH := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1

# A worker more than cores, at most four: some tests wait for a browser, a server or a cluster.
WORKERS := $(shell n=$$(getconf _NPROCESSORS_ONLN); echo $$((n < 4 ? n + 1 : 4)))

.PHONY: exam test test-fast research-test fuzz check docs dist bench bench-check clean

exam: $(VENV)/.core
	$(BIN)/snellen exam --out exam

test: $(VENV)/.test
	$(ENOUGH) $(BIN)/python -m pytest -n $(WORKERS)

test-fast: $(FAST)/.fast
	CORE_ONLY=1 $(ENOUGH) $(FAST)/bin/python -m pytest -n 2 $(SPINE)

research-test: $(VENV)/.test
	$(ENOUGH) $(BIN)/python -m pytest $(wildcard research/test_*.py research/*/test_*.py)

fuzz: $(VENV)/.test
	FUZZ=$(or $(FUZZ),5000) $(ENOUGH) $(BIN)/python -m pytest -n $(WORKERS) -o timeout=0 -k fuzzed

check: $(LINT)/.check
	$(LINT)/bin/ruff check .
	$(LINT)/bin/ruff format --check .
	$(LINT)/bin/mypy
	$(LINT)/bin/python lint/plain_english.py

docs: $(VENV)/.docs
	$(BIN)/python docs/build.py

dist: $(VENV)/.dist
	$(BIN)/python release/build.py

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/page.py $(if $(QUICK),--quick) $(if $(KEEP),--keep)

bench-check: $(VENV)/.bench
	$(BIN)/python benchmarks/page.py --check $(if $(QUICK),--quick)

%/bin/python:
	$(PYTHON) -m venv $*

$(VENV)/.core: pyproject.toml | $(BIN)/python
	$(PIP) -e .
	touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[test]'
	$(PIP) --no-deps $(CLIP)
	touch $@ $(VENV)/.core

$(FAST)/.fast: pyproject.toml | $(FAST)/bin/python
	$(FAST)/bin/python $(INSTALL) -e '.[fast]'
	touch $@

$(LINT)/.check: pyproject.toml | $(LINT)/bin/python
	$(LINT)/bin/python $(INSTALL) -e '.[check]'
	touch $@

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[docs]'
	touch $@ $(VENV)/.core

$(VENV)/.dist: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[dist]'
	touch $@ $(VENV)/.core

$(VENV)/.bench: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[bench]'
	$(PIP) --no-deps $(CLIP)
	touch $@ $(VENV)/.test $(VENV)/.core

clean:
	rm -rf $(VENV) $(LINT) $(FAST) exam build dist site
