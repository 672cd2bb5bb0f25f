/* A loop is left by a break with the lock, or at its bound without. */
#include <pthread.h>

enum { SLOTS = 16 };

struct slot {
	pthread_mutex_t lock;
	int used, runs;
};

void slot_use(struct slot *slot, int used)
{
	pthread_mutex_lock(&slot->lock);
	slot->used = used;
	slot->runs++;
	pthread_mutex_unlock(&slot->lock);
}

int slots_run(struct slot *slots)
{
	struct slot *slot;
	int i, runs = 0;

	for (i = 0; i < SLOTS; i++) {
		for (; i < SLOTS; i++) {
			slot = slots + i;
			pthread_mutex_lock(&slot->lock);
			if (slot->used)
				break;
			pthread_mutex_unlock(&slot->lock);
		}
		if (i == SLOTS)
			break;
		runs += ++slot->runs;
		pthread_mutex_unlock(&slot->lock);
	}
	return runs;
}
