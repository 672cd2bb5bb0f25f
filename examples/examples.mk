# The examples: `make examples` builds them to $(EXAMPLES)/NAME. Included by the top Makefile, and
# usable alone: make -f examples/examples.mk EXAMPLES=/tmp/x CC=clang CXX=clang++ OPT=-O0 examples

BUILD    ?= build
EXAMPLES ?= $(BUILD)/examples
OPT      ?= -O2
EXAMPLES_CFLAGS := -g -Wall -Wextra -pthread

EXAMPLES_C  := $(wildcard examples/*/*.c)
EXAMPLES_CC := $(wildcard examples/*/*.cc)
EXAMPLES_ALL := $(patsubst examples/%/,$(EXAMPLES)/%,$(dir $(EXAMPLES_C) $(EXAMPLES_CC)))

examples: $(EXAMPLES_ALL)

# One source file an example; the program is named after the directory.
define example_rule
$(EXAMPLES)/$(patsubst examples/%/,%,$(dir $(1))): $(1)
	@mkdir -p $$(@D)
	$(2) $(OPT) $(EXAMPLES_CFLAGS) -o $$@ $$<
endef
$(foreach source,$(EXAMPLES_C),$(eval $(call example_rule,$(source),$$(CC) -std=c11 -D_GNU_SOURCE)))
$(foreach source,$(EXAMPLES_CC),$(eval $(call example_rule,$(source),$$(CXX) -std=c++17)))

.PHONY: examples
