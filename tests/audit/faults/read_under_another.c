/* As the sound one, but the port is changed under the lock, too. */
#include <pthread.h>

struct server {
	pthread_mutex_t lock;
	int port, requests, errors;
};

void server_set_port(struct server *server, int port)
{
	server->port = port; /* finding: P3 port */
}

int server_serve(struct server *server, int port)
{
	int is;

	pthread_mutex_lock(&server->lock);
	server->requests++;
	is = server->port == port;
	pthread_mutex_unlock(&server->lock);
	return is;
}

int server_next(struct server *server)
{
	int port;

	pthread_mutex_lock(&server->lock);
	port = server->port + ++server->requests;
	pthread_mutex_unlock(&server->lock);
	return port;
}

int server_fail(struct server *server)
{
	int port;

	pthread_mutex_lock(&server->lock);
	server->errors++;
	port = ++server->port;
	pthread_mutex_unlock(&server->lock);
	return port;
}
