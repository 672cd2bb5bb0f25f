/*
 * The flows that were made last: a function is asked for once for each place in it.
 *
 * Whoever resolves keeps pointers to them, so that they go only when it has come to its end.
 */
#include "tracer/source/lines/resolve.h"

#include <string.h>

enum { MOST_KEPT = 32 };

struct kept_flow {
	ARRAY(struct module_range) ranges; /* as they were given */
	struct flow *flow;
};

struct flow_cache {
	ARRAY(struct kept_flow) kept;
};

static bool flow_cache_is_same(const struct kept_flow *k, const struct module_range *ranges,
			       size_t count)
{
	return k->ranges.count == count &&
	       memcmp(k->ranges.items, ranges, count * sizeof(*ranges)) == 0;
}

static void flow_cache_forget(struct flow_cache *c)
{
	array_each(struct kept_flow, k, &c->kept) {
		flow_free(k->flow);
		array_fini(&k->ranges);
	}
	array_fini(&c->kept);
}

static void flow_cache_free(void *data)
{
	flow_cache_forget(data);
	base_free(data);
}

struct flow *flow_for(struct module *m, const struct module_range *ranges, size_t count)
{
	struct kept_flow *kept;

	if (!m->flows)
		m->flows = cleanup_alloc(&m->cleanups, sizeof(*m->flows), flow_cache_free);
	for (size_t i = m->flows->kept.count; i-- > 0;) /* mostly the one asked for last */
		if (flow_cache_is_same(&m->flows->kept.items[i], ranges, count))
			return m->flows->kept.items[i].flow;
	kept = array_add(&m->flows->kept);
	for (size_t i = 0; i < count; i++)
		*array_add(&kept->ranges) = ranges[i];
	kept->flow = flow_new(m, ranges, count);
	return kept->flow;
}

void flows_trim(struct modules *s)
{
	array_each(struct module *, m, &s->modules)
		if ((*m)->flows && (*m)->flows->kept.count > MOST_KEPT)
			flow_cache_forget((*m)->flows);
}
