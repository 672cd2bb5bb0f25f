/* Where variables are whatever the call: what stands there is what they are, and who depends on more than a frame has no such place. */
#include "symbols_stopped.h"

static const char
	spots_c[] =
		"struct pair { int a; unsigned b : 3; };\n"				    /* 1 */
		"enum colour { RED, GREEN };\n"						    /* 2 */
		"short total = 5; static unsigned long wide = 6; __thread int mark = 7;\n"  /* 3 */
		"static enum colour colour; static _Bool truth; static struct pair pair;\n" /* 4 */
		"static double number; static int *volatile pointer; _Atomic int counter = 8;\n" /* 5 */
		"__attribute__((noinline)) int work(int n, long at, char c, int *p)\n" /* 6 */
		"{\n"								       /* 7 */
		"	int local = n * 10, room[n + 1], kept = *p;\n"		       /* 8 */
		"	__asm__ volatile(\"\" : \"+r\"(local), \"+r\"(kept) : \"r\"(room) : "
		"\"memory\");\n"		  /* 9 */
		"	total += (short)local;\n" /* 10 */
		"	__asm__ volatile(\"\" :: \"r\"(local), \"r\"(kept), \"r\"(at), \"r\"(c) : "
		"\"memory\");\n"							 /* 11 */
		"	return n ? work(n - 1, at + 1, c, &local) + kept : (int)wide;\n" /* 12 */
		"}\n"									 /* 13 */
		"int main(int argc, char **argv)\n"					 /* 14 */
		"{\n"									 /* 15 */
		"	int first = 3;\n"						 /* 16 */
		"	(void)argv, (void)colour, (void)truth, (void)pair, (void)number, "
		"(void)pointer;\n"						     /* 17 */
		"	return work(argc + 5, 100, 'c', &first) + mark + counter;\n" /* 18 */
		"}\n";

/* What the spot says is there now. */
static int64_t value_at(struct stopped *s, const struct inspect_spot *spot)
{
	int64_t value = 0;
	uint64_t at = (uint64_t)spot->add;
	unsigned unused = 64 - 8 * spot->size;

	if (spot->kind != INSPECT_AT_ADDRESS)
		at += s->call.frame.regs[spot->reg];
	if (spot->kind == INSPECT_IN_REGISTER)
		value = (int64_t)s->call.frame.regs[spot->reg];
	else
		assert_int_equal(read_memory(s, at, &value, spot->size), 0);
	value = (int64_t)((uint64_t)value << unused);
	return spot->is_signed ? value >> unused : (int64_t)((uint64_t)value >> unused);
}

static const char *const good[] = {"n", "at", "c", "local", "kept", "total", "wide", "counter"};
static const char *const bad[] = {"mark",    "colour", "truth", "pair",	 "number",
				  "pointer", "p",      "room",	"nosuch"};
enum { GOOD = sizeof(good) / sizeof(*good), BAD = sizeof(bad) / sizeof(*bad) };

static void check(struct program *p)
{
	struct inspect_spot spot;
	struct inspect_value v;
	struct stopped s;

	if (!stop_at(&s, p, "spots.c:10"))
		return;
	for (size_t i = 0; i < GOOD; i++) {
		if (inspect_variable(&s.call, good[i], &v, &s.err) < 0)
			continue; /* it is dropped here */
		if (inspect_spot(&s.call, good[i], 0, &spot) < 0)
			fail_msg("%s has no spot", good[i]);
		assert_int_equal(spot.size, v.type->size);
		assert_int_equal(value_at(&s, &spot), number_in(&s, &v));
		assert_int_equal(spot.kind == INSPECT_AT_ADDRESS,
				 strcmp(good[i], "total") == 0 || strcmp(good[i], "wide") == 0 ||
					 strcmp(good[i], "counter") == 0);
	}
	for (size_t i = 0; i < BAD; i++)
		if (inspect_spot(&s.call, bad[i], 0, &spot) == 0)
			fail_msg("%s has a spot", bad[i]);
	if (inspect_argument(&s.call, 1, &v, &s.err) == 0) {
		assert_int_equal(inspect_spot(&s.call, NULL, 1, &spot), 0);
		assert_int_equal(value_at(&s, &spot), 100);
	}
	assert_int_equal(inspect_spot(&s.call, NULL, 3, &spot), -1);
	assert_int_equal(inspect_spot(&s.call, NULL, 4, &spot), -1);
	s.call.frame.level = 1;
	assert_int_equal(inspect_spot(&s.call, "total", 0, &spot), -1);
	let_go(&s);
}

static void spots(void **state)
{
	static const char *const builds[] = {"gcc -O0",
					     "gcc -O1",
					     "gcc -O2",
					     "clang -O0",
					     "clang -O1",
					     "clang -O2",
					     "gcc -O0 -fomit-frame-pointer",
					     "gcc -O0 -no-pie"};
	struct program *p = *state;

	program_write(p, "spots.c", spots_c);
	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		char command[160];

		snprintf(command, sizeof(command), "%s -g -o prog spots.c", builds[i]);
		print_message("%s\n", command);
		program_build(p, command);
		check(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(spots)};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
