/* As the sound one, but the function of the other module may return. */
#include <pthread.h>

void failed(const char *what);

struct log {
	pthread_mutex_t lock;
	int lines;
};

void log_line(struct log *log)
{
	if (pthread_mutex_trylock(&log->lock)) {
		failed("trylock");
		log->lines++; /* finding: P3 lines */
		return;
	}
	log->lines++;
	pthread_mutex_unlock(&log->lock);
}

int log_lines(struct log *log)
{
	int lines;

	pthread_mutex_lock(&log->lock);
	lines = log->lines;
	pthread_mutex_unlock(&log->lock);
	return lines;
}

void log_clear(struct log *log)
{
	pthread_mutex_lock(&log->lock);
	log->lines = 0;
	pthread_mutex_unlock(&log->lock);
}
