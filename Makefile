# Everything a developer does. `make` alone lists it.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
# Tests start hundreds of processes, which would each read all sources again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test quick check format lint types imports bench torture docs screenshots chromium lock clean

help:  ## list the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10

# The environment is built once, from the lock, and again only when the lock or the package's own description changes.
$(READY): requirements-dev.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "sidelight needs Python 3.11 or newer; say make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY)  ## reproduce every table and figure of the paper (some minutes), into demo/
	$(BIN)/sidelight reproduce --out demo

test: $(READY)  ## run the whole test suite
	$(BIN)/python -m pytest -n 2 -q

quick: $(READY)  ## run the tests but for the slow ones
	$(BIN)/python -m pytest -n 2 -q -m "not slow"

check: $(READY) lint types imports test  ## everything that must be green: format, lint, types, imports, tests

format: $(READY)  ## rewrite the sources in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(READY)  ## format and lint, without changing a file
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY)  ## static types
	$(BIN)/mypy

imports: $(READY)  ## the direction of imports
	$(BIN)/lint-imports

bench: $(READY)  ## measure speed: ratios and growth
	for script in analysis loop large baselines growth bayesian dmed contextual any_model monitor studies service; do $(BIN)/python benchmarks/$$script.py || exit 1; done

torture: $(READY)  ## kill servers 200 times on each database, trace syncs, break disks, copy much (an hour)
	SIDELIGHT_KILLS=200 SIDELIGHT_DECISIONS=100000 $(BIN)/python -m pytest -q -n 0 tests/service/durability tests/service/maintenance/test_copy.py

screenshots: $(READY)  ## take the pictures of the service for the documentation (needs Chromium)
	$(BIN)/python docs/make_service_screenshots.py

docs: $(READY)  ## build the documentation site into site/
	$(BIN)/python -m sphinx -q -W --keep-going -b html -d site/.doctrees docs site
	@echo "open site/index.html"

chromium:  ## install the browser of the browser tests, Debian's (as root)
	@command -v apt-get > /dev/null || { echo "this needs Debian or Ubuntu; elsewhere install Chromium so that 'chromium' is on the PATH"; exit 1; }
	@[ "$$(id -u)" -eq 0 ] || { echo "only root can install packages: sudo make chromium"; exit 1; }
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends chromium > /dev/null

lock:  ## resolve the development dependencies anew
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet uv
	.venv-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-header --group dev --group docs pyproject.toml -o requirements-dev.lock
	rm -rf .venv-lock

clean:  ## remove what can be made again
	rm -rf .venv .venv-lock demo site docs/_drawings docs/gallery docs/reference/*/ .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
