/* Workers read `stop` under the lock; the destructor sets it without, before it joins them. */
#include <pthread.h>
#include <stdlib.h>
struct pool { pthread_mutex_t lock; pthread_cond_t more; int stop, jobs, done; pthread_t id[2]; };
static void *worker(void *arg)
{
	struct pool *p = arg;
	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (!p->stop && !p->jobs)
			pthread_cond_wait(&p->more, &p->lock);
		if (p->stop)
			break;
		p->jobs--;
		p->done++;
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}
struct pool *pool_new(void)
{
	struct pool *p = calloc(1, sizeof(*p));
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->more, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&p->id[i], NULL, worker, p);
	return p;
}
void pool_add(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	p->jobs++;
	pthread_cond_signal(&p->more);
	pthread_mutex_unlock(&p->lock);
}
static int pool_stop(struct pool *p)
{
	p->stop = 1; /* finding: P3 stop */
	pthread_cond_broadcast(&p->more);
	for (int i = 0; i < 2; i++)
		pthread_join(p->id[i], NULL);
	return p->done;
}
void pool_free(struct pool *p)
{
	pool_stop(p);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->more);
	free(p);
}
