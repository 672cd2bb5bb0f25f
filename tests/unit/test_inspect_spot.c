/*
 * Fixed locations ("spots") of variables: their contents equal the variables; a variable that
 * depends on more than a frame has none.
 */
#include "symbols_stopped.h"

static const char spots_c[] = "struct pair { int a; unsigned b : 3; struct pair *next; short "
			      "row[3]; union { long u; "
			      "char v; }; };\n" /* 1 */
			      "enum colour { RED, GREEN }; struct wide { char room[5000]; int far; "
			      "};\n" /* 2 */
			      "short total = 5; static unsigned long wide = 6; __thread int mark = "
			      "7;\n" /* 3 */
			      "static enum colour colour; _Bool truth = 1; static struct "
			      "pair pair = {3};\n" /* 4 */
			      "static double number; static int *volatile pointer; _Atomic int "
			      "counter = 8;\n" /* 5 */
			      "__attribute__((noinline)) int work(int n, long at, char c, int *p, "
			      "struct pair *list)\n"			       /* 6 */
			      "{\n"					       /* 7 */
			      "	int local = n * 10, room[n + 1], kept = *p;\n" /* 8 */
			      "	__asm__ volatile(\"\" : \"+r\"(local), \"+r\"(kept) : \"r\"(room) "
			      ": "
			      "\"memory\");\n"		  /* 9 */
			      "	total += (short)local;\n" /* 10 */
			      "	__asm__ volatile(\"\" :: \"r\"(local), \"r\"(kept), \"r\"(at), "
			      "\"r\"(c), \"r\"(list) : "
			      "\"memory\");\n" /* 11 */
			      "	return n ? work(n - 1, at + 1, c, &local, list) + kept : "
			      "(int)wide;\n" /* 12 */
			      "}\n"	     /* 13 */
			      "static struct wide vast; struct wide *large = &vast; struct pair "
			      "*const first = &pair;\n"		  /* 14 */
			      "int main(int argc, char **argv)\n" /* 15 */
			      "{\n"				  /* 16 */
			      "	int begin = 3; struct pair second = {4, 1, &pair, {7, 8, 9}, "
			      "{-10}};\n" /* 17 */
			      "	(void)argv, (void)colour, (void)number, (void)pointer; pair.next = "
			      "&second; pair.u = 11;\n" /* 18 */
			      "	return work(argc + 5, 100, 'c', &begin, &second) + mark + counter "
			      "+ truth + large->far + first->a;\n" /* 19 */
			      "}\n";

/* The value at the spot. */
static int64_t value_at(struct stopped *s, const struct inspect_spot *spot)
{
	unsigned size = spot->hops ? 8 : spot->size, unused = 64 - 8 * spot->size;
	uint64_t at = (uint64_t)spot->add, value = 0;

	if (spot->kind != INSPECT_AT_ADDRESS)
		at += s->call.frame.regs[spot->reg];
	if (spot->kind == INSPECT_IN_REGISTER)
		value = s->call.frame.regs[spot->reg];
	else
		assert_int_equal(read_memory(s, at, &value, size), 0);
	for (unsigned i = 0; i < spot->hops; i++) {
		at = value + (uint64_t)spot->hop[i];
		value = 0;
		assert_int_equal(read_memory(s, at, &value, i + 1 < spot->hops ? 8 : spot->size),
				 0);
	}
	value <<= unused;
	return spot->is_signed ? (int64_t)value >> unused : (int64_t)(value >> unused);
}

/* Parses a path such as a user writes into steps. */
static size_t steps_of(const char *text, char *room, struct inspect_step steps[8])
{
	size_t count = 0;

	for (char *word = strtok(strcpy(room, text), "."); word; word = strtok(NULL, ".")) {
		bool number = word[0] >= '0' && word[0] <= '9';

		steps[count++] = (struct inspect_step){number ? NULL : word,
						       number ? strtoul(word, NULL, 10) : 0};
	}
	return count;
}

static int spot_of(struct stopped *s, const char *text, struct inspect_spot *out)
{
	struct inspect_step steps[8];
	char room[64];

	return inspect_spot(&s->call, steps, steps_of(text, room, steps), out);
}

static int value_of(struct stopped *s, const char *text, struct inspect_value *out)
{
	struct inspect_step steps[8];
	char room[64];
	size_t count = steps_of(text, room, steps);
	int answer = inspect_variable(&s->call, steps[0].name, out, &s->err);

	for (size_t i = 1; answer == 0 && i < count; i++) {
		struct inspect_value from = *out;

		answer = steps[i].name
				 ? inspect_field(&from, steps[i].name, out, &s->err)
				 : inspect_element(&from, (int64_t)steps[i].number, out, &s->err);
	}
	return answer;
}

static const char *const good[] = {
	"n",
	"at",
	"c",
	"local",
	"kept",
	"total",
	"wide",
	"counter",
	"pair.a",
	"pair.row.2",
	"pair.u",
	"pair.v",
	"list.a",
	"list.row.1",
	"list.next.a",
	"list.next.u",
	"list.next.next.a",
	"pair.next.row.0",
	"list.0.a",
	"list.0.v",
	"p.0",
	"first.next.next.a",
	"large.room.4087",
	"colour",
};
static const char *const bad[] = {"mark",
				  "nosuch",
				  "pair.b",
				  "pair.nosuch",
				  "list.b",
				  "pair.row.3",
				  "n.a",
				  "large.far",
				  "large.room.4095",
				  "list.next.b",
				  "number.a",
				  "pair.row.a",
				  "list.next.next.next.next.next.a"};
/* variables that exist but are no integers */
static const char *const others[] = {"pair", "number", "list.row", "list.0"};
static const char *const pointers[] = {"p", "pointer", "list", "list.next", "first", "large"};
enum {
	GOOD = sizeof(good) / sizeof(*good),
	BAD = sizeof(bad) / sizeof(*bad),
	OTHERS = sizeof(others) / sizeof(*others),
	POINTERS = sizeof(pointers) / sizeof(*pointers)
};

static unsigned seen;

/* A computed pointer (DW_OP_entry_value, which needs the caller) has no location of its own. */
static bool begins_in_place(struct stopped *s, const char *name)
{
	struct inspect_spot spot;
	struct inspect_value v;
	char first[64];

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(name, "."), name);
	return value_of(s, first, &v) == 0 &&
	       (v.place == INSPECT_IN_MEMORY || spot_of(s, first, &spot) == 0);
}

static void check_good(struct stopped *s, const char *name)
{
	struct inspect_spot spot;
	struct inspect_value v;

	if (value_of(s, name, &v) < 0)
		return; /* dropped by the compiler here */
	if (spot_of(s, name, &spot) < 0) {
		if (v.place == INSPECT_IN_MEMORY && begins_in_place(s, name))
			fail_msg("%s has no spot", name);
		return; /* a constant, or composed of pieces */
	}
	assert_int_equal(spot.holds, INSPECT_SPOT_INTEGER);
	assert_int_equal(spot.size, v.type->size);
	if (value_at(s, &spot) != number_in(s, &v))
		fail_msg("%s is another number", name);
	seen++;
}

/* A constant has no spot: a compiler may know that a variable is never written (clang 19, -O1). */
static bool has_spot(struct stopped *s, const char *name, const struct inspect_value *v, int holds)
{
	struct inspect_spot spot;

	if (spot_of(s, name, &spot) < 0)
		return v->place != INSPECT_IN_MEMORY;
	return (int)spot.holds == holds;
}

/* ---- conditions ----------------------------------------------------------------------------- */

/* Each operand is compared with numbers near its value. */
static const char *const operands[] = {"n",
				       "at",
				       "c",
				       "local",
				       "total",
				       "wide",
				       "counter",
				       "truth",
				       "colour",
				       "pair.a",
				       "list->a",
				       "list[0].row[1]",
				       "(*list).next->a",
				       "*p",
				       "first->next->u",
				       "n & 6",
				       "3 & list->a",
				       "c & 0xff & 'q'",
				       "wide & ~4ul",
				       "local & -2"};
static const char *const relations[] = {"==", "!=", "<", "<=", ">", ">="};
static const char *const constants[] = {"0",	  "1",		"-1",	       "5u",
					"6ul",	  "-1l",	"'c'",	       "GREEN",
					"1 << 4", "0xffffffff", "-2 * 50",     "105",
					"~0ul",	  "(char)300",	"sizeof(int)", "(unsigned)-100",
					"3"};
static const char *const tested[] = {"n",
				     "!n",
				     "!!list",
				     "list && list->a == 4",
				     "!list || list->next->a == 3 && n",
				     "p == 0",
				     "p != nullptr",
				     "truth && !colour",
				     "n & 4",
				     "n == 5 || n == 6 || n == 7",
				     "!(n < 3 || n > 60) && (wide == 6 || total)",
				     "list->next == 0 || list->a > 3",
				     "(n == 6 || at == 100) && (c == 'c' || local < 0)"};
/* Conditions that cannot be decided inside the program. */
static const char *const asked[] = {
	"n + 1 == 2",
	"n == local",
	"number > 1.0",
	"n > 1.5",
	"mark",
	"pair.b == 1",
	"n % 2",
	"n == 1 && at % 2",
	"1",
	"n || 1",
	"n ? at : c",
	"(char)n == 3",
	"&n != 0",
	"list->row",
	"list[n].a == 1",
	"(n == 1) == 0",
	"p & 1",
	"n == 1, at == 2",
	"n < 0 || n < 1 || n < 2 || n < 3 || n < 4 || n < 5 || n < 6 || "
	"n < 7 || n < 8 || n < 9 || n < 10 || n < 11 || n < 12 || n < 13 "
	"|| n < 14 || n < 15 || n < 16"};

static bool is_true(struct stopped *s, const struct inspect_test *t)
{
	int64_t v = value_at(s, &t->spot) & t->mask, w = t->constant;
	int order = t->is_unsigned ? ((uint64_t)v > (uint64_t)w) - ((uint64_t)v < (uint64_t)w)
				   : (v > w) - (v < w);

	switch (t->compare) {
	case INSPECT_EQ:
		return order == 0;
	case INSPECT_LT:
		return order < 0;
	case INSPECT_LE:
		return order <= 0;
	case INSPECT_GT:
		return order > 0;
	case INSPECT_GE:
		return order >= 0;
	}
	return false;
}

/* The tests agree with the expression; in optimized code an operand may have no location. */
static void check_condition(struct stopped *s, const char *text, bool exact)
{
	struct inspect_test tests[INSPECT_TESTS];
	size_t count = inspect_tests(&s->call, text, tests);
	bool said;
	int at = 0;

	if (!count && (!exact || inspect_condition(&s->call, text, &said, &s->err) < 0))
		return;
	if (!count)
		fail_msg("%s is not taken to pieces", text);
	while (at >= 0) {
		int next = is_true(s, &tests[at]) ? tests[at].yes : tests[at].no;

		assert_true(next < 0 || (next > at && (size_t)next < count));
		at = next;
	}
	assert_int_equal(inspect_condition(&s->call, text, &said, &s->err), 0);
	if (said != (at == INSPECT_TRUE))
		fail_msg("%s: said %d, is %d", text, at == INSPECT_TRUE, said);
}

static void check_conditions(struct stopped *s, bool exact)
{
	struct inspect_test tests[INSPECT_TESTS];
	char text[200];

	for (size_t i = 0; i < sizeof(operands) / sizeof(*operands); i++)
		for (size_t k = 0; k < sizeof(relations) / sizeof(*relations); k++)
			for (size_t n = 0; n < sizeof(constants) / sizeof(*constants); n++) {
				snprintf(text, sizeof(text), "(%s) %s %s", operands[i],
					 relations[k], constants[n]);
				check_condition(s, text, exact);
				snprintf(text, sizeof(text), "%s %s (%s)", constants[n],
					 relations[k], operands[i]);
				check_condition(s, text, exact);
			}
	for (size_t i = 0; i < sizeof(tested) / sizeof(*tested); i++)
		check_condition(s, tested[i], exact);
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
		if (inspect_tests(&s->call, asked[i], tests))
			fail_msg("%s is taken to pieces", asked[i]);
}

/* Checks of a condition before a thread arrives. */
static void check_names(struct stopped *s)
{
	static const char *const right[] = {"n",
					    "list->next->a > 3",
					    "colour == GREEN",
					    "mark",
					    "pair.b",
					    "*p / 0",
					    "((struct pair *)p)->a",
					    "work",
					    "list[at].row[n]",
					    "sizeof(struct pair) == 3"};
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{"n == nosuch", "column 6: no variable 'nosuch' here"},
		{"n || list->nxet", "column 12: a 'struct pair' has no member 'nxet'; did you mean "
				    "next?"},
		{"list->next->b + list->next->c", "has no member 'c'"},
		{"((struct nosuch *)p)->a", "nosuch"},
		{"n =", "column 3: an expression cannot change anything"},
		{"n ==", "column 5: a value is expected, but the expression ends"},
		{"work(1)", "column 1: an expression cannot call functions: use hit:call"},
	};

	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++)
		if (inspect_condition_check(&s->call, right[i], &s->err) < 0)
			fail_msg("%s: %s", right[i], error_text(&s->err));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(inspect_condition_check(&s->call, wrong[i].text, &s->err), -1);
		if (!strstr(error_text(&s->err), wrong[i].says))
			fail_msg("%s: %s", wrong[i].text, error_text(&s->err));
	}
	assert_int_equal(inspect_condition_parse("(my_type)(n) - 1 > (other) -3", &s->err), 0);
	assert_int_equal(inspect_condition_parse("n > ", &s->err), -1);
}

static void check(struct program *p, bool exact)
{
	struct inspect_spot spot;
	struct inspect_value v;
	struct stopped s;

	if (!stop_at(&s, p, "spots.c:10"))
		return;
	for (size_t i = 0; i < GOOD; i++)
		check_good(&s, good[i]);
	for (size_t i = 0; i < BAD; i++)
		if (spot_of(&s, bad[i], &spot) == 0)
			fail_msg("%s has a spot", bad[i]);
	for (size_t i = 0; i < OTHERS; i++)
		if (value_of(&s, others[i], &v) == 0 &&
		    !has_spot(&s, others[i], &v, INSPECT_SPOT_OTHER))
			fail_msg("%s is something that can be compared", others[i]);
	for (size_t i = 0; i < POINTERS; i++)
		if (value_of(&s, pointers[i], &v) == 0 &&
		    !has_spot(&s, pointers[i], &v, INSPECT_SPOT_POINTER))
			fail_msg("%s is not a pointer", pointers[i]);
	assert_int_equal(spot_of(&s, "truth", &spot), 0);
	assert_int_equal(spot.holds, INSPECT_SPOT_BOOL);
	assert_int_equal(value_at(&s, &spot), 1);
	assert_int_equal(spot_of(&s, "total", &spot), 0);
	assert_int_equal(spot.kind, INSPECT_AT_ADDRESS);
	check_conditions(&s, exact);
	check_names(&s);
	s.call.frame.level = 1;
	assert_int_equal(spot_of(&s, "total", &spot), -1);
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
		seen = 0;
		check(p, strstr(builds[i], "-O0"));
		assert_true(GOOD / 2 <= seen && seen <= GOOD);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(spots)};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
