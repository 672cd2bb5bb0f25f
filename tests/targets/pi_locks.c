/* Locks with priority inheritance, in all ways that the kernel has a part in; the argument says which. */
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m, other;
static pthread_cond_t cond;
static int n;
static volatile int over, cell; /* syscall(2) is a leaf to gcc */
static void make(pthread_mutex_t *x, int type, int robust, int shared)
{
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	pthread_mutexattr_settype(&a, type);
	if (robust)
		pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	if (shared)
		pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	assert(!pthread_mutex_init(x, &a));
}
static void *counts(void *x)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&m);
		n++; /* gate: here */
		pthread_mutex_unlock(&m);
	}
	return x;
}
static void *tries(void *x)
{
	struct timespec at;
	int e;
	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += 1000;
	while ((e = pthread_mutex_trylock(&m)) && (e = pthread_mutex_timedlock(&m, &at)))
		assert(e == ETIMEDOUT), clock_gettime(CLOCK_REALTIME, &at), at.tv_sec++;
	n++;
	pthread_mutex_unlock(&m);
	return x;
}
static void *waits(void *x)
{
	pthread_mutex_lock(&m);
	while (!over)
		pthread_cond_wait(&cond, &m);
	n++;
	pthread_mutex_unlock(&m);
	return x;
}
static void *dies(void *x)
{
	pthread_mutex_lock(&m);
	return x;
}
static void *inherits(void *x)
{
	int e = pthread_mutex_lock(&m);
	if (e == EOWNERDEAD)
		pthread_mutex_consistent(&m), n++;
	else
		assert(!e);
	pthread_mutex_unlock(&m);
	return x;
}
static void *ab(void *x)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&other);
	pthread_mutex_unlock(&other);
	pthread_mutex_unlock(&m);
	return x;
}
static void *ba(void *x)
{
	pthread_mutex_lock(&other);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&other);
	return x;
}
static void handler(int s)
{
	n += s > 0;
}
static void *locks(void *x)
{
	struct timespec hour = {4000000000, 0};
	assert(!(x ? pthread_mutex_timedlock(&m, &hour) : pthread_mutex_lock(&m)));
	pthread_mutex_unlock(&m);
	return x;
}
static long futex(volatile int *at, int op, long val, long time, int *to, long val3)
{
	long r = syscall(SYS_futex, at, op | FUTEX_PRIVATE_FLAG, val, time, to, val3);
	return r < 0 ? -errno : r;
}
static int lock;
static void raw_lock(void)
{
	if (!__sync_bool_compare_and_swap(&lock, 0, syscall(SYS_gettid)))
		assert(!futex(&lock, FUTEX_LOCK_PI, 0, 0, 0, 0));
}
static void raw_unlock(void)
{
	if (!__sync_bool_compare_and_swap(&lock, syscall(SYS_gettid), 0))
		assert(!futex(&lock, FUTEX_UNLOCK_PI, 0, 0, 0, 0));
}
static void *waits_raw(void *x)
{
	raw_lock();
	while (!over) {
		int seen = cell;
		raw_unlock();
		long r = futex(&cell, FUTEX_WAIT_REQUEUE_PI, seen, 0, &lock, 0);
		assert(r == 0 || r == -EAGAIN);
		if (r)
			raw_lock();
	}
	n++;
	raw_unlock();
	return x;
}
static void wakes_raw(void)
{
	long r;
	raw_lock();
	over = 1;
	cell++;
	r = futex(&cell, FUTEX_CMP_REQUEUE_PI, 1, 100, &lock, cell);
	assert(r >= 0 && r <= 2);
	raw_unlock();
}
static int in_processes(void)
{
	pthread_mutex_t *s =
		mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int *count = (int *)(s + 1), status;
	make(s, PTHREAD_MUTEX_DEFAULT, 0, 1);
	pid_t child = fork();
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(s);
		++*count;
		pthread_mutex_unlock(s);
	}
	if (!child)
		_exit(0);
	return waitpid(child, &status, 0) == child && !status && *count == 6 ? 0 : 5;
}
static int two(void *(*one)(void *), void *(*two)(void *), void *arg)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, one, arg);
	pthread_create(&t[1], 0, two, arg);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return n;
}
int main(int argc, char **argv)
{
	struct sigaction act = {.sa_handler = handler};
	pthread_t t[2];
	switch (argc > 1 ? argv[1][0] : 'c') {
	case 'c':
		make(&m, PTHREAD_MUTEX_DEFAULT, 0, 0);
		return two(counts, counts, 0) == 6 ? 0 : 3;
	case 'r':
		make(&m, PTHREAD_MUTEX_RECURSIVE, 0, 0);
		pthread_mutex_lock(&m);
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
		pthread_mutex_unlock(&m);
		return two(counts, counts, 0) == 6 ? 0 : 3;
	case 'e':
		make(&m, PTHREAD_MUTEX_ERRORCHECK, 0, 0);
		assert(pthread_mutex_unlock(&m) == EPERM);
		pthread_mutex_lock(&m);
		assert(pthread_mutex_lock(&m) == EDEADLK);
		pthread_mutex_unlock(&m);
		return two(counts, counts, 0) == 6 ? 0 : 3;
	case 't':
		make(&m, PTHREAD_MUTEX_DEFAULT, 0, 0);
		return two(counts, tries, 0) == 4 ? 0 : 3;
	case 'w':
		make(&m, PTHREAD_MUTEX_DEFAULT, 0, 0);
		pthread_create(&t[0], 0, waits, 0);
		pthread_create(&t[1], 0, waits, 0);
		pthread_mutex_lock(&m);
		over = 1;
		pthread_cond_broadcast(&cond);
		pthread_mutex_unlock(&m);
		pthread_join(t[0], 0);
		pthread_join(t[1], 0);
		return n == 2 ? 0 : 3;
	case 'd': /* its owner dies: n is 0 or 1 by the order */
		make(&m, PTHREAD_MUTEX_DEFAULT, 1, 0);
		pthread_create(&t[0], 0, inherits, 0);
		pthread_create(&t[1], 0, dies, 0);
		pthread_join(t[1], 0);
		inherits(0);
		pthread_join(t[0], 0);
		return n == 1 ? 0 : 3;
	case 'a':
		make(&m, PTHREAD_MUTEX_DEFAULT, 0, 0);
		make(&other, PTHREAD_MUTEX_DEFAULT, 0, 0);
		two(ab, ba, 0);
		return 0;
	case 's': /* a handler in a wait */
		make(&m, PTHREAD_MUTEX_DEFAULT, 0, 0);
		sigaction(SIGUSR1, &act, 0);
		pthread_mutex_lock(&m);
		pthread_create(&t[0], 0, locks, argv[2]);
		pthread_kill(t[0], SIGUSR1);
		pthread_mutex_unlock(&m);
		pthread_join(t[0], 0);
		return 0;
	case 'q':
		pthread_create(&t[0], 0, waits_raw, 0);
		pthread_create(&t[1], 0, waits_raw, 0);
		wakes_raw();
		pthread_join(t[0], 0);
		pthread_join(t[1], 0);
		return n == 2 ? 0 : 3;
	default:
		return in_processes();
	}
}
