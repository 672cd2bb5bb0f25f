/* Positions in the jumps and stubs of resident sites, and how a thread leaves a stub. */
#include "tracer/tracee/fastpath/resident_internal.h"

struct site *stub_over(const struct tracee_space *space, uint64_t addr)
{
	for (uint64_t back = 1; back < RESIDENT_JUMP; back++) {
		struct site *site = space_known_site(space, addr - back);

		if (site && site->count)
			return site;
	}
	return NULL;
}

static bool has_stubs(const struct tracee_space *space)
{
	return space->shared.count || space->granted[0];
}

static bool is_trap(const struct slot *slot, uint64_t offset)
{
	switch (slot->kind) {
	case STUB_COMPARES:
	case STUB_COMPARES_NEXT:
		return false;
	case STUB_FOR_OTHERS:
		return offset == RESIDENT_AT_TRAP_FOR_OTHERS;
	default:
		return offset == RESIDENT_AT_TRAP;
	}
}

struct site *stub_site(const struct tracee_space *space, uint64_t trap)
{
	struct site *site = space_site(space, trap);
	const struct slot *slot;
	uint64_t offset;

	if (site || !has_stubs(space))
		return site;
	slot = space_slot(space, trap, &offset);
	return slot && slot->count && is_trap(slot, offset) ? space_site(space, slot->from) : NULL;
}

/* ---- threads that have stopped in a stub ----------------------------------------------------- */

/* Registers that stubs save, by distance below the program's stack
   pointer, if that much is pushed. */
static const struct {
	uint8_t at;
	size_t reg;
} saved[] = {
	{RESIDENT_PUSHED, offsetof(struct user_regs_struct, eflags)},
	{GRANTED_PUSHED, offsetof(struct user_regs_struct, rax)},
	{GRANTED_PUSHED + 16, offsetof(struct user_regs_struct, rcx)},
	{GRANTED_PUSHED + 24, offsetof(struct user_regs_struct, rdx)},
};

static bool restore(struct thread *th, const struct resident_point *point,
		    struct user_regs_struct *regs)
{
	regs->rsp += point->pushed;
	for (size_t i = 0; i < sizeof(saved) / sizeof(*saved); i++)
		if (point->pushed >= saved[i].at &&
		    memory_raw_read(space_of(th), regs->rsp - saved[i].at,
				    (char *)regs + saved[i].reg, sizeof(regs->rax)) < 0)
			return false;
	return true;
}

static bool point_in(const struct slot *slot, uint64_t offset, const struct user_regs_struct *regs,
		     struct resident_point *point)
{
	enum { ZERO = 1 << 6, SIGN = 1 << 7 };

	switch (slot->kind) {
	case STUB_COUNTS:
		return resident_point(offset, regs->eflags & SIGN, point);
	case STUB_FOR_OTHERS:
		return resident_point_for_others(offset, regs->eflags & SIGN, point);
	case STUB_GRANTS:
		return granted_stub_point(offset, regs->eflags & ZERO, point);
	case STUB_COMPARES:
	case STUB_COMPARES_NEXT:
		resident_point_comparison(offset, slot->kind == STUB_COMPARES, point);
		return true;
	}
	return false;
}

/* True if pc is in the code that all lease stubs share. */
static bool in_common(const struct tracee_space *space, uint64_t pc, struct resident_point *point)
{
	for (size_t i = 0; i < GRANTED_MAPS && space->granted[i]; i++)
		if (granted_code_point(pc - space->granted[i], point))
			return true;
	return false;
}

/* Returns the stub that the thread is in, with the place in *point; or NULL. */
static const struct slot *stub_point(struct thread *th, uint64_t pc, struct resident_point *point)
{
	struct tracee_space *space = space_of(th);
	uint64_t offset, returns;
	const struct slot *slot = space_slot(space, pc, &offset);

	if (slot && slot->count && thread_regs(th) == 0 && point_in(slot, offset, &th->regs, point))
		return slot;
	if (!in_common(space, pc, point) || thread_regs(th) < 0 ||
	    memory_raw_read(space, th->regs.rsp + point->pushed - (GRANTED_PUSHED + 8), &returns,
			    sizeof(returns)) < 0)
		return NULL;
	return space_slot(space, returns, &offset);
}

struct site *stub_leave(struct thread *th)
{
	struct tracee_space *space = space_of(th);
	struct resident_point point;
	struct user_regs_struct regs;
	const struct slot *slot;
	struct site *site;
	uint64_t pc;

	if (!has_stubs(space) || thread_pc(th, &pc) < 0)
		return NULL;
	slot = stub_point(th, pc, &point);
	site = slot ? space_known_site(space, slot->from) : NULL;
	if (!site)
		return NULL;
	regs = th->regs;
	if (!restore(th, &point, &regs))
		return NULL;
	if (point.where == RESIDENT_VAIN)
		resident_put_back(slot->count);
	regs.rip = point.where == RESIDENT_TAKEN ? site->copy : slot->from;
	thread_set_regs(th, &regs);
	return point.where == RESIDENT_BEFORE && slot->kind != STUB_GRANTS ? site : NULL;
}
