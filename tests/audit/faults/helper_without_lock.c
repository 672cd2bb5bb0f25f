/* A log in memory: append() wants the lock held, which log_line() does and log_mark() does not. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct memory_log {
	pthread_mutex_t lock;
	size_t length;
	char text[256];
};

struct memory_log *log_new(void)
{
	struct memory_log *log = calloc(1, sizeof(*log));
	if (!log)
		return NULL;
	pthread_mutex_init(&log->lock, NULL);
	return log;
}

static size_t append(struct memory_log *log, size_t length)
{
	return log->length += length; /* finding: P3 length (or the other) */
}

void log_line(struct memory_log *log, const char *line)
{
	size_t length = strlen(line);
	pthread_mutex_lock(&log->lock);
	if (log->length + length < sizeof(log->text)) {
		memcpy(log->text + log->length, line, length);
		append(log, length);
	}
	pthread_mutex_unlock(&log->lock);
}

size_t log_mark(struct memory_log *log)
{
	return append(log, 1); /* finding: P3 length (or the other) */
}

size_t log_length(struct memory_log *log)
{
	pthread_mutex_lock(&log->lock);
	size_t length = log->length;
	pthread_mutex_unlock(&log->lock);
	return length;
}

#ifdef DRIVER
static void *writer(void *log)
{
	log_line(log, "line");
	log_line(log, "line");
	return NULL;
}

static void *marker(void *log)
{
	log_mark(log);
	log_mark(log);
	return NULL;
}

int main(void)
{
	struct memory_log *log = log_new();
	pthread_t one, two;
	pthread_create(&one, NULL, writer, log);
	pthread_create(&two, NULL, marker, log);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return log_length(log) != 10;
}
#endif
