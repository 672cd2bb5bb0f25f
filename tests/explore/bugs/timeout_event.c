/* Time-out against event: what the wait returns is believed, not the state.
 * The time-out ends the wait, the answer comes before the lock is had again: answered and given up, both. */
#include <errno.h>
#include <time.h>
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static int answer, given_up;

static void *ask(void *arg)
{
	struct timespec soon;
	int result = 0;

	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec += 1000000;
	if (soon.tv_nsec >= 1000000000) {
		soon.tv_nsec -= 1000000000;
		soon.tv_sec++;
	}
	pthread_mutex_lock(&lock);
	while (!answer && result == 0)
		result = pthread_cond_timedwait(&answered, &lock, &soon);
	if (FIXED ? !answer : result == ETIMEDOUT)
		given_up = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *reply(void *arg)
{
	pthread_mutex_lock(&lock);
	if (!given_up) {
		answer = 42;
		pthread_cond_signal(&answered);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	start(ask, NULL);
	start(reply, NULL);
	join_all();
	check(!(answer && given_up), "answered, and given up");
	return 0;
}
