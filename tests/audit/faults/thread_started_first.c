/* A worker whose thread is started before it is told how much to do: it may find that there is nothing. */
#include <pthread.h>
#include <stdlib.h>

struct worker {
	pthread_mutex_t lock;
	pthread_t thread;
	int amount;
	int done;
};

static void *work(void *arg)
{
	struct worker *worker = arg;
	int amount = worker->amount;
	pthread_mutex_lock(&worker->lock);
	worker->done += amount;
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

struct worker *worker_start(int amount)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	if (!worker)
		return NULL;
	pthread_mutex_init(&worker->lock, NULL);
	if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
		pthread_mutex_destroy(&worker->lock);
		free(worker);
		return NULL;
	}
	worker->amount = amount; /* finding: P2 amount */
	return worker;
}

int worker_done(struct worker *worker)
{
	pthread_mutex_lock(&worker->lock);
	int done = worker->done;
	pthread_mutex_unlock(&worker->lock);
	return done;
}

void worker_join(struct worker *worker)
{
	pthread_join(worker->thread, NULL);
}

#ifdef DRIVER
int main(void)
{
	struct worker *one = worker_start(3), *two = worker_start(4);
	if (!one || !two)
		return 0;
	worker_join(one);
	worker_join(two);
	return worker_done(one) != 3 || worker_done(two) != 4;
}
#endif
