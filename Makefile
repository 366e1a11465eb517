# accelkit: `make` or `make help` lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

VENV := .venv
BIN := $(VENV)/bin
# The first Python that is new enough; `make PYTHON=/path/to/python ...` names another.
PYTHON = $(shell for p in python3 python3.11 python3.12 python3.13 python3.14 python; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)
PYTEST = $(BIN)/python -m pytest --quiet
JOBS := 2

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ---- set-up

.PHONY: venv
venv: $(VENV)/dev-installed ## virtual environment with everything for development

# Two stamps: the demonstration doesn't have to wait for the developers' tools.
$(VENV)/bin/python:
	@if [ -z "$(PYTHON)" ]; then \
	  echo "error: found no Python 3.11 or newer with the modules venv and ensurepip." >&2; \
	  echo "  Install one (Debian, Ubuntu: python3-venv), or name it: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)" >&2; \
	  exit 1; fi
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo-installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[demo]'
	@touch $@

$(VENV)/dev-installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/demo-installed

# ---- demonstration

DEMO := build/demo
.PHONY: demo
demo: $(VENV)/demo-installed ## assemble and run gemm, then the digits model on its held-out images
	@mkdir -p $(DEMO)
	@printf '\n== gemm: assembled, run on the default machine, compared with NumPy\n'
	$(BIN)/python -m examples.demo operands $(DEMO)
	$(BIN)/accel-as kernels/asm/gemm.s -o $(DEMO)/gemm.elf
	$(BIN)/accel-sim run $(DEMO)/gemm.elf $$(cat $(DEMO)/gemm.args)
	$(BIN)/python -m examples.demo check $(DEMO)
	@printf '\n== digits: a real int8 model; every intermediate compared with ONNX Runtime\n'
	$(BIN)/python -m models.digits.data $(DEMO)
	$(BIN)/accel-sim model models/digits/digits_int8.onnx --input $(DEMO)/images.npy --output $(DEMO)/logits.npy --compare
	$(BIN)/python -m examples.demo accuracy $(DEMO)

# ---- checks

.PHONY: test
test: lint types unit fuzz-operators nojit boundscheck packaging ## everything that CI runs

.PHONY: lint
lint: $(VENV)/dev-installed ## ruff, import-linter (layers), codespell
	$(BIN)/ruff check --cache-dir build/ruff
	$(BIN)/lint-imports --no-cache
	$(BIN)/codespell

.PHONY: types
types: $(VENV)/dev-installed build/links ## mypy, strict
	$(BIN)/mypy

build/links: pyproject.toml $(VENV)/dev-installed
	@mkdir -p $@/accelkit
	@for part in $$($(BIN)/python -c 'import tomllib; from pathlib import Path; \
	  print(*tomllib.loads(Path("pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"].values())'); do \
	  ln -sfn ../../../$$part $@/accelkit/$$part; done
	@touch $@

.PHONY: unit
unit: $(VENV)/dev-installed ## all tests but packaging
	$(PYTEST) -n $(JOBS) -m 'not packaging'

.PHONY: quick
quick: $(VENV)/dev-installed ## the tests that take seconds
	$(PYTEST) -n $(JOBS) -m 'not packaging and not slow and not rtl'

.PHONY: fuzz-operators
fuzz-operators: $(VENV)/dev-installed ## 3 million outputs of random operators against ONNX Runtime, with what was met
	$(BIN)/python -m tests.fuzz.operators

# Compiled and interpreted code differ where the core is careless (wrap-around, types, reads outside an array), so the core's
# tests run again without the compiler, and compiled with bounds checks. The latter has a cache of its own here.
.PHONY: nojit
nojit: $(VENV)/dev-installed ## the simulator's tests, interpreted
	NUMBA_DISABLE_JIT=1 ACCELKIT_PROGRAMS=1 $(PYTEST) -n $(JOBS) -W ignore::RuntimeWarning tests/simulator

.PHONY: boundscheck
boundscheck: $(VENV)/dev-installed ## the simulator's tests, compiled with bounds checks
	NUMBA_BOUNDSCHECK=1 ACCELKIT_CACHE=build/boundscheck $(PYTEST) -n $(JOBS) tests/simulator

.PHONY: packaging
packaging: $(VENV)/dev-installed ## build the wheel and try it in a clean environment
	$(PYTEST) -m packaging

# ---- on demand

# Through a file of its own: emitters import what they rewrite.
.PHONY: generated
generated: $(VENV)/dev-installed ## rewrite what is made from the instruction table
	@mkdir -p build
	$(BIN)/python -m accelkit.isa.emit_enums > build/emitted && cp build/emitted simulator/core/generated.py
	$(BIN)/python -m accelkit.editor.textmate > build/emitted && cp build/emitted editor/vscode/accelkit.tmLanguage.json
	env -u CI $(PYTEST) --update-golden tests/isa/test_docs.py

.PHONY: goldens
goldens: $(VENV)/dev-installed ## kernels and models against their records in tests/golden
	$(BIN)/accel-sim golden check tests/golden --jobs $(JOBS)

.PHONY: pictures
pictures: $(VENV)/dev-installed ## the README's pictures of the report page and the roofline (needs chromium)
	@mkdir -p $(DEMO) docs/pictures
	$(BIN)/python -m models.digits.data $(DEMO)
	$(BIN)/python -m examples.pictures models/digits/digits_int8.onnx $(DEMO)/images.npy docs/pictures

.PHONY: verify
verify: $(VENV)/dev-installed ## random programs, the kernel suite, EfficientNet-Lite0 on simulator, reference machine and RTL; rounding cases (hours)
	ACCELKIT_PROGRAMS=14 $(PYTEST) -n $(JOBS) tests/simulator/test_against_reference.py
	$(BIN)/python -m tests.rtl.lockstep
	$(BIN)/python -m tests.rtl.kernels
	$(BIN)/python -m tests.rtl.models
	$(BIN)/python -m tests.rtl.requantise
	$(BIN)/python -m tests.rtl.real

.PHONY: accounts
accounts: $(VENV)/dev-installed ## cycles by line of every kernel and of over 1,000 random programs against the classes of each unit (minutes)
	ACCELKIT_PROGRAMS=14 $(PYTEST) -n $(JOBS) tests/simulator/test_account.py tests/kernels/test_observers.py

.PHONY: stress
stress: $(VENV)/dev-installed ## random racy and race-free programs under the delays of 20 seeds against the checker (minutes)
	$(BIN)/python -m tests.simulator.jitter_study

.PHONY: mutants
mutants: $(VENV)/dev-installed ## faults put into the RTL one by one: who catches them (minutes)
	$(BIN)/python -m tests.rtl.mutants

.PHONY: synthesis
synthesis: $(VENV)/dev-installed ## resource counts of the RTL by Yosys
	$(BIN)/python -m tests.rtl.synthesis

.PHONY: mutation
mutation: $(VENV)/dev-installed ## every wait and post of every kernel dropped, moved, swapped: who notices (minutes)
	$(BIN)/python -m tests.lint.mutation

.PHONY: fuzz
fuzz: $(VENV)/dev-installed ## 200,000 mutated sources and 200,000 random files through assembler and loader
	$(BIN)/python -m tests.fuzz.assembler

.PHONY: bench
bench: $(VENV)/dev-installed ## all benchmarks, as rows in build/bench.json (a quarter of an hour; beside SCALE-Sim after make scalesim)
	$(BIN)/python -m benchmarks --date $$(date -u +%F)

.PHONY: bench-docs
bench-docs: $(VENV)/dev-installed ## build/bench.json into docs/performance.json and the table of docs/performance.md
	$(BIN)/python -m benchmarks.table build/bench.json

.PHONY: bench-check
bench-check: $(VENV)/dev-installed ## no workload takes 5 % more instructions than recorded (callgrind; minutes)
	$(BIN)/python -m benchmarks.check

.PHONY: scalesim
scalesim: build/scalesim/installed ## SCALE-Sim in an environment of its own, which the benchmarks compare with

# It imports nothing of NumPy 2; later versions than the one that was measured may be faster or slower.
build/scalesim/installed: | $(VENV)/bin/python
	$(BIN)/python -m venv build/scalesim
	build/scalesim/bin/python -m pip install --quiet --disable-pip-version-check 'scalesim==3.0.0' 'numpy<2'
	@touch $@

.PHONY: models
models: $(VENV)/dev-installed ## real models on the simulator, every tensor against ONNX Runtime; results into docs/models.md
	$(BIN)/python -m models.check --all --images 2 --document docs/models.md
	$(BIN)/python -m models.check efficientnet-lite0 --images 8 --document docs/models.md
	$(BIN)/python -m models.check efficientnet-lite0 --images 8 --machine server-128 --document docs/models.md

.PHONY: wheel
wheel: $(VENV)/dev-installed ## build dist/*.whl
	$(BIN)/python -m build --outdir dist
