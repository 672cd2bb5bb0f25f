/* A loop that sleeps all the time, also for no time at all, beside the sleep that means an order. */
#include <pthread.h>
#include <unistd.h>

static int ready, over;

static void *ticker(void *arg)
{
	while (!__atomic_load_n(&over, __ATOMIC_SEQ_CST)) {
		usleep(200);
		usleep(0);
	}
	return arg;
}

static void *setter(void *arg)
{
	__atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
	return arg;
}

int main(void)
{
	pthread_t first, second;

	pthread_create(&first, NULL, ticker, NULL);
	pthread_create(&second, NULL, setter, NULL);
	usleep(300000); /* it shall be ready */
	if (!__atomic_load_n(&ready, __ATOMIC_SEQ_CST))
		return 1;
	__atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}
