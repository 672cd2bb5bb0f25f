/* A barrier of one's own that cannot be used twice: waiters wait for the count to fall to 0.
 * The last one resets it and is back, counted, before the other has woken: that one sees 1 and sleeps on. */
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int count, generation;

static void arrive(void)
{
	int mine;

	pthread_mutex_lock(&lock);
	mine = generation;
	if (++count == 2) {
		count = 0;
		generation++;
		pthread_cond_broadcast(&all_here);
	} else {
		while (FIXED ? generation == mine : count != 0)
			pthread_cond_wait(&all_here, &lock);
	}
	pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
	arrive();
	give_time();
	arrive();
	return arg;
}

int main(void)
{
	start(work, NULL);
	start(work, NULL);
	join_all();
	return 0;
}
