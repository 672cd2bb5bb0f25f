/* Table of the system calls that stop a thread: the handler of each, or its operation as a
   point. */
#include "tracer/sched/sched_internal.h"
#include "tracer/sched/syscalls/timers.h"
#include "tracer/elf/module.h"
#include "tracer/run/modules/images.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* ---- random numbers ---------------------------------------------------------------------- */

/* getrandom(2) and /dev/urandom return the same bytes in each run (SplitMix64: Steele, Lea,
   Flood, 2014). The RDRAND instruction is not intercepted. */
enum { WORD = 8, MOST = 1 << 20 }; /* MOST: bytes of one call; the kernel may return fewer, too */

static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static bool is_device(const struct sched_thread *t, int fd)
{
	enum { MEMORY_DEVICES = 1, RANDOM = 8, URANDOM = 9 };
	char link[64];
	struct stat is;

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", run_thread_tracee(t->thread)->tid, fd);
	return stat(link, &is) == 0 && S_ISCHR(is.st_mode) &&
	       (is.st_rdev == makedev(MEMORY_DEVICES, RANDOM) ||
		is.st_rdev == makedev(MEMORY_DEVICES, URANDOM));
}

static bool random_call(struct scheduler *c, struct sched_thread *t)
{
	struct tracee_process *p = run_process_tracee(run_process_of(t->thread));
	bool reads = t->call.number == SYS_read && is_device(t, (int)t->call.args[0]);
	uint64_t at = t->call.args[reads ? 1 : 0], left = t->call.args[reads ? 2 : 1];
	int64_t given = 0;

	if (t->call.number == SYS_read && !reads)
		return false;
	left = left < MOST ? left : MOST;
	while (left) {
		uint64_t word = random_next(&c->random), n = left < WORD ? left : WORD;

		if (tracee_write(p, at, &word, n) < 0)
			break;
		at += n;
		left -= n;
		given += (int64_t)n;
	}
	sched_thread_answer(t, left && !given ? -EFAULT : given);
	return true;
}

/* ---- ids --------------------------------------------------------------------------------- */

/* Ids of threads and processes differ between runs. A program that asks for its own ids may
   behave differently; their use in a C library makes no difference. */

/* True in a function that only makes the call, so that its return address is on top of the
   stack. */
static bool ids_is_wrapper(struct run_process *p, uint64_t pc)
{
	static const char *const names[] = {"getpid", "__getpid", "gettid", "__gettid", "syscall"};
	const struct image *image = images_at(p, pc);
	const struct elf_symbol *symbol =
		image ? module_symbol_at(image->module, pc - image->bias, true) : NULL;

	for (size_t i = 0; symbol && i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(symbol->name, names[i]) == 0)
			return true;
	return false;
}

static bool own_code_asks(const struct sched_thread *t)
{
	struct run_process *p = run_process_of(t->thread);
	uint64_t back;

	return ids_is_wrapper(p, t->call.pc) &&
	       tracee_read(run_process_tracee(p), t->call.sp, &back, sizeof(back)) == 0 &&
	       !scheduler_is_runtime(p, back);
}

static bool ids_call(struct scheduler *c, struct sched_thread *t)
{
	if (!(c->given->seen & SCHED_ASKS_IDS) && own_code_asks(t))
		c->given->seen |= SCHED_ASKS_IDS;
	sched_thread_goes(t);
	return true;
}

/* ---- processors -------------------------------------------------------------------------- */

/* Switches between threads are cheapest on one processor, so the program starts on one.
   sched_getaffinity(2) returns the processors that gatectl was started with. In a replay the
   kernel answers. */
static struct {
	bool known;
	long size; /* result of the kernel's call */
	uint8_t mask[1024 / 8];
} found;

static unsigned home; /* index of worker 0's processor */

void sched_settle(void)
{
	cpu_set_t all;
	int here = sched_getcpu();

	if (here < 0 || sched_getaffinity(0, sizeof(all), &all) < 0)
		return;
	home = 0;
	for (int cpu = 0; cpu < here && cpu < CPU_SETSIZE; cpu++)
		home += CPU_ISSET(cpu, &all) != 0;
}

void sched_pin(unsigned worker)
{
	cpu_set_t all, one;
	unsigned n = 0;

	found.size = syscall(SYS_sched_getaffinity, 0, sizeof(found.mask), found.mask);
	if (found.size <= 0 || sched_getaffinity(0, sizeof(all), &all) < 0)
		return;
	found.known = true;
	worker = (home + worker) % (unsigned)CPU_COUNT(&all);
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && n++ == worker)
			CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

void sched_unpin(void)
{
	if (found.known)
		syscall(SYS_sched_setaffinity, 0, (size_t)found.size, found.mask);
	found.known = false;
}

static bool processors_call(struct scheduler *c, struct sched_thread *t)
{
	const uint64_t *args = t->call.args;

	(void)c;
	if (!found.known)
		sched_thread_goes(t);
	else if (args[1] < (uint64_t)found.size)
		sched_thread_answer(t, -EINVAL);
	else if (run_thread_write(t->thread, args[2], found.mask, (size_t)found.size) < 0)
		sched_thread_answer(t, -EFAULT);
	else
		sched_thread_answer(t, found.size);
	return true;
}

/* ---- the table --------------------------------------------------------------------------- */

static bool note_end(struct scheduler *c, struct sched_thread *t)
{
	bound_look(c, run_process_of(t->thread));
	return false;
}

enum {
	ALWAYS = 1, /* handled also before the thread is scheduled */
	FILES = 2,  /* no point in a sanitizer's runtime */
};

static const struct sched_call {
	long number;
	/* Returns true if the call is answered or waits. NULL or false: the call is a point with
	   this operation. */
	bool (*handle)(struct scheduler *c, struct sched_thread *t);
	enum strategy_op op;
	unsigned flags;
} calls[] = {
	{SYS_futex, futexes_call, STRATEGY_BLOCK, 0},
	{SYS_futex_waitv, futexes_wait_any, STRATEGY_BLOCK, 0},
	{SYS_nanosleep, times_sleep, STRATEGY_BLOCK, 0},
	{SYS_clock_nanosleep, times_sleep, STRATEGY_BLOCK, 0},
	{SYS_clock_gettime, times_ask, STRATEGY_BLOCK, ALWAYS},
	{SYS_gettimeofday, times_ask, STRATEGY_BLOCK, ALWAYS},
	{SYS_time, times_ask, STRATEGY_BLOCK, ALWAYS},
	{SYS_sched_yield, NULL, STRATEGY_YIELD, 0},
	{SYS_sched_getaffinity, processors_call, STRATEGY_BLOCK, ALWAYS},
	{SYS_getrandom, random_call, STRATEGY_BLOCK, ALWAYS},
	{SYS_gettid, ids_call, STRATEGY_BLOCK, 0},
	{SYS_getpid, ids_call, STRATEGY_BLOCK, 0},
	{SYS_exit, NULL, STRATEGY_END, 0},
	{SYS_exit_group, note_end, STRATEGY_END, 0},
	{SYS_alarm, NULL, STRATEGY_BLOCK, 0},
	{SYS_setitimer, NULL, STRATEGY_BLOCK, 0},
	{SYS_timer_settime, NULL, STRATEGY_BLOCK, 0},
	{SYS_timerfd_settime, NULL, STRATEGY_BLOCK, 0},
	{SYS_getitimer, timers_call, STRATEGY_BLOCK, 0},
	{SYS_timer_gettime, timers_call, STRATEGY_BLOCK, 0},
	{SYS_timer_getoverrun, timers_call, STRATEGY_BLOCK, 0},
	{SYS_timer_delete, timers_call, STRATEGY_BLOCK, 0},
	{SYS_timerfd_gettime, timers_call, STRATEGY_BLOCK, 0},
	{SYS_kill, NULL, STRATEGY_SIGNAL, 0},
	{SYS_tkill, NULL, STRATEGY_SIGNAL, 0},
	{SYS_tgkill, NULL, STRATEGY_SIGNAL, 0},
	{SYS_rt_sigqueueinfo, NULL, STRATEGY_SIGNAL, 0},
	{SYS_rt_tgsigqueueinfo, NULL, STRATEGY_SIGNAL, 0},
	{SYS_read, random_call, STRATEGY_BLOCK, ALWAYS | FILES},
	{SYS_readv, NULL, STRATEGY_BLOCK, FILES},
	{SYS_write, NULL, STRATEGY_BLOCK, FILES},
	{SYS_writev, NULL, STRATEGY_BLOCK, FILES},
	{SYS_poll, NULL, STRATEGY_BLOCK, 0},
	{SYS_ppoll, NULL, STRATEGY_BLOCK, 0},
	{SYS_select, NULL, STRATEGY_BLOCK, 0},
	{SYS_pselect6, NULL, STRATEGY_BLOCK, 0},
	{SYS_epoll_wait, NULL, STRATEGY_BLOCK, 0},
	{SYS_epoll_pwait, NULL, STRATEGY_BLOCK, 0},
	{SYS_epoll_pwait2, NULL, STRATEGY_BLOCK, 0},
	{SYS_accept, NULL, STRATEGY_BLOCK, 0},
	{SYS_accept4, NULL, STRATEGY_BLOCK, 0},
	{SYS_connect, NULL, STRATEGY_BLOCK, 0},
	{SYS_recvfrom, NULL, STRATEGY_BLOCK, 0},
	{SYS_recvmsg, NULL, STRATEGY_BLOCK, 0},
	{SYS_recvmmsg, NULL, STRATEGY_BLOCK, 0},
	{SYS_sendto, NULL, STRATEGY_BLOCK, 0},
	{SYS_sendmsg, NULL, STRATEGY_BLOCK, 0},
	{SYS_sendmmsg, NULL, STRATEGY_BLOCK, 0},
	{SYS_wait4, NULL, STRATEGY_BLOCK, 0},
	{SYS_waitid, NULL, STRATEGY_BLOCK, 0},
	{SYS_pause, NULL, STRATEGY_BLOCK, 0},
	{SYS_rt_sigsuspend, NULL, STRATEGY_BLOCK, 0},
	{SYS_rt_sigtimedwait, NULL, STRATEGY_BLOCK, 0},
	{SYS_flock, NULL, STRATEGY_BLOCK, 0},
	{SYS_msgrcv, NULL, STRATEGY_BLOCK, 0},
	{SYS_msgsnd, NULL, STRATEGY_BLOCK, 0},
	{SYS_semop, NULL, STRATEGY_BLOCK, 0},
	{SYS_semtimedop, NULL, STRATEGY_BLOCK, 0},
	{SYS_mq_timedreceive, NULL, STRATEGY_BLOCK, 0},
	{SYS_mq_timedsend, NULL, STRATEGY_BLOCK, 0},
	{SYS_io_getevents, NULL, STRATEGY_BLOCK, 0},
	{SYS_io_uring_enter, NULL, STRATEGY_BLOCK, 0},
	{SYS_close, NULL, STRATEGY_BLOCK, FILES},
};
enum { CALLS = sizeof(calls) / sizeof(*calls) };

const long *calls_numbers(void)
{
	static long numbers[CALLS + 1];

	for (size_t i = 0; i < CALLS; i++)
		numbers[i] = calls[i].number;
	numbers[CALLS] = -1;
	return numbers;
}

static void stand_before(struct sched_thread *t, enum strategy_op op)
{
	struct strategy_point p = {.op = op, .object = STRATEGY_ANY_OBJECT, .place = t->call.pc};

	if (op == STRATEGY_YIELD)
		p.object = STRATEGY_NO_OBJECT;
	else
		p.writes = true;
	if (t->call.number == SYS_exit)
		p.object = t->call.fs_base;
	t->function = NULL;
	sched_thread_ready(t, &p);
	t->next = NEXT_CALLS;
}

static const struct sched_call *call_of(const struct sched_thread *t)
{
	size_t i = 0;

	while (calls[i].number != t->call.number)
		i++;
	return &calls[i];
}

bool calls_early(struct scheduler *c, struct sched_thread *t)
{
	const struct sched_call *call = call_of(t);

	return call->flags & ALWAYS && call->handle(c, t);
}

void calls_make(struct scheduler *c, struct sched_thread *t)
{
	const struct sched_call *call = call_of(t);
	struct run_process *p = run_process_of(t->thread);

	if (call->handle && call->handle(c, t))
		return;
	if (call->op == STRATEGY_BLOCK &&
	    ((call->flags & FILES && sanitizers_is_own(p, t->call.pc)) ||
	     scheduler_is_loading(p, t->call.pc)))
		sched_thread_goes(t);
	else
		stand_before(t, call->op);
}
