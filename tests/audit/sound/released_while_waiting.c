/* A guest who waits comes with the desk's lock in hand, releases it meanwhile, and has it again at the end. */
#include <pthread.h>
#include <sched.h>

struct desk {
	pthread_mutex_t lock;
	int waiting, served;
};

/* With the lock in hand. */
void desk_wait(struct desk *desk)
{
	desk->waiting++;
	pthread_mutex_unlock(&desk->lock);
	sched_yield();
	pthread_mutex_lock(&desk->lock);
	desk->waiting--;
}

int desk_waiting(struct desk *desk)
{
	pthread_mutex_lock(&desk->lock);
	int waiting = desk->waiting;
	pthread_mutex_unlock(&desk->lock);
	return waiting;
}
