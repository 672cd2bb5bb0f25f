// What std::counting_semaphore of libstdc++ 12 does: the value to wait for is read before the tries, so that a
// release() between the last try and the futex is lost. There are RELAX tries with a pause between
// them, then YIELDS with sched_yield(): 12 and 4 as there.
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifndef RELAX
#define RELAX 12
#endif
#ifndef YIELDS
#define YIELDS 4
#endif
static atomic_int count;
static int try_acquire(void)
{
	int old = atomic_load(&count);
	return old && atomic_compare_exchange_strong(&count, &old, old - 1);
}
static void *acquire(void *p)
{
	for (;;) {
		int val = atomic_load(&count);
		for (int i = 0; i < RELAX + YIELDS; i++) {
			if (try_acquire())
				return p;
			if (i < RELAX)
				__builtin_ia32_pause();
			else
				sched_yield();
		}
		syscall(SYS_futex, &count, FUTEX_WAIT_PRIVATE, val, NULL);
		if (try_acquire())
			return p;
	}
}
static void release(void)
{
	if (atomic_fetch_add(&count, 1) > 0)
		return;
	syscall(SYS_futex, &count, FUTEX_WAKE_PRIVATE, 1 << 30);
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, acquire, NULL);
	pthread_create(&b, NULL, acquire, NULL);
	release();
	release();
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
