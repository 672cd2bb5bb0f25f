/* A failed check writes to the log and ends the program: no thread waits for its locks. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t clock_lock = PTHREAD_MUTEX_INITIALIZER, log_lock = PTHREAD_MUTEX_INITIALIZER;
static long now, lines;

static void log_line(const char *text)
{
	pthread_mutex_lock(&log_lock);
	lines++;
	puts(text);
	pthread_mutex_unlock(&log_lock);
}

static void end(const char *text)
{
	log_line(text);
	abort();
}

void clock_set(long time)
{
	pthread_mutex_lock(&clock_lock);
	if (time < now)
		end("back");
	now = time;
	pthread_mutex_unlock(&clock_lock);
}

void log_time(void)
{
	pthread_mutex_lock(&log_lock);
	pthread_mutex_lock(&clock_lock);
	printf("%ld\n", now);
	pthread_mutex_unlock(&clock_lock);
	lines++;
	pthread_mutex_unlock(&log_lock);
}
