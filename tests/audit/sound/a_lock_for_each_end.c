/* A relay with a lock for each direction: each field belongs to one of them, and both are never needed. */
#include <pthread.h>
#include <stdlib.h>

struct relay {
	pthread_mutex_t up_lock;
	pthread_mutex_t down_lock;
	long up;
	long down;
};

struct relay *relay_new(void)
{
	struct relay *relay = calloc(1, sizeof(*relay));
	if (!relay)
		return NULL;
	pthread_mutex_init(&relay->up_lock, NULL);
	pthread_mutex_init(&relay->down_lock, NULL);
	return relay;
}

void relay_send_up(struct relay *relay, long bytes)
{
	pthread_mutex_lock(&relay->up_lock);
	relay->up += bytes;
	pthread_mutex_unlock(&relay->up_lock);
}

void relay_send_down(struct relay *relay, long bytes)
{
	pthread_mutex_lock(&relay->down_lock);
	relay->down += bytes;
	pthread_mutex_unlock(&relay->down_lock);
}

long relay_total(struct relay *relay)
{
	pthread_mutex_lock(&relay->up_lock);
	long total = relay->up;
	pthread_mutex_unlock(&relay->up_lock);
	pthread_mutex_lock(&relay->down_lock);
	total += relay->down;
	pthread_mutex_unlock(&relay->down_lock);
	return total;
}
