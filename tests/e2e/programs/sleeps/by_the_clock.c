/* `nap` is PR_Sleep of NSPR: a timed wait, again until the clock says that the time is over. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static int done;

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

__attribute__((noinline)) static void nap_ms(int ms)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	long long end = now_ms() + ms;
	struct timespec until = {end / 1000, end % 1000 * 1000000};

	pthread_mutex_lock(&lock);
	while (now_ms() < end)
		pthread_cond_timedwait(&never, &lock, &until);
	pthread_mutex_unlock(&lock);
}

static void *late(void *arg)
{
	nap_ms(20);
	__atomic_store_n(&done, 1, __ATOMIC_SEQ_CST);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, late, NULL);
	nap_ms(500); /* it shall be done */
	if (!__atomic_load_n(&done, __ATOMIC_SEQ_CST))
		return 1;
	pthread_join(thread, NULL);
	puts("done");
	return 0;
}
