/* Per-feature data of a run, a thread or a place; and the order of observers. */
#include "tracer/run/run_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

struct piece {
	int number;
	char *text;
};

static int finished;

static void fini(void *what)
{
	struct piece *piece = what;

	finished += piece->number;
	base_free(piece->text);
}

static const struct keeper one = {sizeof(struct piece), fini}, other = {sizeof(int), NULL};

static void test_each_has_its_own(void **state)
{
	struct kept_list list = {0};
	struct piece *piece;

	(void)state;
	assert_null(kept_of(&list, &one));
	piece = kept_make(&list, &one);
	assert_int_equal(piece->number, 0);
	assert_null(piece->text);
	piece->number = 7;
	assert_null(kept_of(&list, &other));
	assert_int_equal(*(int *)kept_make(&list, &other), 0);
	assert_ptr_equal(kept_make(&list, &one), piece);
	assert_ptr_equal(kept_of(&list, &one), piece);
	kept_fini(&list);
	assert_null(kept_of(&list, &one));
}

/* Data does not move when more is added, and each piece is freed once. */
static void test_ends(void **state)
{
	struct keeper many[20];
	struct kept_list list = {0};
	struct piece *first;

	(void)state;
	for (size_t i = 0; i < 20; i++)
		many[i] = one;
	first = kept_make(&list, &many[0]);
	for (size_t i = 0; i < 20; i++) {
		struct piece *piece = kept_make(&list, &many[i]);

		piece->number = 1;
		piece->text = base_strdup("x");
	}
	assert_ptr_equal(kept_of(&list, &many[0]), first);
	finished = 0;
	kept_fini(&list);
	assert_int_equal(finished, 20);
}

/* ---- observers ---- */

static char asked[16];

static void note(char who)
{
	size_t n = strlen(asked);

	assert_true(n + 1 < sizeof(asked));
	asked[n] = who;
	asked[n + 1] = '\0';
}

static void begin_a(struct run *s)
{
	(void)s;
	note('a');
}

static void begin_b(struct run *s)
{
	(void)s;
	note('b');
}

static bool rest_no(struct run *s, enum stuck_question question, enum waits_answer *answer)
{
	(void)s, (void)question, (void)answer;
	note('n');
	return false;
}

static bool rest_yes(struct run *s, enum stuck_question question, enum waits_answer *answer)
{
	(void)s, (void)question, (void)answer;
	note('y');
	return true;
}

static const struct observer a = {.begin = begin_a, .stuck = rest_no}, b = {.begin = begin_b},
			     c = {.stuck = rest_yes}, d = {.stuck = rest_no};

/* Only observers with the function are called, in order, until one has handled the event. */
static void test_observers(void **state)
{
	static const struct observer *const list[] = {&b, &a, &c, &d, NULL};
	static const struct site_placer *const placers[] = {NULL};
	const struct features features = {list, placers};
	struct run s = {0};
	bool taken = false;

	(void)state;
	observers_set(&s, &features);
	asked[0] = '\0';
	observe(begin, &s);
	assert_string_equal(asked, "ba");
	observe(end, &s);
	assert_string_equal(asked, "ba");
	asked[0] = '\0';
	observe_until(taken, stuck, &s, STUCK_EXCUSED, &(enum waits_answer){0});
	assert_true(taken);
	assert_string_equal(asked, "ny");
	assert_ptr_equal(s.placers, placers);
}

static void test_no_observer(void **state)
{
	struct run s = {0};
	bool taken = false;

	(void)state;
	observers_set(&s, NULL);
	observe(begin, &s);
	observe_until(taken, stuck, &s, STUCK_EXCUSED, &(enum waits_answer){0});
	assert_false(taken);
	assert_null(s.placers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_has_its_own),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_observers),
		cmocka_unit_test(test_no_observer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
