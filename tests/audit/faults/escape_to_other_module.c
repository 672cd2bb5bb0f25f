/* A web server that registers the address of a guarded counter with the metrics module, which reads it whenever. */
#include <pthread.h>
#include <stdlib.h>

void metrics_register(const char *name, const long *value); /* of another module */

struct server {
	pthread_mutex_t lock;
	long requests;
};

struct server *server_new(void)
{
	struct server *server = calloc(1, sizeof(*server));
	if (!server)
		return NULL;
	pthread_mutex_init(&server->lock, NULL);
	return server;
}

void server_export(struct server *server)
{
	metrics_register("requests", &server->requests); /* finding: P1 requests */
}

void server_request(struct server *server)
{
	pthread_mutex_lock(&server->lock);
	server->requests++;
	pthread_mutex_unlock(&server->lock);
}

long server_requests(struct server *server)
{
	pthread_mutex_lock(&server->lock);
	long requests = server->requests;
	pthread_mutex_unlock(&server->lock);
	return requests;
}
