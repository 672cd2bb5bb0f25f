/* How one comes to a function from a public one: of each, the call by which a shortest way leads there. */
#include "tracer/audit/checks/entries.h"

void ways_find(struct audit *a)
{
	const size_t functions = a->program->functions.count;
	unsigned *depth = base_alloc(functions + 1, sizeof(*depth)); /* + 1; 0: not reached yet */
	bool changes = true;

	a->way_to = base_alloc(functions + 1, sizeof(*a->way_to));
	for (unsigned i = 0; i < functions; i++)
		depth[i] = entries_is(a, i);
	for (unsigned level = 1; changes; level++) {
		changes = false;
		for (unsigned i = 0; i < a->calls.count; i++) {
			const struct audit_edge *e = &a->calls.items[i];

			if (depth[e->from] != level || depth[e->to])
				continue;
			depth[e->to] = level + 1;
			a->way_to[e->to] = i + 1;
			changes = true;
		}
	}
	base_free(depth);
}

void ways_notes(const struct audit *a, unsigned function, enum finding_way way, struct finding *f)
{
	const struct audit_edge *call;

	if (!a->way_to[function])
		return;
	call = &a->calls.items[a->way_to[function] - 1];
	ways_notes(a, call->from, way, f);
	finding_step(f, way, call->at, "from here, in %s", entries_name(a, call->from));
}
