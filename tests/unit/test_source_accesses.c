/* Instructions of a module that may access shared memory, by line. */
#include "symbols_program.h"

#include "tracer/source/flow/flow.h"

static const char program[] = "int shared, others[8], *where;\n"       /* 1 */
			      "\n"				       /* 2 */
			      "_Thread_local int mine;\n"	       /* 3 */
			      "void touch(int n)\n"		       /* 4 */
			      "{\n"				       /* 5 */
			      "	int local = n, list[4];\n"	       /* 6 */
			      "	shared = local;\n"		       /* 7 */
			      "	local = n * 2.5;\n"		       /* 8 */
			      "	mine = local;\n"		       /* 9 */
			      "	*where = local;\n"		       /* 10 */
			      "	shared++;\n"			       /* 11 */
			      "	__sync_fetch_and_add(&shared, n);\n"   /* 12 */
			      "	__builtin_ia32_pause();\n"	       /* 13 */
			      "	list[n & 3] = local;\n"		       /* 14 */
			      "	local = n + shared;\n"		       /* 15 */
			      "	__sync_fetch_and_add(&local, 1);\n"    /* 16 */
			      "}\n"				       /* 17 */
			      "void aligned(int n, ...)\n"	       /* 18 */
			      "{\n"				       /* 19 */
			      "	_Alignas(64) volatile int wide[16];\n" /* 20 */
			      "	wide[0] = n;\n"			       /* 21 */
			      "	others[0] = 1;\n"		       /* 22 */
			      "}\n"				       /* 23 */
			      "int main(int argc, char **argv)\n"      /* 24 */
			      "{\n"				       /* 25 */
			      "	volatile int local = argc;\n"	       /* 26 */
			      "	where = &shared;\n"		       /* 27 */
			      "	touch(local);\n"		       /* 28 */
			      "	aligned(1, 2, 3, 4, 5, 6, 7, 8);\n"    /* 29 */
			      "	return 0;\n"			       /* 30 */
			      "}\n";

/* Without optimization: r reads, w writes, ! atomic, p PAUSE. */
static const char expected[] = "7:w 10:rw 11:rw 12:! 13:p 14:w 15:r 16:! 22:w 27:w ";

/* Variables of a frame whose address is passed on, and private ones. */
static const char frames[] = "void give(void *);\n"			 /* 1 */
			     "#define APART __attribute__((noinline))\n" /* 2 */
			     "struct pair { volatile long a, b; };\n"	 /* 3 */
			     "APART int both(void)\n"			 /* 4 */
			     "{\n"					 /* 5 */
			     "	volatile int own = 1;\n"		 /* 6 */
			     "	volatile int given = 1;\n"		 /* 7 */
			     "	give((void *)&given);\n"		 /* 8 */
			     "	own++;\n"				 /* 9 */
			     "	given = 2;\n"				 /* 10 */
			     "	own = 3;\n"				 /* 11 */
			     "	return given;\n"			 /* 12 */
			     "}\n"					 /* 13 */
			     "APART long second(void)\n"		 /* 14 */
			     "{\n"					 /* 15 */
			     "	struct pair p = {0, 0};\n"		 /* 16 */
			     "	give(&p);\n"				 /* 17 */
			     "	p.b = 5;\n"				 /* 18 */
			     "	return p.b;\n"				 /* 19 */
			     "}\n"					 /* 20 */
			     "APART long none(long n)\n"		 /* 21 */
			     "{\n"					 /* 22 */
			     "	volatile long own = n;\n"		 /* 23 */
			     "	own++;\n"				 /* 24 */
			     "	return own;\n"				 /* 25 */
			     "}\n"					 /* 26 */
			     "APART long wide(void)\n"			 /* 27 */
			     "{\n"					 /* 28 */
			     "	_Alignas(64) volatile long given = 0;\n" /* 29 */
			     "	volatile long own = 1;\n"		 /* 30 */
			     "	give((void *)&given);\n"		 /* 31 */
			     "	own++;\n"				 /* 32 */
			     "	return given;\n"			 /* 33 */
			     "}\n"					 /* 34 */
			     "int main(void)\n"				 /* 35 */
			     "{\n"					 /* 36 */
			     "	return both() + second() + none(1) + wide();\n"
			     "}\n";

enum { LINES = 40 };

struct seen {
	struct module *module;
	bool reads[LINES], writes[LINES], atomic[LINES], pauses[LINES];
	unsigned elsewhere, count;
	uint64_t last;
};

static void see(void *ctx, const struct source_access *a)
{
	struct seen *s = ctx;
	struct source_symbolised w;
	unsigned line = 0;

	assert_true(a->offset > s->last); /* each access once */
	s->last = a->offset;
	s->count++;
	if (source_symbolise(s->module, a->offset, true, &w))
		line = w.line;
	source_symbolised_fini(&w);
	s->elsewhere += line == 0 || line >= LINES;
	if (line >= LINES)
		return;
	s->reads[line] |= a->what.reads && !a->what.atomic;
	s->writes[line] |= a->what.writes && !a->what.atomic;
	s->atomic[line] |= a->what.atomic;
	s->pauses[line] |= a->what.pauses;
}

static char *told(const struct seen *s, char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (unsigned i = 1; i < LINES; i++)
		if (s->reads[i] || s->writes[i] || s->atomic[i] || s->pauses[i])
			at += (size_t)snprintf(text + at, size - at, "%u:%s%s%s%s ", i,
					       s->reads[i] ? "r" : "", s->writes[i] ? "w" : "",
					       s->atomic[i] ? "!" : "", s->pauses[i] ? "p" : "");
	return text;
}

static struct program p;

static int begin(void **state)
{
	(void)state;
	program_init(&p);
	program_write(&p, "prog.c", program);
	program_write(&p, "frames.c", frames);
	program_write(&p, "give.c", "void give(void *p) { (void)p; }\n");
	program_write(&p, "other.c", "int *other(int *p) { *p = 1; return p; }\n");
	return 0;
}

static int end(void **state)
{
	(void)state;
	program_fini(&p);
	return 0;
}

static struct seen seen_by(const char *command, bool described)
{
	struct seen s = {0};

	program_build(&p, command);
	s.module = p.modules[0];
	assert_true(source_accesses(s.module, described, see, &s));
	return s;
}

static void test_lines(void **state)
{
	static const char *const commands[] = {
		"gcc -g -O0 prog.c other.c -o prog",
		"clang -g -O0 prog.c -o prog",
		"clang -gline-tables-only -O0 prog.c -o prog",
		"gcc -g -O0 -no-pie prog.c -o prog",
		"gcc -g -O0 -static prog.c -o prog",
		"gcc -g -O0 -fomit-frame-pointer prog.c -o prog",
		"gcc -g -O0 -fcf-protection=none prog.c -o prog",
		"gcc -g -O0 -fno-asynchronous-unwind-tables prog.c -o prog", /* .debug_frame */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		struct seen s = seen_by(commands[i], true);
		char text[400];

		/* The prologue of `aligned` may read memory above its frame. */
		s.reads[18] = s.reads[19] = s.writes[18] = s.writes[19] = false;
		s.reads[1] = s.writes[1] = false; /* other.c */
		if (strcmp(told(&s, text, sizeof(text)), expected) != 0)
			fail_msg("%s: %s", commands[i], text);
		assert_int_equal(s.elsewhere, 0);
	}
}

static void test_frames(void **state)
{
	static const char *const compilers[] = {"gcc -g -O0",
						"gcc -g -O1",
						"gcc -g -O2",
						"gcc -g -Os",
						"clang -g -O0",
						"clang -g -O1",
						"clang -g -O2",
						"clang -gdwarf-4 -O2",
						"gcc -gdwarf-4 -O2 -fno-omit-frame-pointer",
						"clang -g -O2 -fno-omit-frame-pointer",
						"gcc -g -O0 -fomit-frame-pointer"};
	char command[120], text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++) {
		struct seen s;

		snprintf(command, sizeof(command), "%s frames.c give.c -o prog", compilers[i]);
		s = seen_by(command, true);
		s.reads[1] = s.writes[1] = false; /* give.c */
		if (!s.writes[10] || !s.reads[12] || !s.writes[18] || !s.reads[19] || !s.reads[33])
			fail_msg("%s: given, but not seen: %s", command,
				 told(&s, text, sizeof(text)));
		for (unsigned own = 0; own < LINES; own++)
			if ((own == 6 || own == 9 || own == 11 || (own > 21 && own < 26) ||
			     own == 30 || own == 32) &&
			    (s.reads[own] || s.writes[own]))
				fail_msg("%s: its own: %s", command, told(&s, text, sizeof(text)));
	}
}

/* Without types the size of a variable is unknown: all that may be passed on is shared. */
static void test_frames_without_types(void **state)
{
	static const char *const compilers[] = {"gcc -g1 -O0", "gcc -g1 -O2", "clang -g1 -O0",
						"clang -g1 -O2"};
	char command[120], text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++) {
		struct seen s;

		snprintf(command, sizeof(command), "%s frames.c give.c -o prog", compilers[i]);
		s = seen_by(command, true);
		if (!s.writes[10] || !s.reads[12] || !s.writes[18] || !s.reads[19] || !s.reads[33])
			fail_msg("%s: given, but not seen: %s", command,
				 told(&s, text, sizeof(text)));
		if (s.reads[24] || s.writes[24])
			fail_msg("%s: its own: %s", command, told(&s, text, sizeof(text)));
	}
}

/* Only code with line numbers, or all code. */
static void test_described(void **state)
{
	struct seen described, all;

	(void)state;
	program_run(&p, "gcc -O1 -c other.c");
	described = seen_by("gcc -g -O0 prog.c other.o -o prog", true);
	all = seen_by("gcc -g -O0 prog.c other.o -o prog", false);
	assert_int_equal(described.elsewhere, 0);
	assert_true(all.elsewhere > 0);
	assert_true(all.count > described.count);
}

static void test_without(void **state)
{
	struct seen s = {0};

	(void)state;
	program_build(&p, "gcc -O1 prog.c -o prog");
	s.module = p.modules[0];
	assert_false(source_accesses(p.modules[0], true, see, &s));
	assert_int_equal(s.count, 0);
	assert_true(source_accesses(p.modules[0], false, see, &s));
	assert_true(s.count > 5);
}

/* A function whose prologue was moved (shrink-wrapping), and data in .text. */
static void test_assembler(void **state)
{
	struct seen s = {0};

	(void)state;
	program_write(&p, "code.S",
		      ".text\n"				      /* 1 */
		      "table: .long 0x00008b48, 0x8b488b48\n" /* 2 */
		      ".globl main\nmain:\n"		      /* 3, 4 */
		      ".cfi_startproc\n"		      /* 5 */
		      "test %edi, %edi\n"		      /* 6 */
		      "je 1f\n"				      /* 7 */
		      "push %rbp\n"			      /* 8 */
		      ".cfi_def_cfa_offset 16\n"	      /* 9 */
		      "mov %rsp, %rbp\n"		      /* 10 */
		      ".cfi_def_cfa_register 6\n"	      /* 11 */
		      "movl $1, -4(%rbp)\n"		      /* 12 */
		      "movl $1, -4(%rbp,%rdi)\n"	      /* 13 */
		      "leave\n"				      /* 14 */
		      ".cfi_def_cfa 7, 8\n"		      /* 15 */
		      "1: ret\n"			      /* 16 */
		      ".cfi_endproc\n"			      /* 17 */
		      ".long 0x00008b48, 0x8b488b48\n"	      /* 18 */
		      ".globl g\ng:\n"			      /* 19, 20 */
		      ".cfi_startproc\n"		      /* 21 */
		      "movl $1, -4(%rbp)\n"		      /* 22 */
		      "ret\n"				      /* 23 */
		      ".cfi_endproc\n"			      /* 24 */
		      ".section .note.GNU-stack\n");
	s = seen_by("gcc -g code.S -o prog", true);
	assert_int_equal(s.count, 2);
	assert_true(s.writes[13] && s.writes[22]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lines, begin, end),
		cmocka_unit_test_setup_teardown(test_frames, begin, end),
		cmocka_unit_test_setup_teardown(test_frames_without_types, begin, end),
		cmocka_unit_test_setup_teardown(test_described, begin, end),
		cmocka_unit_test_setup_teardown(test_without, begin, end),
		cmocka_unit_test_setup_teardown(test_assembler, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
