/* Call frame information and location lists, intact and malformed. */
#include "symbols_spoil.h"

#include "tracer/inspect/inspect.h"
#include "tracer/dwarf/frames/frames.h"
#include "tracer/dwarf/expressions/expression.h"
#include "tracer/elf/module.h"

#include <libdwarf/dwarf.h>

static const char code_c[] = "#include <stdio.h>\n"
			     "#include <stdlib.h>\n"
			     "struct pair { long a, b; };\n"
			     "static struct pair both(long k) { return (struct pair){k, k * 3}; }\n"
			     "__attribute__((noinline)) long work(long *v, int n, double d)\n"
			     "{\n"
			     "	struct pair p = {0, 0};\n"
			     "	char text[n + 1];\n"
			     "	for (int i = 0; i < n; i++) {\n"
			     "		struct pair q = both(v[i]);\n"
			     "		p.a += q.a;\n"
			     "		p.b += q.b + labs(v[i]);\n"
			     "	}\n"
			     "	snprintf(text, sizeof(text), \"%ld %g\", p.a, d);\n"
			     "	return p.b + text[0];\n"
			     "}\n"
			     "int main(int argc, char **argv)\n"
			     "{\n"
			     "	long v[3] = {argc, 2, argv[0][0]};\n"
			     "	return (int)work(v, 3, 1.5) + (int)work(v + 1, argc, 2.5);\n"
			     "}\n";

static const char *const commands[] = {
	"gcc -g -O2 -o prog code.c",
	"gcc -gdwarf-4 -O2 -o prog code.c",
	"clang -g -O2 -o prog code.c",
	"clang -gdwarf-4 -O2 -ffunction-sections -o prog code.c",
	"gcc -g -Og -fno-asynchronous-unwind-tables -o prog code.c",
};

/* ---- a program that is not running ---------------------------------------------------------- */

/* A stopped program whose memory is one pattern of plausible words. */
struct still {
	struct module *module;
	uint64_t bias, stack;
	size_t reads;
};

static int still_read(void *ctx, uint64_t address, void *buf, size_t n)
{
	struct still *s = ctx;
	uint8_t *bytes = buf;

	s->reads++;
	if (address < 4096)
		return -1;
	for (size_t i = 0; i < n; i++) {
		uint64_t at = address + i,
			 word = at / 8 % 2 ? at + 64 : s->bias + 0x1100 + at % 997;

		bytes[i] = (uint8_t)(word >> 8 * (at % 8));
	}
	return 0;
}

static struct module *still_module(void *ctx, uint64_t address, uint64_t *bias)
{
	struct still *s = ctx;

	*bias = s->bias;
	return address - s->bias < 0x100000 ? s->module : NULL;
}

static void ask_stack(struct still *s, uint64_t offset)
{
	const struct dwarf_program program = {
		.ctx = s, .read = still_read, .module_at = still_module};
	struct arch_regs regs = {.flags = 0};
	struct inspect_stack stack;
	struct dwarf_frame f;
	ERROR(err);
	uint64_t value;

	for (int i = 0; i < 16; i++)
		regs.dwarf[i] = 0x7ffff000u + (uint64_t)i * 64;
	regs.dwarf[16] = s->bias + offset;
	dwarf_frame_first(&program, NULL, &regs, &f);
	inspect_stack(&f, 64, 20, &stack); /* whatever DIE is at that address */
	assert_true(stack.count >= 1 && stack.count <= 20);
	inspect_stack_fini(&stack);
	if (callsite_value(&(struct expression){.frame = &f}, (const uint8_t[]){DW_OP_reg5}, 1, 0,
			   &value, &err) < 0)
		assert_true(err.code != ERROR_NONE && err.text[0]);
}

/* ---- lists of locations --------------------------------------------------------------------- */

struct found {
	size_t lists, plain, here, ranges;
};

static void ask_location(struct still *s, const struct entry *e, const struct attr *a,
			 struct found *found)
{
	const struct dwarf_program program = {
		.ctx = s, .read = still_read, .module_at = still_module};
	struct dwarf_frame f = {.program = &program,
				.module = s->module,
				.bias = s->bias,
				.known = 0x1ffff,
				.pc = s->bias + 0x1150,
				.lookup_pc = s->bias + 0x1150};
	struct expression m = {.frame = &f,
			       .program = &program,
			       .module = s->module,
			       .bias = s->bias,
			       .unit = e->unit,
			       .function = e->unit->first};
	struct loclist_ranges ranges = {0};
	struct piece p[EXPRESSION_PIECES];
	const uint8_t *code;
	ERROR(err);
	size_t size;

	if (loclist_ranges(e, a, &ranges, &err) == 0)
		found->ranges += ranges.count;
	found->lists += !a->block;
	found->plain += a->block != NULL;
	for (size_t i = 0; i < ranges.count && i < 8; i++) {
		if (loclist_find(e, a, ranges.items[i].low, &code, &size, &err) < 0)
			continue;
		found->here += code != NULL;
		f.lookup_pc = f.pc = s->bias + ranges.items[i].low;
		if (code && expression_run(&m, code, size, NULL, p, &err) < 0)
			assert_true(err.code != ERROR_NONE && err.text[0]);
	}
	array_fini(&ranges);
}

static struct found ask_locations(struct still *s)
{
	struct found found = {0};
	ERROR(err);
	struct die_table *t = dies_table(s->module, &err);
	struct entry e;

	for (size_t i = 0; t && i < t->units.count; i++) {
		struct die_unit *u = &t->units.items[i];

		for (uint64_t at = u->first; at < u->end; at = e.next) {
			const struct attr *a;

			if (entry_read(t, at, &e, &err) < 0)
				break;
			a = entry_attr(&e, DW_AT_location);
			if (a)
				ask_location(s, &e, a, &found);
		}
	}
	return found;
}

/* ---- intact ---------------------------------------------------------------------------------- */

static void frames_of_all_code(void **state)
{
	struct program *p = *state;
	uint64_t offset, size;

	program_write(p, "code.c", code_c);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		struct cfi_row row;
		int64_t add;
		unsigned reg;

		print_message("%s\n", commands[i]);
		program_build(p, commands[i]);
		assert_int_equal(module_symbol(p->modules[0], "work", &offset, &size), 0);
		assert_true(dwarf_cfa(p->modules[0], offset, &reg, &add));
		assert_int_equal(reg, ARCH_DWARF_SP);
		assert_int_equal(add, 8);
		for (uint64_t at = offset; at < offset + size; at++) {
			assert_int_equal(frames_row(p->modules[0], at, &row, &p->err), 1);
			assert_int_equal(row.return_address, ARCH_DWARF_PC);
			assert_int_equal(row.rules[ARCH_DWARF_PC].kind, CFI_OFFSET);
			assert_int_equal(row.rules[ARCH_DWARF_PC].number, -8);
			assert_false(row.signal);
		}
		assert_int_equal(frames_row(p->modules[0], 0x10, &row, &p->err), 0);
		/* _start has no caller. */
		assert_int_equal(module_symbol(p->modules[0], "_start", &offset, &size), 0);
		if (frames_row(p->modules[0], offset, &row, &p->err) > 0)
			assert_int_equal(row.rules[ARCH_DWARF_PC].kind, CFI_UNDEFINED);
	}
}

static void places_of_all_variables(void **state)
{
	struct program *p = *state;

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		struct still s = {.bias = 0x10000};
		struct found found;

		program_build(p, commands[i]);
		s.module = p->modules[0];
		found = ask_locations(&s);
		assert_true(found.lists > 5);
		assert_true(found.plain > 0);
		assert_true(found.here > 10);
		assert_true(found.ranges >= found.here);
	}
}

/* ---- malformed ------------------------------------------------------------------------------- */

/* Each query returns an answer or an error with a text, whatever the bytes are. */
static void ask_broken(struct program *p, void *ctx)
{
	struct still s = {.bias = 0x10000, .module = p->modules[0]};

	(void)ctx;
	for (uint64_t offset = 0x1000; offset < 0x1300; offset += 7)
		ask_stack(&s, offset);
	ask_locations(&s);
}

static void survives_broken_bytes(void **state)
{
	static const char *const sections[] = {".eh_frame",	  ".debug_frame", ".debug_loc",
					       ".debug_loclists", ".debug_info",  ".debug_addr"};
	struct program *p = *state;

	for (size_t c = 0; c < sizeof(commands) / sizeof(*commands); c++) {
		program_run(p, commands[c]);
		spoil_each(p, "prog", sections, 6, 60, ask_broken, NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_all_code),
		cmocka_unit_test(places_of_all_variables),
		cmocka_unit_test(survives_broken_bytes),
	};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
