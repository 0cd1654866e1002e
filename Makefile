# Needs only Python >= 3.11, make and git. `make help` lists what there is.

PYTHON ?= python3
JOBS ?= 2
BIN := .venv/bin
# The tests that cover every line and branch of the core by themselves; being watched makes tests slow.
MEASURED := tests/core tests/seeds
TOO_OLD := foureyes needs Python 3.11 or newer, this is %d.%d; choose one with: make PYTHON=python3.11

.DEFAULT_GOAL := help
.PHONY: help install run lint format tests test test-all wheel-test manifest manifest-audit bench bench-growth lock clean

help: ## Show this list.
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

install: ## Build .venv from the lock file, if it is not up to date.
	@$(PYTHON) -c "import sys; sys.version_info >= (3, 11) or sys.exit('$(TOO_OLD)' % sys.version_info[:2])"
	@$(PYTHON) -m tools.install

run: install ## Start the server here: HTTP, MCP and pages, on SQLite in the data folder; PORT=8005 for another port.
	$(BIN)/foureyes up $(if $(PORT),--port $(PORT))

lint: install ## Style, types and import contracts.
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: install ## Let ruff fix what it can.
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

test: export EFFORT = test
test: install ## Lint and every test, side by side; the core at 100 % branch coverage.
	@$(MAKE) --no-print-directory --jobs=2 lint tests

test-all: export EFFORT = all
test-all: install ## The same with the long simulator run, and the wheel.
	@$(MAKE) --no-print-directory --jobs=2 lint tests
	@$(MAKE) --no-print-directory wheel-test

tests: install
	@rm -rf .coverage && mkdir .coverage
	$(BIN)/python -m tools.run_tests $(BIN)/coverage run -m pytest -n $(JOBS) --dist worksteal $(MEASURED)
	@$(BIN)/coverage combine --quiet
	$(BIN)/coverage report
	$(BIN)/python -m tools.run_tests $(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(MEASURED:%=--ignore=%)
	@cat build/simulation.txt

wheel-test: install ## Build the wheel, install it elsewhere, run it there.
	$(BIN)/python -m tools.wheel_test

manifest: install ## Print the table of requirements and what proves them.
	$(BIN)/python -m tests.seeds.manifest

manifest-audit: install ## Disable proven rules one at a time; each one's test must fail.
	$(BIN)/python -m tests.seeds.audit

bench: install ## Measure everything, with 100,000 stored reviews, and write docs/explain/performance.md.
	$(BIN)/python -m bench.run $(DATA)

bench-growth: install ## The same questions with 1,000,000 stored reviews; they need about 8 GB for a while.
	$(BIN)/python -m bench.growth --size 1000000
	$(BIN)/python -m bench.page

lock: install ## Resolve requirements/dev.in into requirements/dev.lock.
	$(BIN)/uv pip compile requirements/dev.in --output-file requirements/dev.lock --upgrade --quiet \
		--universal --python-version 3.11 --generate-hashes --no-strip-extras \
		--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

clean: ## Remove everything that make made.
	rm -rf .venv .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist
	find src tests bench tools -name __pycache__ -type d -prune -exec rm -rf {} +
