/* A ring of jobs: taking one lets go of the lock before the number of jobs is brought up to date. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define RING 8

struct ring {
	pthread_mutex_t lock;
	int jobs[RING];
	int head;
	int count;
};

struct ring *ring_new(void)
{
	struct ring *ring = calloc(1, sizeof(*ring));
	if (!ring)
		return NULL;
	pthread_mutex_init(&ring->lock, NULL);
	return ring;
}

bool ring_put(struct ring *ring, int job)
{
	pthread_mutex_lock(&ring->lock);
	bool fits = ring->count < RING;
	if (fits) {
		ring->jobs[(ring->head + ring->count) % RING] = job;
		ring->count++;
	}
	pthread_mutex_unlock(&ring->lock);
	return fits;
}

bool ring_take(struct ring *ring, int *job)
{
	pthread_mutex_lock(&ring->lock);
	if (ring->count == 0) {
		pthread_mutex_unlock(&ring->lock);
		return false;
	}
	*job = ring->jobs[ring->head];
	ring->head = (ring->head + 1) % RING;
	pthread_mutex_unlock(&ring->lock);
	ring->count--; /* finding: P3 count */
	return true;
}

#ifdef DRIVER
static void *user(void *ring)
{
	int job;
	for (int i = 0; i < 2; i++) {
		ring_put(ring, i);
		ring_take(ring, &job);
	}
	return NULL;
}

int main(void)
{
	struct ring *ring = ring_new();
	pthread_t one, two;
	int job;
	ring_put(ring, 7);
	ring_put(ring, 7);
	pthread_create(&one, NULL, user, ring);
	pthread_create(&two, NULL, user, ring);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	int left = 0;
	while (left < 10 && ring_take(ring, &job))
		left++;
	return left != 2;
}
#endif
