/* A loop is left by a break with the lock, or at its bound without, which is not asked. */
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

int slot_runs(struct slot *slot)
{
	int runs;

	pthread_mutex_lock(&slot->lock);
	runs = slot->runs;
	pthread_mutex_unlock(&slot->lock);
	return runs;
}

void slots_run(struct slot *slots)
{
	struct slot *slot = slots;
	int i;

	for (i = 0; i < SLOTS; i++) {
		slot = slots + i;
		pthread_mutex_lock(&slot->lock);
		if (slot->used)
			break;
		pthread_mutex_unlock(&slot->lock);
	}
	slot->runs = 0; /* finding: P3 runs */
	if (i < SLOTS)
		pthread_mutex_unlock(&slot->lock);
}
