/*
 * A program that stands still, for others to begin with: each of them is a fork of it, made by a system
 * call on its behalf. To the kernel the copy is a child of gatectl (CLONE_PARENT), as the program itself is.
 *
 * Two things in which a copy would differ from a program that has run to there: the kernel clears a word
 * of its own when the thread ends (set_tid_address(2)), on which a join of the first thread waits, and
 * which has its id until then; and it looks through a list of locks (set_robust_list(2)). The C library
 * knows the thread's id, too: glibc by that word, musl by one at the thread's pointer.
 */
#include "tracer/target/target_internal.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The word is asked for at a place below the stack, which nobody uses. */
static uint64_t tid_address(struct target *t, struct thread *th)
{
	uint64_t args[6] = {PR_GET_TID_ADDRESS}, at = 0, saved;
	int64_t result;

	if (thread_regs(th) < 0)
		return 0;
	args[1] = (th->regs.rsp - 512) & ~(uint64_t)7;
	if (target_read(th->pub.process, args[1], &saved, sizeof(saved)) < 0 ||
	    target_syscall(t, &th->pub, SYS_prctl, args, &result) < 0)
		return 0;
	if (result < 0 || target_read(th->pub.process, args[1], &at, sizeof(at)) < 0)
		at = 0;
	target_write(th->pub.process, args[1], &saved, sizeof(saved));
	return at;
}

int target_keep(struct target *t, struct target_thread *thread)
{
	struct thread *th = thread_of(thread);
	void *robust = NULL;
	size_t size = 0;

	if (thread->process->threads != 1 || th->stop != STOP_SITE)
		return -1;
	thread_settle(th);
	t->kept = (struct kept_program){th, tid_address(t, th), 0, 0};
	if (syscall(SYS_get_robust_list, thread->tid, &robust, &size) == 0) {
		t->kept.robust = (uint64_t)(uintptr_t)robust;
		t->kept.robust_size = size;
	}
	((struct process *)thread->process)->kept = true;
	return 0;
}

void template_end(struct target *t)
{
	if (t->kept.thread)
		((struct process *)t->kept.thread->pub.process)->kept = false;
}

bool template_is_left(const struct target *t)
{
	return t->kept.thread && t->alive == 1 && thread_is_alive(t->kept.thread) &&
	       !t->parked.count && !t->taken.count;
}

static struct process *adopt(struct target *t, pid_t pid)
{
	struct thread *kept = t->kept.thread, *th;
	struct process *p;

	p = process_new(t, pid, NULL, space_new(pid));
	p->pub.is_root = true;
	p->trap = ((struct process *)kept->pub.process)->trap;
	th = thread_new(t, p, pid, NULL);
	th->trap_blocked = kept->trap_blocked;
	slot_copy_table(space_of(kept), p->pub.space);
	site_copy_table(space_of(kept), p->pub.space);
	return p;
}

/* The child stands where the kept thread does, at its own copy of the site. It was made while signals were
   blocked. */
static int stand_there(struct thread *th, const struct thread *kept)
{
	uint64_t mask;

	if (ptrace(PTRACE_GETSIGMASK, kept->pub.tid, sizeof(mask), &mask) < 0 ||
	    ptrace(PTRACE_SETSIGMASK, th->pub.tid, sizeof(mask), &mask) < 0)
		return -1;
	th->stop = STOP_SITE;
	th->site = space_site(space_of(th), kept->site->pub.addr);
	th->settled = true;
	return thread_set_regs(th, &kept->regs);
}

/* musl has a lock there, which the kernel releases; only glibc keeps the id in it. */
static uint64_t tid_flags(const struct target *t)
{
	const struct target_thread *kept = &t->kept.thread->pub;
	uint32_t word = 0;

	if (!t->kept.tid_at)
		return 0;
	target_read(kept->process, t->kept.tid_at, &word, sizeof(word));
	return CLONE_CHILD_CLEARTID | (word == (uint32_t)kept->tid ? CLONE_CHILD_SETTID : 0);
}

/* A signal that it sends to itself would be the kept thread's else. */
static void set_own_id(const struct target *t, struct thread *th)
{
	const struct thread *kept = t->kept.thread;
	const uint32_t id = (uint32_t)kept->pub.tid, own = (uint32_t)th->pub.tid;
	uint32_t words[16];

	if (tid_flags(t) & CLONE_CHILD_SETTID ||
	    target_read(th->pub.process, kept->regs.fs_base, words, sizeof(words)) < 0)
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i] == id)
			target_write(th->pub.process, kept->regs.fs_base + i * sizeof(own), &own,
				     sizeof(own));
}

static int set_robust(struct target *t, struct thread *th)
{
	const uint64_t args[6] = {t->kept.robust, t->kept.robust_size};
	int64_t result;

	return t->kept.robust ? target_syscall(t, &th->pub, SYS_set_robust_list, args, &result) : 0;
}

struct target_process *target_copy(struct target *t, struct target_thread **thread,
				   struct error *err)
{
	const uint64_t flags = CLONE_PARENT | SIGCHLD | tid_flags(t);
	const uint64_t args[6] = {flags, 0, 0, t->kept.tid_at, 0};
	struct thread *kept = t->kept.thread, *th;
	struct process *p;
	int64_t pid = -1;
	int status;

	if (target_syscall(t, &kept->pub, SYS_clone, args, &pid) < 0 || pid <= 0 ||
	    thread_regs(kept) < 0) {
		error_set(err, ERROR_SYSTEM, "the program at its beginning cannot be forked");
		return NULL;
	}
	if (status_of_one(t, (pid_t)pid, &status) < 0)
		return NULL;
	p = adopt(t, (pid_t)pid);
	th = thread_find(t, (pid_t)pid);
	if (stand_there(th, kept) < 0 || set_robust(t, th) < 0) {
		error_set(err, ERROR_SYSTEM, "the program's copy has died");
		return NULL;
	}
	set_own_id(t, th);
	*thread = &th->pub;
	return &p->pub;
}
