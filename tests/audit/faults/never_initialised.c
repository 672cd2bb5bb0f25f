/* A turnstile made by malloc(): whether it is blocked is read by everyone who enters, and was never set. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#ifdef DRIVER
#include <string.h>
#endif

struct turnstile {
	pthread_mutex_t lock;
	int entered;
	int blocked;
};

struct turnstile *turnstile_new(void)
{
	struct turnstile *turnstile = malloc(sizeof(*turnstile));
	if (!turnstile)
		return NULL;
	pthread_mutex_init(&turnstile->lock, NULL);
	turnstile->entered = 0;
	return turnstile;
}

bool turnstile_enter(struct turnstile *turnstile)
{
	pthread_mutex_lock(&turnstile->lock);
	bool blocked = turnstile->blocked; /* finding: P2 blocked */
	if (!blocked)
		turnstile->entered++;
	pthread_mutex_unlock(&turnstile->lock);
	return !blocked;
}

int turnstile_entered(struct turnstile *turnstile)
{
	pthread_mutex_lock(&turnstile->lock);
	int entered = turnstile->entered;
	pthread_mutex_unlock(&turnstile->lock);
	return entered;
}

#ifdef DRIVER
static void *visitor(void *turnstile)
{
	turnstile_enter(turnstile);
	turnstile_enter(turnstile);
	return NULL;
}

int main(void)
{
	void *dirty = malloc(sizeof(struct turnstile));
	if (dirty)
		memset(dirty, 1, sizeof(struct turnstile));
	free(dirty);
	struct turnstile *turnstile = turnstile_new();
	pthread_t one, two;
	pthread_create(&one, NULL, visitor, turnstile);
	pthread_create(&two, NULL, visitor, turnstile);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return turnstile_entered(turnstile) != 4;
}
#endif
