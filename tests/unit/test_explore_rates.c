/*
 * Table of the runs that each strategy needs to find classic bugs: median and worst of 20 seeds.
 * Asserted: rff and auto find each bug with each seed, and auto's median is at most eight times the
 * best strategy's (at least eight runs).
 */
#include "explore_classics.h"

enum { SEEDS = 20, MOST = 10000, FEW = 1000 };

struct column {
	const char *title, *name;
	unsigned depth;
	unsigned most; /* maximum of runs */
};

static const struct column columns[] = {
	{"random", "random", 0, FEW}, {"pct 2", "pct", 2, FEW},	 {"pct 3", "pct", 3, FEW},
	{"pct 4", "pct", 4, FEW},     {"pos", "pos", 0, FEW},	 {"surw", "surw", 0, FEW},
	{"rff", "rff", 0, MOST},      {"auto", "auto", 0, MOST},
};

enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

static int by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

/* Number of runs until the failure; most + 1 if not found. */
static unsigned runs_until(const struct classic *c, const struct column *column, uint64_t seed)
{
	struct strategy *s = strategy_made(column->name, seed, column->depth, 0);
	static struct world w;
	unsigned run = 0;

	while (run < column->most && !c->fails(&w, world_run(&w, &c->program, s, run)))
		run++;
	strategy_free(s);
	return run + 1;
}

struct rate {
	unsigned median, worst;
};

static struct rate measure(const struct classic *c, const struct column *column)
{
	unsigned runs[SEEDS];

	for (unsigned seed = 0; seed < SEEDS; seed++)
		runs[seed] = runs_until(c, column, seed);
	qsort(runs, SEEDS, sizeof(*runs), by_number);
	return (struct rate){runs[SEEDS / 2], runs[SEEDS - 1]};
}

static void print_number(unsigned runs, unsigned most, const char *end)
{
	if (runs > most)
		print_message("    -%s", end);
	else
		print_message("%5u%s", runs, end);
}

static void test_table(void **state)
{
	static struct classic all[CLASSICS];

	(void)state;
	classics(all);
	print_message("%-14s", "");
	for (size_t k = 0; k < COLUMNS; k++)
		print_message("%8s    ", columns[k].title);
	print_message("\n");
	for (size_t i = 0; i < CLASSICS; i++) {
		unsigned best = MOST, last = MOST;

		print_message("%-14s", all[i].name);
		for (size_t k = 0; k < COLUMNS; k++) {
			struct rate r = measure(&all[i], &columns[k]);

			print_number(r.median, columns[k].most, "/");
			print_number(r.worst, columns[k].most, " ");
			assert_true(columns[k].most < MOST || r.worst <= MOST);
			best = r.median < best ? r.median : best;
			last = r.median;
		}
		print_message("\n");
		assert_true(last <= 8 * best + 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
