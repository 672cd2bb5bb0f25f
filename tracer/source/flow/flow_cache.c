/* Cache of flows: a function is needed once for each place in it. Queries keep pointers to flows,
   so the cache is trimmed only when a query has ended. */
#include "tracer/source/flow/flow_internal.h"

#include <string.h>

enum { MOST_KEPT = 32 };

struct kept_flow {
	struct flow_ranges code; /* as passed to flow_for() */
	struct flow *flow;
};

struct flow_cache {
	ARRAY(struct kept_flow) kept;
};

static void flow_cache_forget(struct flow_cache *c)
{
	array_each(struct kept_flow, k, &c->kept) {
		flow_free(k->flow);
		array_fini(&k->code);
	}
	array_fini(&c->kept);
}

static void flow_cache_free(void *data)
{
	flow_cache_forget(data);
	base_free(data);
}

struct flow *flow_for(struct module *m, const struct flow_ranges *code)
{
	struct kept_flow *kept;

	if (!m->flows)
		m->flows = cleanup_alloc(&m->cleanups, sizeof(*m->flows), flow_cache_free);
	for (size_t i = m->flows->kept.count; i-- > 0;) { /* the last one is the most likely */
		kept = &m->flows->kept.items[i];
		if (kept->code.count == code->count &&
		    memcmp(kept->code.items, code->items, code->count * sizeof(*code->items)) == 0)
			return kept->flow;
	}
	kept = array_add(&m->flows->kept);
	flow_add_ranges(&kept->code, code);
	kept->flow = flow_new(m, code);
	return kept->flow;
}

void flows_trim(struct modules *s)
{
	array_each(struct module *, m, &s->modules)
		if ((*m)->flows && (*m)->flows->kept.count > MOST_KEPT)
			flow_cache_forget((*m)->flows);
}
