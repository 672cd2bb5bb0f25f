/* A feature list that is filled before the pointer to it is stored where others find it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct features {
	pthread_mutex_t lock;
	unsigned allowed;
	unsigned used;
};

static _Atomic(struct features *) active;

int features_start(unsigned allowed)
{
	struct features *features = calloc(1, sizeof(*features));
	if (!features)
		return -1;
	pthread_mutex_init(&features->lock, NULL);
	features->allowed = allowed;
	atomic_store(&active, features);
	return 0;
}

unsigned features_allowed(void)
{
	struct features *features = atomic_load(&active);
	return features ? features->allowed : 0;
}

unsigned features_use(unsigned feature)
{
	struct features *features = atomic_load(&active);
	if (!features)
		return 0;
	pthread_mutex_lock(&features->lock);
	features->used |= feature & features->allowed;
	unsigned used = features->used;
	pthread_mutex_unlock(&features->lock);
	return used;
}
