/*
 * The program's clock, if sleeps are reported or elided. It advances by the sleeps (tracee_slept())
 * and by the program's CPU time, not by what the machine does for others. A clock read through the
 * vdso is no system call, so the program is started without a vdso.
 */
#include "tracer/tracee/tracee_internal.h"

#include <linux/auxvec.h>
#include <sys/syscall.h>
#include <time.h>

enum { NS_OF_S = 1000000000 };

/* True if the clock goes on by itself; clocks of CPU time do not. */
static bool clock_is_shared(clockid_t clock)
{
	return clock >= 0 && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID;
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	return clock_gettime(clock, &now) < 0
		       ? 0
		       : (uint64_t)now.tv_sec * NS_OF_S + (uint64_t)now.tv_nsec;
}

static uint64_t cpu_ns(const struct process *p)
{
	clockid_t clock;

	return clock_getcpuclockid(p->pub.pid, &clock) == 0 ? read_clock(clock) : 0;
}

uint64_t tracee_worked_ns(struct tracee *t)
{
	struct process *p;
	uint64_t ns = 0;

	TAILQ_FOREACH(p, &t->processes, link)
	ns += cpu_ns(p);
	if (ns > t->worked_ns) /* threads that have ended are no longer counted */
		t->worked_ns = ns;
	return t->worked_ns;
}

uint64_t tracee_slept_ns(struct tracee *t)
{
	tracee_timer_due(t);
	return t->slept_ns;
}

uint64_t clock_own_ns(struct tracee *t)
{
	return tracee_slept_ns(t) + tracee_worked_ns(t);
}

uint64_t tracee_clock_seen_ns(const struct tracee *t)
{
	return t->seen_ns;
}

unsigned long tracee_clock_reads(const struct tracee *t)
{
	return t->clock_reads;
}

/* Returns how far the program's clock is ahead of the machine's, in ns; negative: behind. Only
   hastened sleeps put it ahead. */
static int64_t ahead_ns(struct tracee *t)
{
	int64_t ahead;

	if (t->clock != CLOCK_OWN)
		return 0;
	ahead = (int64_t)(clock_own_ns(t) - (read_clock(CLOCK_MONOTONIC) - t->clock_start_ns));
	return ahead < 0 || t->hasten ? ahead : 0;
}

/* Time that the thread has not slept in statements that it still executes. */
static uint64_t unslept_ns(const struct thread *th)
{
	uint64_t ns = 0;

	array_each(const struct elided, e, &th->elisions)
		ns += e->ahead_ns;
	return ns;
}

/* The clock as the thread sees it. */
static uint64_t clock_of(struct thread *th, clockid_t clock)
{
	return read_clock(clock) + (uint64_t)ahead_ns(th->tracee) + unslept_ns(th);
}

void clock_start(struct tracee *t)
{
	t->clock_start_ns = read_clock(CLOCK_MONOTONIC);
}

bool clock_length(struct thread *th, clockid_t clock, uint64_t *ns, uint64_t *now_ns)
{
	uint64_t own;

	*now_ns = read_clock(clock);
	own = clock_of(th, clock);
	if (!clock_is_shared(clock))
		return false;
	*ns -= *ns < own ? *ns : own;
	return *ns;
}

void tracee_slept(struct tracee *t, uint64_t ns)
{
	t->slept_ns = ns;
}

/* ---- answers to the program ------------------------------------------------------------------ */

static void write_time(struct thread *th, uint64_t at, clockid_t clock, long unit_ns)
{
	uint64_t ns = clock_of(th, clock);
	const struct timespec time = {(time_t)(ns / NS_OF_S), (long)(ns % NS_OF_S) / unit_ns};

	if (at)
		tracee_write(th->pub.process, at, &time, sizeof(time));
}

static void answer_time(struct thread *th)
{
	struct user_regs_struct regs = th->regs;

	regs.rax = clock_of(th, CLOCK_REALTIME) / NS_OF_S;
	if (regs.rdi)
		tracee_write(th->pub.process, regs.rdi, &regs.rax, sizeof(time_t));
	thread_set_regs(th, &regs);
}

void clock_syscall_exit(struct thread *th)
{
	if (thread_regs(th) < 0 || (long)th->regs.rax < 0)
		return;
	if (th->tracee->clock == CLOCK_OWN &&
	    (th->regs.orig_rax == SYS_clock_gettime || th->regs.orig_rax == SYS_gettimeofday))
		th->tracee->seen_ns = clock_own_ns(th->tracee);
	if (th->regs.orig_rax == SYS_clock_gettime || th->regs.orig_rax == SYS_gettimeofday ||
	    th->regs.orig_rax == SYS_time) {
		th->clock_reads++;
		th->tracee->clock_reads++;
	}
	if (th->regs.orig_rax == SYS_clock_gettime && clock_is_shared((clockid_t)th->regs.rdi))
		write_time(th, th->regs.rsi, (clockid_t)th->regs.rdi, 1);
	else if (th->regs.orig_rax == SYS_gettimeofday)
		write_time(th, th->regs.rdi, CLOCK_REALTIME, 1000);
	else if (th->regs.orig_rax == SYS_time)
		answer_time(th);
}

/* ---- without the vdso ------------------------------------------------------------------------ */

/* Returns the address of the auxiliary vector, or 0. It follows the arguments and the environment
   on the stack, each of which ends with a null pointer. */
static uint64_t auxiliary(struct thread *th)
{
	uint64_t word, at = th->regs.rsp;
	int zeros = 0;

	do {
		at += sizeof(word);
		if (memory_raw_read(space_of(th), at, &word, sizeof(word)) < 0)
			return 0;
		zeros += !word;
	} while (zeros < 2);
	return at + sizeof(word);
}

uint64_t clock_auxiliary(struct thread *th, uint64_t type)
{
	uint64_t entry[2], at = thread_regs(th) == 0 ? auxiliary(th) : 0;

	for (; at && memory_raw_read(space_of(th), at, entry, sizeof(entry)) == 0 &&
	       entry[0] != AT_NULL;
	     at += sizeof(entry))
		if (entry[0] == type)
			return at;
	return 0;
}

void clock_exec(struct thread *th)
{
	const uint64_t ignore = AT_IGNORE;
	uint64_t at = th->tracee->clock != CLOCK_VDSO ? clock_auxiliary(th, AT_SYSINFO_EHDR) : 0;

	if (at)
		tracee_write(th->pub.process, at, &ignore, sizeof(ignore));
}
