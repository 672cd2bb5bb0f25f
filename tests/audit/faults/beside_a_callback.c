/* The sound card's callback counts with the lock; the player's thread does so without. */
#include <pthread.h>
#include <stddef.h>

struct player {
	pthread_mutex_t lock;
	pthread_t thread;
	size_t available;
};

struct card {
	void (*fill)(void *, unsigned char *, size_t);
	void *data;
};

void card_open(struct card *card);

static void fill(void *data, unsigned char *to, size_t count)
{
	struct player *p = data;

	pthread_mutex_lock(&p->lock);
	for (; count && p->available; count--, p->available--)
		*to++ = 0;
	pthread_mutex_unlock(&p->lock);
}

static void *play(void *argument)
{
	struct player *p = argument;

	pthread_mutex_lock(&p->lock);
	p->available = 16;
	pthread_mutex_unlock(&p->lock);
	p->available += 16; /* finding: P3 available */
	return NULL;
}

int player_start(struct player *p)
{
	struct card card = {fill, p};

	card_open(&card);
	return pthread_create(&p->thread, NULL, play, p);
}
