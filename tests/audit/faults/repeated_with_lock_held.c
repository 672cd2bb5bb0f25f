/* A dice cup that rolls again from the top, where it locks, without having unlocked. */
#include <pthread.h>
#include <stdlib.h>

struct dice {
	pthread_mutex_t lock;
	unsigned seed;
};

struct dice *dice_new(unsigned seed)
{
	struct dice *dice = malloc(sizeof(*dice));
	if (!dice)
		return NULL;
	pthread_mutex_init(&dice->lock, NULL);
	dice->seed = seed;
	return dice;
}

void dice_shake(struct dice *dice, unsigned by)
{
	pthread_mutex_lock(&dice->lock);
	dice->seed ^= by;
	pthread_mutex_unlock(&dice->lock);
}

unsigned dice_roll(struct dice *dice)
{
again:
	pthread_mutex_lock(&dice->lock); /* finding: double-lock lock */
	dice->seed = dice->seed * 1103515245 + 12345;
	unsigned side = dice->seed >> 16 & 7;
	if (side > 5)
		goto again;
	pthread_mutex_unlock(&dice->lock);
	return side + 1;
}
