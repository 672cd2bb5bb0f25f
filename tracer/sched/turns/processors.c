/*
 * One thread runs at a time, and a switch between two of them is cheapest on one processor: the program is
 * started there. It does not see that: who asks for its processors gets those that gatectl was started with.
 * A replay is started anywhere, and the kernel answers. To ask is no point, here or there.
 */
#include "tracer/sched/sched_internal.h"
#include "tracer/sched/sched_run.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
	bool known;
	long size; /* as the kernel returns it */
	uint8_t mask[1024 / 8];
} found;

static unsigned home; /* worker 0 has the home-th of them */

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

bool processors_call(struct sched_thread *t)
{
	const struct tracee_made *call = &t->call;
	int64_t result = found.size;

	if (call->number != SYS_sched_getaffinity)
		return false;
	if (!found.known) {
		sched_thread_goes(t);
		return true;
	}
	if (call->args[1] < (uint64_t)found.size)
		result = -EINVAL;
	else if (tracee_write(t->thread->process->tracee, call->args[2], found.mask,
			      (size_t)found.size) < 0)
		result = -EFAULT;
	tracee_answer(t->thread->tracee, result);
	sched_thread_goes(t);
	return true;
}
