/* "if (lock(m) < 0) return error": the lock function returns 0 or a positive errno. */
#include <pthread.h>
#include <stdio.h>
struct cache { pthread_mutex_t lock; int n; };
int work(int);
int cache_add(struct cache *c, int k)
{
	int error = 0;
	if (pthread_mutex_lock(&c->lock) < 0) {
		fputs("failed to lock\n", stderr);
		return -1;
	}
	c->n += k;
	error = work(k);
	pthread_mutex_unlock(&c->lock);
	return error;
}
void cache_clear(struct cache *c)
{
	if (pthread_mutex_lock(&c->lock) < 0)
		return;
	c->n = 0;
	pthread_mutex_unlock(&c->lock);
}
