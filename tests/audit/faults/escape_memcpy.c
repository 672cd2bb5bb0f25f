/* A crash dump that copies a whole scheduler out, lock included, into a buffer of the caller. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct scheduler {
	pthread_spinlock_t lock;
	int ready;
	int running;
};

struct scheduler *scheduler_new(void)
{
	struct scheduler *scheduler = calloc(1, sizeof(*scheduler));
	if (!scheduler)
		return NULL;
	pthread_spin_init(&scheduler->lock, PTHREAD_PROCESS_PRIVATE);
	return scheduler;
}

void scheduler_wake(struct scheduler *scheduler)
{
	pthread_spin_lock(&scheduler->lock);
	scheduler->ready++;
	pthread_spin_unlock(&scheduler->lock);
}

void scheduler_run(struct scheduler *scheduler)
{
	pthread_spin_lock(&scheduler->lock);
	if (scheduler->ready > 0) {
		scheduler->ready--;
		scheduler->running++;
	}
	pthread_spin_unlock(&scheduler->lock);
}

void scheduler_dump(struct scheduler *scheduler, void *buffer)
{
	pthread_spin_lock(&scheduler->lock);
	memcpy(buffer, scheduler, sizeof(*scheduler)); /* finding: P1 scheduler */
	pthread_spin_unlock(&scheduler->lock);
}
