/* A winch whose functions hold the lock for the one turn of a loop. */
#include <pthread.h>
#include <stdlib.h>

static void release(pthread_mutex_t *lock)
{
	pthread_mutex_unlock(lock);
}

static void acquire(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
}

#define HOLDING(lock)                                                                              \
	for (int turn = 0; turn ? (release(lock), 0) : (acquire(lock), 1); turn = 1)

struct winch {
	pthread_mutex_t lock;
	int wound;
	int turns;
};

struct winch *winch_new(void)
{
	struct winch *winch = calloc(1, sizeof(*winch));
	if (!winch)
		return NULL;
	pthread_mutex_init(&winch->lock, NULL);
	return winch;
}

void winch_turn(struct winch *winch, int by)
{
	for (int held = !pthread_mutex_lock(&winch->lock); held;
	     held = (pthread_mutex_unlock(&winch->lock), 0)) {
		winch->wound += by;
		winch->turns++;
	}
}

int winch_turns(struct winch *winch)
{
	int turns = 0;
	for (int free = pthread_mutex_lock(&winch->lock) != 0; !free;
	     free = !pthread_mutex_unlock(&winch->lock)) {
		turns = winch->turns;
	}
	return turns;
}

void winch_unwind(struct winch *winch)
{
	HOLDING(&winch->lock)
	{
		winch->wound = 0;
		if (!winch->turns)
			continue;
		winch->turns = 0;
	}
}
