/* A recorder is set up when it is first asked for, under the lock for that, and then given to its own thread, which shares the rest
   with whoever asks by another lock. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct recorder {
	pthread_mutex_t starting, lock;
	pthread_t thread;
	int file, errors;
	bool runs;
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
	recorder->file = -1;
	recorder->errors = 0;
	pthread_create(&recorder->thread, NULL, record, recorder);
}

void recorder_start(struct recorder *recorder)
{
	pthread_mutex_lock(&recorder->starting);
	if (!recorder->runs)
		recorder_set_up(recorder);
	recorder->runs = true;
	pthread_mutex_unlock(&recorder->starting);
}

int recorder_errors(struct recorder *recorder)
{
	pthread_mutex_lock(&recorder->lock);
	int errors = recorder->file < 0 ? -1 : recorder->errors;
	pthread_mutex_unlock(&recorder->lock);
	return errors;
}
