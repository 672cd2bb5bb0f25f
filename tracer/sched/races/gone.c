#include "tracer/sched/races/gone.h"

/* The index of the first span that ends at `address` or behind it. */
static size_t first_from(const struct gone *g, uint64_t address)
{
	size_t low = 0, high = g->spans.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (g->spans.items[middle].last < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert(struct gone *g, size_t at, const struct gone_span *span)
{
	*array_add(&g->spans) = *span;
	for (size_t i = g->spans.count - 1; i > at; i--)
		g->spans.items[i] = g->spans.items[i - 1];
	g->spans.items[at] = *span;
}

/* Its part in front of `low` remains. */
static void keep_front(struct gone *g, size_t at, uint64_t low)
{
	struct gone_span front = g->spans.items[at];

	if (front.low >= low)
		return;
	front.last = low - 1;
	g->spans.items[at].low = low;
	insert(g, at, &front);
}

void gone_cut(struct gone *g, uint64_t low, uint64_t last)
{
	size_t at = first_from(g, low);

	if (at == g->spans.count || g->spans.items[at].low > last)
		return;
	keep_front(g, at, low);
	at = first_from(g, low);
	while (at < g->spans.count && g->spans.items[at].last <= last)
		array_remove(&g->spans, at);
	if (at < g->spans.count && g->spans.items[at].low <= last)
		g->spans.items[at].low = last + 1;
}

void gone_add(struct gone *g, const struct gone_span *span)
{
	gone_cut(g, span->low, span->last);
	insert(g, first_from(g, span->low), span);
}

const struct gone_span *gone_find(const struct gone *g, uint64_t low, uint64_t last)
{
	size_t at = first_from(g, low);

	return at < g->spans.count && g->spans.items[at].low <= last ? &g->spans.items[at] : NULL;
}
