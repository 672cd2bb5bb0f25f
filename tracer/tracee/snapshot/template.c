/*
 * The snapshot process. Each copy is a fork of it, made by the clone(2) of a few instructions of
 * gatectl (the cradle) that it runs from then on. With CLONE_PARENT the copy is a child of gatectl.
 * README.md lists what a copy needs to be like the program.
 */
#include "tracer/tracee/snapshot/rewind.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * L: mov $SYS_clone, %eax; syscall; test %eax, %eax; jg L; int3. Between two copies the snapshot
 * rests at the fork event, after the syscall, or at the int3 if clone failed.
 */
static const uint8_t cradle[] = {0xb8, SYS_clone, 0,	0,    0,    0x0f,
				 0x05, 0x85,	  0xc0, 0x7f, 0xf5, 0xcc};

static uint64_t tid_address(struct thread *th)
{
	uint64_t args[6] = {PR_GET_TID_ADDRESS}, at = 0;

	return remote_call_with(th, false, SYS_prctl, args, 1, &at, sizeof(at)) < 0 ? 0 : at;
}

/* Returns the CLONE_CHILD_* flags. glibc before 2.43 keeps the thread's id in the cleared word and
   needs it set; musl has a lock there, which the kernel releases. */
static uint64_t tid_flags(const struct thread *th, uint64_t tid_at)
{
	uint32_t word = 0;

	if (!tid_at)
		return 0;
	tracee_read(th->pub.process, tid_at, &word, sizeof(word));
	return CLONE_CHILD_CLEARTID | (word == (uint32_t)th->pub.tid ? CLONE_CHILD_SETTID : 0);
}

static uint64_t robust_of(const struct thread *th, size_t *size)
{
	void *robust = NULL;

	return syscall(SYS_get_robust_list, th->pub.tid, &robust, size) == 0
		       ? (uint64_t)(uintptr_t)robust
		       : 0;
}

static uint64_t brk_of(struct tracee *t, struct thread *th)
{
	int64_t brk;

	return tracee_syscall(t, &th->pub, SYS_brk, (const uint64_t[6]){0}, &brk) < 0
		       ? 0
		       : (uint64_t)brk;
}

/* Moves the thread to the cradle. All signals are masked from now on, and
   stay pending at the snapshot. */
static int into_cradle(struct tracee *t, struct kept_program *k)
{
	struct thread *th = k->thread;
	struct tracee_space *space = space_of(th);
	struct slot slot = {.copy.length = sizeof(cradle)};
	struct user_regs_struct regs;

	if (space->areas.count)
		k->cradle = slot_next(space, space->areas.items[space->areas.count - 1].base);
	memcpy(slot.copy.code, cradle, sizeof(cradle));
	if (!k->cradle || slot_add(t, space, k->cradle, &slot) < 0 || thread_regs(th) < 0 ||
	    ptrace(PTRACE_GETSIGMASK, th->pub.tid, sizeof(k->mask), &k->mask) < 0)
		return -1;
	k->regs = regs = th->regs;
	remote_set(&regs, SYS_clone,
		   (uint64_t[6]){k->flags | CLONE_PARENT | SIGCHLD, 0, 0, k->tid_at, 0});
	regs.rip = k->cradle;
	return remote_mask(th) < 0 ? -1 : thread_set_regs(th, &regs);
}

int tracee_keep(struct tracee *t, struct tracee_thread *thread)
{
	struct thread *th = thread_of(thread);
	struct kept_program *k = &t->kept;
	uint64_t brk;

	if (thread->process->threads != 1 || th->stop != STOP_SITE)
		return -1;
	thread_settle(th);
	*k = (struct kept_program){.thread = th, .tid_at = tid_address(th)};
	k->flags = tid_flags(th, k->tid_at);
	k->robust = robust_of(th, &k->robust_size);
	brk = brk_of(t, th);
	((struct process *)thread->process)->kept = true;
	if (into_cradle(t, k) < 0)
		return -1;
	k->rewinding = rewind_new(k, brk);
	return 0;
}

void template_end(struct tracee *t)
{
	if (t->kept.thread)
		((struct process *)t->kept.thread->pub.process)->kept = false;
	rewind_free(t->kept.rewinding);
	t->kept.rewinding = NULL;
}

bool template_is_left(const struct tracee *t)
{
	return t->kept.thread && t->alive == 1 && thread_is_alive(t->kept.thread) &&
	       !t->parked.count && !t->taken.count;
}

static struct thread *adopt(struct tracee *t, pid_t pid)
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
	memcpy(p->pub.space->granted, space_of(kept)->granted, sizeof(p->pub.space->granted));
	return th;
}

/* Kills and forgets a copy that is of no use and was not reported. An end that wait_one() has seen
   is reported like all ends. */
static void disown(struct tracee *t, struct thread *th)
{
	struct process *p = (struct process *)th->pub.process;
	int status;

	if (!thread_is_alive(th))
		return;
	kill(p->pub.pid, SIGKILL);
	while (status_of_one(t, p->pub.pid, &status) == 0 && WIFSTOPPED(status))
		ptrace(PTRACE_CONT, p->pub.pid, 0, 0);
	thread_unhash(th);
	thread_free(th);
	process_free(t, p);
}

/* Room in which the C library keeps the thread's id: glibc's struct pthread has it at 720, musl's
   at 48. The memory may end directly after either. */
enum { TCB = 1024, TCB_PART = 64 };

/* Sets the copy's own thread id, which the C library uses to send a signal to the thread itself. */
static void set_own_id(const struct kept_program *k, struct thread *th)
{
	const uint32_t id = (uint32_t)k->thread->pub.tid, own = (uint32_t)th->pub.tid;
	uint32_t words[TCB_PART / sizeof(own)];

	if (k->flags & CLONE_CHILD_SETTID) {
		tracee_write(th->pub.process, k->tid_at, &own, sizeof(own));
		return;
	}
	for (uint64_t at = k->regs.fs_base; at < k->regs.fs_base + TCB; at += TCB_PART) {
		if (tracee_read(th->pub.process, at, words, sizeof(words)) < 0)
			return;
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (words[i] == id)
				tracee_write(th->pub.process, at + i * sizeof(own), &own,
					     sizeof(own));
	}
}

static int set_robust(const struct kept_program *k, struct remote *r)
{
	const uint64_t args[6] = {k->robust, k->robust_size};
	size_t size;
	int64_t result;

	return robust_of(r->th, &size) == k->robust
		       ? 0
		       : remote_run(r, SYS_set_robust_list, args, &result);
}

/* Places the copy at its own copy of the snapshot's site. `again`: the copy has run before. */
static int stand_there(const struct kept_program *k, struct thread *th, bool again)
{
	struct remote r = {.th = th,
			   .regs = k->regs,
			   .mask = k->mask,
			   .stub = space_of(th)->areas.items[0].base};

	if (again && rewind_back(k->rewinding, &r) < 0)
		return -1;
	if (set_robust(k, &r) < 0)
		return -1;
	if (!again)
		rewind_watch(k->rewinding, &r);
	set_own_id(k, th);
	th->stop = STOP_SITE;
	th->site = space_site(space_of(th), k->thread->site->pub.addr);
	th->settled = true;
	return remote_end(&r);
}

/* Forks a copy. Returns its process id, or -1. */
static pid_t bear(const struct kept_program *k)
{
	struct thread *th = k->thread;
	unsigned long pid;
	int status;

	do {
		if (ptrace(PTRACE_CONT, th->pub.tid, 0, 0) < 0 ||
		    wait_one(th, remote_stop, &status) != ONE_EXPECTED)
			return -1;
	} while (status >> 16 != PTRACE_EVENT_FORK && !stopped_by_trap(status));
	th->stop = status >> 16 == PTRACE_EVENT_FORK ? STOP_FORK : STOP_SITE;
	th->settled = th->stop == STOP_SITE;
	if (th->stop == STOP_FORK)
		return ptrace(PTRACE_GETEVENTMSG, th->pub.tid, 0, &pid) < 0 ? -1 : (pid_t)pid;
	thread_set_pc(th, k->cradle);
	return -1;
}

/* Restores a copy that has run. Returns NULL if there is none. */
static struct thread *take_again(struct tracee *t)
{
	pid_t pid = rewind_take(t->kept.rewinding);
	struct thread *th;

	if (!pid)
		return NULL;
	th = adopt(t, pid);
	if (stand_there(&t->kept, th, true) == 0)
		return th;
	disown(t, th);
	return NULL;
}

static struct thread *take_new(struct tracee *t)
{
	pid_t pid = bear(&t->kept);
	struct thread *th;
	int status;

	if (pid < 0 || status_of_one(t, pid, &status) < 0)
		return NULL;
	th = adopt(t, pid);
	if (stand_there(&t->kept, th, false) == 0)
		return th;
	disown(t, th);
	return NULL;
}

struct tracee_process *tracee_copy(struct tracee *t, struct tracee_thread **thread,
				   struct error *err)
{
	struct thread *th = take_again(t);

	if (!th)
		th = take_new(t);
	if (!th && rewind_give_up(t->kept.rewinding))
		th = take_new(t);
	if (!th) {
		error_set(err, ERROR_SYSTEM,
			  "the program at its beginning cannot be forked, or its copy has died");
		return NULL;
	}
	*thread = &th->pub;
	return th->pub.process;
}
