/* Locations of variables in words; and robustness against malformed debug information. */
#include "symbols_spoil.h"

#include "tracer/inspect/inspect.h"

static const char homes_c[] =
	"struct pair { long a, b; };\n"					   /* 1 */
	"volatile long sink;\n"						   /* 2 */
	"__thread int mark;\n"						   /* 3 */
	"static inline __attribute__((always_inline)) long half(long n)\n" /* 4 */
	"{\n"								   /* 5 */
	"	long part = n / 2;\n"					   /* 6 */
	"	sink = part;\n"						   /* 7 */
	"	return part;\n"						   /* 8 */
	"}\n"								   /* 9 */
	"__attribute__((noinline)) long work(long x, struct pair q)\n"	   /* 10 */
	"{\n"								   /* 11 */
	"	static int calls;\n"					   /* 12 */
	"	const int five = 5;\n"					   /* 13 */
	"	long late = half(x);\n"					   /* 14 */
	"	calls++;\n"						   /* 15 */
	"	sink = late + q.a + q.b + five + mark;\n"		   /* 16 */
	"	return late;\n"						   /* 17 */
	"}\n"								   /* 18 */
	"int main(int argc, char **argv)\n"				   /* 19 */
	"{\n"								   /* 20 */
	"	struct pair p = {argc, 2};\n"				   /* 21 */
	"	(void)argv;\n"						   /* 22 */
	"	return work(argc, p) == 0;\n"				   /* 23 */
	"}\n";

/* The location text of a variable at a site; NULL: not in the list. */
static const char *home_of(struct program *p, const char *location, const char *name,
			   struct inspect_variables *homes)
{
	const struct source_site *site;

	sites_of(p, location);
	site = &p->sites.items[0];
	if (inspect_variables_at(site->module, site->offset, site->scope, homes, &p->err) < 0)
		fail_msg("%s: %s", location, p->err.text);
	array_each(const struct inspect_variable, h, homes) {
		if (strcmp(h->name, name) == 0)
			return h->where;
	}
	return NULL;
}

static void assert_home(struct program *p, const char *location, const char *name,
			const char *expected)
{
	struct inspect_variables homes;
	const char *where = home_of(p, location, name, &homes);

	if (!where || !strstr(where, expected))
		fail_msg("%s at %s: '%s', not '%s'", name, location, where ? where : "nowhere",
			 expected);
	inspect_variables_fini(&homes);
}

static void words_for_homes(void **state)
{
	struct program *p = *state;
	struct inspect_variables homes;

	program_write(p, "homes.c", homes_c);
	program_build(p, "gcc -g -O0 -o prog homes.c");
	assert_home(p, "homes.c:16", "x", "on the stack at rbp-");
	assert_home(p, "homes.c:16", "calls", "static, at ");
	home_of(p, "homes.c:16", "x", &homes);
	assert_int_equal(homes.count, 5);
	assert_string_equal(homes.items[0].name, "x");
	assert_string_equal(homes.items[0].type, "long int");
	assert_true(homes.items[0].argument && !homes.items[0].optimised_out);
	assert_string_equal(homes.items[1].type, "struct pair");
	assert_false(homes.items[2].argument);
	inspect_variables_fini(&homes);
	program_build(p, "gcc -g -O2 -o prog homes.c");
	assert_home(p, "work", "x", "in rdi");
	assert_home(p, "work", "q", "in rsi and rdx (pieces)");
	assert_home(p, "work", "five", "constant 5");
	assert_home(p, "work", "late", "optimised out (lives at ");
	assert_home(p, "homes.c:7", "n", "in rdi");
	assert_null(home_of(p, "homes.c:7", "x", &homes));
	inspect_variables_fini(&homes);
	program_build(p, "clang -g -O0 -o prog homes.c");
	assert_home(p, "homes.c:16", "x", "on the stack at rbp-");
	program_build(p, "clang -g -O2 -o prog homes.c");
	assert_home(p, "work", "x", "in rdi");
	assert_home(p, "work", "five", "constant 5");
}

/*
 * ---- malformed bytes --------------------------------------------------------------------------
 */

static int no_memory(void *ctx, uint64_t address, void *buf, size_t n)
{
	(void)ctx;
	memset(buf, (int)address, n);
	return address % 3 ? 0 : -1;
}

static struct module *only_module(void *ctx, size_t i, uint64_t *bias)
{
	struct program *p = ctx;

	*bias = 0;
	return i < p->count ? p->modules[i] : NULL;
}

static struct module *module_there(void *ctx, uint64_t address, uint64_t *bias)
{
	(void)address;
	return only_module(ctx, 0, bias);
}

/* A value, or an error with a text, whatever the bytes are. */
static void ask(struct program *p, uint64_t offset, uint64_t scope)
{
	static const char *const names[] = {"x", "q", "late", "part", "calls", "sink", "none"};
	const struct dwarf_program program = {
		.ctx = p, .read = no_memory, .module = only_module, .module_at = module_there};
	struct inspect_call call = {.frame = {.program = &program,
					      .module = p->modules[0],
					      .pc = offset,
					      .lookup_pc = offset,
					      .known = 0x1ffff},
				    .file = "homes.c",
				    .line = 14};
	struct inspect_variables homes;
	struct inspect_value v;

	for (size_t i = 0; i < 17; i++)
		call.frame.regs[i] = 0x1000 + i;
	for (call.depth = 0; call.depth < 2; call.depth++) {
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
			if (inspect_variable(&call, names[i], &v, &p->err) < 0)
				assert_true(p->err.code != ERROR_NONE && p->err.text[0]);
			inspect_global(&program, NULL, names[i], &v, &p->err);
		}
		inspect_argument(&call, 0, &v, &p->err);
		inspect_argument(&call, 1, &v, &p->err);
	}
	if (inspect_variables_at(p->modules[0], offset, scope, &homes, &p->err) == 0)
		inspect_variables_fini(&homes);
}

static void ask_broken(struct program *p, void *ctx)
{
	const struct source_site *work = ctx;

	ask(p, work->offset, work->scope);
	ask(p, work->offset + 12, work->scope);
}

static void survives_broken_bytes(void **state)
{
	static const char *const commands[] = {"gcc -gdwarf-4 -O2 -o whole homes.c",
					       "gcc -gdwarf-5 -O2 -o whole homes.c",
					       "clang -gdwarf-5 -O2 -o whole homes.c"};
	static const char *const sections[] = {".debug_info", ".debug_abbrev", ".debug_loclists",
					       ".debug_loc",  ".debug_info",   ".debug_addr"};
	struct program *p = *state;
	struct source_site work;

	program_write(p, "homes.c", homes_c);
	for (int c = 0; c < 3; c++) {
		program_close(p);
		program_run(p, commands[c]);
		program_add(p, "whole");
		sites_of(p, "work");
		work = p->sites.items[0]; /* only its addresses are read */
		spoil_each(p, "whole", sections, 6, 200, ask_broken, &work);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_for_homes),
		cmocka_unit_test(survives_broken_bytes),
	};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
