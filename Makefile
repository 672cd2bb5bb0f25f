# gatectl: `make` builds build/gatectl, `make demo` shows it, `make test` proves it.

SAN     ?=
BUILD   ?= build$(if $(SAN),/san)
PREFIX  ?= /usr/local
DESTDIR ?=
ZSH_DIR ?= share/zsh/site-functions
CC      ?= cc
CFLAGS  ?= $(if $(SAN),-O1,-O2) -g
VERSION := 0.2.0

WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
LUA_CFLAGS := $(shell pkg-config --cflags lua5.4 2>/dev/null || echo -I/usr/include/lua5.4)
# Headers of libclang, in a folder with its version; it is loaded when `audit` is used (dlopen).
CLANG_INCLUDE := $(patsubst %/clang-c,%,$(lastword $(sort $(wildcard /usr/lib/llvm-*/include/clang-c))))
ALL_CFLAGS := -std=c11 -D_GNU_SOURCE -I. -I$(BUILD) -DGATECTL_VERSION='"$(VERSION)"' $(LUA_CFLAGS) \
	$(WARN) $(CPPFLAGS) $(CFLAGS) $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
ALL_LDFLAGS := $(LDFLAGS) $(if $(SAN),-fsanitize=$(SAN))
# Each library as shared object, and as the archives that take its place where gatectl links with them: that saves
# half a millisecond at every start. Older libraries come last: archives use those behind them.
LIBRARIES := edit elf Zydis zstd lua5.4 iberty m pthread
ARCHIVES  := edit,tinfo,bsd,md elf,z zstd lua5.4
LIBS       = @$(BUILD)/libraries

SRC     := $(wildcard tracer/*/*.c tracer/*/*/*.c tracer/*/*/*/*.c gates/*.c lua/*.c)
MAIN    := tracer/cli/main.c
OBJ     := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out $(MAIN),$(SRC)))
UNIT    := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/test_*.c))

all: $(BUILD)/gatectl $(if $(SAN),,completions)

$(BUILD)/gatectl: $(BUILD)/obj/tracer/cli/main.o $(BUILD)/libgatectl.a $(BUILD)/libraries
	$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBS)

# What the linker gets: an archive only if a link with it succeeds, since it may need others that are not known here.
$(BUILD)/libraries: Makefile | $(BUILD)/obj/tracer/cli/main.o $(BUILD)/libgatectl.a
	@libs='$(LIBRARIES:%=-l%)'; for set in $(ARCHIVES); do \
		archives=$$(echo ",$$set" | sed 's/,\([^,]*\)/ -l:lib\1.a/g'); \
		with=$$(echo " $$libs " | sed "s/ -l$${set%%,*} /$$archives /"); \
		! $(CC) $(ALL_LDFLAGS) -o $@.try $| $$with 2> /dev/null || libs=$$with; \
	done; rm -f $@.try; echo $$libs > $@

$(BUILD)/libgatectl.a: $(OBJ)
	@rm -f $@
	@echo ar rcs $@ # of all objects: too many to show
	@ar rcs $@ $^

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Lua that is part of gatectl, compiled, as a C array.
$(BUILD)/lua/dump: lua/build/dump.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< -llua5.4 -lm
$(BUILD)/lua/%.lua.inc: lua/%.lua $(BUILD)/lua/dump
	$(BUILD)/lua/dump '=[gatectl]' < $< > $(@:.inc=c)
	od -An -v -tx1 $(@:.inc=c) | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g' > $@
$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard lua/*.c)): $(patsubst lua/%.lua,$(BUILD)/lua/%.lua.inc,$(wildcard lua/*.lua))

# The pages of HTML reports, as C arrays; their scripts are several files.
PAGE := tracer/report/page
$(BUILD)/$(PAGE)/timeline.js: $(sort $(wildcard $(PAGE)/[0-9]*.js))
$(BUILD)/$(PAGE)/search.js: $(PAGE)/0-parts.js $(sort $(wildcard $(PAGE)/search*.js))
$(addprefix $(BUILD)/$(PAGE)/,timeline.js search.js):
	@mkdir -p $(@D)
	cat $^ > $@
$(BUILD)/$(PAGE)/%: $(PAGE)/%
	@mkdir -p $(@D)
	cp $< $@
$(BUILD)/$(PAGE)/%.inc: $(BUILD)/$(PAGE)/%
	od -An -v -tx1 $< | sed 's/ \([0-9a-f][0-9a-f]\)/(char)0x\1,/g' > $@
# The version is in the Makefile.
$(addprefix $(BUILD)/obj/tracer/,features/report/html.o report/sarif.o cli/main.o): Makefile
$(BUILD)/obj/tracer/report/html.o: $(foreach page,timeline search,$(addprefix $(BUILD)/$(PAGE)/$(page).,html.inc css.inc js.inc))

$(BUILD)/unit/%: tests/unit/%.c $(BUILD)/libgatectl.a $(BUILD)/libraries
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP $(ALL_LDFLAGS) -o $@ $< $(BUILD)/libgatectl.a -lcmocka $(UNIT_LIBS) $(LIBS)
# The witness reads DWARF by libdwarf, as nothing else does; gatectl is one of the files it looks at.
$(BUILD)/unit/test_dwarf_witness: UNIT_LIBS := -ldwarf
$(BUILD)/unit/test_dwarf_witness: $(BUILD)/gatectl

$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tracer/audit/*.c tracer/audit/*/*.c)): ALL_CFLAGS += $(addprefix -isystem ,$(CLANG_INCLUDE))

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# ---- set-up: what is missing is installed (the list is .ci/packages, in two parts) -----------

setup:
	@sh .ci/setup test

# ---- the two commands of the README ----------------------------------------------------------

demo:
	@sh .ci/setup build
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@GATECTL=$(BUILD)/gatectl sh examples/demo.sh

test: setup
	@$(MAKE) --no-print-directory -j$$(nproc) check

# Tier 2 also: hours. As root, systems of other distributions are made for it.
test-all: setup
	@$(MAKE) --no-print-directory -j$$(nproc) check TESTS=--all
	@if [ "$$(id -u)" = 0 ]; then sh tests/distros.sh bookworm trixie sid; \
	else echo "no clean systems of other distributions: only root can make them"; fi

# What is to be installed is there already.
check: all $(UNIT) $(BUILD)/unit/dump_lines
	@$(MAKE) --no-print-directory SAN=address,undefined all
	@python3 tests/run.py $(TESTS)

bench: all
	@python3 tests/bench/bench.py

lint: all
	@clang-format --dry-run -Werror $(SRC) $(wildcard tracer/*/*.h tracer/*/*/*.h tracer/*/*/*/*.h gates/*.h lua/*.h)
	python3 tests/style.py

unit: $(UNIT)

include examples/examples.mk

# ---- install ---------------------------------------------------------------------------------

# What the shells complete, from the program's own table of options.
COMPLETIONS := $(patsubst %,$(BUILD)/completions/gatectl.%,bash zsh fish)

$(BUILD)/completions/gatectl.%: tracer/cli/completions/gatectl.% $(BUILD)/gatectl
	@mkdir -p $(@D)
	$(BUILD)/gatectl --completions $* > $@.table
	cat $(if $(filter fish,$*),$< $@.table,$@.table $<) > $@
	@rm $@.table

completions: $(COMPLETIONS)

$(BUILD)/cmake/gatectlConfigVersion.cmake: gates/cmake/gatectlConfigVersion.cmake.in
	@mkdir -p $(@D)
	sed 's/@VERSION@/$(VERSION)/' $< > $@

# FROM:TO, below $(PREFIX)
INSTALLED = $(BUILD)/gatectl:bin/gatectl \
	$(foreach m,$(wildcard man/*.[1-8]),$(m):share/man/man$(subst .,,$(suffix $(m)))/$(notdir $(m))) \
	gates/cmake/gatectlConfig.cmake:lib/cmake/gatectl/gatectlConfig.cmake \
	$(BUILD)/cmake/gatectlConfigVersion.cmake:lib/cmake/gatectl/gatectlConfigVersion.cmake \
	$(BUILD)/completions/gatectl.bash:share/bash-completion/completions/gatectl \
	$(BUILD)/completions/gatectl.zsh:$(ZSH_DIR)/_gatectl \
	$(BUILD)/completions/gatectl.fish:share/fish/vendor_completions.d/gatectl.fish \
	lua/annotations/gatectl.d.lua:share/gatectl/annotations/gatectl.d.lua \
	.luacheckrc:share/gatectl/luacheckrc \
	$(foreach f,README.md NEWS SECURITY.md KNOWN-BUGS.md,$(f):share/doc/gatectl/$(f))

install: all completions $(BUILD)/cmake/gatectlConfigVersion.cmake
	@set -e; for pair in $(INSTALLED); do \
		case $$pair in *:bin/*) mode=755 ;; *) mode=644 ;; esac; \
		install -D -m $$mode "$${pair%%:*}" "$(DESTDIR)$(PREFIX)/$${pair#*:}"; \
	done

# With the directories that are empty then, but for those that every system has.
uninstall:
	@cd "$(DESTDIR)$(PREFIX)" 2> /dev/null || exit 0; for pair in $(INSTALLED); do \
		rm -f "$${pair#*:}"; \
		own=$$(dirname "$${pair#*:}"); \
		case "$(PREFIX)":$$own in \
		/usr:*/gatectl* | /usr/local:*/gatectl*) rmdir "$$own" 2> /dev/null || : ;; \
		/usr:* | /usr/local:*) ;; \
		*) rmdir -p "$$own" 2> /dev/null || : ;; \
		esac; \
	done; \
	case "$(PREFIX)" in \
	/usr | /usr/local) ;; \
	*) cd "$$OLDPWD" && rmdir "$(DESTDIR)$(PREFIX)" 2> /dev/null || : ;; \
	esac

clean:
	rm -rf build

.PHONY: all completions setup demo test test-all check bench lint unit install uninstall clean
.SECONDARY:
