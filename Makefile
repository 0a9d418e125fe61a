.PHONY: demo docs test test-all simulations mutants fuzz chaos soak check

demo: ## install and run the example suite with the embedded default
	python3 -m venv .venv && .venv/bin/pip install -q -c constraints.txt . && .venv/bin/du-eval test

test: ## install and pass all tests
	python3 -m venv .venv && .venv/bin/pip install -q -c constraints.txt -e ".[dev]" && .venv/bin/python -m pytest -q -n auto

test-all: test ## pass all tests with each supported version of Python that is installed
	set -e; for python in $$(.ci/pythons); do .ci/test-with "$$python"; done

docs: ## build the documentation into site/, and fail on any warning
	NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs build --strict

simulations: ## the statistics against simulated runs, ten times as many as in the tests
	DU_EVAL_SIMULATIONS=10 .venv/bin/python -m pytest -q -n auto tests/statistics

mutants: ## break the code in small ways, and see which tests notice
	.venv/bin/python scripts/mutants.py

fuzz: ## 200,000 mutated inputs for every reader, guided by coverage
	.venv/bin/pip install -q -c constraints.txt -e ".[dev,fuzz]" && .venv/bin/python scripts/fuzz.py

chaos: ## kill every activity at 100 random points, resume it, and compare; then 30 % faults
	.venv/bin/python benchmarks/chaos.py && .venv/bin/python benchmarks/runs_survival.py --kills 100

soak: ## ten minutes of runs in one process: memory and handles stay flat
	.venv/bin/python benchmarks/soak.py

check: ## tests, lint, types and import contracts
	.ci/run
