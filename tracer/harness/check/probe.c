/* Finds properties of operations by calling them. */
#include "tracer/harness/hunt.h"

#include "tracer/base/signame.h"

#include <limits.h>
#include <string.h>

enum { CONTEXTS = 6, OBSERVERS = 16, FINAL = 3, FINAL_OF_ONE = 2, TAKEN = 6, MANY = 10 };

static const unsigned NONE = UINT_MAX;

static const struct harness_order *order(const struct harness_hunt *h, const unsigned *calls,
					 unsigned count)
{
	return harness_orders_get(h->orders, harness_orders_want(h->orders, calls, count));
}

static int no_time(struct harness_hunt *h)
{
	error_set(h->x.err, ERROR_USAGE,
		  "nothing was searched: the %.0f seconds were over while the operations of %s "
		  "were tried one by one",
		  h->explore.seconds, h->object.type);
	return error_hint(h->x.err, "--for SECONDS gives more time, --ops names fewer operations");
}

/* Returns 1 if operations have changed and probing must begin again, 0, or -1 with h->x.err set. */
static int probe_run(struct harness_hunt *h)
{
	bool varied;

	if (harness_orders_run(h, &varied) < 0)
		return -1;
	return harness_left(h) < 0 ? no_time(h) : varied;
}

/* ---- the object ------------------------------------------------------------------------------ */

static void say_end(const struct harness_order *o, struct str *out)
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

	say_end(o, &text);
	if (o->end == ORDER_UNMADE)
		error_set(h->x.err, ERROR_USAGE, "the constructor has failed: '%s' gives no object",
			  make);
	else
		error_set(h->x.err, ERROR_USAGE, "the constructor has failed: '%s' %s", make,
			  str_text(&text));
	return error_hint(h->x.err, "--new 'EXPRESSION of C' says how to make one");
}

/* ---- operations that cannot be called -------------------------------------------------------- */

/* True if no call of the operation returns, alone or after any other call. */
static bool never_returns(struct harness_hunt *h, unsigned op)
{
	const struct harness_object *o = &h->object;

	for (unsigned c = 0; c < o->calls.count; c++) {
		if (o->calls.items[c].op != op)
			continue;
		if (order(h, &c, 1)->end == ORDER_OK)
			return false;
		for (unsigned before = 0; before < o->calls.count; before++) {
			const unsigned calls[] = {before, c};

			if (order(h, &before, 1)->end == ORDER_OK &&
			    order(h, calls, 2)->end == ORDER_OK)
				return false;
		}
	}
	return true;
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
		say_end(order(h, &c, 1), &why);
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

static int find_callable(struct harness_hunt *h)
{
	const unsigned first = 0, count = (unsigned)h->object.calls.count;
	int again;

	for (unsigned c = 0; c < count; c++)
		order(h, &c, 1);
	again = probe_run(h);
	if (again)
		return again;
	if (order(h, &first, 1)->done < 0)
		return not_made(h, order(h, &first, 1));
	for (unsigned c = 0; c < count; c++)
		for (unsigned before = 0; before < count; before++)
			if (order(h, &c, 1)->end != ORDER_OK &&
			    order(h, &before, 1)->end == ORDER_OK)
				order(h, (unsigned[]){before, c}, 2);
	again = probe_run(h);
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
	if (x->done < (int)a || y->done < (int)b)
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

static int find_readers(struct harness_hunt *h)
{
	struct harness_object *o = &h->object;
	int again;

	array_each(struct harness_op, op, &o->ops)
		op->reads = gives(op) && !op->is_partial;
	for (unsigned c = 0; c < o->calls.count; c++)
		if (harness_op_of(&h->object, c)->reads)
			only_reads(h, c);
	again = probe_run(h);
	if (again)
		return again;
	for (unsigned c = 0; c < o->calls.count; c++)
		if (harness_op_of(o, c)->reads && !only_reads(h, c))
			harness_op_of(o, c)->reads = false;
	return 0;
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

/* Finds an operation that removes what others have added, until nothing is left: it shows what was
   lost. */
static int find_taker(struct harness_hunt *h)
{
	const unsigned count = (unsigned)h->object.calls.count;
	int again;

	h->takes = false;
	for (unsigned c = 0; c < count; c++)
		for (unsigned m = 0; may_take(h, c) && m < count; m++) {
			calls_of(h, NONE, c);
			calls_of(h, m, c);
		}
	again = probe_run(h);
	for (unsigned c = 0; !again && !h->takes && c < count; c++)
		for (unsigned m = 0; !h->takes && may_take(h, c) && m < count; m++)
			if (h->object.calls.items[m].op != h->object.calls.items[c].op &&
			    takes_from(h, m, c))
				note_taker(h, c);
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
