/* Outcomes and their comparison call by call. */
#include "tracer/harness/model/model.h"

#include "tracer/base/text/foreign.h"
#include "tracer/base/hash.h"

#include <string.h>

/* Returns NULL if there is none. */
static struct harness_outcome *outcome_find(const struct outcomes *o, const char *text)
{
	array_each(struct harness_outcome, item, o)
		if (strcmp(item->text, text) == 0)
			return item;
	return NULL;
}

struct harness_outcome *outcomes_add(struct outcomes *o, const char *text, const char *order)
{
	struct harness_outcome *item = outcome_find(o, text);

	if (!item) {
		item = array_add(o);
		item->text = base_strdup(text);
	}
	if (order && !item->order)
		item->order = base_strdup(order);
	return item;
}

/* is_atomic() in write_program.c computes the same hash. */
uint64_t outcome_sum(const char *text)
{
	return hash_text(HASH_START, text);
}

void outcomes_fini(struct outcomes *o)
{
	array_each(struct harness_outcome, item, o) {
		base_free(item->text);
		base_free(item->order);
	}
	array_fini(o);
}

void outcomes_print(const struct outcomes *o, struct str *out)
{
	str_add(out, "outcome\ttimes\tatomic\texplained by\n");
	array_each(const struct harness_outcome, item, o) {
		foreign_line(out, item->text);
		str_addf(out, "\t%lu\t%s\t", item->times, item->order ? "yes" : "NO");
		foreign_line(out, item->order ? item->order : "-");
		str_add(out, "\n");
	}
}

/* ---- nearest outcome ------------------------------------------------------------------------- */

/* Length of the next call with its result, up to a blank outside quotes. Skips the separators of
   threads. */
static size_t piece(const char **at)
{
	const char *end;
	bool quoted = false;

	*at += strspn(*at, " |;");
	for (end = *at; *end && (quoted || *end != ' '); end++) {
		if (*end == '\\' && end[1])
			end++;
		else
			quoted ^= *end == '"';
	}
	return (size_t)(end - *at);
}

static size_t call_length(const char *text, size_t length)
{
	const char *open = memchr(text, '(', length);
	const char *equals = open ? strstr(open, ")=") : NULL;

	return equals && equals < text + length ? (size_t)(equals - text) + 1 : length;
}

static void outcome_tell(const char *a, size_t m, const char *b, size_t n, struct str *out)
{
	size_t call = call_length(a, m), other = call_length(b, n);

	str_addf(out, "%.*s gave %.*s, not %.*s\n", (int)call, a,
		 m > call ? (int)(m - call - 1) : 7, m > call ? a + call + 1 : "nothing",
		 n > other ? (int)(n - other - 1) : 7, n > other ? b + other + 1 : "nothing");
}

/* Number of calls in which two outcomes differ; appends the differences unless `out` is NULL. */
static unsigned outcome_distance(const char *a, const char *b, struct str *out)
{
	unsigned count = 0;

	for (;;) {
		size_t m = piece(&a), n = piece(&b);

		if (!m || !n)
			return count + (m != n);
		if (m != n || memcmp(a, b, m) != 0) {
			count++;
			if (out)
				outcome_tell(a, m, b, n, out);
		}
		a += m;
		b += n;
	}
}

const struct harness_outcome *outcomes_nearest(const struct outcomes *o, const char *text,
					       struct str *differences)
{
	const struct harness_outcome *best = NULL;
	unsigned least = 0;

	array_each(const struct harness_outcome, item, o) {
		unsigned d = outcome_distance(text, item->text, NULL);

		if (item->order && (!best || d < least)) {
			best = item;
			least = d;
		}
	}
	if (best && differences)
		outcome_distance(text, best->text, differences);
	return best;
}

/* ---- contracts ------------------------------------------------------------------------------- */

/* A call of an outcome and its result: "size()" and "1". */
struct told_call {
	char *call, *given;
	bool is_final;
};

struct told {
	struct told_call *items;
	size_t count, capacity;
};

static void told_fini(struct told *t)
{
	array_each(struct told_call, c, t) {
		base_free(c->call);
		base_free(c->given);
	}
	array_fini(t);
}

static void tell_calls(const char *text, struct told *out)
{
	bool is_final = false;
	size_t length;

	for (;; text += length) {
		struct told_call *added;
		size_t call;

		is_final |= strncmp(text, " ; ", 3) == 0;
		length = piece(&text);
		if (!length)
			return;
		call = call_length(text, length);
		added = array_add(out);
		added->call = base_strndup(text, call);
		added->given = length > call ? base_strndup(text + call + 1, length - call - 1)
					     : base_strdup("");
		added->is_final = is_final;
	}
}

struct contract_work {
	const struct outcome_contract *contract;
	ARRAY(struct told) atomic;
	struct told came;
};

/* Asks the contract about the n-th call; collects what sequential orders give there. */
static bool is_allowed(const struct contract_work *w, size_t n)
{
	ARRAY(const char *) given = {0};
	const struct told_call *came = &w->came.items[n];
	bool allowed;

	array_each(const struct told, t, &w->atomic) {
		bool known = false;

		array_each(const char *const, text, &given)
			known |= strcmp(*text, t->items[n].given) == 0;
		if (!known)
			*array_add(&given) = t->items[n].given;
	}
	allowed = w->contract->allows(w->contract->ctx, came->call, came->given, given.items,
				      given.count);
	array_fini(&given);
	return allowed;
}

static bool outcome_agrees(const struct contract_work *w, const struct told *t)
{
	for (size_t n = 0; n < t->count; n++) {
		const struct told_call *came = &w->came.items[n];

		if (strcmp(came->given, t->items[n].given) != 0 &&
		    (came->is_final || !is_allowed(w, n)))
			return false;
	}
	return true;
}

const struct harness_outcome *outcomes_allow(const struct outcomes *o, const char *text,
					     const struct outcome_contract *c)
{
	struct contract_work w = {.contract = c};
	const struct harness_outcome *found = NULL;
	size_t at = 0;

	tell_calls(text, &w.came);
	array_each(const struct harness_outcome, item, o)
		if (item->order && !item->weakened)
			tell_calls(item->text, array_add(&w.atomic));
	array_each(const struct harness_outcome, item, o)
		if (item->order && !item->weakened) {
			const struct told *t = &w.atomic.items[at++];

			if (!found && t->count == w.came.count && outcome_agrees(&w, t))
				found = item;
		}
	array_each(struct told, t, &w.atomic)
		told_fini(t);
	array_fini(&w.atomic);
	told_fini(&w.came);
	return found;
}
