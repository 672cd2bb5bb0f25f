/* Where the clock or the wake-up failed, the line would be logged within itself, or the lock kept. With valid arguments they do not. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t written = PTHREAD_COND_INITIALIZER;
static long lines;

void log_error(const char *text);

static long now(void)
{
	struct timespec at;

	if (clock_gettime(CLOCK_MONOTONIC, &at) != 0) {
		log_error("no clock");
		return 0;
	}
	return at.tv_sec;
}

void log_error(const char *text)
{
	pthread_mutex_lock(&lock);
	printf("%ld error: %s\n", now(), text);
	lines++;
	pthread_mutex_unlock(&lock);
}

int log_line(const char *text)
{
	pthread_mutex_lock(&lock);
	printf("%ld %s\n", now(), text);
	lines++;
	if (pthread_cond_signal(&written) != 0)
		return -1;
	pthread_mutex_unlock(&lock);
	return 0;
}

void log_wait(long count)
{
	pthread_mutex_lock(&lock);
	while (lines < count)
		pthread_cond_wait(&written, &lock);
	pthread_mutex_unlock(&lock);
}
