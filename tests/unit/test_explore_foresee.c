/*
 * A strategy's promises: each is checked against the following choices over random programs, and
 * asking for promises does not change the choices.
 */
#include "explore_program.h"

#include "tracer/sched/strategy/prng.h"

enum { STEPS = 60, PROGRAMS = 40, RUNS = 20 };

struct promise {
	unsigned thread;
	size_t left;
	struct strategy_avoid avoid;
	/* steps of the other threads, which must not change */
	struct strategy_point points[THREADS];
	size_t count;
};

struct kept {
	unsigned long promises, steps, locks;
};

/* ---- programs -------------------------------------------------------------------------------- */

static void add(char *text, size_t *n, const char *step)
{
	memcpy(text + *n, step, 2);
	*n += 2;
}

/*
 * Reads and writes of few or many objects, private or shared, some under a lock; one thread waits
 * for a write of another.
 */
static void make(char texts[3][STEPS * 2 + 16], struct prng *r, unsigned objects)
{
	for (unsigned t = 0; t < 3; t++) {
		size_t n = 0;

		if (t == 0)
			add(texts[t], &n, "c2");
		while (n < 2 * STEPS) {
			char step[3] = {"wr"[prng_below(r, 2)],
					(char)('a' + prng_below(r, objects))};

			/* a private object; the last thread's is the lock's */
			if (prng_below(r, 3) == 0)
				step[1] = "A\1!"[t];
			if (prng_below(r, 8)) {
				add(texts[t], &n, step);
				continue;
			}
			add(texts[t], &n, "l!");
			add(texts[t], &n, step);
			add(texts[t], &n, "u!");
		}
		add(texts[t], &n, t == 0 ? "w%" : t == 1 ? "s%" : "y-");
		texts[t][n] = '\0';
	}
}

/* ---- promises -------------------------------------------------------------------------------- */

/* True at a private place, as the granting code sees it: a lock is at none. */
static bool is_own(const struct strategy *s, const struct strategy_point *x)
{
	return (x->op == STRATEGY_READ || x->op == STRATEGY_WRITE) &&
	       strategy_is_own_place(s, x->place);
}

static bool is_promised(const struct promise *p, const struct strategy *s,
			const struct strategy_point *points, size_t count)
{
	bool found = false;

	if (!p->left || count != p->count)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct strategy_point *x = &points[i], *was = &p->points[i];

		if (x->thread != p->thread && (x->thread != was->thread || x->place != was->place))
			return false;
		if (x->thread != p->thread)
			continue;
		found = x->op != STRATEGY_YIELD && x->object != STRATEGY_ANY_OBJECT;
		found = found && (p->avoid.elsewhere || is_own(s, x));
		for (size_t k = 0; k < p->avoid.count; k++)
			found = found && x->object != p->avoid.objects[k];
	}
	return found;
}

static void ask(struct promise *p, struct strategy *s, const struct strategy_point *points,
		size_t count, size_t chosen, struct kept *kept)
{
	p->thread = points[chosen].thread;
	p->left = strategy_foresee(s, points, count, chosen, 50, &p->avoid);
	p->count = count;
	memcpy(p->points, points, count * sizeof(*points));
	kept->promises += p->left > 0;
}

/* world_run() that asks for promises and checks the choices against them. */
static void run_asking(struct world *w, const struct program *program, struct strategy *s,
		       uint64_t run, struct kept *kept)
{
	struct strategy_point points[THREADS];
	struct promise promise = {0};
	size_t count, i;

	world_begin(w, program);
	strategy_begin(s, run);
	while (w->moves < MOVES && (count = world_points(w, points)) > 0) {
		bool promised = is_promised(&promise, s, points, count);

		i = strategy_choose(s, points, count);
		if (promised) {
			assert_int_equal(points[i].thread, promise.thread);
			promise.left--;
			promise.avoid.elsewhere -= !is_own(s, &points[i]);
			kept->steps++;
			kept->locks += points[i].op == STRATEGY_LOCK;
		} else {
			ask(&promise, s, points, count, i, kept);
		}
		world_move(w, &points[i]);
	}
	strategy_end(s, STRATEGY_PASSED);
}

static void check(const char *name, unsigned objects)
{
	struct strategy *asked, *other;
	struct kept kept = {0};
	struct prng r;

	prng_seed(&r, objects, 1);
	for (unsigned n = 0; n < PROGRAMS; n++) {
		char texts[3][STEPS * 2 + 16];
		const struct program program = {{texts[0], texts[1], texts[2]}};
		static struct world a, b;

		make(texts, &r, objects);
		asked = strategy_made(name, n, 3, STRATEGY_UNBOUND);
		other = strategy_made(name, n, 3, STRATEGY_UNBOUND);
		for (unsigned run = 0; run < RUNS; run++) {
			run_asking(&a, &program, asked, run, &kept);
			world_run(&b, &program, other, run);
			assert_string_equal(a.schedule, b.schedule);
		}
		strategy_free(asked);
		strategy_free(other);
	}
	print_message("%s, %u objects: %lu steps of %lu promises, %lu at locks\n", name, objects,
		      kept.steps, kept.promises, kept.locks);
	assert_true(kept.steps > 100 && kept.locks > 20);
}

static void test_promises_are_kept(void **state)
{
	static const char *const names[] = {"random", "pct", "pos", "surw", "rff", "auto"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		check(names[i], 3);
		check(names[i], 26);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_promises_are_kept)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
