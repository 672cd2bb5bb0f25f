/*
 * getrandom(2) and /dev/urandom give the same bytes in each run: a sequence that begins anew with it
 * (SplitMix64: Steele, Lea, Flood, 2014). Whoever asks the processor is not answered here.
 */
#include "tracer/sched/sched_internal.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

enum { WORD = 8, MOST = 1 << 20 }; /* bytes; the kernel need not give more at once either */

static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* /dev/random or /dev/urandom */
static bool is_device(const struct sched_thread *t, int fd)
{
	enum { MEMORY_DEVICES = 1, RANDOM = 8, URANDOM = 9 };
	char link[64];
	struct stat is;

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", t->thread->tracee->tid, fd);
	return stat(link, &is) == 0 && S_ISCHR(is.st_mode) &&
	       (is.st_rdev == makedev(MEMORY_DEVICES, RANDOM) ||
		is.st_rdev == makedev(MEMORY_DEVICES, URANDOM));
}

bool random_call(struct scheduler *c, struct sched_thread *t)
{
	struct tracee_process *p = t->thread->process->tracee;
	bool reads = t->call.number == SYS_read && is_device(t, (int)t->call.args[0]);
	uint64_t at = t->call.args[reads ? 1 : 0], left = t->call.args[reads ? 2 : 1];
	int64_t given = 0;

	if (!reads && t->call.number != SYS_getrandom)
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
	tracee_answer(t->thread->tracee, left && !given ? -EFAULT : given);
	sched_thread_goes(t);
	return true;
}
