/* Two threads hold one lock each and try the other one for ever. `tries` gives each of them many states. */
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void take(pthread_mutex_t *own, pthread_mutex_t *other)
{
	int tries = 0;
	pthread_mutex_lock(own);
	while (pthread_mutex_trylock(other)) {
		tries++;
		sched_yield();
	}
	total += tries;
	pthread_mutex_unlock(other);
	pthread_mutex_unlock(own);
}
static void *work(void *p)
{
	take(&b, &a);
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	take(&a, &b);
	pthread_join(t, NULL);
	return 0;
}
