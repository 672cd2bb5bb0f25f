/* Time-outs, sleeps and the clock. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int is_done, missed;

static void *wait_a_little(void *p)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_mutex_lock(&lock);
	while (!is_done)
		if (pthread_cond_timedwait(&done, &lock, &until) == ETIMEDOUT) {
			missed++;
			break;
		}
	pthread_mutex_unlock(&lock);
	printf("%d missed\n", missed);
	return p;
}

static void *finish(void *p)
{
	usleep(1000);
	pthread_mutex_lock(&lock);
	is_done = 1;
	pthread_cond_broadcast(&done);
	pthread_mutex_unlock(&lock);
	return p;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, i ? wait_a_little : finish, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 7 + missed;
}
