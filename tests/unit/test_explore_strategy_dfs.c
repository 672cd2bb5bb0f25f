/*
 * DFS and DPOR compared with theory and with all schedules of small programs: each Mazurkiewicz
 * trace once, and under a bound of DFS each trace that has a schedule with so few preemptions.
 */
#include "explore_program.h"

#include "tracer/sched/strategy/prng.h"

struct seen {
	unsigned long runs, stopped, deadlocks;
	struct tallies schedules, traces;
};

static void seen_fini(struct seen *seen)
{
	tallies_fini(&seen->schedules);
	tallies_fini(&seen->traces);
}

/*
 * The alphabetically first schedule of the trace: repeatedly takes the first thread whose next step
 * depends on no earlier remaining step.
 */
static void trace_of(const struct world *w, char *text)
{
	bool taken[MOVES] = {false};
	size_t length = 0;

	while (length < w->moves) {
		size_t first = w->moves;

		for (size_t i = 0; i < w->moves; i++) {
			bool waits = taken[i];

			for (size_t j = 0; j < i && !waits; j++)
				waits = !taken[j] && strategy_depends(&w->moved[j], &w->moved[i]);
			if (!waits &&
			    (first == w->moves || w->moved[i].thread < w->moved[first].thread))
				first = i;
		}
		taken[first] = true;
		text[length++] = w->schedule[first];
	}
	text[length] = '\0';
}

static struct seen search(const char *name, const struct program *p, unsigned bound)
{
	struct strategy *s = strategy_made(name, 1, 0, bound);
	struct seen seen = {0};
	char trace[MOVES + 1];
	struct world w;

	for (uint64_t run = 0; !strategy_is_done(s); run++) {
		enum ended ended = world_run(&w, p, s, run);

		assert_true(run < 100000);
		if (ended == STOPPED) {
			seen.stopped++;
			continue;
		}
		assert_int_not_equal(ended, RAN_OUT);
		seen.runs++;
		seen.deadlocks += ended == DEADLOCK;
		assert_int_equal(tally(&seen.schedules, w.schedule), 1);
		trace_of(&w, trace);
		tally(&seen.traces, trace);
	}
	assert_int_equal(strategy_strayed(s), 0);
	strategy_free(s);
	return seen;
}

/* ---- all schedules, without a strategy ------------------------------------------------------- */

static void every(struct world *w, unsigned left, unsigned running, struct seen *seen)
{
	struct strategy_point points[THREADS];
	size_t count = world_points(w, points);
	const struct state before = w->now;
	bool costs = false;

	if (!count) {
		char trace[MOVES + 1];

		seen->runs++;
		trace_of(w, trace);
		tally(&seen->traces, trace);
	}
	for (size_t i = 0; i < count; i++)
		costs |= points[i].thread == running && points[i].op != STRATEGY_YIELD;
	for (size_t i = 0; i < count; i++) {
		bool preempts = costs && points[i].thread != running;

		if (preempts && !left)
			continue;
		world_move(w, &points[i]);
		every(w, left - preempts, points[i].thread, seen);
		w->now = before;
		w->moves--;
	}
}

/* Compares a search under this bound with all schedules. Returns the runs of the search. */
static unsigned long compare(const char *name, const struct program *p, unsigned bound,
			     struct seen *all)
{
	struct seen found = search(name, p, bound);
	unsigned long runs = found.runs;
	struct world w;

	*all = (struct seen){0};
	world_begin(&w, p);
	every(&w, bound, THREADS, all);
	if (found.traces.count != all->traces.count)
		fail_msg("%s: %s, %s, %s, bound %u: %zu traces, not %zu", name, p->threads[0],
			 p->threads[1], p->threads[2] ? p->threads[2] : "-", bound,
			 found.traces.count, all->traces.count);
	for (size_t i = 0; i < all->traces.count; i++)
		assert_string_equal(found.traces.items[i].text, all->traces.items[i].text);
	if (bound == STRATEGY_UNBOUND)
		assert_int_equal(runs, all->traces.count); /* each trace once */
	assert_true(runs <= all->runs);
	seen_fini(&found);
	return runs;
}

/* ---- counted by hand ------------------------------------------------------------------------- */

static void search_makes(const char *name, const struct program *p, unsigned bound,
			 unsigned long runs)
{
	struct seen seen = search(name, p, bound);

	if (seen.runs != runs)
		fail_msg("%s: %s, %s: %lu runs, not %lu", name, p->threads[0], p->threads[1],
			 seen.runs, runs);
	seen_fini(&seen);
}

static void runs_are(const struct program p, unsigned bound, unsigned long runs)
{
	search_makes("dfs", &p, bound, runs);
	if (bound == STRATEGY_UNBOUND)
		search_makes("dpor", &p, bound, runs);
}

#define PROGRAM(...) ((struct program){{__VA_ARGS__}})

static void test_counts(void **state)
{
	(void)state;
	/* All steps dependent: (m + n)! / (m! n!). */
	runs_are(PROGRAM("wxwxwx", "wxwxwxwx"), STRATEGY_UNBOUND, 35);
	runs_are(PROGRAM("wxwxwxwxwx", "wxwxwxwxwx"), STRATEGY_UNBOUND, 252);
	runs_are(PROGRAM("wxwx", "wxwx", "wxwx"), STRATEGY_UNBOUND, 90);
	/* All steps independent: one. */
	runs_are(PROGRAM("wxwxwx", "wywywy"), STRATEGY_UNBOUND, 1);
	runs_are(PROGRAM("rxrx", "rxrx", "rxrx"), STRATEGY_UNBOUND, 1);
	runs_are(PROGRAM("----", "----", "----"), STRATEGY_UNBOUND, 1);
	/* Readers and one writer: before, between or after each reader's reads. */
	runs_are(PROGRAM("wx", "rx", "rx"), STRATEGY_UNBOUND, 4);
	runs_are(PROGRAM("wx", "rxrx", "rxrx"), STRATEGY_UNBOUND, 9);
	/* Two variables: orders of the x times orders of the y, except the two cyclic ones. */
	runs_are(PROGRAM("wxwy", "wywx"), STRATEGY_UNBOUND, 3);
	runs_are(PROGRAM("wxwy", "wxwy"), STRATEGY_UNBOUND, 4);
	/* Locks: orders of the critical sections. */
	runs_are(PROGRAM("lmwxum", "lmwxum"), STRATEGY_UNBOUND, 2);
	runs_are(PROGRAM("lmwxum", "lmwxum", "lmwxum"), STRATEGY_UNBOUND, 6);
	runs_are(PROGRAM("lmumlmum", "lmumlmum", "lmumlmum"), STRATEGY_UNBOUND, 90);
	/* Created threads: after c1, then anywhere. */
	runs_are(PROGRAM("wxc1wxwx", "wxwx"), STRATEGY_UNBOUND, 6);
}

static void test_deadlock(void **state)
{
	const struct program p = {{"lalbubua", "lblauaub"}};
	struct seen seen = search("dfs", &p, STRATEGY_UNBOUND);

	(void)state;
	assert_int_equal(seen.runs, 3); /* A first, B first, and the deadlock */
	assert_int_equal(seen.deadlocks, 1);
	seen_fini(&seen);
	seen = search("dfs", &p, 0);
	assert_int_equal(seen.deadlocks, 0);
	seen_fini(&seen);
	seen = search("dfs", &p, 1);
	assert_true(seen.deadlocks > 0);
	seen_fini(&seen);
	seen = search("dpor", &p, 0);
	assert_int_equal(seen.runs, 3);
	assert_int_equal(seen.deadlocks, 1);
	seen_fini(&seen);
}

/*
 * Three dependent steps each. A schedule of p preemptions is p + 2 blocks of alternating threads:
 * 2; + 2 * 2; + 2 * 4; + 2 * 2; + 2: all twenty.
 */
static void test_bound(void **state)
{
	static const unsigned long up_to[] = {2, 6, 14, 18, 20, 20};

	(void)state;
	for (unsigned bound = 0; bound < 6; bound++)
		runs_are(PROGRAM("wxwxwx", "wxwxwx"), bound, up_to[bound]);
	runs_are(PROGRAM("wxwxwx", "wxwxwx", "wxwxwx"), 0, 6);
	/* A switch from a thread that yields is no preemption. */
	runs_are(PROGRAM("wxy-wx", "wx"), 0, 3);
}

/* ---- counted by the test --------------------------------------------------------------------- */

/* A few steps on two variables and two locks, which are released. Two yields would be spinning. */
static void draw_thread(struct prng *r, char *text)
{
	static const char *const parts[] = {"wx",     "rx",	"wy",	    "ry",      "--",
					    "lmwxum", "lmryum", "lmlnunum", "lnlmumun"};
	size_t steps = 2 + prng_below(r, 5);

	strcpy(text, prng_below(r, 4) ? "" : "y-");
	while (strlen(text) < 2 * steps)
		strcat(text, parts[prng_below(r, sizeof(parts) / sizeof(*parts))]);
}

static void test_random_programs(void **state)
{
	unsigned long bounded = 0, bounded_all = 0, unbound = 0, unbound_all = 0;
	struct prng r;

	(void)state;
	prng_seed(&r, 13, 0);
	for (unsigned n = 0; n < 1000; n++) {
		char texts[3][32];
		struct program p = {{texts[0], texts[1], prng_below(&r, 3) ? NULL : texts[2]}};
		struct seen all;

		for (size_t t = 0; t < 3; t++)
			draw_thread(&r, texts[t]);
		if (strlen(texts[0]) + strlen(texts[1]) > 26)
			texts[1][26 - strlen(texts[0])] = '\0';
		if (p.threads[2] && strlen(texts[0]) + strlen(texts[1]) + strlen(texts[2]) > 20)
			p.threads[2] = NULL;
		for (unsigned bound = 0; bound < 4; bound++) {
			bounded += compare("dfs", &p, bound, &all);
			bounded_all += all.runs;
			seen_fini(&all);
		}
		unbound += compare("dfs", &p, STRATEGY_UNBOUND, &all);
		unbound_all += all.runs;
		seen_fini(&all);
		compare("dpor", &p, STRATEGY_UNBOUND, &all);
		seen_fini(&all);
	}
	print_message("unbound: %lu runs for %lu schedules; bounds 0 to 3: %lu for %lu\n", unbound,
		      unbound_all, bounded, bounded_all);
	assert_true(unbound < unbound_all / 4);
	assert_true(bounded < bounded_all);
}

/* ---- exceptions ------------------------------------------------------------------------------ */

/* Spinning threads let others run: the tree is finite, and every run ends. */
static void test_spinning(void **state)
{
	static const struct program spins[] = {
		{{"Yx", "wx"}}, {{"sx", "wx"}}, {{"Yx", "Yx", "--wx"}}, {{"Yx", "--Yy", "wxwy"}}};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (unsigned bound = 0; bound < 2; bound++) {
			struct seen seen = search("dfs", &spins[i], bound);

			assert_true(seen.runs > 0);
			assert_int_equal(seen.deadlocks, 0);
			seen_fini(&seen);
		}
}

/* A program that changes in each third run: reported, and the search still ends. */
static void test_strays(void **state)
{
	static const struct program p = {{"wxwx", "wxwx"}}, other = {{"wxrywx", "wx"}};
	struct strategy *s = strategy_made("dfs", 1, 0, STRATEGY_UNBOUND);
	struct world w;
	uint64_t run = 0;

	(void)state;
	for (; !strategy_is_done(s) && run < 1000; run++)
		world_run(&w, run % 3 == 2 ? &other : &p, s, run);
	assert_true(run < 1000);
	assert_true(strategy_strayed(s) > 0);
	/* After the last schedule every run is stopped at once. */
	assert_int_equal(world_run(&w, &p, s, run), STOPPED);
	assert_int_equal(w.moves, 0);
	strategy_free(s);
}

/* Waking one of two waiters is a choice without cost; both are tried. */
static void test_wake(void **state)
{
	struct strategy *s = strategy_made("dfs", 1, 0, 0);
	unsigned seen[3] = {0};
	uint64_t run = 0;

	(void)state;
	for (; !strategy_is_done(s); run++) {
		struct strategy_point signal = {.thread = 0, .op = STRATEGY_SIGNAL, .object = 7};
		struct strategy_point waiters[2] = {
			{.thread = 1, .op = STRATEGY_WAKE, .object = 7},
			{.thread = 2, .op = STRATEGY_WAKE, .object = 7}};

		strategy_begin(s, run);
		strategy_choose(s, &signal, 1);
		seen[waiters[strategy_choose(s, waiters, 2)].thread]++;
		strategy_choose(s, &signal, 1);
		strategy_end(s, STRATEGY_PASSED);
	}
	assert_int_equal(run, 2);
	assert_int_equal(seen[1], 1);
	assert_int_equal(seen[2], 1);
	strategy_free(s);
}

/* A wait that returns without a signal is a choice of its own, which costs a preemption if another
   thread could go on, and is no reason to call a switch one. */
static void test_spurious(void **state)
{
	static const struct {
		unsigned bound;
		uint64_t runs, woken;
	} cases[] = {{0, 1, 0}, {1, 2, 1}, {STRATEGY_UNBOUND, 2, 1}};
	const struct strategy_point waits[] = {
		{.thread = 1, .op = STRATEGY_WAIT, .object = STRATEGY_ANY_OBJECT, .place = 1}};
	const struct strategy_point runs[] = {
		{.thread = 0, .op = STRATEGY_SIGNAL, .object = 7, .place = 2},
		{.thread = 1, .op = STRATEGY_SPURIOUS, .object = STRATEGY_ANY_OBJECT, .place = 1}};
	const struct strategy_point first[] = {
		{.thread = 0, .op = STRATEGY_READ, .object = 7, .place = 3}};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct strategy *s = strategy_made("dfs", 1, 0, cases[k].bound);
		uint64_t run = 0, woken = 0;

		for (; !strategy_is_done(s); run++) {
			strategy_begin(s, run);
			strategy_choose(s, waits, 1);
			strategy_choose(s, first, 1);
			woken += strategy_choose(s, runs, 2);
			strategy_end(s, STRATEGY_PASSED);
		}
		assert_int_equal(run, cases[k].runs);
		assert_int_equal(woken, cases[k].woken);
		strategy_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),	 cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_bound),	 cmocka_unit_test(test_random_programs),
		cmocka_unit_test(test_spinning), cmocka_unit_test(test_strays),
		cmocka_unit_test(test_wake),	 cmocka_unit_test(test_spurious),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
