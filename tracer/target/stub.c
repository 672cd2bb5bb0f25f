/* Who is where jumps and stubs of resident sites stand. */
#include "tracer/target/resident_internal.h"

/* The one whose jump this address is in the middle of, or NULL. */
struct site *stub_over(const struct target_space *space, uint64_t addr)
{
	for (uint64_t back = 1; back < RESIDENT_JUMP; back++) {
		struct site *site = space_known_site(space, addr - back);

		if (site && site->count)
			return site;
	}
	return NULL;
}

struct site *stub_site(const struct target_space *space, uint64_t trap)
{
	struct site *site = space_site(space, trap);
	const struct slot *slot;
	uint64_t offset;

	if (site || !space->shared.count)
		return site;
	slot = space_slot(space, trap, &offset);
	return slot && slot->count && offset == RESIDENT_AT_TRAP ? space_site(space, slot->from)
								 : NULL;
}

static bool restore(struct thread *th, const struct resident_point *point,
		    struct user_regs_struct *regs)
{
	uint64_t flags;

	if (point->pushed == RESIDENT_PUSHED && point->where != RESIDENT_BEFORE) {
		if (memory_raw_read(space_of(th), regs->rsp, &flags, sizeof(flags)) < 0)
			return false;
		regs->eflags = flags;
	}
	regs->rsp += point->pushed;
	return true;
}

void stub_leave(struct thread *th)
{
	enum { SIGN = 1 << 7 };
	struct target_space *space = space_of(th);
	struct resident_point point;
	struct user_regs_struct regs;
	const struct slot *slot;
	const struct site *site;
	uint64_t pc, offset;

	if (!space->shared.count || thread_pc(th, &pc) < 0)
		return;
	slot = space_slot(space, pc, &offset);
	site = slot && slot->count ? space_known_site(space, slot->from) : NULL;
	if (!site || thread_regs(th) < 0)
		return;
	regs = th->regs;
	if (!resident_point(offset, regs.eflags & SIGN, &point) || !restore(th, &point, &regs))
		return;
	if (point.where == RESIDENT_VAIN)
		resident_put_back(slot->count);
	regs.rip = point.where == RESIDENT_TAKEN ? site->copy : slot->from;
	thread_set_regs(th, &regs);
}
