/* Where variables are whatever the call: what stands there is what they are, and who depends on more than a frame has no such place. */
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

/* What the spot says is there now. */
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

/* What a tester would write, into steps. */
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
	int answer = steps[0].name
			     ? inspect_variable(&s->call, steps[0].name, out, &s->err)
			     : inspect_argument(&s->call, (int64_t)steps[0].number, out, &s->err);

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
	"4.next.a",
	"1",
	"large.room.4087",
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
				  "5",
				  "number.a",
				  "pair.row.a",
				  "list.next.next.next.next.next.a"};
/* There, but no integers. */
static const char *const others[] = {"colour", "pair", "number", "list.row", "list.0"};
static const char *const pointers[] = {"p", "pointer", "list", "list.next", "first", "large"};
enum {
	GOOD = sizeof(good) / sizeof(*good),
	BAD = sizeof(bad) / sizeof(*bad),
	OTHERS = sizeof(others) / sizeof(*others),
	POINTERS = sizeof(pointers) / sizeof(*pointers)
};

static unsigned seen;

/* A pointer that is computed (DW_OP_entry_value, which needs the caller) leads to memory from no place of its own. */
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
		return; /* it is dropped here */
	if (spot_of(s, name, &spot) < 0) {
		if (v.place == INSPECT_IN_MEMORY && begins_in_place(s, name))
			fail_msg("%s has no spot", name);
		return; /* a constant, or put together from pieces */
	}
	assert_int_equal(spot.holds, INSPECT_SPOT_INTEGER);
	assert_int_equal(spot.size, v.type->size);
	if (value_at(s, &spot) != number_in(s, &v))
		fail_msg("%s is another number", name);
	seen++;
}

/* A constant has no spot: a compiler may know that nothing is ever written to the variable (clang
   19, -O1). */
static bool has_spot(struct stopped *s, const char *name, const struct inspect_value *v, int holds)
{
	struct inspect_spot spot;

	if (spot_of(s, name, &spot) < 0)
		return v->place != INSPECT_IN_MEMORY;
	return (int)spot.holds == holds;
}

static void check(struct program *p)
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
			fail_msg("%s is no pointer", pointers[i]);
	assert_int_equal(spot_of(&s, "truth", &spot), 0);
	assert_int_equal(spot.holds, INSPECT_SPOT_BOOL);
	assert_int_equal(value_at(&s, &spot), 1);
	assert_int_equal(spot_of(&s, "total", &spot), 0);
	assert_int_equal(spot.kind, INSPECT_AT_ADDRESS);
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
		check(p);
		assert_true(GOOD / 2 <= seen && seen <= GOOD);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(spots)};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
