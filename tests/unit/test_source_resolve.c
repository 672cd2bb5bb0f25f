/* Resolving locations in C programs, compiled by gcc and clang in every DWARF version. */
#include "symbols_program.h"

#include "tracer/elf/module.h"

static const char header[] = "static inline int twice(int x)\n"
			     "{\n"
			     "\treturn x + x;\n"
			     "}\n";

static const char main_c[] = "#include \"hdr.h\"\n"				       /* 1 */
			     "#include <stdio.h>\n"				       /* 2 */
			     "volatile int g, h; /* gate: nothing */\n"		       /* 3 */
			     "int worker(int n);\n"				       /* 4 */
			     "\n"						       /* 5 */
			     "static int helper(int a)\n"			       /* 6 */
			     "{\n"						       /* 7 */
			     "\tg = a * 3;\n"					       /* 8 */
			     "\treturn g + 1;\n"				       /* 9 */
			     "}\n"						       /* 10 */
			     "\n"						       /* 11 */
			     "int add3(int a, int b, int c)\n"			       /* 12 */
			     "{\n"						       /* 13 */
			     "\treturn a + b + c;\n"				       /* 14 */
			     "}\n"						       /* 15 */
			     "\n"						       /* 16 */
			     "#define BOTH(x, y) do { g = (x); h = (y); } while (0)\n" /* 17 */
			     "\n"						       /* 18 */
			     "int main(int argc, char **argv)\n"		       /* 19 */
			     "{\n"						       /* 20 */
			     "\tint i;\n"					       /* 21 */
			     "\tfor (i = 0; i < argc; i++) {\n"			       /* 22 */
			     "\t\tg += twice(i + worker(3)); // gate: loop\n"	       /* 23 */
			     "\t}\n"						       /* 24 */
			     "\twhile (g < 100)\n"				       /* 25 */
			     "\t\tg += helper(g);\n"				       /* 26 */
			     "\tg = add3(twice(g),\n"				       /* 27 */
			     "\t\t helper(2), /* gate:argument */\n"		       /* 28 */
			     "\t\t argc);\n"					       /* 29 */
			     "\tBOTH(g + 1,\n"					       /* 30 */
			     "\t     argc); // gate: macro\n"			       /* 31 */
			     "\th += argc > 2 ? helper(h) : worker(h);\n"	       /* 32 */
			     "\t// gate: alone\n"				       /* 33 */
			     "\tprintf(\"gate: string %d %d\\n\", g, h);\n"	       /* 34 */
			     "\treturn worker(argv[0][0] ? h : 0);\n"		       /* 35 */
			     "}\n";

static const char other_c[] = "#include \"hdr.h\"\n"			    /* 1 */
			      "int worker(int n);\n"			    /* 2 */
			      "static int helper(int a)\n"		    /* 3 */
			      "{\n"					    /* 4 */
			      "\treturn a * 7;\n"			    /* 5 */
			      "}\n"					    /* 6 */
			      "int leaf(int n); extern volatile int g;\n"   /* 7 */
			      "int worker(int n)\n"			    /* 8 */
			      "{\n"					    /* 9 */
			      "\tif (n > 3)\n"				    /* 10 */
			      "\t\treturn helper(n) & 7;\n"		    /* 11 */
			      "\treturn leaf(n);\n"			    /* 12 */
			      "}\n"					    /* 13 */
			      "__attribute__((noinline)) int leaf(int n)\n" /* 14 */
			      "{\n"					    /* 15 */
			      "\treturn twice(n) + 1 + (g & 0);\n"	    /* 16 */
			      "}\n";

static int setup(void **state)
{
	struct program *p = base_alloc(1, sizeof(*p));

	program_init(p);
	program_write(p, "hdr.h", header);
	program_write(p, "main.c", main_c);
	program_write(p, "other.c", other_c);
	*state = p;
	return 0;
}

/* Without optimization every count is known. argc is 4: the loop runs four times. */
static void check_plain(struct program *p)
{
	assert_int_equal(sites_of(p, "hdr.h:3"), 2);
	assert_string_equal(p->sites.items[0].function, "twice");
	assert_says(refusal_of(p, "main.c:3"), "main.c:3 has no code");
	assert_arrivals(p, "hdr.h:3", 4 + 1 + 4);
	assert_arrivals(p, "main.c:8", 3);
	assert_arrivals(p, "main.c:23", 4);
	assert_arrivals(p, "main.c:22", 1 + 4);
	assert_arrivals(p, "main.c:27", 1);
	assert_arrivals(p, "main.c:30", 1);
	assert_arrivals(p, "main.c:32", 1);
	assert_arrivals(p, "twice", 4 + 1 + 4);
	assert_arrivals(p, "worker", 5);
	assert_arrivals(p, "worker%return", 5);
	assert_arrivals(p, "leaf%return", 4);
	assert_arrivals(p, "helper#1", 3);
	assert_arrivals(p, "main:+13", 1);
	assert_int_equal(p->sites.items[0].line, 32);
}

static void every_version_and_compiler(void **state)
{
	static const char *const compilers[] = {"gcc", "clang"};
	struct program *p = *state;
	char command[128];

	for (int c = 0; c < 2; c++) {
		for (int version = 2; version <= 5; version++) {
			snprintf(command, sizeof(command),
				 "%s -O0 -gdwarf-%d -o prog main.c other.c", compilers[c], version);
			print_message("%s\n", command);
			program_build(p, command);
			check_plain(p);
		}
	}
}

static void other_containers(void **state)
{
	static const char *const commands[] = {
		"gcc -g -gz -o prog main.c other.c",
		"gcc -g -gz=zlib-gnu -o prog main.c other.c",
		"gcc -g -no-pie -o prog main.c other.c",
		"gcc -g -static -o prog main.c other.c",
		"gcc -g -gdwarf64 -o prog main.c other.c",
		"gcc -g -ffunction-sections -Wl,--gc-sections -o prog main.c other.c",
		"gcc -g -fdebug-types-section -o prog main.c other.c",
		"gcc -g -o prog main.c other.c && objcopy --only-keep-debug prog prog.debug && "
		"strip prog && objcopy --add-gnu-debuglink=prog.debug prog",
		"gcc -g -c main.c && gcc -g -c other.c && ld -r -o both.o main.o other.o && "
		"gcc -o prog both.o",
	};
	struct program *p = *state;

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		print_message("%s\n", commands[i]);
		program_build(p, commands[i]);
		check_plain(p);
	}
}

/* Optimized: what is left of a statement is passed once for each execution. */
static void check_optimised(struct program *p)
{
	assert_arrivals(p, "main.c:8", 3);
	assert_arrivals(p, "main.c:32", 1);
	assert_arrivals(p, "main.c:34", 1);
	assert_arrivals(p, "helper#1", 3);
	assert_arrivals(p, "worker", 5);
	assert_arrivals(p, "leaf", 4);
	assert_arrivals(p, "main", 1);
	assert_arrivals(p, "other.c:16", 4);
	assert_arrivals(p, "other.c:10", 5);
}

static void optimised(void **state)
{
	static const char *const commands[] = {
		"gcc -g -O1 -o prog main.c other.c",
		"gcc -g -O2 -o prog main.c other.c",
		"gcc -g -O3 -gdwarf-4 -o prog main.c other.c",
		"gcc -g -Og -o prog main.c other.c",
		"gcc -g -Os -o prog main.c other.c",
		"clang -g -O1 -o prog main.c other.c",
		"gcc -g -O2 -flto -o prog main.c other.c",
	};
	struct program *p = *state;

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		print_message("%s\n", commands[i]);
		program_build(p, commands[i]);
		check_optimised(p);
	}
}

/* A large program has so many symbols that sorting them takes longer than everything else. */
static void symbols_are_left_alone(void **state)
{
	static const char *const locations[] = {"main",	     "helper#1",  "worker:+2",	"main.c:8",
						"main.c:22", "main.c:25", "other.c:11", "//loop"};
	struct program *p = *state;

	program_build(p, "gcc -g -o prog main.c other.c");
	for (size_t i = 0; i < sizeof(locations) / sizeof(*locations); i++) {
		assert_true(sites_of(p, locations[i]));
		if (p->modules[0]->symbols_loaded)
			fail_msg("%s has read them", locations[i]);
	}
}

static void errors_name_the_fault(void **state)
{
	struct program *p = *state;

	program_build(p, "gcc -g -o prog main.c other.c");
	assert_says(refusal_of(p, "main.c:5"), "main.c:5 has no code: it is empty");
	assert_says(p->err.text, "the nearest line that has is 7 (in helper)");
	assert_says(refusal_of(p, "main.c:11"), "are 10 (in helper) and 13 (in add3)");
	assert_says(refusal_of(p, "main.c:999"), "the file has 36 lines");
	assert_says(refusal_of(p, "helper"), "ambiguous, it matches 2");
	assert_says(p->err.text, "main.c:6");
	assert_says(p->err.text, "other.c:3");
	assert_says(refusal_of(p, "helper#3"), "are fewer matches");
	assert_int_equal(resolve(p, "mian"), SOURCE_NOT_FOUND);
	assert_says(p->err.text, "did you mean main?");
	assert_int_equal(resolve(p, "mian.c:3"), SOURCE_NOT_FOUND);
	assert_says(p->err.text, "did you mean main.c?");
	assert_int_equal(resolve(p, "libnot.so!main"), SOURCE_NOT_FOUND);
	assert_says(refusal_of(p, "*0x1"), "not in the code");
	sites_of(p, "worker");
	assert_int_equal(p->sites.items[0].kind, SOURCE_ENTRY);
	assert_int_equal(p->sites.items[0].line, 10);
}

static void texts_and_marks(void **state)
{
	struct program *p = *state;

	program_build(p, "gcc -g -o prog main.c other.c");
	assert_int_equal(sites_of(p, "main;g += helper"), 1);
	assert_int_equal(p->sites.items[0].line, 26);
	assert_int_equal(sites_of(p, "main;printf(*,g,h)"), 1);
	assert_int_equal(p->sites.items[0].line, 34);
	assert_int_equal(sites_of(p, "other.c;return a*7"), 1);
	assert_int_equal(sites_of(p, "main.c;return*+1"), 1);
	assert_says(refusal_of(p, "main;helper("), "ambiguous, it matches 3");
	assert_int_equal(sites_of(p, "main;helper(#1"), 1);
	assert_int_equal(p->sites.items[0].line, 26);
	assert_says(refusal_of(p, "worker;nothing like it"), "no line of worker");
	assert_says(refusal_of(p, "main;argc);#1"), "belongs to on line 27");
	assert_int_equal(sites_of(p, "//loop"), 1);
	assert_int_equal(p->sites.items[0].line, 23);
	assert_says(refusal_of(p, "//argument"), "belongs to on line 27");
	assert_says(refusal_of(p, "//macro"), "belongs to on line 30");
	assert_says(refusal_of(p, "//alone"), "only a comment");
	assert_says(p->err.text, "34 (in main)");
	assert_says(refusal_of(p, "//string"), "no source line carries the mark");
	program_write(p, "other.c", other_c);
}

/* `after`: a statement of several lines has been executed when its last part is left. */
static void multi_line_statement(void **state)
{
	struct program *p = *state;
	const struct source_site *s;

	program_build(p, "gcc -g -o prog main.c other.c");
	assert_int_equal(sites_of(p, "main.c:27"), 1);
	s = &p->sites.items[0];
	assert_int_equal(s->ranges.count, 1);
	assert_int_equal(s->exits.count, 1);
	assert_int_equal(s->exits.items[0], s->ranges.items[0].high);
}

static void symbols_only(void **state)
{
	struct program *p = *state;

	program_build(p, "gcc -o prog main.c other.c");
	assert_arrivals(p, "worker", 5);
	assert_arrivals(p, "worker%return", 5);
	assert_says(refusal_of(p, "helper"), "ambiguous");
	assert_int_equal(resolve(p, "main.c:8"), SOURCE_NOT_FOUND);
	assert_says(p->err.hint, "-g");
	assert_says(refusal_of(p, "worker:+1"), "no debug information");
	assert_says(refusal_of(p, "worker;x"), "no debug information");
	sites_of(p, "worker");

	uint64_t offset = p->sites.items[0].offset;
	uint32_t sum = module_code_sum(p->sites.items[0].module);
	char location[32];

	snprintf(location, sizeof(location), "*0x%llx", (unsigned long long)offset);
	assert_int_equal(sites_of(p, location), 1);
	snprintf(location, sizeof(location), "*0x%llx:%08x", (unsigned long long)offset, sum);
	assert_int_equal(sites_of(p, location), 1);
	snprintf(location, sizeof(location), "*0x%llx:%08x", (unsigned long long)offset, sum ^ 1);
	assert_says(refusal_of(p, location), "another build of prog");
	snprintf(location, sizeof(location), "*0x%llx", (unsigned long long)offset + 2);
	assert_says(refusal_of(p, location), "no instruction");
}

static const char crowd_c[] =
	"volatile int sink;\n"
	"static inline void both(int a)\n"
	"{\n"
	"\tint b = a * sink;\n"
	"\tsink = b > 3 ? b - a : b + a;\n"
	"}\n"
	"__attribute__((noinline)) void one(int a) { both(a); }\n"
	"__attribute__((noinline)) void two(int a) { both(a + 1); both(a); }\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"\t(void)argv;\n"
	"\tone(argc);\n"
	"\ttwo(argc);\n"
	"\tone(2);\n"
	"\treturn 0;\n"
	"}\n";

static void inlined_copies(void **state)
{
	static const char *const commands[] = {"gcc -g -O2 -o prog crowd.c",
					       "gcc -g -O2 -gdwarf-4 -o prog crowd.c",
					       "clang -g -O2 -o prog crowd.c"};
	struct program *p = *state;

	program_write(p, "crowd.c", crowd_c);
	for (int i = 0; i < 3; i++) {
		print_message("%s\n", commands[i]);
		program_build(p, commands[i]);
		assert_int_equal(sites_of(p, "both"), 3);
		assert_arrivals(p, "both", 4);
		assert_string_equal(p->sites.items[0].function, "both");
		assert_non_null(p->sites.items[0].inlined_into);
		assert_arrivals(p, "crowd.c:4", 4);
		assert_arrivals(p, "crowd.c:5", 4);
		assert_arrivals(p, "both;sink=b", 4);
		assert_says(refusal_of(p, "both%return"), "inlined wherever it is called");
	}
}

static const char tail_c[] = "int g;\n"
			     "__attribute__((noinline)) int end(int a) { g += a; return a; }\n"
			     "__attribute__((noinline)) int middle(int a)\n"
			     "{\n"
			     "\tif (a > 2)\n"
			     "\t\treturn end(a);\n"
			     "\tg = 3;\n"
			     "\treturn end(a) + 1;\n"
			     "}\n"
			     "int main(int argc, char **argv)\n"
			     "{\n"
			     "\t(void)argv;\n"
			     "\tmiddle(argc);\n"
			     "\tmiddle(argc - 3);\n"
			     "\treturn 0;\n"
			     "}\n";

static void tail_calls(void **state)
{
	struct program *p = *state;
	bool tail = false;

	program_write(p, "tail.c", tail_c);
	program_build(p, "gcc -g -O2 -fno-ipa-icf -o prog tail.c");
	assert_arrivals(p, "middle%return", 2);
	for (size_t i = 0; i < p->sites.count; i++)
		tail = tail || p->sites.items[i].kind == SOURCE_TAIL;
	assert_true(tail);
	assert_arrivals(p, "end%return", 2);
}

/* Two files with one name, and a library. */
static void which_file_which_module(void **state)
{
	struct program *p = *state;

	program_run(p, "mkdir -p a b");
	program_write(p, "a/util.c", "int ua(int x)\n{\n\treturn x + 1;\n}\n");
	program_write(
		p, "b/util.c",
		"int y;\nint ub(int x) {\n\treturn x - 1;\n}\nint more(void) { return y; }\n");
	program_write(p, "use.c",
		      "int ua(int), ub(int);\nint main(void)\n{\n"
		      "\treturn ua(1) + ub(0);\n}\n");
	program_build(p, "gcc -g -shared -fPIC -o libub.so b/util.c && "
			 "gcc -g -o prog use.c a/util.c ./libub.so");
	program_add(p, "libub.so");
	assert_says(refusal_of(p, "util.c:3"), "ambiguous, it matches 2");
	assert_int_equal(sites_of(p, "util.c:5"), 1);
	assert_ptr_equal(p->sites.items[0].module, p->modules[1]);
	assert_int_equal(sites_of(p, "b/util.c:3"), 1);
	assert_int_equal(sites_of(p, "util.c:3#1"), 1);
	assert_ptr_equal(p->sites.items[0].module, p->modules[0]);
	assert_int_equal(sites_of(p, "libub.so!util.c:3"), 1);
	assert_ptr_equal(p->sites.items[0].module, p->modules[1]);
	assert_int_equal(resolve(p, "libub.so!ua"), SOURCE_NOT_FOUND);
	assert_int_equal(sites_of(p, "ub"), 1);
}

static void addresses(void **state)
{
	struct program *p = *state;
	struct source_symbolised w;
	char *name;
	uint64_t offset;

	program_build(p, "gcc -g -o prog main.c other.c");
	sites_of(p, "other.c:11");
	offset = p->sites.items[0].offset;
	assert_true(source_symbolise(p->modules[0], offset, true, &w));
	assert_string_equal(w.function, "worker");
	assert_int_equal(w.line, 11);
	assert_says(w.file, "other.c");
	assert_true(w.start && w.start < offset);
	name = source_name_of(p->modules[0], offset);
	assert_says(name, "worker+0x");
	base_free(name);
	name = source_name_of(p->modules[0], w.start);
	assert_string_equal(name, "worker");
	base_free(name);
	source_symbolised_fini(&w);
	assert_false(source_symbolise(p->modules[0], 0x1, true, &w));
	assert_null(source_name_of(p->modules[0], 0x1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_version_and_compiler),
		cmocka_unit_test(other_containers),
		cmocka_unit_test(optimised),
		cmocka_unit_test(symbols_are_left_alone),
		cmocka_unit_test(errors_name_the_fault),
		cmocka_unit_test(texts_and_marks),
		cmocka_unit_test(multi_line_statement),
		cmocka_unit_test(symbols_only),
		cmocka_unit_test(inlined_copies),
		cmocka_unit_test(tail_calls),
		cmocka_unit_test(which_file_which_module),
		cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests(tests, setup, program_teardown);
}
