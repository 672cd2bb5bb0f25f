/* A server whose part for statistics has its own lock, of a type of its own, and is initialised apart, in another lock. */
#include <pthread.h>

struct own_lock {
	pthread_mutex_t mutex;
};

struct server {
	pthread_mutex_t lock;
	int clients;
	struct {
		struct own_lock lock;
		int hits;
	} statistics;
};

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;

static void own_lock_init(struct own_lock *lock)
{
	pthread_mutex_init(&lock->mutex, NULL);
}

static void statistics_init(struct server *server)
{
	own_lock_init(&server->statistics.lock);
	server->statistics.hits = 0;
}

void server_start(struct server *server)
{
	pthread_mutex_lock(&all_lock);
	statistics_init(server);
	pthread_mutex_unlock(&all_lock);
}

void server_hit(struct server *server)
{
	pthread_mutex_lock(&server->statistics.lock.mutex);
	server->statistics.hits++;
	pthread_mutex_unlock(&server->statistics.lock.mutex);
}

int server_hits(struct server *server)
{
	pthread_mutex_lock(&server->statistics.lock.mutex);
	int hits = server->statistics.hits;
	pthread_mutex_unlock(&server->statistics.lock.mutex);
	return hits;
}
