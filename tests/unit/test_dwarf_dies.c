/* Names of C++ and Rust, source text, C++ programs, and malformed debug information. */
#include "symbols_spoil.h"

#include "tracer/source/names/names.h"
#include "tracer/source/lines/resolve.h"

/* ---- names ---------------------------------------------------------------------------------- */

static const struct {
	const char *wanted, *full;
	bool match;
} names[] = {
	{"f", "f", true},
	{"f", "ff", false},
	{"f", "ns::f", true},
	{"::f", "ns::f", false},
	{"::f", "f", true},
	{"::f", "(anonymous namespace)::f", true},
	{"f", "f(int)", true},
	{"f(int)", "f(int)", true},
	{"f(int)", "f(char)", false},
	{"f(void)", "f()", true},
	{"f( unsigned  int,char )", "f(unsigned int, char)", true},
	{"f(int)", "void ns::f<int>(int)", true},
	{"Queue::push", "app::Queue<int>::push(int)", true},
	{"app::Queue::push", "app::Queue<int>::push", true},
	{"Queue<int>::push", "app::Queue<int>::push", true},
	{"Queue<char>::push", "app::Queue<int>::push", false},
	{"Queue<std::map<int, char> >::push", "Queue<std::map<int,char>>::push", true},
	{"app::push", "app::Queue<int>::push", false},
	{"app::f", "app::(anonymous namespace)::f", true},
	{"(anonymous namespace)::f", "app::(anonymous namespace)::f(int)", true},
	{"std::string::size", "std::__cxx11::string::size", true},
	{"operator<", "A::operator<", true},
	{"operator<", "A::operator<<", false},
	{"operator<<", "A::operator<<(int)", true},
	{"operator<<", "A::operator<< <int>(int)", true},
	{"operator->", "P<int>::operator->", true},
	{"A::operator()", "main::A::operator()(int) const", true},
	{"operator int", "A::operator int() const", true},
	{"operator new", "operator new(unsigned long)", true},
	{"operator new", "operator new[](unsigned long)", false},
	{"~Queue", "app::Queue<int>::~Queue", true},
	{"Queue", "app::Queue<int>::~Queue", false},
	{"operatorf", "operatorf", true},
	{"name", "name[abi:cxx11]", true},
	{"name", "name[abi:cxx11](int)", true},
	{"Foo::bar", "crate::shop::{impl#2}::bar", false},
	{"shop::bar", "crate::shop::{impl#2}::bar", true},
	{"Foo::bar", "<crate::Foo as crate::Trait>::bar", true},
	{"oo::bar", "<crate::Foo as crate::Trait>::bar", false},
	{"<crate::Foo as crate::Trait>::bar", "<crate::Foo as crate::Trait>::bar", true},
	{"main::{closure#0}", "crate::main::{closure#0}", true},
};

static void names_that_match(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct name_parts wanted;

		print_message("%s in %s\n", names[i].wanted, names[i].full);
		names_split(names[i].wanted, &wanted);
		assert_int_equal(names_match(&wanted, names[i].full), names[i].match);
		names_fini(&wanted);
	}
}

static void same(char *made, const char *expected)
{
	assert_string_equal(made, expected);
	base_free(made);
}

static void names_in_short(void **state)
{
	(void)state;
	same(names_plain("void app::Queue<int>::push<char>(int) const"), "app::Queue::push");
	same(names_without_args("app::Queue<int>::push(int)"), "app::Queue<int>::push");
	same(names_plain("A::operator<<(int)"), "A::operator<<");
	same(names_plain("foo [clone .cold]"), "foo");
	same(names_plain(""), "");
}

static char *brief(const char *full, size_t most)
{
	struct str text = {0};

	names_brief(full, most, &text);
	return str_take(&text);
}

static void names_brief_for_messages(void **state)
{
	(void)state;
	same(brief("Queue<int>::push", 80), "Queue<int>::push");
	same(brief("Queue<int>::push", 4), "Queue<...>::push");
	same(brief("a::F<G<(1)>, H[2]>::operator()<int>", 4), "a::F<...>::operator()<...>");
	same(brief("a::operator<< <int>", 4), "a::operator<< <...>");
	same(brief("A<int>::operator->", 4), "A<...>::operator->");
	same(brief("<crate::Foo as crate::Trait>::run", 4), "<crate::Foo as crate::Trait>::run");
	same(brief("main::{lambda()#2}::operator()", 4), "main::{lambda()#2}::operator()");
	same(brief("cut<off", 4), "cut<...>");
	same(brief("Cache<std::__cxx11::basic_string<char, std::char_traits<char>, "
		   "std::allocator<char> >, "
		   "std::shared_ptr<std::vector<int, std::allocator<int> > > >::put",
		   80),
	     "Cache<std::string, std::shared_ptr<std::vector<int>>>::put");
	same(brief("Cache<std::map<long, A<B<C<int> > >, std::less<long>, std::allocator<int> > "
		   ">::put",
		   35),
	     "Cache<std::map<long, A<...>>>::put");
	same(brief("own<int, std::allocator<int> >::operator<< <std::less<int> >", 59),
	     "own<int, std::allocator<int>>::operator<< <std::less<int> >");
}

static void names_of_reports_match(void **state)
{
	const char *full = "A<std::vector<int, std::allocator<int> > >::f<char>";
	const char *const briefs[] = {"A<std::vector<int>>::f<char>", "A<...>::f<...>", "A<...>::f",
				      "A<std::vector<...>>::f"};

	(void)state;
	for (size_t i = 0; i < sizeof(briefs) / sizeof(*briefs); i++) {
		struct name_parts wanted;

		names_split(briefs[i], &wanted);
		assert_true(names_match(&wanted, full));
		assert_false(names_match(&wanted, "A<long>::g"));
		names_fini(&wanted);
	}
}

static void did_you_mean(void **state)
{
	struct suggestions s = {.wanted = "worker"};
	struct str text = {0};

	(void)state;
	suggest_offer(&s, "main");
	suggest_offer(&s, "wroker");
	suggest_offer(&s, "worker");
	suggest_offer(&s, "wroker");
	suggest_offer(&s, "Worker2");
	suggest_take(&s, &text);
	assert_string_equal(str_text(&text), "; did you mean wroker or Worker2?");
	str_fini(&text);
}

/* ---- source text ---------------------------------------------------------------------------- */

static const char *const source_lines[] = {
	"int f(int a) /* { */",		 /* 1 */
	"{",				 /* 2 */
	"	char c = '{'; // }",	 /* 3 */
	"	g(a,",			 /* 4 */
	"	  \"};\", // ;",	 /* 5 */
	"	  c);",			 /* 6 */
	"	for (int i = 0;",	 /* 7 */
	"	     i < 3; i++)",	 /* 8 */
	"		h();",		 /* 9 */
	"	/* gate: in_block",	 /* 10 */
	"	   gate:second */",	 /* 11 */
	"	puts(\"// gate: no\");", /* 12 */
	"	x(); // navigate: me",	 /* 13 */
	"}",				 /* 14 */
	"int k(void);",			 /* 15 */
};

static void ends_of_blocks_in_the_source(void **state)
{
	struct source_file f = {.path = NULL};
	unsigned opens = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(source_lines) / sizeof(*source_lines); i++)
		*array_add(&f.lines) = source_lines[i];
	assert_int_equal(source_block_end(&f, 1, &opens), 14);
	assert_int_equal(opens, 2);
	assert_int_equal(source_block_end(&f, 15, &opens), 0);
	assert_false(source_in_loop(&f, 1, 6));
	assert_true(source_in_loop(&f, 1, 7));
	assert_true(source_in_loop(&f, 1, 9));
	assert_false(source_in_loop(&f, 1, 10));
	assert_false(source_in_loop(&f, 1, 12));
	assert_false(source_in_loop(&f, 15, 15));
	assert_true(source_spans(&f, 4, 5));
	assert_true(source_spans(&f, 4, 6));
	assert_false(source_spans(&f, 4, 7));
	assert_true(source_spans(&f, 7, 8));
	assert_false(source_spans(&f, 3, 4));
	assert_true(source_no_code(&f, 10));
	assert_true(source_no_code(&f, 11));
	assert_false(source_no_code(&f, 5));
	assert_int_equal(source_mark(&f, "in_block", 1), 10);
	assert_int_equal(source_mark(&f, "second", 1), 11);
	assert_int_equal(source_mark(&f, "second", 12), 0);
	assert_int_equal(source_mark(&f, "sec", 1), 0);
	assert_int_equal(source_mark(&f, "no", 1), 0);
	assert_int_equal(source_mark(&f, "me", 1), 0);
	array_fini(&f.lines);
}

/* Lines on which a condition continues. */
static void expressions_over_lines(void **state)
{
	static const char *const lines[] = {
		"	if (a && b // ?",    /* 1 */
		"	    /* && */",	     /* 2 */
		"	    && c)",	     /* 3 */
		"		f(\"&&\",",  /* 4 */
		"		  d ||",     /* 5 */
		"#if 1",		     /* 6 */
		"		  e);",	     /* 7 */
		"	g = a ? b",	     /* 8 */
		"	      : c;",	     /* 9 */
		"label:",		     /* 10 */
		"	x = y &",	     /* 11 */
		"	    z;",	     /* 12 */
		"	p = q",		     /* 13 */
		"		::r;",	     /* 14 */
		"	for (int i = f(1);", /* 15 */
		"	for (int i : f())",  /* 16 */
		"	fork(1, 2,",	     /* 17 */
	};
	static const unsigned want[] = {3, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0};
	struct source_file f = {0};
	bool leads;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		*array_add(&f.lines) = lines[i];
	for (unsigned i = 0; i < sizeof(want) / sizeof(*want); i++)
		assert_int_equal(source_joined(&f, i + 1), want[i]);
	assert_int_equal(source_operator(&f, 3, &leads), 6);
	assert_true(leads);
	assert_int_equal(source_operator(&f, 5, &leads), 7);
	assert_false(leads);
	assert_int_equal(source_operator(&f, 9, &leads), 8);
	assert_int_equal(source_operator(&f, 4, &leads), 0);
	assert_int_equal(source_operator(&f, 14, &leads), 0);
	assert_int_equal(source_open_for(&f, 15), 2);
	assert_int_equal(source_open_for(&f, 16), 0);
	assert_int_equal(source_open_for(&f, 17), 0);
	array_fini(&f.lines);
}

static void text_without_blanks(void **state)
{
	(void)state;
	assert_true(source_contains("\tx = y +  1;", "x=y+1"));
	assert_true(source_contains("\tif (a && *p)", "if(a*p)"));
	assert_true(source_contains("abc", "a*c"));
	assert_true(source_contains("is it?", "it?"));
	assert_false(source_contains("is it!", "it?"));
	assert_false(source_contains("abc", "c*a"));
	assert_true(source_contains("p = **q;", "=**q"));
}

/* ---- C++ ------------------------------------------------------------------------------------ */

static const char queue_hpp[] = "#pragma once\n"				   /* 1 */
				"namespace app {\n"				   /* 2 */
				"template <typename T> class Queue {\n"		   /* 3 */
				"public:\n"					   /* 4 */
				"	Queue() : n(0) {}\n"			   /* 5 */
				"	~Queue();\n"				   /* 6 */
				"	void push(T v)\n"			   /* 7 */
				"	{\n"					   /* 8 */
				"		last = v;\n"			   /* 9 */
				"		n++;\n"				   /* 10 */
				"	}\n"					   /* 11 */
				"	bool operator<(int k) { return n < k; }\n" /* 12 */
				"	volatile int n;\n"			   /* 13 */
				"	T last;\n"				   /* 14 */
				"};\n"						   /* 15 */
				"template <typename T> Queue<T>::~Queue()\n"	   /* 16 */
				"{\n"						   /* 17 */
				"	n = 0;\n"				   /* 18 */
				"}\n"						   /* 19 */
				"inline namespace v1 {\n"			   /* 20 */
				"int over(int a);\n"				   /* 21 */
				"int over(char a);\n"				   /* 22 */
				"}\n"						   /* 23 */
				"}\n";

static const char queue_cpp[] =
	"#include \"queue.hpp\"\n"					/* 1 */
	"namespace {\n"							/* 2 */
	"volatile int x;\n"						/* 3 */
	"__attribute__((noinline)) int hidden(int a)\n"			/* 4 */
	"{\n"								/* 5 */
	"	return x + a;\n"					/* 6 */
	"}\n"								/* 7 */
	"template <class F> __attribute__((noinline)) void call(F f)\n" /* 8 */
	"{\n"								/* 9 */
	"	f(1);\n"						/* 10 */
	"	f(2);\n"						/* 11 */
	"}\n"								/* 12 */
	"}\n"								/* 13 */
	"int app::v1::over(int a)\n"					/* 14 */
	"{\n"								/* 15 */
	"	return hidden(a);\n"					/* 16 */
	"}\n"								/* 17 */
	"int app::v1::over(char a)\n"					/* 18 */
	"{\n"								/* 19 */
	"	return hidden(a + x);\n"				/* 20 */
	"}\n"								/* 21 */
	"int main()\n"							/* 22 */
	"{\n"								/* 23 */
	"	app::Queue<int> a;\n"					/* 24 */
	"	app::Queue<char> b;\n"					/* 25 */
	"	a.push(1);\n"						/* 26 */
	"	a.push(2);\n"						/* 27 */
	"	b.push('c');\n"						/* 28 */
	"	x = a < 3;\n"						/* 29 */
	"	call([](int k) {\n"					/* 30 */
	"		x += k; // gate: lambda\n"			/* 31 */
	"	});\n"							/* 32 */
	"	x += app::over(1);\n"					/* 33 */
	"	x += app::over('1');\n"					/* 34 */
	"	return 0;\n"						/* 35 */
	"}\n";

static void check_queue(struct program *p)
{
	assert_arrivals(p, "Queue::push", 3);
	assert_arrivals(p, "app::Queue<int>::push", 2);
	assert_arrivals(p, "Queue<char>::push", 1);
	assert_arrivals(p, "Queue::push:+3", 3);
	assert_arrivals(p, "Queue<int>::push:+3", 2);
	assert_arrivals(p, "Queue::push;n++", 3);
	assert_arrivals(p, "queue.hpp:10", 3);
	assert_arrivals(p, "~Queue", 2);
	assert_arrivals(p, "Queue::operator<", 1);
	assert_arrivals(p, "hidden", 2);
	assert_arrivals(p, "(anonymous namespace)::hidden", 2);
	assert_arrivals(p, "app::over(int)", 1);
	assert_arrivals(p, "app::v1::over(char)", 1);
	assert_says(refusal_of(p, "over"), "ambiguous, it matches 2");
	assert_arrivals(p, "over#2", 1);
	assert_arrivals(p, "call", 1);
	assert_arrivals(p, "//lambda", 2);
	assert_arrivals(p, "queue.cpp:30", 1);
	assert_arrivals(p, "main;over('1')", 1);
}

static void cplusplus(void **state)
{
	static const char *const commands[] = {
		"g++ -g -O0 -o prog queue.cpp",	    "g++ -gdwarf-4 -O2 -o prog queue.cpp",
		"g++ -g -O2 -o prog queue.cpp",	    "clang++ -g -O0 -o prog queue.cpp",
		"clang++ -g -O1 -o prog queue.cpp", "g++ -g -O2 -flto -o prog queue.cpp",
	};
	struct program *p = *state;

	program_write(p, "queue.hpp", queue_hpp);
	program_write(p, "queue.cpp", queue_cpp);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		print_message("%s\n", commands[i]);
		program_build(p, commands[i]);
		check_queue(p);
	}
}

/* ---- gcc's clones and halves of functions --------------------------------------------------- */

static const char part_c[] =
	"#include <stdio.h>\n"				   /* 1 */
	"volatile int n;\n"				   /* 2 */
	"static int check(int a)\n"			   /* 3 */
	"{\n"						   /* 4 */
	"	if (!a)\n"				   /* 5 */
	"		return 0;\n"			   /* 6 */
	"	for (int i = 0; i < a; i++) {\n"	   /* 7 */
	"		printf(\"%d %d\\n\", n, i);\n"	   /* 8 */
	"		printf(\"%d %d\\n\", n * 3, i);\n" /* 9 */
	"		printf(\"%d %d\\n\", n * 5, i);\n" /* 10 */
	"	}\n"					   /* 11 */
	"	n = a * 3;\n"				   /* 12 */
	"	return n;\n"				   /* 13 */
	"}\n"
	"__attribute__((noinline)) int u1(int a) { return check(a) + 1; }\n"
	"__attribute__((noinline)) int u2(int a) { return check(a + 1) + 2; }\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	(void)argv;\n"
	"	return u1(argc - 4) + u2(argc - 4) + u2(argc) == 0;\n"
	"}\n";

static void halves_of_functions(void **state)
{
	static const char *const commands[] = {
		"gcc -g -O2 -o prog part.c", "gcc -g -O3 -o prog part.c",
		"gcc -g -O2 -flto -o prog part.c", "clang -g -O2 -o prog part.c"};
	struct program *p = *state;

	program_write(p, "part.c", part_c);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		print_message("%s\n", commands[i]);
		program_build(p, commands[i]);
		assert_arrivals(p, "check", 3);
		assert_arrivals(p, "part.c:5", 3);
		assert_arrivals(p, "part.c:8", 6);
		assert_arrivals(p, "part.c:12", 2);
	}
}

static void split_dwarf(void **state)
{
	struct program *p = *state;

	program_build(p, "gcc -g -gsplit-dwarf -o prog part.c");
	assert_int_equal(sites_of(p, "part.c:8"), 1);
	assert_non_null(p->sites.items[0].function);
	program_build(p, "gcc -g -gsplit-dwarf -o prog part.c && rm *.dwo");
	assert_int_equal(sites_of(p, "part.c:8"), 1); /* lines and symbols remain */
	assert_int_equal(sites_of(p, "u1"), 1);
	assert_says(refusal_of(p, "u1:+1"), ".dwo is missing");
}

/*
 * ---- malformed debug information --------------------------------------------------------------
 */

/* Each query returns an answer or an error with a text, whatever the bytes are. */
static void ask_everything(struct program *p, void *ctx)
{
	static const char *const locations[] = {"part.c:8", "check",  "u2%return", "main:+1",
						"u1;check", "nosuch", "part.c:11"};

	(void)ctx;
	for (size_t i = 0; i < sizeof(locations) / sizeof(*locations); i++) {
		if (resolve(p, locations[i]) == SOURCE_FOUND)
			assert_true(p->sites.count > 0);
		else
			assert_true(p->err.code != ERROR_NONE && p->err.text[0]);
	}
	for (uint64_t offset = 0x1000; offset < 0x1300; offset += 0x20) {
		struct source_symbolised w;

		source_symbolise(p->modules[0], offset, true, &w);
		source_symbolised_fini(&w);
	}
}

static void survives_broken_bytes(void **state)
{
	static const char *const commands[] = {"gcc -g -O2 -o whole part.c",
					       "gcc -gdwarf-3 -O2 -o whole part.c",
					       "clang -g -O2 -o whole part.c"};
	static const char *const sections[] = {
		".debug_info",	   ".debug_abbrev", ".debug_str",	 ".debug_ranges",
		".debug_rnglists", ".debug_addr",   ".debug_str_offsets"};
	struct program *p = *state;

	for (int c = 0; c < 3; c++) {
		program_run(p, commands[c]);
		spoil_each(p, "whole", sections, 7, 150, ask_everything, NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_match),
		cmocka_unit_test(names_in_short),
		cmocka_unit_test(names_brief_for_messages),
		cmocka_unit_test(names_of_reports_match),
		cmocka_unit_test(did_you_mean),
		cmocka_unit_test(ends_of_blocks_in_the_source),
		cmocka_unit_test(expressions_over_lines),
		cmocka_unit_test(text_without_blanks),
		cmocka_unit_test(cplusplus),
		cmocka_unit_test(halves_of_functions),
		cmocka_unit_test(split_dwarf),
		cmocka_unit_test(survives_broken_bytes),
	};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
