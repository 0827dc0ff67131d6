# Each target bootstraps what it needs from a bare python3 (3.11 or newer) with venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
# pysr is left out: it fetches Julia when it is imported
EXTRAS := dense documents excel faiss mcp onnx peers plot ray serve skops symbolic

.DEFAULT_GOAL := help
.PHONY: help setup demo quick test lint types docs bench unchanged audit soak fuzz connections lock clean

help: ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 10

$(READY): requirements/dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Assay needs Python 3.11 or newer; found %s. Choose one with: make PYTHON=python3.12 ..." % sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

setup: $(READY) ## the environment in .venv, with the assay command
	@echo "Ready: $(BIN)/assay --help"

demo: $(READY) ## run the main job on built-in problems and write a report
	$(BIN)/assay demo

quick: $(READY) ## under a minute: style of what changed, and the unmarked tests that it can break
	$(BIN)/python -m tools.quick

test: $(READY) ## all tests: units, doctests, README and docs snippets, crash and resume
	$(BIN)/python -m pytest -q -n 3 --dist worksteal -m "not soak"

lint: $(READY) ## style and import contracts
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/lint-imports

types: $(READY) ## mypy, strict
	$(BIN)/mypy

docs: $(READY) ## the documentation site in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet && echo "Open site/index.html"

bench: $(READY) ## side-by-side measurements of everything, then the gate: ratios, not seconds
	-ASSAY_BENCH_PICTURES=docs/pictures $(BIN)/python -m benchmarks --json build/bench.json --table docs/benchmarks-details.md
	$(BIN)/python -m benchmarks gate build/bench.json

unchanged: $(READY) ## are all records equal to those of an earlier commit? (minutes)
	$(BIN)/python -m benchmarks.unchanged

audit: $(READY) ## known vulnerabilities in what requirements/dev.lock installs (asks a service on the internet)
	$(PYTHON) -m venv build/audit
	build/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	build/audit/bin/pip-audit --strict --disable-pip --require-hashes -r requirements/dev.lock

soak: $(READY) ## long tests: faults, the rest of the leak corpus
	$(BIN)/python -m pytest -q -m soak

fuzz: $(READY) ## half a million broken inputs over every reader
	$(BIN)/python -m fuzz

connections: $(READY) ## the bridges against the real packages, in an environment of their own above .venv
	$(BIN)/python -m tools.connections

lock: $(READY) ## refresh requirements/dev.lock (hashes, no index addresses)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header $(EXTRAS:%=--extra %) --group dev pyproject.toml -o requirements/dev.lock

clean: ## remove everything that make made
	rm -rf $(VENV) build site demo-results .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
