# Two commands matter: `make demo` and `make test`. Both work on a fresh machine with Python and pip.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input
REPORT ?= examples/digits/report.html
STUDIES ?= examples/digits/studies.db
DEMO ?= $(BIN)/tunewise tune examples/digits/job.yaml --storage $(STUDIES) --report $(REPORT)
RUN_REPORT ?= examples/training/report.html
RUNS ?= examples/training/runs.db
TESTS ?= tests
# One more than the two cores: some tests wait, for processes and servers.
JOBS ?= 3
PEERS ?= --jobs 2
KILLS ?= 1000
MUTANTS ?= --each 75
SCENARIOS ?= 2000
WORK ?= --scenarios 100
CRASHES ?= 60
MINUTES ?= 30
FAULTS ?= --away 60 --rounds 2
FUZZ ?= JOB_FILES=20000 OUTPUTS=20000 URLS=20000 NAMES=20000 TABLES=10000 COMMAND_LINES=5000 STORES=2000 PROGRAMS=100000 EXAMPLES=10000 MODELS=20000

# Where the environment forbids compiled files, each of the many processes of the tests would compile anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo demo-train test test-long heavy browse kernels check format docs bench tables peers mutants fuzz chaos budget-chaos work-chaos service-chaos crashes faults sky licences audit sbom clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

demo: .venv/demo.stamp ## tune a small real training on slices of its data, and leave its report
	@$(DEMO)
	@$(BIN)/python examples/digits/full.py $(STUDIES)

demo-train: .venv/demo.stamp ## let a simulated training tune itself, and leave its report
	@rm -rf $(RUNS) $(RUNS)-shm $(RUNS)-wal $(RUNS).runs
	@$(BIN)/tunewise train examples/training/job.yaml --storage $(RUNS) --report $(RUN_REPORT)
	@echo "demo-train: $(RUN_REPORT)"

test: .venv/dev.stamp ## run the tests
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal $(TESTS)

test-long: .venv/dev.stamp ## run the tests that prove endurance, and 300 examples of every law
	@TUNEWISE_EXAMPLES=300 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal \
		-m 'long or hypothesis' --timeout 1800 $(TESTS)

heavy: .venv/heavy.stamp ## run the tests that need Ray and PyTorch, which the others do without
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -m '' --timeout 1800 tests/execution/ray tests/paramserver tests/integrations tests/examples \
		tests/online/test_torchrun.py tests/online/test_loader.py tests/cli/test_train_on_ray.py tests/cli/test_train_files_on_ray.py \
		tests/cli/test_train_under_torchrun.py

browse: .venv/dev.stamp ## use the pages in a real Chromium, and look at them with axe-core (needs npm)
	@$(PIP) --editable '.[browser]'
	@mkdir -p .venv/axe && cd .venv/axe && { test -f axe.min.js || \
		{ npm pack --silent axe-core@4.14.0 >/dev/null && tar xzf axe-core-*.tgz --strip-components 1 package/axe.min.js; }; }
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -m long --timeout 1800 tests/service/pages/test_browser.py

kernels: .venv/dev.stamp ## run the numeric tests under other processors' kernels
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.kernels -n $(JOBS) --dist worksteal

check: .venv/dev.stamp ## lint, format, types, docs
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy --no-error-summary
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "check: lint, format, types and docs are clean"

format: .venv/dev.stamp ## rewrite the code in the house format
	@$(BIN)/ruff check --quiet --fix-only
	@$(BIN)/ruff format

docs: .venv/dev.stamp ## build the documentation into site/, and say how hard each page is to read
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@$(BIN)/python -m tests.docs.readability
	@echo "docs: site/index.html"

bench: .venv/dev.stamp ## measure the tables of benchmarks/RESULTS.md at this commit; the docs show ten of them
	@$(BIN)/python -m benchmarks.results $(BENCH)

.PHONY: bench-few bench-quick scale papers
bench-few: .venv-peers/stamp ## measure the five figures of the README, into benchmarks/FIVE.md
	@.venv-peers/bin/python -m benchmarks.results --few $(BENCH)

# NePS wants an older BoTorch: it races first, in an environment of its own, and the runs are kept for the page.
bench-quick: .venv-neps/stamp .venv-peers/stamp ## race today's tools in ten minutes, into benchmarks/QUICK.md
	@rm -f .quick.json
	@OMP_NUM_THREADS=1 .venv-neps/bin/python -m benchmarks.quick --tools neps_hyperband,neps_priorband $(QUICK)
	@OMP_NUM_THREADS=1 .venv-peers/bin/python -m benchmarks.quick --minutes 8 --page benchmarks/QUICK.md $(QUICK)

scale: .venv-peers/stamp ## measure how far it goes, and draw docs/how-far.md
	@OMP_NUM_THREADS=1 .venv-peers/bin/python -m benchmarks.scale $(SCALE)

papers: .venv/dev.stamp ## measure what the papers show beside what we do, into benchmarks/PAPERS.md: PAPERS="--quick"
	@OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.papers $(PAPERS)

tables: .venv/dev.stamp ## measure our own tables, or what is left of them (needs PyTorch)
	@$(PIP) -e '.[torch]'
	@for name in cnn mlp; do OMP_NUM_THREADS=1 $(BIN)/tunewise collect examples/fashion_mnist/$$name.yaml \
		--repeats 2 --output benchmarks/data/fashion_$$name.csv || exit 1; done

peers: .venv-peers/stamp ## measure today's tools beside our own strategies
	@OMP_NUM_THREADS=1 .venv-peers/bin/python -m benchmarks.peers $(PEERS)

chaos: .venv/dev.stamp ## kill studies at random moments, KILLS=1000 times
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.chaos.kills --kills $(KILLS)

budget-chaos: .venv/dev.stamp ## search with random budgets in real processes, SCENARIOS=2000
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.chaos.budgets --scenarios $(SCENARIOS)

work-chaos: .venv/dev.stamp ## kill processes of `tunewise work` on PostgreSQL while they share a budget
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.chaos.work $(WORK)

service-chaos: .venv/dev.stamp ## kill processes and connections of a service that 20 tenants use, MINUTES=30
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.chaos.service --minutes $(MINUTES)

crashes: .venv/dev.stamp ## crash PostgreSQL under `tune` and `work`, CRASHES=60 times each
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.chaos.crashes --restarts $(CRASHES)

faults: .venv/heavy.stamp ## one study through everything that breaks, here and on Ray: FAULTS="--away 60"
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.chaos.faults $(FAULTS)
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.chaos.faults --executor ray $(FAULTS)

sky: .venv/dev.stamp .venv-sky/stamp ## try the real SkyPilot as far as it goes without an account
	@$(BIN)/python -m tests.execution.sky.real .venv-sky

mutants: .venv-mutants/stamp ## count the changes of the deciding rooms that no test notices
	@OMP_NUM_THREADS=1 .venv-mutants/bin/python -m tests.mutation.papers
	@OMP_NUM_THREADS=1 .venv-mutants/bin/python -m tests.mutation $(MUTANTS)

fuzz: .venv/dev.stamp ## give tens of thousands of hostile files and command lines to it
	@for inputs in $(FUZZ); do env FUZZ_$$inputs OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -s --timeout 0 \
		tests/fuzz -k $$(echo $${inputs%=*} | tr A-Z a-z) || exit 1; done

licences: .venv-release/stamp ## write the licences of what the plain install brings to LICENCES.md
	@{ echo "# Licences of what a plain install brings"; echo; \
		echo "Written by \`make licences\`. Tunewise itself is under Apache 2.0."; echo; \
		$(BIN)/pip-licenses --python .venv-release/bin/python --format markdown --ignore-packages tunewise pip \
		| sed 's/  */ /g; /^|-/s/--*/---/g'; } > LICENCES.md
	@echo "licences: LICENCES.md"

# What is passed over is explained in SECURITY.md.
audit: .venv-release/stamp .venv/dev.stamp ## look for weaknesses in our code and, by the network, in what it needs
	@$(BIN)/bandit --quiet -ll --skip B301,B310,B604,B704 -r src
	@$(BIN)/pip-audit --path .venv-release/lib/python3.*/site-packages
	@$(BIN)/pip-audit --path .venv/lib/python3.*/site-packages

sbom: .venv-release/stamp ## write what the plain install brings to dist/sbom.json, as CycloneDX
	@mkdir -p dist
	@$(BIN)/cyclonedx-py environment .venv-release/bin/python --output-format JSON --output-file dist/sbom.json
	@echo "sbom: dist/sbom.json"

clean: ## remove everything that was made here
	@rm -rf .venv .venv-peers .venv-neps .venv-mutants .venv-release .venv-sky site build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@rm -rf examples/*/plotly-*.min.js $(RUN_REPORT) $(RUNS) $(RUNS)-shm $(RUNS)-wal $(RUNS).runs
	@rm -rf $(REPORT) $(STUDIES) $(STUDIES)-shm $(STUDIES)-wal $(STUDIES).runs
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is older than pyproject.toml only when the installation may have to change.
.venv/demo.stamp: pyproject.toml | .venv/bin/python
	@echo "installing tunewise into .venv"
	@$(PIP) --editable '.[examples]'
	@touch $@

.venv/dev.stamp: pyproject.toml | .venv/bin/python
	@echo "installing tunewise and what its tests need into .venv"
	@$(PIP) --editable '.[dev]'
	@touch $@

.venv/heavy.stamp: .venv/dev.stamp
	@echo "installing Ray and PyTorch into .venv"
	@$(PIP) torch==2.13.0
	@$(PIP) --editable '.[ray,torch,lightning,transformers]'
	@touch $@

# The tools that we compare with are large, and no part of the package: they live apart.
# torch comes first and alone, so that a wheel for the processor is taken where one is at hand.
.venv-peers/stamp: pyproject.toml | .venv-peers/bin/python
	@echo "installing today's tools and tunewise into .venv-peers"
	@$(subst $(BIN),.venv-peers/bin,$(PIP)) torch==2.13.0
	@$(subst $(BIN),.venv-peers/bin,$(PIP)) 'optuna>=5' 'botorch>=0.18' 'smac>=2.4' 'syne-tune>=0.16' \
		'flaml>=2.7' --editable .
	@touch $@

.venv-neps/stamp: pyproject.toml | .venv-neps/bin/python
	@echo "installing NePS and tunewise into .venv-neps"
	@$(subst $(BIN),.venv-neps/bin,$(PIP)) torch==2.13.0
	@$(subst $(BIN),.venv-neps/bin,$(PIP)) torch==2.13.0 'neural-pipeline-search==0.17.*' --editable .
	@touch $@

# mutmut 3 wants a pytest below 9, so it has an environment of its own.
.venv-mutants/stamp: pyproject.toml | .venv-mutants/bin/python
	@echo "installing mutmut, tunewise and what its tests need into .venv-mutants"
	@$(subst $(BIN),.venv-mutants/bin,$(PIP)) 'mutmut>=3.8,<4' 'pytest>=8.2,<9' 'pytest-timeout>=2.3' 'hypothesis>=6.100' \
		--editable '.[postgres,pandas,examples]'
	@touch $@

# What a plain install brings, and nothing of ours beside it; the tools that look at it are in .venv.
.venv-release/stamp: pyproject.toml | .venv/bin/python .venv-release/bin/python
	@echo "installing tunewise alone into .venv-release, and what looks at it into .venv"
	@$(PIP) 'bandit>=1.8' 'build>=1.2' 'cyclonedx-bom>=7' 'pip-audit>=2.9' 'pip-licenses>=5.5'
	@$(subst $(BIN),.venv-release/bin,$(PIP)) .
	@touch $@

# SkyPilot pins versions that clash with ours: it is never installed beside us.
.venv-sky/stamp: | .venv-sky/bin/python
	@echo "installing SkyPilot into .venv-sky"
	@$(subst $(BIN),.venv-sky/bin,$(PIP)) 'skypilot[aws]>=0.14,<0.15'
	@touch $@

# Debian's python3 has no ensurepip: there the machine's own pip fills the new environment.
%/bin/python:
	@test -n "$(PYTHON)" || { echo "Tunewise needs Python 3.11 or newer: none was found" >&2; exit 1; }
	@$(PYTHON) -m venv $* >/dev/null 2>&1 || { \
		$(PYTHON) -m venv --clear --without-pip $* && \
		$(PYTHON) -m pip --python $*/bin/python install --quiet pip; }
