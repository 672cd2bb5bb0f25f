/* Sequential orders of calls, and the runs of the program that makes them. */
#include "tracer/harness/hunt.h"

#include "tracer/base/files/file.h"
#include "tracer/base/text/foreign.h"
#include "tracer/base/hash.h"
#include "tracer/base/number_map.h"

#include <stdlib.h>
#include <string.h>

struct harness_orders {
	ARRAY(struct harness_order) items;
	struct number_map index; /* maps a hash of calls to index + 1 */
	size_t run;		 /* the first `run` items were run */
	ARRAY(size_t) pending;	 /* indexes of the others that must be run */
	/* The object keeps state outside of itself: a process makes one order. */
	bool isolated;
};

/* ---- the table ------------------------------------------------------------------------------- */

double harness_left(const struct harness_hunt *h)
{
	double left = h->explore.seconds;

	if (left <= 0)
		return 0;
	left -= explore_now_s() - h->begun;
	return left > 0 ? left : -1;
}

double harness_trial_left(const struct harness_hunt *h)
{
	double left = h->trial_computed_s;

	if (left <= 0)
		return 0;
	left -= explore_computed_s();
	return left > 0 ? left : -1;
}

/* Returns what harness_left() does, for orders, which also end with the trial of operations. */
static double left_for_orders(const struct harness_hunt *h)
{
	double left = harness_left(h), trial = h->trial_ends - explore_now_s();

	if (harness_trial_left(h) < 0)
		return -1;
	if (!h->trial_ends || (left != 0 && left < trial))
		return left;
	return trial > 0 ? trial : -1;
}

static unsigned key_of(const unsigned *calls, unsigned count)
{
	uint64_t sum = HASH_START;

	for (unsigned i = 0; i < count; i++)
		sum = hash_word(sum, calls[i] + 1);
	return number_map_key(sum);
}

/* Returns the index + 1, or 0. */
static size_t find_order(const struct harness_orders *o, const unsigned *calls, unsigned count)
{
	const unsigned key = key_of(calls, count);
	unsigned known;

	for (size_t at = 0; (known = number_map_next(&o->index, key, &at));) {
		const struct harness_order *item = &o->items.items[known - 1];

		if (item->count == count && memcmp(item->calls, calls, count * sizeof(*calls)) == 0)
			break;
	}
	return known;
}

size_t harness_orders_want(struct harness_orders *o, const unsigned *calls, unsigned count)
{
	const size_t known = find_order(o, calls, count);
	struct harness_order *item;

	if (known)
		return known - 1;
	item = array_add(&o->items);
	item->count = count;
	memcpy(item->calls, calls, count * sizeof(*calls));
	number_map_add(&o->index, key_of(calls, count), (unsigned)o->items.count);
	return o->items.count - 1;
}

const struct harness_order *harness_orders_get(const struct harness_orders *o, size_t index)
{
	return &o->items.items[index];
}

static void orders_forget(struct harness_order *item)
{
	for (int i = 0; i < ORDER_CALLS; i++) {
		base_free(item->given[i]);
		item->given[i] = NULL;
	}
}

void harness_orders_free(struct harness_hunt *h)
{
	array_each(struct harness_order, item, &h->orders->items)
		orders_forget(item);
	array_fini(&h->orders->items);
	array_fini(&h->orders->pending);
	number_map_fini(&h->orders->index);
	base_free(h->orders);
	h->orders = NULL;
}

void harness_orders_clear(struct harness_hunt *h)
{
	const bool isolated = h->orders && h->orders->isolated;

	if (h->orders)
		harness_orders_free(h);
	h->orders = base_alloc(1, sizeof(*h->orders));
	h->orders->isolated = isolated;
}

/* ---- output of the program ------------------------------------------------------------------- */

static enum order_end end_of(const char *word)
{
	static const char *const words[] = {
		[ORDER_OK] = "ok",	   [ORDER_UNMADE] = "unmade", [ORDER_BLOCKED] = "blocked",
		[ORDER_SIGNAL] = "signal", [ORDER_EXIT] = "exit",
	};

	for (int i = ORDER_OK; i <= ORDER_EXIT; i++)
		if (strncmp(word, words[i], strlen(words[i])) == 0)
			return (enum order_end)i;
	return ORDER_UNKNOWN;
}

/* Adds the times of the calls to their operations. */
static void read_times(struct harness_hunt *h, char *list, const struct harness_order *o)
{
	char *word;

	for (unsigned i = 0; (word = strsep(&list, ",")) && *word && i < o->count; i++) {
		struct harness_op *op = harness_op_of(&h->object, o->calls[i] % ORDER_THREAD);

		op->tried++;
		op->tried_s += strtod(word, NULL) / 1e6;
	}
}

/* Parses a line of the program. A line with too few results was mixed with output of the
   library. */
static void read_line(struct harness_hunt *h, char *line, struct harness_order *out)
{
	unsigned given = 0;
	char *rest = line, *word = strsep(&rest, "\t"), *blank = strchr(word, ' ');

	out->is_run = true;
	out->end = end_of(word);
	out->number = blank ? atoi(blank) : 0;
	word = strsep(&rest, "\t");
	out->done = word ? atoi(word) : -1;
	word = strsep(&rest, "\t");
	if (word)
		read_times(h, word, out);
	for (; rest && given < ORDER_CALLS; given++)
		out->given[given] = base_strdup(strsep(&rest, "\t"));
	if (out->end == ORDER_OK && given != out->count)
		out->end = ORDER_UNKNOWN;
}

static bool is_in_threads(const struct harness_order *o)
{
	for (unsigned i = 0; i < o->count; i++)
		if (o->calls[i] >= ORDER_THREAD)
			return true;
	return false;
}

/* True if a result differs in the second run; with `marks`, its operation varies. Orders in threads
   are skipped: they run too late to recompile. */
static bool orders_compare(struct harness_hunt *h, const struct harness_order *a,
			   const struct harness_order *b, bool marks)
{
	bool differs = false;

	for (unsigned i = 0; i < a->count && !is_in_threads(a); i++) {
		struct harness_op *op = harness_op_of(&h->object, a->calls[i] % ORDER_THREAD);

		if (!a->given[i] || !b->given[i] || strcmp(a->given[i], b->given[i]) == 0)
			continue;
		differs |= !op->varies;
		op->varies |= marks;
	}
	return differs;
}

/* ---- the runs -------------------------------------------------------------------------------- */

static int write_pending(const struct harness_orders *o, const char *path, struct error *err)
{
	STR(text);
	int failed;

	array_each(const size_t, i, &o->pending) {
		const struct harness_order *item = &o->items.items[*i];

		for (unsigned c = 0; c < item->count; c++)
			str_addf(&text, "%s%u", c ? " " : "", item->calls[c]);
		str_add(&text, "\n");
	}
	failed = file_replace(path, str_text(&text), err);
	return failed;
}

static void orders_take_first(struct harness_hunt *h, struct str *said)
{
	struct harness_orders *o = h->orders;
	char *rest = said->text, *line;

	for (size_t i = 0; i < o->pending.count && (line = strsep(&rest, "\n")) && *line; i++) {
		struct harness_order *item = &o->items.items[o->pending.items[i]];

		orders_forget(item);
		read_line(h, line, item);
	}
}

/* Compares the lines of the second run. Returns the number of orders that gave something else; the
   pending orders are those then. An order of a process of its own (`alone`) that ends differently
   has no known end. */
static size_t orders_take_second(struct harness_hunt *h, struct str *said, bool alone)
{
	struct harness_orders *o = h->orders;
	char *rest = said->text, *line;
	size_t differing = 0;

	for (size_t i = 0; i < o->pending.count && (line = strsep(&rest, "\n")) && *line; i++) {
		const size_t index = o->pending.items[i];
		struct harness_order *item = &o->items.items[index];
		struct harness_order second = {.count = item->count};
		bool differs;

		memcpy(second.calls, item->calls, sizeof(second.calls));
		read_line(h, line, &second);
		differs = orders_compare(h, item, &second, alone) || second.end != item->end;
		if (alone && second.end != item->end)
			item->end = ORDER_UNKNOWN;
		if (differs)
			o->pending.items[differing++] = index;
		orders_forget(&second);
	}
	o->pending.count = differing;
	return differing;
}

/* ---- orders that do not return --------------------------------------------------------------- */

static void copy_end(const struct harness_order *from, struct harness_order *to)
{
	to->is_run = true;
	to->end = from->end;
	to->number = from->number;
	to->done = from->done;
	for (int i = 0; i < from->done; i++)
		to->given[i] = from->given[i] ? base_strdup(from->given[i]) : NULL;
}

/* True if the item begins like an order that did not return; copies that order's end. */
static bool orders_is_stopped(const struct harness_orders *o, struct harness_order *item)
{
	for (unsigned n = 1; n < item->count; n++) {
		size_t at = find_order(o, item->calls, n);
		const struct harness_order *known = at ? &o->items.items[at - 1] : NULL;

		if (known && known->end == ORDER_BLOCKED) {
			copy_end(known, item);
			return true;
		}
	}
	return false;
}

/* Adds the calls up to the one that did not return as an order of their own. */
static void note_stopped(struct harness_orders *o, size_t index)
{
	struct harness_order whole = o->items.items[index];
	size_t at;

	if (whole.end != ORDER_BLOCKED || whole.done < 0 || whole.done + 1 >= (int)whole.count)
		return;
	at = harness_orders_want(o, whole.calls, (unsigned)whole.done + 1);
	if (o->items.items[at].end == ORDER_UNKNOWN)
		copy_end(&whole, &o->items.items[at]);
}

static void find_pending(struct harness_orders *o)
{
	o->pending.count = 0;
	for (size_t i = o->run; i < o->items.count; i++)
		if (!orders_is_stopped(o, &o->items.items[i]))
			*array_add(&o->pending) = i;
}

/* Drops orders that did not return from the second run: they take long and do not return then
   either. */
static void drop_stopped(struct harness_orders *o)
{
	size_t kept = 0;

	array_each(const size_t, i, &o->pending) {
		note_stopped(o, *i);
		if (o->items.items[*i].end != ORDER_BLOCKED)
			o->pending.items[kept++] = *i;
	}
	o->pending.count = kept;
}

/* ---- running pending orders ------------------------------------------------------------------ */

/* Reports why the program does not run at all, from its own output. */
static int not_run(struct harness_hunt *h)
{
	STR(command);
	STR(said);

	foreign_shell_word(&command, h->program);
	str_add(&command, " orders < /dev/null 2>&1");
	harness_shell(str_text(&command), &said);
	error_set(h->x.err, ERROR_USAGE, "the harness does not run with this library: %.*s",
		  (int)strcspn(str_text(&said), "\n"), str_text(&said));
	return error_hint(h->x.err, "--cflags 'OPTIONS' go to the compiler");
}

/* Runs the pending orders, TOGETHER of them in one process, and appends the program's output; none
   if the time is over. */
static int run_pending(struct harness_hunt *h, struct str *said)
{
	enum { TOGETHER = 64 };
	double left = left_for_orders(h);
	OWNED(path) = harness_path(h, "orders");
	STR(command);
	int failed = left < 0 ? 0 : write_pending(h->orders, path, h->x.err);

	if (left >= 0 && !failed && h->orders->pending.count) {
		foreign_shell_word(&command, h->program);
		str_addf(&command, " orders %.3f %.3f %d < ", left ? explore_now_s() + left : 0,
			 harness_trial_left(h), h->orders->isolated ? 1 : TOGETHER);
		foreign_shell_word(&command, path);
		str_add(&command, " 2> /dev/null");
		harness_shell(str_text(&command), said);
		if (!said->length && left_for_orders(h) >= 0)
			failed = not_run(h);
	}
	return failed;
}

static void reverse_pending(struct harness_orders *o)
{
	for (size_t i = 0, k = o->pending.count; i + 1 < k; i++) {
		size_t kept = o->pending.items[i];

		o->pending.items[i] = o->pending.items[--k];
		o->pending.items[k] = kept;
	}
}

/* Runs the pending orders twice, in reverse the second time; those that differ are pending then. */
static int run_twice(struct harness_hunt *h, size_t *differing)
{
	struct harness_orders *o = h->orders;
	STR(first);
	STR(second);
	int failed = run_pending(h, &first);

	orders_take_first(h, &first);
	drop_stopped(o);
	reverse_pending(o);
	if (!failed)
		failed = run_pending(h, &second);
	*differing = failed ? 0 : orders_take_second(h, &second, o->isolated);
	return failed;
}

static bool any_varies(const struct harness_hunt *h, size_t *count)
{
	const size_t known = *count;

	*count = 0;
	array_each(const struct harness_op, op, &h->object.ops)
		*count += op->varies;
	return *count > known;
}

/* Orders of one process that give something else in another sequence: runs them in a process each.
   If they differ still, an operation varies; else the object has state outside of itself, and all
   orders have to be run like that. */
static int run_isolated(struct harness_hunt *h, bool *varied)
{
	struct harness_orders *o = h->orders;
	size_t varying = 0, differing;
	int failed;

	any_varies(h, &varying);
	o->isolated = true;
	failed = run_twice(h, &differing);
	*varied = any_varies(h, &varying);
	if (failed || *varied) {
		o->isolated = false;
		return failed;
	}
	find_pending(o);
	failed = run_twice(h, &differing);
	*varied = any_varies(h, &varying);
	return failed;
}

int harness_orders_run(struct harness_hunt *h, bool *varied)
{
	struct harness_orders *o = h->orders;
	size_t differing, varying = 0;
	int failed;

	any_varies(h, &varying);
	*varied = false;
	find_pending(o);
	failed = run_twice(h, &differing);
	if (o->isolated)
		*varied = any_varies(h, &varying);
	else if (!failed && differing)
		failed = run_isolated(h, varied);
	o->run = o->items.count;
	return failed;
}
