/* Workers that begin with both of their locks held: the second one of a worker and the first of the next are no cycle. */
#include <pthread.h>

enum { WORKERS = 4 };

struct worker {
	pthread_mutex_t ready;
	pthread_mutex_t begin;
	int rounds;
};

static struct worker workers[WORKERS];

void workers_hold(void)
{
	for (int i = 0; i < WORKERS; i++) {
		pthread_mutex_lock(&workers[i].ready);
		workers[i].rounds = 0;
		pthread_mutex_lock(&workers[i].begin);
	}
}

void workers_begin(void)
{
	for (int i = 0; i < WORKERS; i++) {
		pthread_mutex_unlock(&workers[i].begin);
		pthread_mutex_unlock(&workers[i].ready);
	}
}
