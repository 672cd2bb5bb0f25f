/*
 * Resident sites whose first instruction is shorter than the jump: the instructions after
 * it move along. Each has a copy, which goes on in the copy of the next one. README.md
 * explains why that is safe.
 */
#include "tracer/tracee/fastpath/resident_internal.h"

/* Makes a copy of the instruction `at` bytes after the site. Returns its
   length, or 0 if it has none. */
static unsigned copy_next(struct tracee *t, struct tracee_process *process, struct thread *helper,
			  const struct site *site, unsigned at, uint64_t *copy)
{
	struct site next = {.pub.addr = site->pub.addr + at};
	struct arch_insn insn;
	ERROR(ignored);

	next.readable = memory_code(process->space, next.pub.addr, next.bytes);
	if (arch_decode(next.bytes, next.readable, next.pub.addr, &insn) < 0 ||
	    slot_make(t, process, helper, &next, &insn, copy, &ignored) < 0 || !*copy)
		return 0;
	return insn.length;
}

static uint64_t copy_of(const struct site *site, uint64_t addr)
{
	for (unsigned i = 0; i < site->moved_count; i++)
		if (site->moved[i].addr == addr)
			return site->moved[i].copy;
	return 0;
}

static bool moved_is_at(const struct thread *th, const struct site *site)
{
	return th->stop == STOP_SITE && th->site == site;
}

/* Moves threads that stand at a moved instruction, or in an older copy of it, to the new copy.
   Threads at the site itself keep their trap or copy. Returns 0, or -1 if one cannot be moved. */
static int take_along(struct tracee *t, struct tracee_space *space, const struct site *site)
{
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	{
		uint64_t pc, sp = 0, copy;

		if (!thread_is_alive(th) || space_of(th) != space || moved_is_at(th, site))
			continue;
		if (thread_pc(th, &pc) < 0)
			return -1;
		space_original(th, &pc, &sp);
		if (pc <= site->pub.addr || pc >= site->pub.addr + RESIDENT_JUMP)
			continue;
		copy = copy_of(site, pc);
		if (!copy || sp || th->stop == STOP_SITE)
			return -1;
		thread_set_pc(th, copy);
		if (th->stop == STOP_SIGNAL)
			th->pc = copy;
	}
	return 0;
}

int moved_make(struct tracee *t, struct tracee_process *process, struct thread *helper,
	       struct site *site, unsigned span)
{
	struct tracee_space *space = process->space;
	uint64_t before = site->copy;
	unsigned at = site->length;

	site->moved_count = 0;
	while (at < RESIDENT_JUMP) {
		struct moved *m = &site->moved[site->moved_count];
		unsigned length = copy_next(t, process, helper, site, at, &m->copy);

		m->addr = site->pub.addr + at;
		if (!length || slot_join(t, space, before, m->copy) < 0)
			break;
		site->moved_count++;
		before = m->copy;
		at += length;
	}
	if (at == span && take_along(t, space, site) == 0)
		return 0;
	moved_end(t, space, site);
	return -1;
}

void moved_end(struct tracee *t, struct tracee_space *space, struct site *site)
{
	uint64_t from = site->copy;

	for (unsigned i = 0; i < site->moved_count; i++) {
		slot_join(t, space, from, site->moved[i].addr);
		from = site->moved[i].copy;
	}
	site->moved_count = 0;
}

uint64_t moved_copy(const struct tracee_space *space, uint64_t addr)
{
	const struct site *site = stub_over(space, addr);

	return site ? copy_of(site, addr) : 0;
}
