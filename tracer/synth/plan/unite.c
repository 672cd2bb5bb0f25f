/* Fewer orders: where one does for several. */
#include "tracer/synth/plan/plan_internal.h"

static size_t segment_of(const struct plan_view *v, size_t step)
{
	return v->steps.items[step].segment;
}

static unsigned unite_thread_of(const struct plan_view *v, size_t step)
{
	return plan_step(v, step)->thread;
}

static int unite_order_of(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

/* An edge with what tells which others it may stand for. */
struct plan_union {
	unsigned from, to;    /* threads */
	size_t first, second; /* segments */
	struct plan_edge edge;
};

static int by_segments(const void *x, const void *y)
{
	const struct plan_union *a = x, *b = y;
	int order = unite_order_of(a->from, b->from);

	order = order ? order : unite_order_of(a->to, b->to);
	order = order ? order : unite_order_of(a->first, b->first);
	order = order ? order : unite_order_of(a->second, b->second);
	order = order ? order : unite_order_of(a->edge.from, b->edge.from);
	return order ? order : unite_order_of(a->edge.to, b->edge.to);
}

/* All of a segment comes before all of a later one: of the edges of two threads that begin in one
   segment, or (`ends`) end in one, one does for all. */
static void unite_by(const struct plan_view *v, bool ends, struct plan_edges *edges)
{
	ARRAY(struct plan_union) all = {0};

	array_each(const struct plan_edge, edge, edges) {
		size_t from = segment_of(v, edge->from), to = segment_of(v, edge->to);

		*array_add(&all) = (struct plan_union){unite_thread_of(v, edge->from),
						       unite_thread_of(v, edge->to),
						       ends ? to : from, ends ? from : to, *edge};
	}
	array_sort(&all, by_segments);
	edges->count = 0;
	for (size_t i = 0; i < all.count; i++) {
		const struct plan_union *u = &all.items[i];
		struct plan_edge *last = &edges->items[edges->count - 1];

		if (!i || u->from != u[-1].from || u->to != u[-1].to || u->first != u[-1].first) {
			*array_add(edges) = u->edge;
			continue;
		}
		if (u->edge.from > last->from) {
			last->from = u->edge.from;
			last->blocked = u->edge.blocked;
		}
		if (u->edge.to < last->to)
			last->to = u->edge.to;
	}
	array_fini(&all);
}

void plan_unite(const struct plan_view *v, struct plan_edges *edges)
{
	unite_by(v, false, edges);
	unite_by(v, true, edges);
}
