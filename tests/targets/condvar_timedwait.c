/* A condition variable that nobody signals: its time limit ends the wait. */
// arrivals: 3
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	int timeouts = 0;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 3; i++) {
		struct timespec t;
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 20000000;
		if (t.tv_nsec >= 1000000000) {
			t.tv_nsec -= 1000000000;
			t.tv_sec++;
		}
		timeouts += pthread_cond_timedwait(&never, &lock, &t) == ETIMEDOUT; /* gate: here */
	}
	pthread_mutex_unlock(&lock);
	printf("timeouts %d\n", timeouts);
	return 0;
}
