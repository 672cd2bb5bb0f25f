/* The one connection: under the lock by which all find it the pointer is cleared; its own lock is destroyed after. */
#include <pthread.h>
#include <stdlib.h>

struct connection {
	pthread_mutex_t lock;
	long sent;
};

static pthread_mutex_t global_lock = PTHREAD_MUTEX_INITIALIZER;
static struct connection *connection;

int connection_open(void)
{
	struct connection *fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return -1;
	pthread_mutex_init(&fresh->lock, NULL);
	pthread_mutex_lock(&global_lock);
	struct connection *old = connection;
	if (!old)
		connection = fresh;
	pthread_mutex_unlock(&global_lock);
	if (old) {
		pthread_mutex_destroy(&fresh->lock);
		free(fresh);
	}
	return old ? -1 : 0;
}

void connection_send(long bytes)
{
	pthread_mutex_lock(&global_lock);
	if (connection) {
		pthread_mutex_lock(&connection->lock);
		connection->sent += bytes;
		pthread_mutex_unlock(&connection->lock);
	}
	pthread_mutex_unlock(&global_lock);
}

void connection_close(void)
{
	pthread_mutex_lock(&global_lock);
	struct connection *closed = connection;
	connection = NULL;
	pthread_mutex_unlock(&global_lock);
	if (closed) {
		pthread_mutex_destroy(&closed->lock);
		free(closed);
	}
}
