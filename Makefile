# What people type. Everything runs in .venv, which the first command makes.
SHELL := /bin/bash
PYTHON ?= python3
export PATH := $(CURDIR)/.venv/bin:$(PATH)
INSTALLED := .venv/.installed
PYTEST := python -m pytest -n auto --dist loadfile

.DEFAULT_GOAL := help
.PHONY: help install repro iterate ablate smoke lint check test test-slow test-bounds screenshots clean

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(INSTALLED) ## Install into .venv and compile the kernels, once

$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "stonezero needs Python 3.11 or newer: make PYTHON=python3.12")'
	test -x .venv/bin/python || $(PYTHON) -m venv .venv
	python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	python -m stonezero.warmup
	@touch $@

repro: $(INSTALLED) ## Run what params.yaml plans and has not run yet: games, training, gates, report
	dvc repro

iterate: $(INSTALLED) ## Plan one generation more and run it
	stonezero plan --next
	dvc repro

ABLATIONS ?= none,no_noise,no_symmetry
SEEDS ?= 1,2,3
PRESET ?= ablation
ablate: $(INSTALLED) ## Compare ablations: ABLATIONS=none,no_noise SEEDS=1,2,3 PRESET=ablation (or ablation_othello)
	stonezero ablate -m experiment=$(PRESET) ablation=$(ABLATIONS) seed=$(SEEDS) hydra/launcher=joblib

smoke: $(INSTALLED) ## The whole pipeline on a tiny board, in a temporary folder: under two minutes
	python -m pytest -m slow tests/pipeline/test_smoke.py

lint: $(INSTALLED) ## Style, types and layers
	ruff check .
	ruff format --check .
	mypy
	lint-imports

check: lint test ## What must pass before a commit

test: $(INSTALLED) ## Fast tests
	$(PYTEST) -m "not slow"

test-slow: $(INSTALLED) ## Slow tests
	$(PYTEST) -m slow

test-bounds: $(INSTALLED) ## Tests of the kernels once more, with every array access checked
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -m "not slow" tests/games tests/search

screenshots: $(INSTALLED) ## Pictures of the page for the README, docs/images/page-*.png
	python -m benchmarks.screenshots

clean: ## Remove scratch folders and caches of tools; runs, reports and the MLflow store stay
	rm -rf .scratch .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
