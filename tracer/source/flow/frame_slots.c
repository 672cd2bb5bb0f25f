/* Escape analysis of a function's frame: variables whose address the function takes may be
   shared with other threads. */
#include "tracer/source/flow/flow_internal.h"

#include "tracer/base/array.h"
#include "tracer/dwarf/frames/frames.h"

enum { FAR = 1 << 30 }; /* no frame is larger */

/* ---- places --------------------------------------------------------------------------------- */

static struct frame_span span_of(const struct frame_slots *s, uint64_t pc, unsigned base,
				 int64_t offset, uint64_t size)
{
	struct frame_span span = {FRAME_FROM_CFA, offset, 0};
	unsigned reg;
	int64_t number;

	if (base != FRAME_VARIABLE_CFA) {
		if (dwarf_cfa(s->module, pc, &reg, &number) && reg == base)
			span.low -= number;
		else
			span.from = base == ARCH_DWARF_SP ? FRAME_FROM_SP : FRAME_FROM_FP;
	}
	span.high = span.low + (int64_t)(size < FAR ? size : FAR);
	return span;
}

static bool overlap(const struct frame_span *a, const struct frame_span *b)
{
	return a->from == b->from && a->low < b->high && b->low < a->high;
}

void frame_slots_begin(struct frame_slots *s, struct module *m, uint64_t function)
{
	s->module = m;
	s->function = function;
	s->taken.count = s->variables.count = s->given.count = 0;
	s->settled = false;
}

void frame_slots_fini(struct frame_slots *s)
{
	array_fini(&s->taken);
	array_fini(&s->variables);
	array_fini(&s->given);
}

void frame_slots_take(struct frame_slots *s, uint64_t pc, const struct arch_slot *slot)
{
	if (!s->taken.count)
		s->first = pc;
	*array_add(&s->taken) = span_of(s, pc, slot->base, slot->offset, 1);
}

/* ---- escaped variables ---------------------------------------------------------------------- */

/* Records a variable. Its place is computed at the first instruction that takes an address, where
   the stack pointer has the value of most of the function. */
static void add_variable(void *ctx, unsigned base, int64_t offset, uint64_t size)
{
	struct frame_slots *s = ctx;

	*array_add(&s->variables) = span_of(s, s->first, base, offset, size);
}

static int64_t nearest(const struct frame_spans *spans, const struct frame_span *where,
		       int64_t before)
{
	array_each(const struct frame_span, other, spans)
		if (other->from == where->from && other->low > where->low && other->low < before)
			before = other->low;
	return before;
}

/* Returns the span up to the next variable or taken address, or to the caller's frame: the size of
   the object is unknown. */
static struct frame_span up_to_next(const struct frame_slots *s, const struct frame_span *where)
{
	bool in_frame = where->from == FRAME_FROM_CFA && where->low < 0;
	struct frame_span span = *where;

	span.high = in_frame ? 0 : where->low + FAR;
	span.high = nearest(&s->variables, where, span.high);
	span.high = nearest(&s->taken, where, span.high);
	return span;
}

static bool flow_frame_slots_is_given(const struct frame_slots *s, const struct frame_span *where)
{
	array_each(const struct frame_span, known, &s->given)
		if (overlap(known, where))
			return true;
	return false;
}

static void frame_slots_give(struct frame_slots *s, const struct frame_span *what)
{
	array_each(const struct frame_span, known, &s->given)
		if (known->from == what->from && known->low == what->low &&
		    known->high == what->high)
			return;
	*array_add(&s->given) = *what;
}

/* Marks all variables at the taken addresses: variables of several blocks may share a place. */
static void frame_slots_settle(struct frame_slots *s)
{
	s->settled = true;
	frame_variables(s->module, s->function, add_variable, s);
	array_each(const struct frame_span, taken, &s->taken) {
		struct frame_span all = up_to_next(s, taken);
		bool found = false;

		array_each(const struct frame_span, v, &s->variables)
			if (overlap(v, taken)) {
				frame_slots_give(s, v);
				found = true;
			}
		if (!found)
			frame_slots_give(s, &all);
	}
}

bool frame_slots_is_given(struct frame_slots *s, uint64_t pc, const struct arch_slot *slot)
{
	const struct frame_span where =
		span_of(s, pc, slot->base, slot->offset, slot->size ? slot->size : 1);

	if (!s->taken.count)
		return false;
	if (!s->settled)
		frame_slots_settle(s);
	return flow_frame_slots_is_given(s, &where);
}
