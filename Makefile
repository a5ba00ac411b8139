# One-line shortcuts; `python -m build_tools --help` is the real thing.
# CONSTRAINTS= installs the newest versions instead of the pinned ones. ARGS= hands options on: make measure ARGS=--force

PYTHON ?= python3
CONSTRAINTS ?= constraints.txt
VENV ?= .venv
RUN = $(VENV)/bin/python -m
INSTALL = $(RUN) pip install --quiet --disable-pip-version-check $(if $(CONSTRAINTS),-c $(CONSTRAINTS))
OUT ?= .build/gpu
BUDGET ?= 470

.PHONY: site publish serve measure measure-gpu rehearse-ci check test test-all clean

site: $(VENV)/measure.done            ## measure what is due on this machine, build both sites into site/
	$(RUN) build_tools build $(ARGS)

publish: $(VENV)/core.done            ## the site as it is published: committed records only; needs no torch
	$(RUN) build_tools build --publish --strict $(ARGS)

serve: $(VENV)/core.done              ## live preview of both languages; needs no torch
	$(RUN) build_tools serve $(ARGS)

measure: $(VENV)/measure.done         ## measure what is stale or missing for this machine
	$(RUN) build_tools measure $(ARGS)

# The full cases in order of importance, for one large card that may be at hand for minutes only.
# There, without a virtual environment: make measure-gpu VENV= RUN='python3 -m' OUT=… COMMIT=…
measure-gpu: $(if $(VENV),$(VENV)/measure.done)
	$(RUN) build_tools measure trainer/plain trainer/accumulate trainer/plain_micro1 checkpointing gradient_buffer \
	  trainer/plain_sdpa trainer/accumulate_sdpa trainer/plain_micro1_sdpa sweep --profile full --repeats 2 --budget $(BUDGET) --out $(OUT) \
	  $(if $(REHEARSE),--rehearse $(REHEARSE),--device cuda) $(if $(COMMIT),--commit $(COMMIT)) $(ARGS)

rehearse-ci: $(VENV)/test.done        ## the way of a fresh number through CI, with runners that are lost or lie
	$(VENV)/bin/python tests/ci/rehearse.py $(ARGS)

check: $(VENV)/test.done              ## style, types, layers, pages
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(VENV)/bin/lint-imports
	$(RUN) build_tools check

test: check                           ## what a pull request must pass
	$(RUN) pytest -m "not slow" -n 2 --dist loadfile

test-all: check                       ## everything, the long ones too
	$(RUN) pytest -n 2 --dist loadfile

ifneq ($(CONSTRAINTS),)
$(CONSTRAINTS):                       # reached only where the file is missing
	@echo "error: $@ is missing; for example: CONSTRAINTS=constraints.txt; next: make site CONSTRAINTS= (newest versions)" >&2
	@exit 1
endif

$(VENV)/core.done: pyproject.toml $(CONSTRAINTS)
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) -e .
	touch $@

$(VENV)/measure.done: $(VENV)/core.done
	$(INSTALL) -e '.[measure]'
	touch $@

$(VENV)/review.done: $(VENV)/core.done
	$(INSTALL) -e '.[review]'
	touch $@

$(VENV)/test.done: $(VENV)/measure.done
	$(INSTALL) -e '.[measure,notebooks,review,dev]'
	touch $@

clean:                                ## what can be made again; records of this machine stay
	rm -rf .build site
