/* Finds where a step into a call ends: in a function of the tester's own. Templates of the system
 * are passed, but their calls are followed, because they may call the tester's code (the comparison
 * of std::sort). */
#include "tracer/run/modules/images.h"
#include "tracer/features/interactive/interactive_internal.h"
#include "tracer/source/names/names.h"

enum { MOST_ENTERED = 5000 };

/* ---- targets of calls -------------------------------------------------------------------- */

struct slot_reader {
	struct run_thread *thread;
	uint64_t slot; /* address of the last read */
};

static int read_slot(void *ctx, uint64_t addr, void *buf, size_t n)
{
	struct slot_reader *reader = ctx;

	reader->slot = addr;
	return run_thread_read(reader->thread, addr, buf, n);
}

/* Finds the function of a GOT slot that the loader has not resolved yet, in the loader's order. */
static uint64_t of_slot(struct run_thread *t, uint64_t slot)
{
	const struct image *image = images_at(run_process_of(t), slot);
	const char *name = image ? module_got_name(image->module, slot - image->bias) : NULL;
	uint64_t offset;

	array_each(const struct image, other, run_process_images(run_process_of(t)))
		if (name && module_symbol(other->module, name, &offset, NULL) == 0)
			return other->bias + offset;
	return 0;
}

static bool insn_at(const struct run_thread *t, uint64_t at, uint8_t bytes[ARCH_INSN_MAX],
		    struct arch_insn *out)
{
	return run_thread_read(t, at, bytes, ARCH_INSN_MAX) == 0 &&
	       arch_decode(bytes, ARCH_INSN_MAX, at, out) == 0;
}

uint64_t step_target(struct run_thread *t, uint64_t at, const struct arch_regs *regs)
{
	static const struct arch_regs none;
	struct slot_reader reader = {.thread = t};
	uint8_t bytes[ARCH_INSN_MAX];
	struct arch_insn insn;
	uint64_t to, named;

	for (int i = 0; i < 2; i++) { /* skips an endbr64, or the `sub` of a thunk */
		if (!insn_at(t, at, bytes, &insn))
			return 0;
		if (insn.flow != ARCH_FLOW_NEXT)
			break;
		at += insn.length;
	}
	if ((insn.flow != ARCH_FLOW_CALL_INDIRECT && insn.flow != ARCH_FLOW_JUMP_INDIRECT &&
	     insn.flow != ARCH_FLOW_JUMP) ||
	    arch_jump_target(bytes, sizeof(bytes), at, regs ? regs : &none, read_slot, &reader,
			     &to) < 0)
		return 0;
	named = reader.slot && insn.flow == ARCH_FLOW_JUMP_INDIRECT ? of_slot(t, reader.slot) : 0;
	return named || !regs ? named : to;
}

/* ---- into functions ------------------------------------------------------------------------- */

static void step_into_enter(struct step_walk *w, uint64_t address)
{
	array_each(const uint64_t, at, w->entered)
		if (*at == address)
			return;
	if (w->entered->count < MOST_ENTERED)
		*array_add(w->entered) = address;
}

static void add_stop(struct step_walk *w, uint64_t address, enum interactive_reach reach,
		     uint64_t scope)
{
	*array_add(&w->stops) = (struct interactive_stop){address, reach, 0, scope};
}

/* The target of an indirect call is known when it is reached, that of a direct call now. A jump out
 * of a function is a tail call. */
static void look_for_calls(struct step_walk *w, struct module_range range, bool jumps)
{
	uint8_t bytes[ARCH_INSN_MAX];
	struct arch_insn insn;

	for (uint64_t at = range.low; at < range.high; at += insn.length) {
		if (!insn_at(w->thread, at, bytes, &insn))
			return;
		if (insn.flow == ARCH_FLOW_CALL)
			step_into_enter(w, insn.target);
		else if (insn.flow == ARCH_FLOW_CALL_INDIRECT)
			add_stop(w, at, REACH_CALL, 0);
		else if (jumps && insn.flow == ARCH_FLOW_JUMP &&
			 (insn.target < range.low || insn.target >= range.high))
			step_into_enter(w, insn.target);
	}
}

static void pass(struct step_walk *w, const struct image *image, uint64_t address)
{
	ERROR(ignored);
	struct die_table *t = dies_table(image->module, &ignored);
	struct scope_ref f = {0};

	if (!t || dies_function_at(t, address - image->bias, &f, &ignored) < 0 || !f.scope)
		return;
	for (uint32_t i = 0; i < f.scope->range_count; i++) {
		struct module_range r = f.unit->ranges.items[f.scope->first_range + i];

		r.low += image->bias;
		r.high += image->bias;
		look_for_calls(w, r, true);
	}
}

/* Code without statements may lead to code with some: a stub of the procedure linkage table. */
static void lead_on(struct step_walk *w, const struct image *image, uint64_t address)
{
	uint64_t to = step_target(w->thread, address, NULL);

	if (to)
		step_into_enter(w, to);
	else if (image->module == run_process_exe(run_process_of(w->thread)) ||
		 module_has_debug(image->module))
		add_stop(w, address, REACH_CALL, 0);
}

/* A function's second statement follows its prologue. */
static void look_into(struct step_walk *w, uint64_t address)
{
	const struct image *image = images_find(w->run, run_process_of(w->thread), address);
	struct source_statements list;
	struct step_line line;

	if (!image || !interactive_is_own_module(w->thread, image->module))
		return;
	if (!source_statements(image->module, address - image->bias, &list)) {
		lead_on(w, image, address);
		return;
	}
	if (!interactive_is_own_file(w->thread, image->module, list.items->file))
		pass(w, image, address);
	else if (step_line_at(w->thread, image->module, 0, &list.items[list.count > 1], &line))
		add_stop(w, list.items[list.count > 1].offset + image->bias, REACH_ANY, line.scope);
	else
		add_stop(w, address, REACH_ANY, 0);
	array_fini(&list);
}

static void walk(struct step_walk *w, size_t from)
{
	for (size_t i = from; i < w->entered->count; i++)
		look_into(w, w->entered->items[i]);
}

void step_into(struct step_walk *w, uint64_t address)
{
	size_t from = w->entered->count;

	step_into_enter(w, address);
	walk(w, from);
}

void step_into_calls(struct step_walk *w, uint64_t low, uint64_t high)
{
	size_t from = w->entered->count;

	look_for_calls(w, (struct module_range){low, high}, false);
	walk(w, from);
}
