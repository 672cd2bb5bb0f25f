/*
 * The gates of a plan force the schedule's result. Random programs with a random schedule each are
 * run under the gates alone, with any thread that is not held. The values read and written and the
 * blocked threads must be those of the schedule; without one of the orders they may differ.
 */
#include "explore_failing.h"

#include <stdio.h>

#include "tracer/synth/plan/plan.h"
#include "tracer/sched/strategy/prng.h"

enum { PROGRAMS = 1000, RUNS = 20, MOST = 40 };

/* ---- programs -------------------------------------------------------------------------------- */

static void add_piece(struct prng *random, unsigned deep, struct str *out)
{
	static const char *const plain[] = {"rx", "wx", "ry", "wy"};
	const char *lock = prng_below(random, 2) ? "m" : "n";

	if (deep > 1 || prng_below(random, 3)) {
		str_add(out, plain[prng_below(random, 4)]);
		return;
	}
	if (deep && strstr(str_text(out), lock)) /* a thread never takes a lock that it holds */
		return;
	str_addf(out, "l%s", lock);
	for (uint64_t n = prng_below(random, 3); n; n--)
		add_piece(random, deep + 1, out);
	str_addf(out, "u%s", lock);
}

static void make_program(struct prng *random, struct program *p, struct str *texts)
{
	size_t threads = 2 + prng_below(random, 2);

	*p = (struct program){{NULL}};
	for (size_t t = 0; t < threads; t++) {
		str_clear(&texts[t]);
		for (uint64_t n = 1 + prng_below(random, 3); n; n--)
			add_piece(random, 0, &texts[t]);
		p->threads[t] = str_text(&texts[t]);
	}
}

/* Each step has its own line. */
static struct schedule_where where(size_t thread, size_t at)
{
	static const char *const functions[] = {"a", "b", "c"};

	return (struct schedule_where){
		.file = "p.c",
		.line = (unsigned)(100 * thread + at + 1),
		.func = functions[thread],
		.object = "prog",
		.address = 16 * (100 * thread + at + 1),
	};
}

/* ---- outcomes -------------------------------------------------------------------------------- */

struct outcome {
	unsigned value[128]; /* by object: its last writer */
	char text[1024];     /* values read by each thread, in program order, and its last step */
};

static void outcome_of(const struct world *w, struct outcome *out)
{
	struct str read[THREADS] = {{0}}, all = {0};

	*out = (struct outcome){0};
	for (size_t i = 0; i < w->moves; i++) {
		const struct strategy_point *p = &w->moved[i];

		if (p->op == STRATEGY_WRITE && p->writes)
			out->value[p->object] = (unsigned)p->place + 1;
		else if (p->op == STRATEGY_READ)
			str_addf(&read[p->thread], " %u", out->value[p->object]);
	}
	for (size_t t = 0; t < THREADS; t++) {
		str_addf(&all, "%s at %zu;", str_text(&read[t]), w->now.at[t] / 2);
		str_fini(&read[t]);
	}
	snprintf(out->text, sizeof(out->text), "%s", str_text(&all));
	str_fini(&all);
}

static bool is_same(const struct outcome *a, const struct outcome *b)
{
	return strcmp(a->text, b->text) == 0 && memcmp(a->value, b->value, sizeof(a->value)) == 0;
}

/* ---- gates ----------------------------------------------------------------------------------- */

/* The step's index among those of its thread. */
static size_t own_number(const struct schedule *s, size_t step)
{
	size_t number = 0;

	for (size_t i = 0; i < step; i++)
		number += s->steps.items[i].thread == s->steps.items[step].thread;
	return number;
}

static bool is_held(const struct gate_plan *p, const struct schedule *s, const struct world *w,
		    const bool *open, unsigned thread)
{
	for (size_t i = 0; i < p->orders.count; i++) {
		size_t step = p->places.items[p->orders.items[i].to].step;

		if (!open[i] && !p->orders.items[i].dropped &&
		    s->steps.items[step].point.thread == thread &&
		    own_number(s, step) == w->now.at[thread] / 2)
			return true;
	}
	return false;
}

static void open_gates(const struct gate_plan *p, const struct schedule *s, const struct world *w,
		       bool *open)
{
	for (size_t i = 0; i < p->orders.count; i++) {
		const struct plan_order *o = &p->orders.items[i];
		const struct plan_place *place = &p->places.items[o->from];
		unsigned thread = s->steps.items[place->step].point.thread;
		size_t at = w->now.at[thread] / 2, number = own_number(s, place->step);
		const char *step = next_step(w, thread);

		if (o->blocked)
			open[i] |= at == number && *step == 'l' && w->now.locked[(int)step[1]] &&
				   !is_held(p, s, w, open, thread);
		else
			open[i] |= place->at.after ? at > number : at >= number;
	}
}

static void run_gated(const struct program *program, const struct gate_plan *p,
		      const struct schedule *s, struct prng *random, struct world *w)
{
	struct strategy_point points[THREADS];
	bool open[MOST] = {false};

	assert_true(p->orders.count < MOST);
	world_begin(w, program);
	for (;;) {
		size_t count = world_points(w, points), free = 0;

		open_gates(p, s, w, open);
		for (size_t i = 0; i < count; i++)
			if (!is_held(p, s, w, open, points[i].thread))
				points[free++] = points[i];
		if (!free)
			return;
		world_move(w, &points[prng_below(random, free)]);
	}
}

/* ---- the property ---------------------------------------------------------------------------- */

static bool never(const struct world *w, bool deadlock)
{
	(void)w;
	(void)deadlock;
	return false;
}

/* Returns the number of runs under the gates with another outcome. */
static unsigned differing(const struct failing *f, const struct schedule *s,
			  const struct gate_plan *p, const struct outcome *wanted,
			  struct prng *random)
{
	static struct world w;
	struct outcome came;
	unsigned differ = 0;

	for (unsigned run = 0; run < RUNS; run++) {
		run_gated(&f->program, p, s, random, &w);
		outcome_of(&w, &came);
		differ += !is_same(&came, wanted);
	}
	return differ;
}

static void is_forced(const struct failing *f, const struct schedule *s, const struct gate_plan *p,
		      const struct outcome *wanted, struct prng *random)
{
	struct str steps = {0};

	if (!differing(f, s, p, wanted, random))
		return;
	array_each(const struct schedule_step, step, &s->steps)
		str_addf(&steps, "%c", 'A' + step->point.thread);
	fail_msg("%s | %s | %s: %s is not forced", f->program.threads[0], f->program.threads[1],
		 f->program.threads[2] ? f->program.threads[2] : "", str_text(&steps));
}

struct count {
	size_t orders, needed;
};

static void force(const struct failing *f, const struct schedule *s, enum plan_orders orders,
		  const struct outcome *wanted, struct prng *random, struct count *count)
{
	static const struct plan_words words = {.program = "prog"};
	struct gate_plan p = {0};
	ERROR(err);

	assert_int_equal(gate_plan_make(&p, s, orders, &words, &err), 0);
	is_forced(f, s, &p, wanted, random);
	array_each(struct plan_order, o, &p.orders) {
		o->dropped = true;
		count->orders++;
		count->needed += differing(f, s, &p, wanted, random) > 0;
		o->dropped = false;
	}
	gate_plan_fini(&p);
}

static void test_forced(void **state)
{
	struct strategy *strategy = strategy_made("random", 7, 0, 0);
	struct str texts[THREADS] = {{0}};
	struct count dependent = {0}, all = {0};
	static struct world w;
	struct prng random;

	(void)state;
	prng_seed(&random, 1, 0);
	for (unsigned i = 0; i < PROGRAMS; i++) {
		struct failing f = {.fails = never, .where = where};
		struct schedule s = {0};
		struct outcome wanted;

		make_program(&random, &f.program, texts);
		failing_run(&f, strategy, i, &w, &s);
		outcome_of(&w, &wanted);
		force(&f, &s, PLAN_DEPENDENT, &wanted, &random, &dependent);
		force(&f, &s, PLAN_ALL, &wanted, &random, &all);
		schedule_fini(&s);
	}
	/* Few orders have no effect on the outcome. */
	assert_true(dependent.orders > PROGRAMS);
	assert_true(dependent.needed * 3 > dependent.orders * 2);
	assert_true(dependent.orders * 3 < all.orders * 2);
	for (size_t t = 0; t < THREADS; t++)
		str_fini(&texts[t]);
	strategy_free(strategy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
