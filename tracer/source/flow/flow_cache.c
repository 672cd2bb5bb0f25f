/*
 * The flows that were made last: a function is asked for once for each place in it.
 *
 * Whoever resolves keeps pointers to them, so that they go only when it has come to its end.
 */
#include "tracer/source/flow/flow_internal.h"

#include <string.h>

enum { MOST_KEPT = 32 };

struct kept_flow {
	struct flow_ranges code; /* as it was given */
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
	for (size_t i = m->flows->kept.count; i-- > 0;) { /* mostly the one asked for last */
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
