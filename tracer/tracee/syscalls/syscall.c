/*
 * A system call made by a stopped thread for gatectl, invisible to the program. The call ends in a
 * trap (slot_stub): only there the kernel restarts an interrupted system call and accepts a signal
 * with siginfo. Before the first area exists, a syscall instruction of the program serves.
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/tracee_internal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

bool stopped_by_trap(int status)
{
	return WIFSTOPPED(status) && status >> 8 == SIGTRAP;
}

static bool stopped_by_call(int status)
{
	return WIFSTOPPED(status) && status >> 8 == (SIGTRAP | 0x80);
}

bool remote_stop(int status)
{
	return WIFSTOPPED(status) && status >> 16 != PTRACE_EVENT_EXIT &&
	       status >> 16 != PTRACE_EVENT_EXEC;
}

/*
 * Resumes until the wanted stop. Only SIGSTOP is not masked: it stops the process,
 * while this thread goes on until done. To send it again afterwards would be wrong,
 * as a SIGCONT may have come.
 */
static int syscall_go_on(struct remote *r, int request, bool (*wanted)(int status))
{
	int status = 0;

	for (;;) {
		long signal = status >> 8 == SIGSTOP ? SIGSTOP : 0;

		if (ptrace(request, r->th->pub.tid, 0, signal) < 0 && errno != ESRCH)
			return -1;
		if (wait_one(r->th, remote_stop, &status) != ONE_EXPECTED)
			return -1;
		if (wanted(status))
			return 0;
		r->stopped |= status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP;
	}
}

/* True if a signal has come in a call that waits with a temporary signal mask. The kernel would
   lose the thread's own mask. */
static bool has_second_mask(struct thread *th)
{
	if (th->stop != STOP_SIGNAL || thread_regs(th) < 0)
		return false;
	switch (th->regs.orig_rax) {
	case SYS_rt_sigsuspend:
	case SYS_ppoll:
	case SYS_pselect6:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_io_pgetevents:
		return true;
	default:
		return false;
	}
}

bool remote_possible(struct thread *th)
{
	return th->pub.state == TRACEE_STOPPED && th->stop != STOP_NONE && th->stop != STOP_EXIT &&
	       th->stop != STOP_VFORK && th->stop != STOP_SLEEP && th->stop != STOP_CALL &&
	       !has_second_mask(th);
}

/* Returns all signals but those that an instruction raises: blocked, these would be fatal. */
uint64_t remote_blocked(void)
{
	const int raised[] = {SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS};
	uint64_t mask = ~0ull;

	for (size_t i = 0; i < sizeof(raised) / sizeof(*raised); i++)
		mask &= ~(1ull << (raised[i] - 1));
	return mask;
}

int remote_mask(struct thread *th)
{
	uint64_t mask = remote_blocked();

	return ptrace(PTRACE_SETSIGMASK, th->pub.tid, sizeof(mask), &mask) < 0 ? -1 : 0;
}

/* Saves the siginfo, which the kernel loses with this stop, for the delivery of the signal. */
static int keep_info(struct thread *th)
{
	if (th->stop != STOP_SIGNAL || th->info)
		return 0;
	th->info = base_alloc(1, sizeof(*th->info));
	return ptrace(PTRACE_GETSIGINFO, th->pub.tid, 0, th->info) < 0 ? -1 : 0;
}

int remote_begin(struct remote *r)
{
	struct thread *th = r->th;
	const struct tracee_space *space = space_of(th);

	r->stopped = th->group_signal != 0;
	r->stub = space->areas.count ? space->areas.items[0].base : 0;
	if (ptrace(PTRACE_GETSIGMASK, th->pub.tid, sizeof(r->mask), &r->mask) < 0 ||
	    remote_mask(th) < 0 || keep_info(th) < 0)
		return -1;
	/* The end of the system call writes rax, so nothing can be set up before it. */
	if ((th->stop == STOP_EXEC || th->stop == STOP_FORK) && !th->settled) {
		if (syscall_go_on(r, PTRACE_SYSCALL, stopped_by_call) < 0)
			return -1;
		th->settled = true;
		th->regs_known = false;
	}
	if (thread_regs(th) < 0)
		return -1;
	r->regs = th->regs;
	return 0;
}

unsigned long long *remote_argument(struct user_regs_struct *regs, unsigned i)
{
	unsigned long long *const arguments[] = {&regs->rdi, &regs->rsi, &regs->rdx,
						 &regs->r10, &regs->r8,	 &regs->r9};

	return arguments[i];
}

bool remote_restarts(const struct user_regs_struct *regs)
{
	enum { RESTARTSYS = -512, RESTART_BLOCK = -516 };
	int64_t result = (int64_t)regs->rax;

	return result <= RESTARTSYS && result >= RESTART_BLOCK;
}

void remote_set(struct user_regs_struct *regs, long number, const uint64_t args[6])
{
	regs->eflags &= ~(1ull << 8); /* the program may be single-stepping itself */
	regs->orig_rax = (unsigned long long)-1;
	regs->rax = (unsigned long long)number;
	for (unsigned i = 0; i < 6; i++)
		*remote_argument(regs, i) = args[i];
}

static int remote_result(struct remote *r, int64_t *result)
{
	struct user_regs_struct now;

	if (ptrace(PTRACE_GETREGS, r->th->pub.tid, 0, &now) < 0)
		return -1;
	*result = (int64_t)now.rax;
	return 0;
}

int remote_run(struct remote *r, long number, const uint64_t args[6], int64_t *result)
{
	struct user_regs_struct regs = r->regs;

	remote_set(&regs, number, args);
	regs.rip = r->stub;
	if (thread_set_regs(r->th, &regs) < 0 || syscall_go_on(r, PTRACE_CONT, stopped_by_trap) < 0)
		return -1;
	return remote_result(r, result);
}

/* Returns an address for n bytes below the red zone. */
static uint64_t below(uint64_t sp, size_t n)
{
	return (sp - 512 - n) & ~15ull;
}

uint64_t remote_below(const struct remote *r, size_t n)
{
	return below(r->regs.rsp, n);
}

int remote_run_with(struct remote *r, long number, uint64_t args[6], unsigned index, void *bytes,
		    size_t n, int64_t *result)
{
	struct tracee_process *p = r->th->pub.process;
	uint8_t *saved = base_alloc(n, 1);
	int answer;

	args[index] = remote_below(r, n);
	answer = tracee_read(p, args[index], saved, n) < 0 ||
				 tracee_write(p, args[index], bytes, n) < 0 ||
				 remote_run(r, number, args, result) < 0 ||
				 tracee_read(p, args[index], bytes, n) < 0 ||
				 tracee_write(p, args[index], saved, n) < 0
			 ? -1
			 : 0;
	base_free(saved);
	return answer;
}

/* ---- without a stub ------------------------------------------------------------------------- */

static uint64_t syscall_search(struct tracee_space *space, const struct tracee_mapping *map)
{
	static uint8_t chunk[64 * 1024];

	for (uint64_t at = map->start; at < map->end; at += sizeof(chunk)) {
		size_t n = map->end - at < sizeof(chunk) ? map->end - at : sizeof(chunk);
		uint8_t *hit;

		if (memory_raw_read(space, at, chunk, n) < 0)
			return 0;
		hit = memmem(chunk, n, slot_stub, 2);
		if (hit)
			return at + (uint64_t)(hit - chunk);
	}
	return 0;
}

/* Returns the address of a syscall instruction in the vdso, the loader or
   a static executable; or 0. */
static uint64_t own_instruction(struct thread *th)
{
	struct mappings maps = {0};
	uint64_t found = 0;

	if (look_mappings(th->pub.process, &maps) < 0)
		return 0;
	for (int others = 0; others <= 1; others++) {
		array_each(struct tracee_mapping, map, &maps.list) {
			bool other = strcmp(map->path, "[vdso]") != 0;

			if (!found && map->executable && other == others)
				found = syscall_search(space_of(th), map);
		}
	}
	array_fini(&maps.list);
	return found;
}

static int run_at(struct remote *r, uint64_t instruction, long number, const uint64_t args[6],
		  int64_t *result)
{
	struct user_regs_struct regs = r->regs;

	remote_set(&regs, number, args);
	regs.rip = instruction;
	if (!regs.rip || thread_set_regs(r->th, &regs) < 0 ||
	    syscall_go_on(r, PTRACE_SYSCALL, stopped_by_call) < 0 ||
	    syscall_go_on(r, PTRACE_SYSCALL, stopped_by_call) < 0)
		return -1;
	return remote_result(r, result);
}

static int run_own(struct remote *r, long number, const uint64_t args[6], int64_t *result)
{
	return run_at(r, own_instruction(r->th), number, args, result);
}

/* Runs the trap of the area that has just been mapped, after which the state is as with a stub. */
static int land(struct remote *r, uint64_t area)
{
	struct thread *th = r->th;

	if (memory_raw_write(th->tracee, space_of(th), area, slot_stub, STUB_LENGTH) < 0)
		return -1;
	r->stub = area;
	return remote_land(r);
}

int remote_land(struct remote *r)
{
	struct user_regs_struct regs = r->regs;

	regs.orig_rax = (unsigned long long)-1;
	regs.eflags &= ~(1ull << 8);
	regs.rip = r->stub + STUB_TRAP;
	if (thread_set_regs(r->th, &regs) < 0)
		return -1;
	return syscall_go_on(r, PTRACE_CONT, stopped_by_trap);
}

/* Restarts an interrupted system call as the kernel does when the last stop is a trap. */
static void restart_by_hand(struct user_regs_struct *regs)
{
	enum { RESTARTSYS = -512, NOINTR = -513, NOHAND = -514, BLOCK = -516 };
	int64_t rax = (int64_t)regs->rax;

	if ((int64_t)regs->orig_rax < 0)
		return;
	if (rax == BLOCK)
		regs->rax = SYS_restart_syscall;
	else if (rax == RESTARTSYS || rax == NOINTR || rax == NOHAND)
		regs->rax = regs->orig_rax;
	else
		return;
	regs->rip -= 2;
}

/* ---- complete calls -------------------------------------------------------------------------- */

/* Requests a stop before the thread's next instruction, which reports whether the process is
   still stopped by job control. */
static void look_again(const struct remote *r)
{
	if (r->stopped)
		ptrace(PTRACE_INTERRUPT, r->th->pub.tid, 0, 0);
}

int remote_end(struct remote *r)
{
	struct thread *th = r->th;

	look_again(r);
	th->group_signal = 0;
	ptrace(PTRACE_SETSIGMASK, th->pub.tid, sizeof(r->mask), &r->mask);
	return thread_set_regs(th, &r->regs);
}

int remote_call(struct thread *th, long number, const uint64_t args[6], int64_t *result)
{
	struct remote r = {.th = th};

	if (!remote_possible(th) || remote_begin(&r) < 0)
		return -1;
	if (r.stub)
		return remote_run(&r, number, args, result) < 0 ? -1 : remote_end(&r);
	if (run_own(&r, number, args, result) < 0)
		return -1;
	if (number != SYS_mmap || (uint64_t)*result != args[0] || land(&r, args[0]) < 0)
		restart_by_hand(&r.regs);
	return remote_end(&r);
}

/* Makes the call without the trap at its end and with all signals blocked, for trap.c: a trap would
   change the action of SIGTRAP. */
static int remote_call_quietly(struct thread *th, long number, const uint64_t args[6],
			       int64_t *result)
{
	const uint64_t all = ~0ull;
	struct remote r = {.th = th};
	uint64_t at;

	if (!remote_possible(th) || remote_begin(&r) < 0 ||
	    ptrace(PTRACE_SETSIGMASK, th->pub.tid, sizeof(all), &all) < 0)
		return -1;
	at = r.stub ? r.stub : own_instruction(th);
	if (run_at(&r, at, number, args, result) < 0)
		return -1;
	restart_by_hand(&r.regs);
	return remote_end(&r);
}

int remote_call_with(struct thread *th, bool quietly, long number, uint64_t args[6], unsigned index,
		     void *bytes, size_t n)
{
	struct tracee_space *space = space_of(th);
	uint8_t before[CALL_BYTES_MOST];
	int64_t result = -1;
	uint64_t at;

	if (n > sizeof(before) || thread_regs(th) < 0)
		return -1;
	at = args[index] = below(th->regs.rsp, n);
	if (memory_raw_read(space, at, before, n) < 0 ||
	    memory_raw_write(th->tracee, space, at, bytes, n) < 0 ||
	    (quietly ? remote_call_quietly : remote_call)(th, number, args, &result) < 0 ||
	    memory_raw_read(space, at, bytes, n) < 0)
		return -1;
	memory_raw_write(th->tracee, space, at, before, n);
	return result < 0 ? -1 : 0;
}

int remote_exec(struct thread *th, uint64_t path, uint64_t argv, uint64_t envp)
{
	const struct tracee_space *before = space_of(th);
	const uint64_t args[6] = {path, argv, envp};
	struct remote r = {.th = th};
	int64_t result;

	if (!remote_possible(th) || remote_begin(&r) < 0)
		return -1;
	if (run_own(&r, SYS_execve, args, &result) == 0 || space_of(th) == before) {
		remote_end(&r);
		return -1;
	}
	th->settled = false;
	ptrace(PTRACE_SETSIGMASK, th->pub.tid, sizeof(r.mask), &r.mask);
	look_again(&r);
	return 0;
}

void remote_unmap(struct thread *th, uint64_t base, uint64_t size)
{
	const uint64_t args[6] = {base, size};
	struct remote r = {.th = th};
	int64_t result;

	if (!remote_possible(th) || remote_begin(&r) < 0)
		return;
	run_own(&r, SYS_munmap, args, &result);
	restart_by_hand(&r.regs);
	remote_end(&r);
}

bool tracee_can_call(struct tracee_thread *thread)
{
	return remote_possible(thread_of(thread));
}

int tracee_syscall(struct tracee *t, struct tracee_thread *thread, long number,
		   const uint64_t args[6], int64_t *result)
{
	struct thread *th = thread_of(thread);

	if (!remote_possible(th))
		return -1;
	if (!space_of(th)->areas.count)
		slot_first_area(t, th);
	return remote_call(th, number, args, result);
}
