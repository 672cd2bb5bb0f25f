/*
 * Variables by name, in programs compiled and stopped for the test, and the errors for variables
 * without a value.
 */
#include "symbols_stopped.h"

/* ---- C, at -O0 ------------------------------------------------------------------------------- */

static const char scopes_c[] = "#include \"other.h\"\n"					   /* 1 */
			       "int shared = 4;\n"					   /* 2 */
			       "static int mine = 5;\n"					   /* 3 */
			       "__thread long mark = 6;\n"				   /* 4 */
			       "extern int far_away;\n"					   /* 5 */
			       "int work(int x, double d, char c)\n"			   /* 6 */
			       "{\n"							   /* 7 */
			       "	int i = x;\n"					   /* 8 */
			       "	static int calls = 70;\n"			   /* 9 */
			       "	for (int i = 20; i < 22; i++) {\n"		   /* 10 */
			       "		extern int hidden_here;\n"		   /* 11 */
			       "		int inner = i + hidden_here + far_away;\n" /* 12 */
			       "		calls += inner;\n"			   /* 13 */
			       "	}\n"						   /* 14 */
			       "	calls += i + mine + (int)d + c + (int)mark;\n"	   /* 15 */
			       "	return calls + shared + other();\n"		   /* 16 */
			       "}\n"							   /* 17 */
			       "int main(int argc, char **argv)\n"			   /* 18 */
			       "{\n"							   /* 19 */
			       "	(void)argv;\n"					   /* 20 */
			       "	return work(argc, 2.5, 'c') == 0;\n"		   /* 21 */
			       "}\n";

static const char other_c[] = "#include \"other.h\"\n"
			      "int far_away = 8, hidden_here = 9;\n"
			      "static int twice = 11;\n"
			      "static int lonely = 12;\n"
			      "int other(void) { return twice + lonely; }\n";

static const char third_c[] = "static int twice = 13;\n"
			      "int third(void) { return twice; }\n";

static void check_scopes(struct program *p)
{
	struct stopped s;
	size_t reads;

	if (!stop_at(&s, p, "scopes.c:13"))
		return;
	assert_variable(&s, "i", 20);
	assert_variable(&s, "inner", 37);
	assert_variable(&s, "hidden_here", 9);
	assert_variable(&s, "x", 4);
	assert_variable(&s, "d", 25);
	assert_variable(&s, "calls", 70);
	assert_variable(&s, "mine", 5);
	assert_variable(&s, "shared", 4);
	assert_variable(&s, "mark", 6);
	assert_variable(&s, "far_away", 8);
	assert_variable(&s, "lonely", 12);
	assert_variable(&s, "'third.c'::twice", 13);
	assert_argument(&s, 0, 4);
	assert_argument(&s, 1, 25);
	assert_argument(&s, 2, 'c');
	assert_says(refused(&s, "twice"), "ambiguous");
	assert_says(s.err.text, "other.c:3");
	assert_says(s.err.text, "third.c:1");
	assert_says(refused(&s, "innre"), "no variable 'innre' here; did you mean inner");
	assert_says(refused(&s, "INNER"), "did you mean inner");
	assert_says(refused(&s, "zzzzzzzzzz"), "here; in scope are ");
	assert_global(&s, "shared", 4);
	assert_global(&s, "mine", 5);
	assert_global(&s, "mark", 6);
	assert_global(&s, "'other.c'::twice", 11);
	assert_says(refused_global(&s, "twice"), "ambiguous");
	assert_says(refused_global(&s, "inner"), "no variable 'inner' in the program");
	assert_says(refused_global(&s, "shraed"), "did you mean shared");
	reads = s.reads;
	for (int i = 0; i < 1000; i++) {
		struct inspect_value v;

		assert_int_equal(inspect_variable(&s.call, "inner", &v, &s.err), 0);
	}
	assert_true(s.reads - reads <= 1000);
	let_go(&s);
	if (!stop_at(&s, p, "scopes.c:15"))
		return;
	assert_variable(&s, "i", 4);
	assert_says(refused(&s, "inner"), "not in scope here");
	let_go(&s);
}

static void scopes_of_c(void **state)
{
	static const char *const compilers[] = {"gcc -gdwarf-4", "gcc -gdwarf-5", "clang -gdwarf-4",
						"clang -gdwarf-5"};
	struct program *p = *state;

	program_write(p, "scopes.c", scopes_c);
	program_write(p, "other.c", other_c);
	program_write(p, "other.h", "int other(void);\n");
	program_write(p, "third.c", third_c);
	for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++) {
		char command[160];

		snprintf(command, sizeof(command), "%s -O0 -o prog scopes.c other.c third.c",
			 compilers[i]);
		print_message("%s\n", command);
		program_build(p, command);
		check_scopes(p);
	}
}

/* ---- C, optimised ---------------------------------------------------------------------------- */

static const char fast_c[] =
	"#include <stdio.h>\n"							      /* 1 */
	"#include <stdlib.h>\n"							      /* 2 */
	"#define KEEP(x) __asm__ volatile(\"\" ::\"r\"(x))\n"			      /* 3 */
	"struct pair { long a, b; };\n"						      /* 4 */
	"volatile int sink;\n"							      /* 5 */
	"static inline __attribute__((always_inline)) int twice(int n, int unused)\n" /* 6 */
	"{\n"									      /* 7 */
	"	int doubled = n * 2;\n"						      /* 8 */
	"	sink = doubled;\n"						      /* 9 */
	"	sink += 1;\n"							      /* 10 */
	"	return doubled;\n"						      /* 11 */
	"}\n"									      /* 12 */
	"__attribute__((noinline)) long work(int x, struct pair q, double d)\n"	      /* 13 */
	"{\n"									      /* 14 */
	"	const int five = 5;\n"						      /* 15 */
	"	int dead = x * 12345;\n"					      /* 16 */
	"	int i = twice(x, 7);\n"						      /* 17 */
	"	int k = twice(x + 10, 8);\n"					      /* 18 */
	"	sink = (int)d;\n"						      /* 19 */
	"	KEEP(q.a);\n"							      /* 20 */
	"	KEEP(q.b);\n"							      /* 21 */
	"	return i + k + q.a * q.b + five + (long)d;\n"			      /* 22 */
	"}\n"									      /* 23 */
	"int main(int argc, char **argv)\n"					      /* 24 */
	"{\n"									      /* 25 */
	"	struct pair p = {argc * 100, argc};\n"				      /* 26 */
	"	(void)argv;\n"							      /* 27 */
	"	return work(argc, p, argc + 0.5) == 0;\n"			      /* 28 */
	"}\n";

/* Checks two words in two registers. */
static void assert_pair(struct stopped *s, const char *name, long a, long b)
{
	struct inspect_value v;
	long both[2];

	if (inspect_variable(&s->call, name, &v, &s->err) < 0)
		fail_msg("%s: %s", name, s->err.text);
	if (value_read(&v, 0, both, sizeof(both), &s->err) < 0)
		fail_msg("%s: %s", name, s->err.text);
	assert_int_equal(both[0], a);
	assert_int_equal(both[1], b);
}

static void check_fast(struct program *p)
{
	struct inspect_value v;
	struct stopped s;

	if (!stop_at(&s, p, "work"))
		return;
	assert_variable(&s, "x", 4);
	assert_variable(&s, "d", 45);
	assert_variable(&s, "five", 5);
	assert_pair(&s, "q", 400, 4);
	assert_argument(&s, 0, 4);
	assert_argument(&s, 2, 45);
	/* clang describes how to compute it, gcc that it is optimised out. */
	if (inspect_variable(&s.call, "dead", &v, &s.err) == 0)
		assert_int_equal(number_in(&s, &v), 4 * 12345);
	else
		assert_says(s.err.text, "dead: optimised out at this line, and at every other");
	assert_says(refused(&s, "k"), "it lives at ");
	assert_says(s.err.text, "fast.c:");
	let_go(&s);
	if (!stop_at(&s, p, "fast.c:10#1"))
		return;
	assert_variable(&s, "doubled", 8);
	assert_says(refused(&s, "five"), "no variable 'five'");
	s.call.depth++;
	assert_variable(&s, "five", 5);
	assert_says(refused(&s, "doubled"), "no variable 'doubled'");
	let_go(&s);
}

static void optimised_variables(void **state)
{
	static const char *const compilers[] = {"gcc -gdwarf-4 -O2", "gcc -gdwarf-5 -O2",
						"clang -gdwarf-4 -O2", "clang -gdwarf-5 -O2",
						"gcc -gdwarf-5 -O2 -flto"};
	struct program *p = *state;

	program_write(p, "fast.c", fast_c);
	for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++) {
		char command[160];

		snprintf(command, sizeof(command), "%s -o prog fast.c", compilers[i]);
		print_message("%s\n", command);
		program_build(p, command);
		check_fast(p);
	}
}

/* ---- C++ ------------------------------------------------------------------------------------- */

static const char objects_cpp[] =
	"namespace app {\n"						    /* 1 */
	"int count = 30;\n"						    /* 2 */
	"namespace { int secret = 31; }\n"				    /* 3 */
	"inline namespace v1 { int version = 32; }\n"			    /* 4 */
	"struct Base { int low = 40; };\n"				    /* 5 */
	"struct Box : Base {\n"						    /* 6 */
	"	static int made;\n"					    /* 7 */
	"	static const int limit = 42;\n"				    /* 8 */
	"	int high = 41;\n"					    /* 9 */
	"	int work(int count2);\n"				    /* 10 */
	"	static int of_class();\n"				    /* 11 */
	"};\n"								    /* 12 */
	"int Box::made = 43;\n"						    /* 13 */
	"int Box::work(int count2)\n"					    /* 14 */
	"{\n"								    /* 15 */
	"	int sum = count + secret + version + made + limit;\n"	    /* 16 */
	"	auto add = [this, sum](int k) {\n"			    /* 17 */
	"		int r = k + sum;\n"				    /* 18 */
	"		return r + high;\n"				    /* 19 */
	"	};\n"							    /* 20 */
	"	sum += add(count2);\n"					    /* 21 */
	"	return sum + low;\n"					    /* 22 */
	"}\n"								    /* 23 */
	"int Box::of_class()\n"						    /* 24 */
	"{\n"								    /* 25 */
	"	return made;\n"						    /* 26 */
	"}\n"								    /* 27 */
	"}\n"								    /* 28 */
	"namespace other { int elsewhere = 33; int count = 34; }\n"	    /* 29 */
	"using namespace other;\n"					    /* 30 */
	"int main(int argc, char **)\n"					    /* 31 */
	"{\n"								    /* 32 */
	"	app::Box b;\n"						    /* 33 */
	"	int r = b.work(argc) + elsewhere + app::Box::of_class();\n" /* 34 */
	"	return r + count == 0;\n"				    /* 35 */
	"}\n";

static void check_objects(struct program *p)
{
	struct stopped s;

	if (!stop_at(&s, p, "objects.cpp:21"))
		return;
	assert_variable(&s, "count2", 4);
	assert_variable(&s, "count", 30);
	assert_variable(&s, "secret", 31);
	assert_variable(&s, "version", 32);
	assert_variable(&s, "made", 43);
	assert_variable(&s, "limit", 42);
	assert_variable(&s, "high", 41);
	assert_variable(&s, "low", 40);
	assert_variable(&s, "sum", 178);
	assert_variable(&s, "Box::made", 43);
	assert_variable(&s, "app::Box::made", 43);
	assert_variable(&s, "::other::count", 34);
	assert_argument(&s, 0, 4);
	assert_says(refused(&s, "::secret"), "no variable");
	assert_global(&s, "app::count", 30);
	assert_global(&s, "Box::made", 43);
	assert_global(&s, "secret", 31);
	assert_says(refused_global(&s, "count"), "ambiguous");
	let_go(&s);
	if (!stop_at(&s, p, "objects.cpp:19"))
		return;
	assert_variable(&s, "r", 182);
	assert_variable(&s, "sum", 178);
	assert_variable(&s, "high", 41);
	assert_variable(&s, "low", 40);
	let_go(&s);
	if (!stop_at(&s, p, "objects.cpp:26"))
		return;
	assert_variable(&s, "made", 43);
	let_go(&s);
	if (!stop_at(&s, p, "objects.cpp:35"))
		return;
	assert_variable(&s, "elsewhere", 33);
	assert_variable(&s, "count", 34);
	let_go(&s);
}

static void objects_of_cplusplus(void **state)
{
	static const char *const compilers[] = {"g++ -gdwarf-4", "g++ -gdwarf-5",
						"clang++ -gdwarf-4", "clang++ -gdwarf-5"};
	struct program *p = *state;

	program_write(p, "objects.cpp", objects_cpp);
	for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++) {
		char command[160];

		snprintf(command, sizeof(command), "%s -std=c++17 -O0 -o prog objects.cpp",
			 compilers[i]);
		print_message("%s\n", command);
		program_build(p, command);
		check_objects(p);
	}
}

/* ---- several modules, and modules without debug information ---------------------------------- */

static const char uses_c[] = "extern int copied, moved;\n"
			     "int both = 50;\n"
			     "int library(int k);\n"
			     "int main(int argc, char **argv)\n"
			     "{\n"
			     "	(void)argv;\n"
			     "	copied += argc;\n"
			     "	moved++;\n"
			     "	both++;\n"
			     "	return library(both) == 0;\n" /* 10 */
			     "}\n";

static const char library_c[] = "int copied = 60, moved = 61, both = 51;\n"
				"static int inside = 62;\n"
				"int library(int k)\n"
				"{\n"
				"	return k + copied + moved + both + inside;\n"
				"}\n";

static void variables_of_libraries(void **state)
{
	struct program *p = *state;
	struct stopped s;

	program_write(p, "uses.c", uses_c);
	program_write(p, "library.c", library_c);
	program_run(p, "gcc -g -O0 -shared -fpic -o libvars.so library.c");
	program_build(p, "gcc -g -O0 -fno-pic -no-pie -o prog uses.c -L. -lvars -Wl,-rpath,$PWD");
	program_add(p, "libvars.so");
	if (!stop_at(&s, p, "uses.c:10"))
		return;
	assert_variable(&s, "copied", 64);
	assert_variable(&s, "moved", 62);
	assert_variable(&s, "both", 51);
	assert_variable(&s, "inside", 62);
	assert_global(&s, "both", 51);
	assert_global(&s, "copied", 64);
	let_go(&s);
	program_run(p, "strip --strip-debug libvars.so && strip --strip-debug prog");
	program_close(p);
	program_add(p, "prog");
	program_add(p, "libvars.so");
	if (!stop_at(&s, p, "main"))
		return;
	assert_variable(&s, "copied", 60);
	assert_variable(&s, "inside", 62);
	let_go(&s);
}

/* A static variable of the program, and of a library with a separate debug file, as in Debian. */
static const char private_c[] = "static int count = 70, other = 71;\n"
				"int library(int k);\n"
				"int main(void)\n"
				"{\n"
				"	return library(count + other) == 0;\n" /* 5 */
				"}\n";

static const char systems_c[] =
	"__thread int each = 72;\n"
	"int shown = 73;\n"
	"static int other = 74;\n"
	"int my_count = 75;\n"
	"int library(int k) { return k + each + shown + other + my_count; }\n";

/* Reading it all takes long, while other threads run. */
static void debug_files_of_libraries_are_last(void **state)
{
	struct program *p = *state;
	struct stopped s;

	program_write(p, "private.c", private_c);
	program_write(p, "systems.c", systems_c);
	program_run(p, "gcc -g -O0 -shared -fpic -o libapart.so systems.c && "
		       "objcopy --only-keep-debug libapart.so libapart.debug && "
		       "objcopy -S --add-gnu-debuglink=libapart.debug libapart.so");
	program_build(p, "gcc -g -O0 -o prog private.c -L. -lapart -Wl,-rpath,$PWD");
	program_add(p, "libapart.so");
	if (!stop_at(&s, p, "private.c:5"))
		return;
	assert_global(&s, "count", 70);
	assert_global(&s, "other", 71);
	assert_null(p->modules[1]->dies);
	assert_global(&s, "shown", 73);
	assert_non_null(p->modules[1]->dies);
	assert_says(refused_global(&s, "each"), "thread-local"); /* the module has no such symbol */
	let_go(&s);
}

/* C's variable-length arrays. */
static void arrays_of_any_length(void **state)
{
	static const char *const compilers[] = {"gcc", "clang"};
	struct program *p = *state;
	struct inspect_value v;
	struct stopped s;

	program_write(p, "length.c",
		      "int f(int n) { int a[n]; int b[n + 1][n + 2]; a[0] = 7; b[0][0] = 8;\n"
		      "	return a[0] + b[0][0]; }\n"
		      "int main(int argc, char **argv) { (void)argv; return f(argc) == 0; }\n");
	for (int i = 0; i < 2; i++) {
		char command[64];

		snprintf(command, sizeof(command), "%s -g -O0 -o prog length.c", compilers[i]);
		program_build(p, command);
		if (!stop_at(&s, p, "length.c:2"))
			return;
		assert_int_equal(inspect_variable(&s.call, "a", &v, &s.err), 0);
		assert_int_equal(v.type->count, 4);
		assert_int_equal(inspect_variable(&s.call, "b", &v, &s.err), 0);
		assert_int_equal(v.type->count, 5);
		assert_int_equal(v.type->of->count, 6);
		let_go(&s);
	}
}

static void code_without_dwarf(void **state)
{
	struct program *p = *state;
	struct inspect_value v;
	struct stopped s;
	char location[32];
	uint64_t offset;

	program_write(
		p, "bare.c",
		"char table[10] = \"nine char\"; short two = 2; long eight = 8;\n"
		"__attribute__((noinline)) int f(int a, long b) { return a + b + two; }\n"
		"int main(int argc, char **argv) { (void)argv; return f(argc, 90) + eight; }\n");
	program_build(p, "gcc -O0 -o prog bare.c");
	assert_int_equal(module_symbol(p->modules[0], "f", &offset, NULL), 0);
	snprintf(location, sizeof(location), "*0x%" PRIx64, offset);
	if (!stop_at(&s, p, location))
		return;
	assert_argument(&s, 0, 4);
	assert_argument(&s, 1, 90);
	assert_variable(&s, "two", 2);
	assert_global(&s, "eight", 8);
	assert_int_equal(inspect_global(&s.program, NULL, "table", &v, &s.err), 0);
	assert_int_equal(v.type->kind, TYPE_ARRAY);
	assert_int_equal(v.type->size, 10);
	assert_int_equal(inspect_argument(&s.call, 6, &v, &s.err), -1);
	s.call.frame.pc++;
	assert_int_equal(inspect_argument(&s.call, 0, &v, &s.err), -1);
	assert_says(s.err.text, "no debug information");
	let_go(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scopes_of_c),
		cmocka_unit_test(optimised_variables),
		cmocka_unit_test(objects_of_cplusplus),
		cmocka_unit_test(variables_of_libraries),
		cmocka_unit_test(debug_files_of_libraries_are_last),
		cmocka_unit_test(arrays_of_any_length),
		cmocka_unit_test(code_without_dwarf),
	};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
