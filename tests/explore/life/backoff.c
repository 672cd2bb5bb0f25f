/* Two threads hold one lock each and try the other one for ever. They back off longer each time, and say that they do,
 * so that they write, and have many states. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static atomic_int backs_off;
static int total;
static void take(pthread_mutex_t *own, pthread_mutex_t *other)
{
	int tries = 0;
	pthread_mutex_lock(own);
	while (pthread_mutex_trylock(other)) {
		backs_off = 1;
		for (int i = 0; i < tries % 1000; i++)
			total ^= i;
		tries++;
		sched_yield();
		backs_off = 0;
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
