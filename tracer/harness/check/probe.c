/* Finds properties of operations by calling them. */
#include "tracer/harness/hunt.h"

#include "tracer/base/signame.h"

#include <limits.h>
#include <string.h>

enum { CONTEXTS = 6, OBSERVERS = 16, FINAL = 3, FINAL_OF_ONE = 2, TAKEN = 6, MANY = 10 };
/* Trying operations takes at most this share of --for, and computes so many seconds. */
enum { TRIAL_SHARE = 5, TRIAL_S = 6 };

static const unsigned NONE = UINT_MAX;

static const struct harness_order *order(const struct harness_hunt *h, const unsigned *calls,
					 unsigned count)
{
	return harness_orders_get(h->orders, harness_orders_want(h->orders, calls, count));
}

/* The trial of operations is over before all is known: the search begins with what is. */
static bool trial_is_over(const struct harness_hunt *h)
{
	return (h->trial_ends > 0 && explore_now_s() >= h->trial_ends) || harness_trial_left(h) < 0;
}

static void begin_trial(struct harness_hunt *h)
{
	const double whole = h->explore.seconds;

	h->trial_ends = whole > 0 ? explore_now_s() + whole / TRIAL_SHARE : 0;
	h->trial_computed_s = explore_computed_s() + TRIAL_S;
}

static void end_trial(struct harness_hunt *h)
{
	h->trial_ends = h->trial_computed_s = 0;
}

/* Returns 1 if operations have changed and probing must begin again, 0, or -1 with h->x.err set. */
static int probe_run(struct harness_hunt *h)
{
	bool varied;

	return harness_orders_run(h, &varied) < 0 ? -1 : varied;
}

/* The n-th call of an operation, or NONE. */
static unsigned call_of(const struct harness_hunt *h, unsigned op, unsigned n)
{
	for (unsigned c = 0; c < h->object.calls.count; c++)
		if (h->object.calls.items[c].op == op && n-- == 0)
			return c;
	return NONE;
}

/* Most calls of one operation. */
static unsigned most_calls(const struct harness_hunt *h)
{
	unsigned most = 0;

	for (unsigned op = 0; op < h->object.ops.count; op++)
		while (call_of(h, op, most) != NONE)
			most++;
	return most;
}

/* ---- the object ------------------------------------------------------------------------------ */

void harness_say_end(const struct harness_order *o, struct str *out)
{
	if (o->end == ORDER_SIGNAL)
		str_addf(out, "dies by SIG%s", signame_text(o->number));
	else if (o->end == ORDER_EXIT)
		str_addf(out, "ends the program (exit status %d)", o->number);
	else if (o->end == ORDER_BLOCKED && o->number == ORDER_COMPUTES)
		str_add(out, "never ends, as a loop that waits for another thread");
	else if (o->end == ORDER_BLOCKED && o->number == ORDER_WAITS)
		str_add(out, "waits for longer than half a second");
	else if (o->end == ORDER_BLOCKED)
		str_add(out, "blocks for ever");
	else
		str_add(out, "ends differently each time");
}

static int not_made(struct harness_hunt *h, const struct harness_order *o)
{
	const char *make = h->object.make ? h->object.make : "the constructor";
	STR(text);

	harness_say_end(o, &text);
	if (o->end == ORDER_UNMADE)
		error_set(h->x.err, ERROR_USAGE, "the constructor has failed: '%s' gives no object",
			  make);
	else
		error_set(h->x.err, ERROR_USAGE, "the constructor has failed: '%s' %s", make,
			  str_text(&text));
	return error_hint(h->x.err, "--new 'EXPRESSION of C' says how to make one");
}

/* ---- operations that cannot be called -------------------------------------------------------- */

/* True if a call of the operation has returned, alone or after another one; looks at the orders of
   the rounds so far, and requests them. */
static bool has_returned(struct harness_hunt *h, unsigned op, unsigned rounds)
{
	const unsigned ops = (unsigned)h->object.ops.count;

	for (unsigned r = 0; r < rounds; r++) {
		unsigned c = call_of(h, op, r);

		if (c != NONE && order(h, &c, 1)->end == ORDER_OK)
			return true;
		c = c == NONE ? call_of(h, op, 0) : c;
		for (unsigned other = 0; c != NONE && other < ops; other++) {
			unsigned before = call_of(h, other, r);

			if (before != NONE && order(h, &before, 1)->end == ORDER_OK &&
			    order(h, (unsigned[]){before, c}, 2)->end == ORDER_OK)
				return true;
		}
	}
	return false;
}

/* True if the time sufficed for the first call, alone and after the others. */
static bool is_tried(struct harness_hunt *h, unsigned op)
{
	unsigned c = call_of(h, op, 0);
	bool run = order(h, &c, 1)->is_run;

	for (unsigned other = 0; run && other < h->object.ops.count; other++) {
		unsigned before = call_of(h, other, 0);

		if (before != NONE && order(h, &before, 1)->end == ORDER_OK)
			run = order(h, (unsigned[]){before, c}, 2)->is_run;
	}
	return run;
}

/* True if no call of the operation returned. */
static bool never_returns(struct harness_hunt *h, unsigned op)
{
	return !has_returned(h, op, most_calls(h)) && is_tried(h, op);
}

/* Excludes operations that never return. Returns true if there are any. */
static bool mark_never(struct harness_hunt *h)
{
	struct harness_object *o = &h->object;
	bool any = false;

	for (unsigned c = 0; c < o->calls.count; c++) {
		struct harness_op *op = &o->ops.items[o->calls.items[c].op];
		struct str why = {0};

		if (op->is_out || !never_returns(h, o->calls.items[c].op))
			continue;
		harness_say_end(order(h, &c, 1), &why);
		op->is_out = any = true;
		op->why = str_take(&why);
		str_addf(&why,
			 "%s was left out: it %s after every other call; --ops names the "
			 "operations that are called",
			 op->function, op->why);
		*array_add(&h->notes) = str_take(&why);
	}
	return any;
}

static int nothing_left(struct harness_hunt *h)
{
	STR(text);

	array_each(const struct harness_op, op, &h->object.ops)
		str_addf(&text, "%s%s %s", text.length ? "; " : "", op->function,
			 op->why ? op->why : "");
	error_set(h->x.err, ERROR_USAGE, "no operation of %s returns: %s", h->object.type,
		  str_text(&text));
	return -1;
}

/* Tries the first call of each operation, alone and after those of the others; then further values,
   until each operation has returned once. */
static int try_calls(struct harness_hunt *h)
{
	const unsigned first = 0, rounds = most_calls(h);
	bool all = false;
	int again = 0;

	for (unsigned r = 1; !again && !all && r <= rounds && (r == 1 || !trial_is_over(h)); r++) {
		for (unsigned op = 0; op < h->object.ops.count; op++) {
			unsigned c = call_of(h, op, r - 1);

			if (c != NONE)
				order(h, &c, 1);
		}
		again = probe_run(h);
		if (!again && order(h, &first, 1)->done < 0)
			return not_made(h, order(h, &first, 1));
		for (unsigned op = 0; !again && op < h->object.ops.count; op++)
			has_returned(h, op, r);
		again = again ? again : probe_run(h);
		all = true;
		for (unsigned op = 0; op < h->object.ops.count; op++)
			all &= has_returned(h, op, r);
	}
	return again;
}

static int find_callable(struct harness_hunt *h)
{
	int again = try_calls(h);

	if (again || !mark_never(h))
		return again;
	harness_calls(&h->object);
	return h->object.calls.count ? 1 : nothing_left(h);
}

/* ---- read-only operations -------------------------------------------------------------------- */

static bool gives(const struct harness_op *op)
{
	return (op->shown != HARNESS_NOTHING || harness_count(op, HARNESS_OUT) ||
		harness_count(op, HARNESS_VISITS)) &&
	       !op->varies;
}

/* Fills the first call of each operation, CONTEXTS at most. */
static unsigned contexts(const struct harness_hunt *h, unsigned out[CONTEXTS])
{
	unsigned count = 0;

	for (unsigned c = 0; c < h->object.calls.count && count < CONTEXTS; c++)
		if (c == 0 || h->object.calls.items[c].op != h->object.calls.items[c - 1].op)
			out[count++] = c;
	return count;
}

/* True if `times` calls after the context (NULL for none) change what the observer gives. */
static bool is_seen(struct harness_hunt *h, const unsigned *context, unsigned call, unsigned times,
		    unsigned observer)
{
	unsigned with[MANY + 2] = {0}, without[2] = {0};
	const unsigned b = context != NULL, a = b + times;
	const struct harness_order *x, *y;

	if (context)
		with[0] = without[0] = *context;
	for (unsigned i = b; i < a; i++)
		with[i] = call;
	with[a] = without[b] = observer;
	order(h, with, a + 1); /* Both orders are added first: pointers are valid until then. */
	order(h, without, b + 1);
	x = order(h, with, a + 1);
	y = order(h, without, b + 1);
	if (!x->is_run || !y->is_run || x->done < (int)a || y->done < (int)b)
		return false; /* the call or its context does not return */
	return x->end != y->end || (x->end == ORDER_OK && strcmp(x->given[a], y->given[b]) != 0);
}

/* True if no observer sees the call, alone, after others or MANY times (a semaphore hides the first
   calls). Does not end early, so that the first time requests all orders. */
static bool only_reads(struct harness_hunt *h, unsigned call)
{
	unsigned context[CONTEXTS], count = contexts(h, context), observers = 0;
	bool seen = false;

	for (unsigned g = 0; g < h->object.calls.count && observers < OBSERVERS; g++) {
		if (!gives(harness_op_of(&h->object, g)))
			continue;
		observers++;
		seen |= is_seen(h, NULL, call, 1, g);
		seen |= is_seen(h, NULL, call, MANY, g);
		for (unsigned i = 0; i < count; i++)
			seen |= is_seen(h, &context[i], call, 1, g);
	}
	return observers > 0 && !seen;
}

/* Tries the n-th call of each operation that may only read. Returns as probe_run(). */
static int try_reading(struct harness_hunt *h, unsigned n)
{
	const unsigned ops = (unsigned)h->object.ops.count;
	int again;

	for (unsigned op = 0; op < ops; op++)
		if (h->object.ops.items[op].reads && call_of(h, op, n) != NONE)
			only_reads(h, call_of(h, op, n));
	again = probe_run(h);
	for (unsigned op = 0; !again && op < ops; op++)
		if (h->object.ops.items[op].reads && call_of(h, op, n) != NONE &&
		    !only_reads(h, call_of(h, op, n)))
			h->object.ops.items[op].reads = false;
	return again;
}

/* An operation only reads if none of its calls changes what others give: those with few values are
   tried first, and an operation is tried until one of its calls changes something. */
static int find_readers(struct harness_hunt *h)
{
	const unsigned rounds = most_calls(h);
	unsigned n = 0;
	int again = 0;

	array_each(struct harness_op, op, &h->object.ops)
		op->reads = gives(op) && !op->is_partial && !op->is_out;
	for (; !again && n < rounds && !trial_is_over(h); n++)
		again = try_reading(h, n);
	if (trial_is_over(h))
		array_each(struct harness_op, op, &h->object.ops) {
			op->is_unsure = op->reads;
			op->reads = false;
		}
	return again;
}

/* If every operation seems to only read, treats all as changing: a change that no observer sees is
   possible, such as a lock. */
static void settle_readers(struct harness_hunt *h)
{
	bool any = false;

	array_each(const struct harness_op, op, &h->object.ops)
		any |= !op->is_out && !op->reads;
	if (any)
		return;
	array_each(struct harness_op, op, &h->object.ops)
		op->reads = false;
	*array_add(&h->notes) = base_strdup(
		"no operation shows what another one changes: each is taken to change the object");
}

/* ---- the final observation ------------------------------------------------------------------- */

/* True if the call may wait for a change. Such a call is no final observation: no thread is left to
   make the change. */
static bool may_stop(struct harness_hunt *h, unsigned call)
{
	unsigned context[CONTEXTS], count = contexts(h, context);
	bool stops = order(h, &call, 1)->end != ORDER_OK;

	for (unsigned i = 0; i < count; i++)
		stops |= order(h, (unsigned[]){context[i], call}, 2)->end == ORDER_BLOCKED;
	return stops;
}

static void add_observers(struct harness_hunt *h, bool valued, bool visiting)
{
	unsigned of_one = 0, last = 0;

	for (unsigned c = 0; c < h->object.calls.count && h->final.count < FINAL; c++) {
		const struct harness_op *op = harness_op_of(&h->object, c);

		of_one = h->object.calls.items[c].op == last ? of_one : 0;
		last = h->object.calls.items[c].op;
		if (op->reads && (harness_count(op, HARNESS_VALUE) > 0) == valued &&
		    (harness_count(op, HARNESS_VISITS) > 0) == visiting && !may_stop(h, c) &&
		    of_one++ < FINAL_OF_ONE)
			*array_add(&h->final) = c;
	}
}

static bool may_take(const struct harness_hunt *h, unsigned call)
{
	const struct harness_op *op = harness_op_of(&h->object, call);

	return !op->reads && !harness_count(op, HARNESS_VALUE) && gives(op) &&
	       order(h, &call, 1)->end == ORDER_OK;
}

/* Order of TAKEN calls, after the call `behind` unless that is NONE. */
static const struct harness_order *calls_of(const struct harness_hunt *h, unsigned behind,
					    unsigned call)
{
	unsigned calls[TAKEN + 1] = {behind}, first = behind != NONE;

	for (unsigned i = 0; i < TAKEN; i++)
		calls[first + i] = call;
	return order(h, calls, first + TAKEN);
}

/* The order of calls_of() if its last two calls give the same, else NULL. */
static const struct harness_order *taken(const struct harness_hunt *h, unsigned behind,
					 unsigned call)
{
	const struct harness_order *o = calls_of(h, behind, call);
	unsigned last = o->count - 1;

	return o->end == ORDER_OK && strcmp(o->given[last], o->given[last - 1]) == 0 ? o : NULL;
}

/* True if the call finds what `behind` left, and in the end as little as it finds alone. */
static bool takes_from(const struct harness_hunt *h, unsigned behind, unsigned call)
{
	const struct harness_order *alone = taken(h, NONE, call), *o = taken(h, behind, call);
	bool differs = false;

	if (!alone || !o || strcmp(alone->given[TAKEN - 1], o->given[TAKEN]) != 0)
		return false;
	for (unsigned i = 0; i < TAKEN; i++)
		differs |= strcmp(alone->given[i], o->given[i + 1]) != 0;
	return differs;
}

static void note_taker(struct harness_hunt *h, unsigned call)
{
	const struct harness_order *alone = taken(h, NONE, call);

	h->takes = true;
	h->taker = call;
	h->filled = 0;
	while (strcmp(alone->given[h->filled], alone->given[TAKEN - 1]) != 0)
		h->filled++;
}

/* Tries the n-th call of each operation before every call that may take. Returns as probe_run(). */
static int try_taking(struct harness_hunt *h, unsigned n)
{
	const unsigned count = (unsigned)h->object.calls.count, ops = (unsigned)h->object.ops.count;
	int again;

	for (unsigned c = 0; c < count; c++)
		for (unsigned op = 0; may_take(h, c) && taken(h, NONE, c) && op < ops; op++)
			if (call_of(h, op, n) != NONE)
				calls_of(h, call_of(h, op, n), c);
	again = probe_run(h);
	for (unsigned c = 0; !again && !h->takes && c < count; c++)
		for (unsigned op = 0; !h->takes && may_take(h, c) && op < ops; op++)
			if (op != h->object.calls.items[c].op && call_of(h, op, n) != NONE &&
			    takes_from(h, call_of(h, op, n), c))
				note_taker(h, c);
	return again;
}

/* Finds an operation that removes what others have added, until nothing is left: it shows what was
   lost. */
static int find_taker(struct harness_hunt *h)
{
	const unsigned count = (unsigned)h->object.calls.count, rounds = most_calls(h);
	int again;

	h->takes = false;
	for (unsigned c = 0; c < count; c++)
		if (may_take(h, c))
			calls_of(h, NONE, c);
	again = probe_run(h);
	for (unsigned n = 0; !again && !h->takes && n < rounds && !trial_is_over(h); n++)
		again = try_taking(h, n);
	return again;
}

/* Without observers and a removing operation, calls operations that give a result. */
static void call_twice(struct harness_hunt *h)
{
	for (unsigned c = 0; c < h->object.calls.count && !h->final.count; c++)
		for (unsigned i = 0; may_take(h, c) && i < FINAL_OF_ONE; i++)
			*array_add(&h->final) = c;
}

/* Chooses observers: those without values first, those with callbacks last. */
static void choose_final(struct harness_hunt *h)
{
	h->final.count = 0;
	add_observers(h, false, false);
	add_observers(h, true, false);
	for (int valued = 0; valued < 2 && !h->final.count; valued++)
		add_observers(h, valued, true);
	if (!h->takes)
		call_twice(h);
}

/* ---- probing --------------------------------------------------------------------------------- */

static void add_notes(struct harness_hunt *h)
{
	struct str text = {0};

	if (!h->object.make) {
		str_addf(&text,
			 "no function creates a %s: it is %llu zero bytes (--new gives another "
			 "expression)",
			 h->object.type, (unsigned long long)h->object.memory);
		*array_add(&h->notes) = str_take(&text);
	}
	array_each(const struct harness_op, op, &h->object.ops) {
		if (!op->varies)
			continue;
		str_addf(&text, "%s returns another value in each run: its value is left out",
			 op->function);
		*array_add(&h->notes) = str_take(&text);
	}
}

int harness_probe(struct harness_hunt *h)
{
	int again = 1;

	begin_trial(h);
	while (again > 0) {
		harness_orders_clear(h);
		if (harness_compile(h) < 0)
			return -1;
		again = find_callable(h);
		if (again == 0)
			again = find_readers(h);
		if (again == 0)
			again = find_taker(h);
	}
	if (again < 0)
		return -1;
	end_trial(h);
	choose_final(h);
	settle_readers(h);
	add_notes(h);
	return 0;
}

/* ---- calls after the threads ----------------------------------------------------------------- */

/* Most items that the object may hold, and one more call that finds nothing. */
static unsigned count_taken(const struct harness_hunt *h, const struct schema *s)
{
	unsigned count = h->filled + 1;

	for (unsigned t = 0; t < s->threads; t++)
		for (unsigned i = 0; i < s->counts[t]; i++)
			count += !harness_op_of(&h->object, s->calls[t][i])->reads &&
				 harness_op_of(&h->object, s->calls[t][i]) !=
					 harness_op_of(&h->object, h->taker);
	return count;
}

unsigned harness_final(const struct harness_hunt *h, const struct schema *s,
		       unsigned calls[ORDER_CALLS])
{
	unsigned room = ORDER_CALLS - schema_size(s), count = 0;

	for (; count < h->final.count && count < room; count++)
		calls[count] = h->final.items[count];
	for (unsigned n = h->takes ? count_taken(h, s) : 0; n > 0 && count < room; n--)
		calls[count++] = h->taker;
	return count;
}
