/* A log that gives its lock back on one path, and counts the line on both. */
#include <pthread.h>
#include <stdio.h>

struct log {
	pthread_mutex_t lock;
	long lines;
};

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

void log_add(struct log *log, const char *text)
{
	int locked = 1;

	pthread_mutex_lock(&log->lock);
	if (puts(text) < 0) {
		pthread_mutex_unlock(&log->lock);
		locked = 0;
	}
	log->lines++; /* finding: P3 lines */
	if (locked)
		pthread_mutex_unlock(&log->lock);
}
