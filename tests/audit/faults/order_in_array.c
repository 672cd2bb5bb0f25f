/* Slots of an array with two locks each, which two functions take in either order. */
#include <pthread.h>

struct slot {
	pthread_mutex_t read_lock;
	pthread_mutex_t write_lock;
	int reads, writes;
};

static struct slot slots[8];

void slot_reset(unsigned i)
{
	pthread_mutex_lock(&slots[i].read_lock);
	pthread_mutex_lock(&slots[i].write_lock); /* finding: lock-order write_lock (or the other) */
	slots[i].reads = slots[i].writes = 0;
	pthread_mutex_unlock(&slots[i].write_lock);
	pthread_mutex_unlock(&slots[i].read_lock);
}

int slot_uses(unsigned i)
{
	pthread_mutex_lock(&slots[i].write_lock);
	pthread_mutex_lock(&slots[i].read_lock); /* finding: lock-order read_lock (or the other) */
	int uses = slots[i].reads + slots[i].writes;
	pthread_mutex_unlock(&slots[i].read_lock);
	pthread_mutex_unlock(&slots[i].write_lock);
	return uses;
}
