.PHONY: demo test check

demo: ## install and run the example suite with the embedded default
	python3 -m venv .venv && .venv/bin/pip install -q -c constraints.txt . && .venv/bin/du-eval test

test: ## install and pass all tests
	python3 -m venv .venv && .venv/bin/pip install -q -c constraints.txt -e ".[dev]" && .venv/bin/python -m pytest

check: ## tests, lint, types and import contracts
	.ci/run
