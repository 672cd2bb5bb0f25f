/* A winch whose functions hold the lock for the one turn of a loop. */
#include <pthread.h>
#include <stdlib.h>

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
