/* A lottery that draws again from the top, where it locks, but unlocks before it goes there. */
#include <pthread.h>
#include <stdlib.h>

struct lottery {
	pthread_mutex_t lock;
	unsigned state;
	unsigned drawn;
};

struct lottery *lottery_new(unsigned state)
{
	struct lottery *lottery = calloc(1, sizeof(*lottery));
	if (!lottery)
		return NULL;
	pthread_mutex_init(&lottery->lock, NULL);
	lottery->state = state;
	return lottery;
}

unsigned lottery_drawn(struct lottery *lottery)
{
	pthread_mutex_lock(&lottery->lock);
	unsigned drawn = lottery->drawn;
	pthread_mutex_unlock(&lottery->lock);
	return drawn;
}

unsigned lottery_draw(struct lottery *lottery)
{
again:
	pthread_mutex_lock(&lottery->lock);
	lottery->state = lottery->state * 69069 + 1;
	unsigned ball = lottery->state >> 20 & 63;
	if (ball >= 49) {
		pthread_mutex_unlock(&lottery->lock);
		goto again;
	}
	lottery->drawn++;
	pthread_mutex_unlock(&lottery->lock);
	return ball + 1;
}
