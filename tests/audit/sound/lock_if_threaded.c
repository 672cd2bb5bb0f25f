/* A log that takes its lock only once it has a thread of its own, as a field says. */
#include <pthread.h>
#include <stdio.h>

struct log {
	pthread_mutex_t lock;
	int threads;
	long lines;
};

void log_threads(struct log *log, int threads)
{
	pthread_mutex_lock(&log->lock);
	log->threads = threads;
	pthread_mutex_unlock(&log->lock);
}

long log_lines(struct log *log)
{
	pthread_mutex_lock(&log->lock);
	long lines = log->lines;
	pthread_mutex_unlock(&log->lock);
	return lines;
}

void log_reset(struct log *log)
{
	pthread_mutex_lock(&log->lock);
	log->lines = 0;
	pthread_mutex_unlock(&log->lock);
}

static int is_shared(void)
{
	return getchar() == 's';
}

void log_add(struct log *log)
{
	int shared = is_shared(), locked = 0;

	if (shared) {
		pthread_mutex_lock(&log->lock);
		locked = 1;
	}
	log->lines++;
	if (locked)
		pthread_mutex_unlock(&log->lock);
}
