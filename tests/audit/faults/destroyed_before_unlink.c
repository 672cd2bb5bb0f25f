/* A chat room whose lock is destroyed before the room is taken out of where the others find it. */
#include <pthread.h>
#include <stdlib.h>

struct room {
	pthread_mutex_t lock;
	int people;
};

static pthread_mutex_t lobby_lock = PTHREAD_MUTEX_INITIALIZER;
static struct room *lobby;

int lobby_open(void)
{
	struct room *room = calloc(1, sizeof(*room));
	if (!room)
		return -1;
	pthread_mutex_init(&room->lock, NULL);
	pthread_mutex_lock(&lobby_lock);
	lobby = room;
	pthread_mutex_unlock(&lobby_lock);
	return 0;
}

int lobby_enter(void)
{
	int error = 0;
	pthread_mutex_lock(&lobby_lock);
	if (lobby) {
		error = pthread_mutex_lock(&lobby->lock);
		if (!error) {
			lobby->people++;
			pthread_mutex_unlock(&lobby->lock);
		}
	}
	pthread_mutex_unlock(&lobby_lock);
	return error;
}

void lobby_close(void)
{
	pthread_mutex_lock(&lobby_lock);
	struct room *room = lobby;
	pthread_mutex_unlock(&lobby_lock);
	if (!room)
		return;
	pthread_mutex_destroy(&room->lock); /* finding: P2 lock */
	pthread_mutex_lock(&lobby_lock);
	lobby = NULL;
	pthread_mutex_unlock(&lobby_lock);
	free(room);
}

#ifdef DRIVER
static void *closing(void *unused)
{
	lobby_close();
	return unused;
}

static void *enter(void *broken)
{
	for (int i = 0; i < 3; i++)
		if (lobby_enter() != 0)
			*(int *)broken = 1;
	return NULL;
}

int main(void)
{
	pthread_t one, two;
	int broken = 0;
	lobby_open();
	pthread_create(&one, NULL, closing, NULL);
	pthread_create(&two, NULL, enter, &broken);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return broken;
}
#endif
