/* An atomic flag needs no lock to be set, but who waits for it has tested it and does not wait yet. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct door {
	pthread_mutex_t lock;
	pthread_cond_t opened;
	atomic_int is_open;
	int visitors;
};

struct door *door_new(void)
{
	struct door *door = calloc(1, sizeof(*door));

	if (!door)
		return NULL;
	pthread_mutex_init(&door->lock, NULL);
	pthread_cond_init(&door->opened, NULL);
	return door;
}

void door_pass(struct door *door)
{
	pthread_mutex_lock(&door->lock);
	while (!door->is_open)
		pthread_cond_wait(&door->opened, &door->lock);
	door->visitors++;
	pthread_mutex_unlock(&door->lock);
}

void door_open(struct door *door)
{
	door->is_open = 1; /* finding: wait is_open */
	pthread_cond_broadcast(&door->opened);
}
