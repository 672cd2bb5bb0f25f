/* A verdict for each operation: how often it was searched, and which operation a violation is due
   to. */
#include "tracer/harness/hunt.h"

#include <string.h>

void harness_note_searched(struct harness_hunt *h, const struct harness_sought *s,
			   unsigned long runs, bool is_first)
{
	bool weakened = false;

	array_each(const struct harness_outcome, o, &s->outcomes)
		weakened |= o->weakened;
	array_each(struct harness_op, op, &h->object.ops) {
		if (!schema_calls(&h->object, &s->schema, op))
			continue;
		op->harnesses += is_first;
		op->schedules += runs;
		array_each(const struct harness_weak, weak, &h->weak)
			op->weakened |= weakened && weak->op == op;
	}
}

/* ---- calls that others interrupt ------------------------------------------------------------- */

/* Start routines of test.c, which name the threads "first#1", ... */
static const char *const starts[SCHEMA_THREADS] = {"first", "second", "third", "fourth"};

int harness_column(const struct schedule *s, unsigned thread)
{
	const char *name = s->threads.items[thread];
	const size_t length = strcspn(name, "#");

	for (int i = 0; i < SCHEMA_THREADS; i++)
		if (strlen(starts[i]) == length && strncmp(name, starts[i], length) == 0)
			return i;
	return -1;
}

static bool is_of_test(const char *function)
{
	bool is = strcmp(function, "main") == 0;

	for (int i = 0; i < SCHEMA_THREADS; i++)
		is |= strcmp(function, starts[i]) == 0;
	return is;
}

/* The call that a thread makes, as far as its steps show. */
struct position {
	bool begun, left; /* left: another thread made a step since */
	unsigned call;
	uint64_t first; /* address of the call's first step */
};

static bool is_of(const struct harness_hunt *h, const struct schema *s, unsigned thread,
		  unsigned call, const char *function)
{
	return strcmp(harness_op_of(&h->object, s->calls[thread][call])->function, function) == 0;
}

/* Follows a step of the thread. Returns true if its call was interrupted before. */
static bool follow_step(const struct harness_hunt *h, const struct schema *s, unsigned thread,
			const struct schedule_where *w, struct position *p)
{
	unsigned next = p->call + 1;
	bool interrupted = p->begun && p->left;

	while (next < s->counts[thread] && !is_of(h, s, thread, next, w->func))
		next++;
	p->left = false;
	if (!p->begun || (next < s->counts[thread] &&
			  (w->address == p->first || !is_of(h, s, thread, p->call, w->func)))) {
		p->call = p->begun ? next : 0;
		p->begun = true;
		p->first = w->address;
		return false;
	}
	return interrupted;
}

static void blame_one(struct harness_hunt *h, unsigned call, size_t number)
{
	struct harness_op *op = harness_op_of(&h->object, call);

	op->violation = op->violation ? op->violation : number;
}

/* Notes the violation at the operation of a call that a thread begins, and ends after steps of
   other threads; of several, at the one that ends last. The schedule has the fewest preemptions
   with which the violation occurs, so each one matters. Returns false if there is no such call. */
static bool blame_interrupted(struct harness_hunt *h, const struct harness_violation *v,
			      const struct schedule *s, size_t number)
{
	struct position at[SCHEMA_THREADS] = {{0}};
	const unsigned *last = NULL;

	array_each(const struct schedule_step, step, &s->steps) {
		int t = harness_column(s, step->thread);

		if (t < 0 || !step->where.func || is_of_test(step->where.func))
			continue;
		if (follow_step(h, &v->schema, (unsigned)t, &step->where, &at[t]))
			last = &v->schema.calls[t][at[t].call];
		for (int other = 0; other < SCHEMA_THREADS; other++)
			at[other].left |= other != t;
	}
	if (last)
		blame_one(h, *last, number);
	return last != NULL;
}

/* Notes the violation at each operation for which `is` holds. Returns true if there are any. */
static bool blame_those(struct harness_hunt *h, const struct harness_violation *v, size_t number,
			bool (*is)(const struct harness_violation *v, const struct harness_op *op))
{
	bool any = false;

	for (unsigned t = 0; t < v->schema.threads; t++)
		for (unsigned i = 0; i < v->schema.counts[t]; i++)
			if (is(v, harness_op_of(&h->object, v->schema.calls[t][i]))) {
				blame_one(h, v->schema.calls[t][i], number);
				any = true;
			}
	return any;
}

static bool is_untrusted(const struct harness_violation *v, const struct harness_op *op)
{
	(void)v;
	return op->trust == HARNESS_UNTRUSTED;
}

/* True if a call of the operation gave something else than in the nearest atomic outcome. */
static bool is_different(const struct harness_violation *v, const struct harness_op *op)
{
	const size_t length = strlen(op->name);

	for (const char *at = v->differs; at && *at; at = strstr(at, "; "), at = at ? at + 2 : at)
		if (strncmp(at, op->name, length) == 0 && at[length] == '(')
			return true;
	return false;
}

static bool is_any(const struct harness_violation *v, const struct harness_op *op)
{
	(void)v, (void)op;
	return true;
}

void harness_blame(struct harness_hunt *h, const struct harness_violation *v,
		   const struct explore_failure *f)
{
	const size_t number = (size_t)(v - h->violations.items) + 1;

	if (blame_those(h, v, number, is_untrusted))
		return;
	if (f && f->rerun == RERUN_SAME && blame_interrupted(h, v, &f->schedule, number))
		return;
	if (!blame_those(h, v, number, is_different))
		blame_those(h, v, number, is_any);
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static void say_untried(const struct harness_hunt *h, const struct harness_op *op, struct str *out)
{
	const struct harness_stuck *stuck = harness_stuck_with(h, op);

	if (op->why)
		str_addf(out, "it %s after every other call", op->why);
	else if (stuck)
		harness_say_stuck(h, stuck, true, out);
	else if (h->options.schemas.count)
		str_add(out, "no schema that was searched calls it");
	else if (op->trust == HARNESS_NEITHER)
		str_add(out, "neither --core nor --untrusted names it");
	else if (h->violations.count && !h->explore.all)
		str_add(out, "the search ended with the first violation (--all goes on)");
	else if (h->out_of_time)
		str_add(out, "the time was over (--for)");
	else if (h->contained)
		str_add(out, "its harnesses contain a violation");
	else if (h->unusable)
		str_add(out, "calls one after the other do not end normally in its harnesses");
	else
		str_add(out, "no harness of so many calls has it");
}

void harness_verdict(const struct harness_hunt *h, const struct harness_op *op, struct str *out)
{
	const struct harness_stuck *stuck = harness_stuck_with(h, op);

	if (op->violation) {
		str_add(out, "not atomic: ");
		str_add(out, h->violations.items[op->violation - 1].brief);
	} else if (!op->harnesses) {
		str_add(out, "not tried: ");
		say_untried(h, op, out);
	} else {
		str_addf(out, "%s in %lu harness%s, %lu schedule%s",
			 op->weakened ? "weak as declared" : "atomic", op->harnesses,
			 op->harnesses == 1 ? "" : "es", op->schedules, str_plural(op->schedules));
		if (op->trust == HARNESS_CORE)
			str_add(out, " (trusted)");
		if (stuck) {
			str_add(out, ", but ");
			harness_say_stuck(h, stuck, true, out);
		}
	}
}
