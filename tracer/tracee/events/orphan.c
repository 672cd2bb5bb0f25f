/*
 * Tasks whose creator has not reported them. They wait in their first stop, and are adopted when a
 * thread of their parent dies or after a while: a creator may be killed before it can report.
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/events/signals.h"
#include "tracer/tracee/syscalls/armed.h"
#include "tracer/tracee/tracee_internal.h"

#include <linux/kcmp.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 2 }; /* firings of the clock before an orphan is adopted */

/* ---- waiting tasks --------------------------------------------------------------------------- */

static size_t parked_index(const struct tracee *t, pid_t tid)
{
	size_t i = 0;

	while (i < t->parked.count && t->parked.items[i].tid != tid)
		i++;
	return i;
}

bool orphan_is_dying(pid_t tid, int status)
{
	if (!WIFSTOPPED(status))
		return true;
	if (status >> 16 != PTRACE_EVENT_EXIT)
		return false;
	ptrace(PTRACE_CONT, tid, 0, 0);
	return true;
}

void orphan_status(struct tracee *t, pid_t tid, int status)
{
	size_t i = parked_index(t, tid);

	if (orphan_is_dying(tid, status)) {
		if (i < t->parked.count)
			array_remove(&t->parked, i);
	} else if (i == t->parked.count) {
		*array_add(&t->parked) = (struct parked){
			.tid = tid,
			.status = status,
			.tgid = (pid_t)look_status(tid, "Tgid"),
			.parent = (pid_t)look_status(tid, "PPid"),
			.born = signals_firings(),
		};
	}
}

int orphan_take(struct tracee *t, pid_t tid, int *status)
{
	size_t i = parked_index(t, tid);

	if (i == t->parked.count)
		return -1;
	*status = t->parked.items[i].status;
	array_remove(&t->parked, i);
	return 0;
}

/* ---- the parent's address space -------------------------------------------------------------- */

void orphan_free(struct tracee *t)
{
	array_each(struct tracee_space *, ghost, &t->ghosts)
		space_free(*ghost);
	armed_free(t);
	array_fini(&t->ghosts);
	array_fini(&t->parked);
}

static bool orphan_holds(struct tracee_space *child, uint64_t addr, const uint8_t *bytes, size_t n)
{
	uint8_t there[RESIDENT_JUMP];

	return !memory_raw_read(child, addr, there, n) && !memcmp(there, bytes, n);
}

/* True if gatectl's areas and at least half of its traps are where `from` has them. */
static bool is_copy(struct tracee_space *child, const struct tracee_space *from)
{
	size_t armed = 0, found = 0;

	array_each(struct area, area, &from->areas) {
		if (!orphan_holds(child, area->base, slot_stub, STUB_LENGTH))
			return false;
	}
	array_each(struct site_entry, entry, &from->sites) {
		if (entry->site->state != SITE_ARMED)
			continue;
		armed++;
		found +=
			entry->site->count
				? orphan_holds(child, entry->addr, entry->site->jump, RESIDENT_JUMP)
				: orphan_holds(child, entry->addr, arch_trap, ARCH_TRAP_LEN);
	}
	return from->areas.count + armed && 2 * found >= armed;
}

static struct tracee_space *original_of(struct tracee *t, pid_t pid)
{
	struct tracee_space *child = space_new(pid), *from = NULL;
	struct process *p;

	for (size_t i = t->ghosts.count; i-- > 0 && !from;)
		if (is_copy(child, t->ghosts.items[i]))
			from = t->ghosts.items[i];
	TAILQ_FOREACH_REVERSE(p, &t->processes, process_list, link)
	{
		if (!from && is_copy(child, p->pub.space))
			from = p->pub.space;
	}
	space_free(child);
	return from;
}

void orphan_let_go(struct tracee *t)
{
	array_each(struct parked, orphan, &t->parked) {
		const struct tracee_space *from = original_of(t, orphan->tid);
		struct tracee_space *space = space_new(orphan->tid);

		if (from && orphan->tid == orphan->tgid)
			site_clean(from, space);
		space_free(space);
		ptrace(PTRACE_DETACH, orphan->tid, 0, 0);
	}
	t->parked.count = 0;
}

/* ---- adoption -------------------------------------------------------------------------------- */

static bool shares_memory(const struct tracee *t, const struct process *p, pid_t pid)
{
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	{
		if (th->pub.process == &p->pub &&
		    !syscall(SYS_kcmp, th->pub.tid, pid, KCMP_VM, 0UL, 0UL))
			return true;
	}
	return false;
}

void orphan_adopt(struct tracee *t, struct process *p)
{
	for (size_t i = 0; i < t->parked.count;) {
		struct parked orphan = t->parked.items[i];

		if (orphan.tgid != orphan.tid || orphan.parent != p->pub.pid) {
			i++;
			continue;
		}
		array_remove(&t->parked, i);
		family_process(t, &(struct birth){.parent = p,
						  .from = p->pub.space,
						  .pid = orphan.tid,
						  .status = orphan.status,
						  .shares = shares_memory(t, p, orphan.tid)});
	}
}

/* True if the process has waited long enough. A thread is not adopted: it ends with its process. */
static bool has_waited(const struct tracee *t, const struct parked *orphan)
{
	return orphan->tgid == orphan->tid &&
	       (!t->alive || signals_firings() - orphan->born >= PATIENCE);
}

void orphan_settle(struct tracee *t)
{
	for (size_t i = 0; i < t->parked.count;) {
		struct parked orphan = t->parked.items[i];

		if (!has_waited(t, &orphan)) {
			i++;
			continue;
		}
		array_remove(&t->parked, i);
		family_process(t, &(struct birth){.from = original_of(t, orphan.tid),
						  .pid = orphan.tid,
						  .status = orphan.status});
	}
}
