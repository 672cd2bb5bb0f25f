/* Where a worker cannot be made, those of the rounds before run: the pool is theirs, too. */
#include <pthread.h>
#include <stdlib.h>

struct pool {
	pthread_t threads[4];
	pthread_mutex_t lock;
	int workers, jobs;
};

static void *work(void *argument)
{
	struct pool *p = argument;

	pthread_mutex_lock(&p->lock);
	p->jobs += p->workers;
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

struct pool *pool_start(void)
{
	struct pool *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	p->workers = 4;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&p->threads[i], NULL, work, p) != 0) {
			p->workers = i; /* finding: P2 workers */
			break;
		}
	return p;
}
