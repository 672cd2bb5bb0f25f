/* What is set once, without a lock, is read with a lock that is held for something else. */
#include <pthread.h>

struct server {
	pthread_mutex_t lock;
	int port, requests, errors;
};

void server_set_port(struct server *server, int port)
{
	server->port = port;
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
	port = server->port;
	pthread_mutex_unlock(&server->lock);
	return port;
}

int server_port(struct server *server)
{
	return server->port;
}
