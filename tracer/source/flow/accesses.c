/* Finds the instructions of a module that may access memory shared between threads. */
#include "tracer/source/flow/flow_internal.h"

#include "tracer/dwarf/frames/frames.h"
#include "tracer/dwarf/units/units.h"
#include "tracer/elf/module.h"

#include <libdwarf/dwarf.h>

enum { FUNCTION_MAX = 64 << 20 }; /* limit for a damaged table */

struct accesses {
	struct module *module;
	struct die_table *dies;		/* NULL: all code is searched */
	const struct flow_ranges *only; /* NULL: of all functions */
	void (*each)(void *ctx, const struct source_access *a);
	void *ctx;
	bool found;
	/* State of the current function. */
	ARRAY(uint8_t) bytes;
	uint64_t low;
	bool frame_known; /* `own` already says whether rbp is the frame pointer */
	unsigned own;
	/* instructions that access memory or use a slot of the frame */
	ARRAY(struct source_access) seen;
	struct frame_slots slots;
};

/* True if rbp is the frame pointer at the offset: the CFA is computed from rbp, directly or by an
   expression that begins with it (stack aligned to more than 16 bytes). */
static bool is_framed(struct module *m, uint64_t offset)
{
	struct cfi_row row;
	ERROR(ignored);

	if (frames_row(m, offset, &row, &ignored) <= 0)
		return false;
	if (row.cfa.kind == CFI_EXPRESSION)
		return row.cfa.size && row.cfa.code[0] == DW_OP_breg0 + ARCH_DWARF_FP;
	return row.cfa_register == ARCH_DWARF_FP;
}

static bool touches(const struct arch_shared *s)
{
	return s->reads || s->writes || s->pauses;
}

/* False for reads of constants: memory that is never written has no races. */
static bool accesses_is_wanted(const struct module *m, const struct arch_shared *s)
{
	return s->pauses || s->writes ||
	       (s->reads && !(s->fixed && module_is_constant(m, s->fixed)));
}

static int accesses_judge(const struct accesses *w, struct source_access *a, unsigned own)
{
	size_t at = a->offset - w->low;

	a->own = own;
	return arch_shared(w->bytes.items + at, w->bytes.count - at, a->offset, own, &a->what);
}

static bool has_slot(const struct source_access *a)
{
	return a->what.slot.base != ARCH_NO_REGISTER;
}

static bool accesses_is_taken(const struct arch_slot *slot)
{
	return slot->to != ARCH_NO_REGISTER;
}

/* The first instruction that addresses memory relative to rbp decides for the whole function
   whether rbp is the frame pointer. */
static void decide(struct accesses *w, struct source_access *a)
{
	const struct arch_slot *slot = &a->what.slot;

	if (!w->frame_known && slot->base == ARCH_DWARF_FP && !accesses_is_taken(slot)) {
		w->frame_known = true;
		if (is_framed(w->module, a->offset))
			w->own |= ARCH_OWN_FP;
		accesses_judge(w, a, w->own);
	}
}

static void decode(struct accesses *w)
{
	struct source_access a = {0};

	w->frame_known = false;
	w->own = ARCH_OWN_SP;
	w->seen.count = 0;
	for (a.offset = w->low; a.offset - w->low < w->bytes.count; a.offset += a.what.length) {
		if (accesses_judge(w, &a, w->own) < 0)
			return;
		decide(w, &a);
		if (touches(&a.what) || has_slot(&a))
			*array_add(&w->seen) = a;
	}
}

/* ---- slots of the frame whose address escapes ----------------------------------------------- */

/* True if the slot is in the frame. rbp as a general register may point anywhere. */
static bool is_frame_slot(const struct accesses *w, const struct arch_slot *slot)
{
	return slot->base == ARCH_DWARF_SP || (slot->base == ARCH_DWARF_FP && w->own & ARCH_OWN_FP);
}

/* True if the instruction takes the address of a slot. False for those that make or leave the
   frame: mov %rsp,%rbp; lea -8(%rbp),%rsp. */
static bool gives(const struct accesses *w, const struct source_access *a)
{
	const struct arch_slot *slot = &a->what.slot;

	return accesses_is_taken(slot) && is_frame_slot(w, slot) && slot->to != ARCH_DWARF_SP &&
	       !(slot->to == ARCH_DWARF_FP && is_framed(w->module, a->offset + a->what.length));
}

static void accesses_take(struct accesses *w)
{
	frame_slots_begin(&w->slots, w->module, w->low);
	array_each(const struct source_access, a, &w->seen)
		if (gives(w, a))
			frame_slots_take(&w->slots, a->offset, &a->what.slot);
}

static void accesses_tell(struct accesses *w)
{
	array_each(struct source_access, a, &w->seen) {
		const struct arch_slot *slot = &a->what.slot;

		if (!touches(&a->what) && !accesses_is_taken(slot) && is_frame_slot(w, slot) &&
		    frame_slots_is_given(&w->slots, a->offset, slot))
			accesses_judge(w, a, ARCH_OWN_NOTHING);
		if (accesses_is_wanted(w->module, &a->what))
			w->each(w->ctx, a);
	}
}

/* ---- all functions -------------------------------------------------------------------------- */

static bool is_described(struct accesses *w, uint64_t offset)
{
	const struct die_unit *u = dies_unit_at(w->dies, offset);

	return u && u->has_stmt_list;
}

static bool is_asked_for(const struct accesses *w, uint64_t low, uint64_t high)
{
	for (size_t i = 0; w->only && i < w->only->count; i++)
		if (w->only->items[i].low < high && w->only->items[i].high > low)
			return true;
	return !w->only;
}

static void visit(void *ctx, uint64_t low, uint64_t high)
{
	struct accesses *w = ctx;
	size_t size = high - low < FUNCTION_MAX ? high - low : FUNCTION_MAX;

	if (!is_asked_for(w, low, high))
		return;
	if (!module_is_code(w->module, low) || (w->dies && !is_described(w, low)))
		return;
	if (frames_is_signal(w->module, low)) /* a trampoline: its FDE begins one byte early */
		return;
	w->found = true;
	while (w->bytes.count < size)
		*array_add(&w->bytes) = 0;
	w->low = low;
	w->bytes.count = module_bytes(w->module, low, w->bytes.items, size);
	decode(w);
	accesses_take(w);
	accesses_tell(w);
}

static bool visit_functions(struct accesses *w)
{
	frames_each(w->module, visit, w);
	array_fini(&w->bytes);
	array_fini(&w->seen);
	frame_slots_fini(&w->slots);
	return w->found;
}

bool source_accesses(struct module *m, bool described,
		     void (*each)(void *ctx, const struct source_access *a), void *ctx)
{
	struct accesses w = {.module = m, .each = each, .ctx = ctx};
	ERROR(ignored);

	if (described && !(w.dies = dies_table(m, &ignored)))
		return false;
	return visit_functions(&w);
}

void source_accesses_in(struct module *m, const struct flow_ranges *ranges,
			void (*each)(void *ctx, const struct source_access *a), void *ctx)
{
	struct accesses w = {.module = m, .only = ranges, .each = each, .ctx = ctx};

	visit_functions(&w);
}
