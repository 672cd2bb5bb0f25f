#include "tracer/harness/check/orders.h"

#include "tracer/base/files/file.h"
#include "tracer/base/text/foreign.h"
#include "tracer/base/hash.h"
#include "tracer/search/loop/account.h"
#include "tracer/harness/build/build.h"
#include "tracer/harness/check/search.h"

#include <stdlib.h>
#include <string.h>

struct harness_orders {
	ARRAY(struct harness_order) items;
	size_t *slots; /* by calls, one more than the index; linear probing, a power of two */
	size_t size;
	size_t run;	       /* so many of the first were run */
	ARRAY(size_t) pending; /* of the others: those that are to be run */
};

/* ---- the table -------------------------------------------------------------------------------------- */

static size_t hash(const unsigned *calls, unsigned count)
{
	uint64_t sum = HASH_START;

	for (unsigned i = 0; i < count; i++)
		sum = hash_word(sum, calls[i] + 1);
	return hash_slot(sum);
}

static size_t *orders_slot_of(const struct harness_orders *o, const unsigned *calls, unsigned count)
{
	size_t at = hash(calls, count) & (o->size - 1);

	for (; o->slots[at]; at = (at + 1) & (o->size - 1)) {
		const struct harness_order *item = &o->items.items[o->slots[at] - 1];

		if (item->count == count && memcmp(item->calls, calls, count * sizeof(*calls)) == 0)
			break;
	}
	return &o->slots[at];
}

static void orders_grow(struct harness_orders *o)
{
	enum { FIRST = 1024 };

	if (o->size > 2 * o->items.count)
		return;
	base_free(o->slots);
	o->size = o->size ? 2 * o->size : FIRST;
	o->slots = base_alloc(o->size, sizeof(*o->slots));
	for (size_t i = 0; i < o->items.count; i++)
		*orders_slot_of(o, o->items.items[i].calls, o->items.items[i].count) = i + 1;
}

size_t harness_orders_want(struct harness_orders *o, const unsigned *calls, unsigned count)
{
	struct harness_order *item;
	size_t *slot;

	orders_grow(o);
	slot = orders_slot_of(o, calls, count);
	if (*slot)
		return *slot - 1;
	item = array_add(&o->items);
	item->count = count;
	memcpy(item->calls, calls, count * sizeof(*calls));
	*slot = o->items.count;
	return o->items.count - 1;
}

const struct harness_order *harness_orders_get(const struct harness_orders *o, size_t index)
{
	return &o->items.items[index];
}

static void orders_forget(struct harness_order *item)
{
	for (int i = 0; i < ORDER_CALLS; i++)
		base_free(item->given[i]);
}

void harness_orders_free(struct harness_hunt *h)
{
	array_each(struct harness_order, item, &h->orders->items)
		orders_forget(item);
	array_fini(&h->orders->items);
	array_fini(&h->orders->pending);
	base_free(h->orders->slots);
	base_free(h->orders);
	h->orders = NULL;
}

void harness_orders_clear(struct harness_hunt *h)
{
	if (h->orders)
		harness_orders_free(h);
	h->orders = base_alloc(1, sizeof(*h->orders));
}

/* ---- a line of the program's ---------------------------------------------------------------------------- */

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

/* Whole, and yet not as many texts as there are calls: the library has written something, too. */
static void read_line(char *line, struct harness_order *out)
{
	unsigned given = 0;
	char *rest = line, *word = strsep(&rest, "\t"), *blank = strchr(word, ' ');

	out->end = end_of(word);
	out->number = blank ? atoi(blank) : 0;
	word = strsep(&rest, "\t");
	out->done = word ? atoi(word) : -1;
	for (; rest && given < ORDER_CALLS; given++)
		out->given[given] = base_strdup(strsep(&rest, "\t"));
	if (out->end == ORDER_OK && given != out->count)
		out->end = ORDER_UNKNOWN;
}

static struct harness_op *orders_op_of(struct harness_hunt *h, unsigned call)
{
	return &h->object.ops.items[h->object.calls.items[call % ORDER_THREAD].op];
}

static bool is_in_threads(const struct harness_order *o)
{
	for (unsigned i = 0; i < o->count; i++)
		if (o->calls[i] >= ORDER_THREAD)
			return true;
	return false;
}

/* Which operation has given something else the second time? It varies. In threads that is too late to be found out. */
static bool orders_compare(struct harness_hunt *h, const struct harness_order *a,
			   const struct harness_order *b)
{
	bool varied = false;

	for (unsigned i = 0; i < a->count && !is_in_threads(a); i++) {
		struct harness_op *op = orders_op_of(h, a->calls[i]);

		if (!a->given[i] || !b->given[i] || strcmp(a->given[i], b->given[i]) == 0)
			continue;
		varied |= !op->varies;
		op->varies = true;
	}
	return varied;
}

/* ---- the runs ----------------------------------------------------------------------------------------- */

static int write_pending(const struct harness_orders *o, const char *path, struct error *err)
{
	struct str text = {0};
	int failed;

	array_each(const size_t, i, &o->pending) {
		const struct harness_order *item = &o->items.items[*i];

		for (unsigned c = 0; c < item->count; c++)
			str_addf(&text, "%s%u", c ? " " : "", item->calls[c]);
		str_add(&text, "\n");
	}
	failed = file_replace(path, str_text(&text), err);
	str_fini(&text);
	return failed;
}

/* The lines of the first run. */
static void take_first(struct harness_orders *o, struct str *said)
{
	char *rest = said->text, *line;

	for (size_t i = 0; i < o->pending.count && (line = strsep(&rest, "\n")) && *line; i++)
		read_line(line, &o->items.items[o->pending.items[i]]);
}

/* Those of the second run: does each give the same again? */
static bool take_second(struct harness_hunt *h, struct str *said)
{
	struct harness_orders *o = h->orders;
	char *rest = said->text, *line;
	bool varied = false;

	for (size_t i = 0; i < o->pending.count && (line = strsep(&rest, "\n")) && *line; i++) {
		struct harness_order *item = &o->items.items[o->pending.items[i]];
		struct harness_order second = {.count = item->count};

		read_line(line, &second);
		varied |= orders_compare(h, item, &second);
		if (second.end != item->end)
			item->end = ORDER_UNKNOWN;
		orders_forget(&second);
	}
	return varied;
}

/* ---- those that do not come back ------------------------------------------------------------------------- */

static void copy_end(const struct harness_order *from, struct harness_order *to)
{
	to->end = from->end;
	to->number = from->number;
	to->done = from->done;
	for (int i = 0; i < from->done; i++)
		to->given[i] = from->given[i] ? base_strdup(from->given[i]) : NULL;
}

/* Does it begin like one that was stopped? Then it ends there, too. */
static bool orders_is_stopped(const struct harness_orders *o, struct harness_order *item)
{
	for (unsigned n = 1; n < item->count; n++) {
		size_t at = *orders_slot_of(o, item->calls, n);
		const struct harness_order *known = at ? &o->items.items[at - 1] : NULL;

		if (known && known->end == ORDER_BLOCKED) {
			copy_end(known, item);
			return true;
		}
	}
	return false;
}

/* The calls up to the one that was stopped, as an order of their own. */
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

/* They take long, and do not come back a second time. */
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

/* ---- all of them ------------------------------------------------------------------------------------------ */

/* The program itself does not run: it says why. */
static int not_run(struct harness_hunt *h)
{
	struct str command = {0}, said = {0};

	foreign_shell_word(&command, h->program);
	str_add(&command, " orders < /dev/null 2>&1");
	harness_shell(str_text(&command), &said);
	error_set(h->x.err, ERROR_USAGE, "the harness does not run with this library: %.*s",
		  (int)strcspn(str_text(&said), "\n"), str_text(&said));
	str_fini(&command);
	str_fini(&said);
	return error_hint(h->x.err, "--cflags 'OPTIONS' go to the compiler");
}

/* What the program says of the pending ones: nothing, if time is over. */
static int run_pending(struct harness_hunt *h, struct str *said)
{
	double left = harness_left(h);
	char *path = harness_path(h, "orders");
	struct str command = {0};
	int failed = left < 0 ? 0 : write_pending(h->orders, path, h->x.err);

	if (left >= 0 && !failed && h->orders->pending.count) {
		foreign_shell_word(&command, h->program);
		str_addf(&command, " orders %.3f < ", left ? explore_now_s() + left : 0);
		foreign_shell_word(&command, path);
		str_add(&command, " 2> /dev/null");
		harness_shell(str_text(&command), said);
		if (!said->length && harness_left(h) >= 0)
			failed = not_run(h);
	}
	str_fini(&command);
	base_free(path);
	return failed;
}

int harness_orders_run(struct harness_hunt *h, bool *varied)
{
	struct harness_orders *o = h->orders;
	struct str first = {0}, second = {0};
	int failed;

	find_pending(o);
	failed = run_pending(h, &first);
	take_first(o, &first);
	drop_stopped(o);
	if (!failed)
		failed = run_pending(h, &second);
	*varied = !failed && take_second(h, &second);
	o->run = o->items.count;
	str_fini(&first);
	str_fini(&second);
	return failed;
}
