/* Orders that are tried without, and restored: made-up plans, one letter for each order. */
#include "tracer/synth/minimise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/*
 * n: needed; m: needed once any other order is dropped; f, s, t: not needed, of the first, second
 * and third rank; -: never tried; !: ends the experiment; x: no part of the plan.
 */
struct made_up {
	const char *orders;
	bool out[16];
	char tried[32];
};

static bool *made_dropped(void *ctx, size_t order)
{
	struct made_up *p = ctx;

	return p->orders[order] == 'x' ? NULL : &p->out[order];
}

static enum minimise_rank made_rank(void *ctx, size_t order)
{
	char c = ((struct made_up *)ctx)->orders[order];

	return c == '-'	  ? MINIMISE_NEVER
	       : c == 'f' ? MINIMISE_FIRST
	       : c == 't' ? MINIMISE_THIRD
			  : MINIMISE_SECOND;
}

static int made_needed(void *ctx, size_t order)
{
	struct made_up *p = ctx;
	char c = p->orders[order];

	p->tried[strlen(p->tried)] = (char)('0' + order);
	return c == '!' ? -1 : c == 'n' || (c == 'm' && memchr(p->out, true, sizeof(p->out)));
}

/* Checks the sequence of tries, and the rest of the plan, with a dot for each dropped order. */
static void gives(const char *orders, int answer, const char *tried, const char *left)
{
	struct made_up p = {.orders = orders};
	struct minimise_orders m = {&p, strlen(orders), made_dropped, made_rank, made_needed};
	char text[16] = "";

	assert_int_equal(minimise_orders(&m), answer);
	for (size_t i = 0; i < m.count; i++)
		text[i] = p.out[i] ? '.' : orders[i];
	assert_string_equal(p.tried, tried);
	assert_string_equal(text, left);
}

static void test_ranks(void **state)
{
	(void)state;
	gives("", 0, "", "");
	gives("nsfn", 0, "2013", "n..n");
	gives("tsf", 0, "210", "...");
	gives("m", 0, "0", ".");
	gives("fm", 0, "01", ".m");
	gives("-sx", 0, "1", "-.x");
	gives("s!s", -1, "01", ".!s");
}

static void test_put_back(void **state)
{
	struct made_up p = {.orders = "sxnss", .out = {[0] = true, [1] = true, [3] = true}};
	struct minimise_orders m = {&p, 5, made_dropped, made_rank, made_needed};

	(void)state;
	assert_int_equal(minimise_put_back(&m, false), 3);
	assert_true(p.out[0] && !p.out[3]);
	p.out[4] = true;
	assert_int_equal(minimise_put_back(&m, true), 0);
	assert_false(p.out[0] || p.out[4]);
	assert_int_equal(minimise_put_back(&m, true), m.count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_put_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
