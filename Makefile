# make demo    sets up, runs the default workflow, and says where the atlas is
# make test    sets up and runs the tests
# make llm     builds llama-cpp-python, which labels topics (demo and test do it)
# make extras  installs what only some corpora need: Reddit's API, words of Chinese, Japanese, Thai
# make lint    ruff, snakefmt, snakemake --lint, mypy
#
# PYTHON=python3.12    another interpreter (3.11 to 3.13)
# CORES=2              fewer cores than all
# TORCH_INDEX=URL      index of another build of torch, as pytorch.org's install page names it:
#                      the CPU build saves several GB on Linux, a CUDA build uses your GPU

PYTHON ?= python3
CORES ?= all
TORCH_INDEX ?=
VENV := .venv
BIN := $(VENV)/bin
TORCH := $(shell grep '^torch==' requirements.lock)
# pip is silent while it unpacks; a line now and then says that it lives.
ALIVE = ( while sleep 20; do echo "  ... still installing"; done ) & alive=$$!; trap "kill $$alive 2>/dev/null" EXIT;

# The default build takes twice as long and hangs on the processor that it runs on.
LLAMA_FLAGS := -DLLAVA_BUILD=OFF -DLLAMA_CURL=OFF -DGGML_NATIVE=OFF
ifneq ($(filter-out 0,$(shell grep -c -m1 avx2 /proc/cpuinfo 2>/dev/null)),)
LLAMA_FLAGS += -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON
endif

.PHONY: demo test lint install llm extras lock docs clean

install: $(VENV)/.installed

$(VENV)/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' || \
	  { echo "Python 3.11 to 3.13 is needed; choose one with: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@echo "Installing into $(VENV) (README says how much is downloaded)"
	@$(PYTHON) -m venv $(VENV)
	@$(ALIVE) if [ -n "$(TORCH_INDEX)" ]; then $(BIN)/pip install --index-url "$(TORCH_INDEX)" $(TORCH); fi && \
	  $(BIN)/pip install -r requirements.lock && $(BIN)/pip install --no-deps -e .
	@touch $@

llm: $(VENV)/.llm

$(VENV)/.llm: $(VENV)/.installed requirements-llm.lock
	@echo "Building llama-cpp-python: 3 to 8 minutes on two cores"
	@$(ALIVE) CMAKE_ARGS="$(LLAMA_FLAGS)" $(BIN)/pip install -r requirements-llm.lock
	@touch $@

extras: install
	@$(ALIVE) $(BIN)/pip install -r requirements-extras.lock

demo: install llm
	@$(BIN)/snakemake --cores $(CORES) || \
	  { echo; echo "The run failed. The log of the job is named above; all logs: results/demo/logs."; \
	    echo "After mending the cause, the same command goes on where it stopped."; exit 1; }
	@echo; echo "The atlas: file://$(CURDIR)/results/demo/atlas/index.html"

test: install llm
	$(BIN)/python -m pytest -n 2 --dist loadgroup

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy
	$(BIN)/snakemake --lint

lock: install
	$(BIN)/pip install pip-tools
	$(BIN)/pip-compile -q --extra dev --strip-extras --no-header --no-annotate --no-emit-index-url \
	  --no-emit-find-links --no-emit-trusted-host -o requirements.lock pyproject.toml
	sed -i 's/+cpu//' requirements.lock
	$(BIN)/pip-compile -q --extra reddit --extra segmentation --extra universal --strip-extras --no-header \
	  --no-annotate --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
	  -c requirements.lock -o requirements-extras.lock pyproject.toml
	sed -i 's/+cpu//' requirements-extras.lock
	$(BIN)/pip-compile -q --extra llm --strip-extras --no-header \
	  --no-annotate --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
	  -c requirements.lock -o requirements-llm.lock pyproject.toml
	sed -i 's/+cpu//' requirements-llm.lock
	grep -vxFf requirements.lock requirements-llm.lock > requirements-llm.only
	mv requirements-llm.only requirements-llm.lock
	grep -vxFf requirements.lock requirements-extras.lock > requirements-extras.only
	mv requirements-extras.only requirements-extras.lock

docs: install
	$(BIN)/python -m biasatlas.config
	$(BIN)/python -m biasatlas.tables > docs/tables.md

clean:
	rm -rf $(VENV)
