/* Finds the linearizable outcomes of a harness: those of its sequential orders. */
#include "tracer/harness/hunt.h"

#include <string.h>

/* A sequential order of calls: the thread of each step. */
struct turns {
	unsigned char of[ORDER_CALLS];
	size_t order; /* index in harness_orders */
};

struct atomic_work {
	struct harness_hunt *h;
	const struct schema *s;
	unsigned size;
	struct turns now;
	unsigned at[SCHEMA_THREADS];
	bool in_threads; /* thread t's calls are made by thread first_thread + t */
	unsigned first_thread;
	ARRAY(struct turns) all;
	struct outcomes *out;
};

/* ---- sequential orders ----------------------------------------------------------------------- */

static void atomic_add_order(struct atomic_work *w)
{
	unsigned calls[ORDER_CALLS], at[SCHEMA_THREADS] = {0}, count = 0;
	struct turns *t = array_add(&w->all);

	*t = w->now;
	for (; count < w->size; count++) {
		unsigned thread = t->of[count];

		calls[count] = w->s->calls[thread][at[thread]++] +
			       (w->in_threads ? (w->first_thread + thread) * ORDER_THREAD : 0);
	}
	count += harness_final(w->h, w->s, calls + count);
	t->order = harness_orders_want(w->h->orders, calls, count);
}

/* True if the threads that end before this one have ended. */
static bool may_begin(const struct atomic_work *w, unsigned thread)
{
	for (unsigned p = 0; p < w->s->threads; p++)
		if (w->s->after[thread] & 1u << p && w->at[p] < w->s->counts[p])
			return false;
	return true;
}

static void add_orders(struct atomic_work *w, unsigned count)
{
	if (count == w->size) {
		atomic_add_order(w);
		return;
	}
	for (unsigned t = 0; t < w->s->threads; t++) {
		if (w->at[t] == w->s->counts[t] || !may_begin(w, t))
			continue;
		w->now.of[count] = (unsigned char)t;
		w->at[t]++;
		add_orders(w, count + 1);
		w->at[t]--;
	}
}

/* ---- outcomes of the orders ------------------------------------------------------------------ */

static void atomic_add_text(struct atomic_work *w, const struct turns *t,
			    const struct harness_order *o)
{
	struct str parts[SCHEMA_THREADS + 1] = {0};
	unsigned threads = w->s->threads;
	STR(text);
	STR(order);

	for (unsigned i = 0; i < o->count; i++) {
		struct str *part = &parts[i < w->size ? t->of[i] : threads];

		str_addf(part, "%s%s", part->length ? " " : "", o->given[i]);
		if (i < w->size)
			str_addf(&order, "%s%s", i ? " " : "",
				 w->h->object.calls.items[o->calls[i] % ORDER_THREAD].text);
	}
	for (unsigned i = 0; i < threads; i++)
		str_addf(&text, "%s%s", i ? " | " : "", str_text(&parts[i]));
	if (o->count > w->size)
		str_addf(&text, " ; %s", str_text(&parts[threads]));
	outcomes_add(w->out, str_text(&text), str_text(&order));
	for (unsigned i = 0; i <= threads; i++)
		str_fini(&parts[i]);
}

/* True if all orders that begin with these `done` steps wait forever there. */
static bool stops(const struct atomic_work *w, const struct turns *t, unsigned done)
{
	array_each(const struct turns, other, &w->all) {
		const struct harness_order *o = harness_orders_get(w->h->orders, other->order);

		if (memcmp(other->of, t->of, done) == 0 &&
		    !(o->end == ORDER_BLOCKED && o->done == (int)done))
			return false;
	}
	return true;
}

/* Notes the first order for which the harness is left out, if it is. */
static enum harness_use atomic_judge(struct atomic_work *w)
{
	const struct harness_order *stuck = NULL;
	enum harness_use use = HARNESS_USABLE;

	array_each(const struct turns, t, &w->all) {
		const struct harness_order *o = harness_orders_get(w->h->orders, t->order);

		if (o->end == ORDER_OK)
			atomic_add_text(w, t, o);
		else if (o->end != ORDER_BLOCKED)
			use = HARNESS_FAILS;
		else if (o->done >= (int)w->size || stops(w, t, (unsigned)o->done))
			use = HARNESS_MAY_STOP;
		if (use != HARNESS_USABLE)
			stuck = o;
		if (stuck)
			break;
	}
	if (stuck)
		harness_note_stuck(w->h, stuck);
	return use;
}

/* ---- effect of the order --------------------------------------------------------------------- */

/* Step at which the thread makes its call. */
static unsigned step_of(const struct turns *t, unsigned thread, unsigned call)
{
	unsigned step = 0;

	while (t->of[step] != thread || call-- > 0)
		step++;
	return step;
}

/* True if some order gives the call another result than a new object does. */
static bool sees(const struct atomic_work *w, unsigned thread, unsigned call)
{
	struct harness_orders *orders = w->h->orders;
	const struct harness_order *alone = harness_orders_get(
		orders, harness_orders_want(orders, &w->s->calls[thread][call], 1));

	array_each(const struct turns, t, &w->all) {
		const struct harness_order *o = harness_orders_get(orders, t->order);

		if (o->end != ORDER_OK || alone->end != ORDER_OK ||
		    strcmp(o->given[step_of(t, thread, call)], alone->given[0]) != 0)
			return true;
	}
	return false;
}

static bool is_concerned(const struct atomic_work *w)
{
	if (w->out->count < 2)
		return false;
	for (unsigned t = 0; t < w->s->threads; t++)
		for (unsigned i = 0; i < w->s->counts[t]; i++)
			if (harness_op_of(&w->h->object, w->s->calls[t][i])->reads &&
			    !sees(w, t, i))
				return false;
	return true;
}

/* ---- interface ------------------------------------------------------------------------------- */

static void want(struct atomic_work *w)
{
	w->all.count = 0;
	for (unsigned t = 0; t < w->s->threads; t++)
		for (unsigned i = 0; i < w->s->counts[t]; i++)
			harness_orders_want(w->h->orders, &w->s->calls[t][i], 1);
	add_orders(w, 0);
}

void harness_atomic_want(struct harness_hunt *h, const struct schema *s)
{
	struct atomic_work w = {.h = h, .s = s, .size = schema_size(s)};

	want(&w);
	array_fini(&w.all);
}

int harness_atomic(struct harness_hunt *h, const struct schema *s, struct harness_atomic *out)
{
	struct atomic_work w = {.h = h, .s = s, .size = schema_size(s), .out = &out->outcomes};
	bool varied = true;
	int failed = 0;

	while (!failed && varied) {
		want(&w);
		failed = harness_orders_run(h, &varied);
		if (!failed && varied) {
			harness_orders_clear(h);
			failed = harness_compile(h);
		}
	}
	if (!failed) {
		out->use = atomic_judge(&w);
		out->concerned = out->use == HARNESS_USABLE && is_concerned(&w);
	}
	array_fini(&w.all);
	return failed;
}

/* Runs orders twice: the first thread of the harness is main in the generated program, but not in
   test.c. */
int harness_atomic_in_threads(struct harness_hunt *h, const struct schema *s, struct outcomes *out)
{
	struct atomic_work w = {
		.h = h, .s = s, .size = schema_size(s), .in_threads = true, .out = out};
	bool varied;
	int failed;

	add_orders(&w, 0);
	w.first_thread = 1;
	add_orders(&w, 0);
	failed = harness_orders_run(h, &varied);
	array_each(const struct turns, t, &w.all) {
		const struct harness_order *o = harness_orders_get(h->orders, t->order);

		if (!failed && o->end == ORDER_OK)
			atomic_add_text(&w, t, o);
	}
	array_fini(&w.all);
	return failed;
}
