// A wakeup is lost (signal without the lock), and main spins with sched_yield until the worker has worked: a livelock
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int state;                      // 0 idle, 1 work, 2 leave
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *worker(void *p)
{
	for (;;) {
		pthread_mutex_lock(&m);
		while (state == 0)
			pthread_cond_wait(&c, &m);
		pthread_mutex_unlock(&m);
		if (state == 2)
			return p;
		state = 0;
	}
}
static void give(int what)
{
	state = what;
	pthread_cond_signal(&c);
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, worker, NULL);
	for (int i = 0; i < 2; i++) {
		give(1);
		while (state == 1)
			sched_yield();
	}
	give(2);
	pthread_join(t, NULL);
	return 0;
}
