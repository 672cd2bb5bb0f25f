#include "tracer/harness/outcome.h"

#include <string.h>

struct harness_outcome *outcomes_find(const struct outcomes *o, const char *text)
{
	array_each(struct harness_outcome, item, o)
		if (strcmp(item->text, text) == 0)
			return item;
	return NULL;
}

struct harness_outcome *outcomes_add(struct outcomes *o, const char *text, const char *order)
{
	struct harness_outcome *item = outcomes_find(o, text);

	if (item)
		return item;
	item = array_add(o);
	item->text = base_strdup(text);
	item->order = order ? base_strdup(order) : NULL;
	return item;
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
	array_each(const struct harness_outcome, item, o)
		str_addf(out, "%s\t%lu\t%s\t%s\n", item->text, item->times,
			 item->order ? "yes" : "NO", item->order ? item->order : "-");
}

/* ---- the nearest one ----------------------------------------------------------------------------------- */

/* The next call with what it gave: up to a blank outside of quotes. Bars between threads are skipped. */
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

static void tell(const char *a, size_t m, const char *b, size_t n, struct str *out)
{
	size_t call = call_length(a, m), other = call_length(b, n);

	str_addf(out, "%.*s gave %.*s, not %.*s\n", (int)call, a,
		 m > call ? (int)(m - call - 1) : 7, m > call ? a + call + 1 : "nothing",
		 n > other ? (int)(n - other - 1) : 7, n > other ? b + other + 1 : "nothing");
}

/* In how many calls they differ. */
static unsigned distance(const char *a, const char *b, struct str *out)
{
	unsigned count = 0;

	for (;;) {
		size_t m = piece(&a), n = piece(&b);

		if (!m || !n)
			return count + (m != n);
		if (m != n || memcmp(a, b, m) != 0) {
			count++;
			if (out)
				tell(a, m, b, n, out);
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
		unsigned d = distance(text, item->text, NULL);

		if (item->order && (!best || d < least)) {
			best = item;
			least = d;
		}
	}
	if (best && differences)
		distance(text, best->text, differences);
	return best;
}
