/*
 * Addresses to which handlers that may still run will return, or a little after: the interrupted
 * instructions. No jump may be put over them. A handler is over when its thread has the interrupted
 * stack pointer again, since the handler's frame is below, or on another stack.
 */
#include "tracer/tracee/tracee_internal.h"

enum { RETURNS_MOST = 64 };

static bool returns_is_over(const struct handler_return *r, const struct thread *th, uint64_t sp)
{
	return r->tid == th->pub.tid && r->sp == sp;
}

static bool returns_place_of(struct thread *th, uint64_t *pc, uint64_t *sp)
{
	if (thread_regs(th) < 0)
		return false;
	*pc = th->regs.rip;
	*sp = th->regs.rsp;
	space_original(th, pc, sp);
	return true;
}

void returns_note(struct thread *th)
{
	struct tracee_space *space = space_of(th);
	struct handler_return here = {.tid = th->pub.tid};

	if (space->returns_anywhere)
		return;
	if (!returns_place_of(th, &here.pc, &here.sp)) {
		space->returns_anywhere = true;
		return;
	}
	for (size_t i = space->returns.count; i-- > 0;)
		if (returns_is_over(&space->returns.items[i], th, here.sp))
			array_remove(&space->returns, i);
	if (space->returns.count == RETURNS_MOST)
		space->returns_anywhere = true;
	else
		*array_add(&space->returns) = here;
}

bool returns_into(struct tracee *t, const struct tracee_space *space, uint64_t from, uint64_t to)
{
	if (space->returns_anywhere)
		return true;
	array_each(const struct handler_return, r, &space->returns) {
		struct thread *th = thread_find(t, r->tid);
		uint64_t pc, sp;

		if (r->pc + ARCH_INSN_MAX <= from || r->pc >= to || !th)
			continue;
		if (!returns_place_of(th, &pc, &sp) || !returns_is_over(r, th, sp))
			return true;
	}
	return false;
}

void returns_copy(struct thread *child, const struct tracee_space *from,
		  const struct thread *creator)
{
	struct tracee_space *space = space_of(child);

	space->returns_anywhere = from->returns_anywhere || (!creator && from->returns.count);
	array_each(const struct handler_return, r, &from->returns)
		if (creator && r->tid == creator->pub.tid)
			*array_add(&space->returns) =
				(struct handler_return){r->pc, r->sp, child->pub.tid};
}
