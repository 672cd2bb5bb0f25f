/* While one thread sleeps, a loop makes and joins others: each of them is work, and no event. */
#include <pthread.h>
#include <unistd.h>

static int over;

static void *brief(void *arg)
{
	return arg;
}

static void *timeout(void *arg)
{
	usleep(100000); /* the loop shall be at work */
	__atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
	return arg;
}

int main(void)
{
	pthread_t timer, other;

	pthread_create(&timer, NULL, timeout, NULL);
	while (!__atomic_load_n(&over, __ATOMIC_SEQ_CST)) {
		pthread_create(&other, NULL, brief, NULL);
		pthread_join(other, NULL);
	}
	pthread_join(timer, NULL);
	return 0;
}
