/* An inbox that unlocks by the cleanup attribute, wherever a function returns. */
#include <pthread.h>
#include <stdlib.h>

struct inbox {
	pthread_mutex_t lock;
	int letters;
	int read;
};

static void unlock(pthread_mutex_t **lock)
{
	pthread_mutex_unlock(*lock);
}

struct inbox *inbox_new(void)
{
	struct inbox *inbox = calloc(1, sizeof(*inbox));
	if (!inbox)
		return NULL;
	pthread_mutex_init(&inbox->lock, NULL);
	return inbox;
}

int inbox_read(struct inbox *inbox)
{
	pthread_mutex_t *held __attribute__((cleanup(unlock))) = &inbox->lock;
	pthread_mutex_lock(held);
	if (inbox->read == inbox->letters)
		return -1;
	return inbox->read++;
}

int inbox_put(struct inbox *inbox, int letters)
{
	pthread_mutex_t *held __attribute__((cleanup(unlock))) = &inbox->lock;
	pthread_mutex_lock(held);
	inbox->letters += letters;
	return inbox->letters - inbox->read;
}
