/* A registry of handlers that is filled anew under the lock; its size is read without it, and can be one in between. */
#include <pthread.h>

static struct registry {
	pthread_mutex_t lock;
	int handlers[8];
	int size;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

void registry_fill(int number)
{
	pthread_mutex_lock(&registry.lock);
	registry.size = 0;
	while (registry.size < number && registry.size < 8) {
		registry.handlers[registry.size] = number;
		registry.size++;
	}
	pthread_mutex_unlock(&registry.lock);
}

int registry_last(void)
{
	pthread_mutex_lock(&registry.lock);
	int last = registry.size > 0 ? registry.handlers[registry.size - 1] : -1;
	pthread_mutex_unlock(&registry.lock);
	return last;
}

int registry_size(void)
{
	return registry.size; /* finding: P3 size */
}

#ifdef DRIVER
static void *refill(void *unused)
{
	for (int i = 0; i < 3; i++)
		registry_fill(5);
	return unused;
}

static void *look(void *broken)
{
	for (int i = 0; i < 3; i++)
		if (registry_size() != 5)
			*(int *)broken = 1;
	return NULL;
}

int main(void)
{
	pthread_t one, two;
	int broken = 0;
	registry_fill(5);
	pthread_create(&one, NULL, refill, NULL);
	pthread_create(&two, NULL, look, &broken);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return broken || registry_last() != 5;
}
#endif
