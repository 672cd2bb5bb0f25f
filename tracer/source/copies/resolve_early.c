/*
 * gcc may move a call of a statement, or what it writes, before the statement's mark, into rows of the line that are no
 * statement. Where control runs straight on from there to the mark, as often and by no other way, the statement begins there:
 * who is held at it has called and written nothing yet.
 */
#include "tracer/arch/arch.h"
#include "tracer/source/copies/resolve_copy.h"

/* Does the statement's code between the two addresses call, or write memory that others can see? */
static bool does_something(const struct copy_work *w, uint64_t from, uint64_t to)
{
	uint8_t bytes[ARCH_INSN_MAX];
	struct arch_insn in;
	struct arch_deed deed;

	array_each(const struct module_range, r, &w->own) {
		for (uint64_t at = r->low > from ? r->low : from; at < to && at < r->high;
		     at += in.length) {
			size_t n = module_bytes(w->c->module, at, bytes, sizeof(bytes));

			if (arch_decode(bytes, n, at, &in) < 0 ||
			    arch_deed(bytes, n, at, &deed) < 0)
				return false;
			if (in.flow == ARCH_FLOW_CALL || in.flow == ARCH_FLOW_CALL_INDIRECT ||
			    (deed.written && !deed.on_stack))
				return true;
		}
	}
	return false;
}

static bool runs_on(const struct flow *f, uint64_t from, uint64_t to)
{
	return flow_only_calls(f, from, to) || flow_is_straight(f, from, to);
}

static uint64_t begins_at(const struct copy_work *w, uint64_t start, uint64_t behind)
{
	array_each(const struct module_range, r, &w->own)
		if (r->low > behind && r->low < start && runs_on(w->flow, r->low, start) &&
		    does_something(w, r->low, start))
			return r->low;
	return start;
}

void copy_before_deeds(struct copy_work *w)
{
	uint64_t before = 0;

	if (!w->marked || w->unrolled || !w->flow)
		return;
	for (size_t i = 0; i < w->kept; i++) {
		uint64_t start = w->starts.items[i];

		if (!i || !runs_on(w->flow, before, start)) /* else that is the round before */
			w->starts.items[i] = begins_at(w, start, before);
		before = start;
	}
}
