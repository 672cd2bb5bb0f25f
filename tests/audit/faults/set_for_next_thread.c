/* As set_before_its_thread.c, but there may be several threads: what is set up for the next one others use already. */
#include <pthread.h>
#include <stddef.h>

struct recorder {
	pthread_mutex_t starting, lock;
	pthread_t threads[4];
	int file, errors;
	int runs;
};

static void *record(void *arg)
{
	struct recorder *recorder = arg;

	pthread_mutex_lock(&recorder->lock);
	if (recorder->file < 0)
		recorder->errors++;
	recorder->file = 1;
	pthread_mutex_unlock(&recorder->lock);
	return NULL;
}

static void recorder_set_up(struct recorder *recorder)
{
	recorder->file = -1; /* finding: P3 file */
	recorder->errors = 0; /* finding: P3 errors */
	pthread_create(&recorder->threads[recorder->runs], NULL, record, recorder);
}

void recorder_start(struct recorder *recorder)
{
	pthread_mutex_lock(&recorder->starting);
	if (recorder->runs < 4)
		recorder_set_up(recorder);
	recorder->runs++;
	pthread_mutex_unlock(&recorder->starting);
}

int recorder_errors(struct recorder *recorder)
{
	pthread_mutex_lock(&recorder->lock);
	int errors = recorder->file < 0 ? -1 : recorder->errors;
	pthread_mutex_unlock(&recorder->lock);
	return errors;
}
