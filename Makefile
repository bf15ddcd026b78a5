# Everything on a machine that has python3 (3.11 to 3.13) and make. Re-running is quick.
#   make demo   train a bot, evaluate it, watch one game
#   make test   lint, types, tests; `make soak` runs the same tests with large numbers
#   make docs   rewrite the tables in docs/environments that are generated from the code

PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/installed

# The JavaScript client's tests need Node; without it they are skipped.
NODE_MODULES := clients/js/node_modules/.package-lock.json

PLAIN_TESTS := $(shell grep -rl --include='test_*.py' mark.plain tests)

.PHONY: demo test soak lint docs install clean

demo: install
	$(BIN)/emberdeck demo

# Coverage sees into compiled functions only where they run as plain Python: the first run. The last
# one adds everything else and fails below the limit. Two processes, so one thread each.
test: export OMP_NUM_THREADS = 1
test: lint $(if $(shell command -v npm),$(NODE_MODULES))
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -q -n 2 -m plain --cov --cov-report= --cov-fail-under=0 $(PLAIN_TESTS)
	$(BIN)/python -m tests.warm_cache
	$(BIN)/pytest -n 2 --cov --cov-append --cov-report=term

# Plain Python checks every index; compiled code has to be compiled once more for that.
soak: export EMBERDECK_SOAK = 1
soak: test
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m tests.warm_cache
	NUMBA_BOUNDSCHECK=1 $(BIN)/pytest -q -n 2 tests/test_vector.py tests/test_contract.py

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

docs: install
	$(BIN)/python docs/tables.py

install: $(INSTALLED)

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --no-compile -c constraints.txt -e ".[train,export,serve,dev]"
	touch $@

$(NODE_MODULES): clients/js/package.json clients/js/package-lock.json
	cd clients/js && npm ci --no-audit --no-fund
	touch $@

clean:
	rm -rf .venv clients/js/node_modules .coverage .hypothesis .pytest_cache .ruff_cache build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
