/* A connection agrees on its flags before it makes its workers, which read them under its lock. Each
   connection has a thread, whose key has the connection. */
#include <pthread.h>
#include <stdlib.h>

struct connection {
	pthread_mutex_t lock;
	int flags, requests, workers;
};

static pthread_key_t current;

static struct connection *connection_current(void)
{
	return pthread_getspecific(current);
}

static int is_asked(void)
{
	struct connection *c = connection_current();
	int is;

	pthread_mutex_lock(&c->lock);
	is = c->flags & 1;
	c->requests += is;
	pthread_mutex_unlock(&c->lock);
	return is;
}

static int flags_of(void)
{
	struct connection *c = connection_current();
	int flags;

	pthread_mutex_lock(&c->lock);
	flags = c->flags;
	pthread_mutex_unlock(&c->lock);
	return flags;
}

static void *work(void *c)
{
	pthread_setspecific(current, c);
	while (is_asked() && flags_of())
		;
	return NULL;
}

static void agree(void)
{
	connection_current()->flags = 1;
}

static void *serve(void *c)
{
	pthread_t worker;

	pthread_setspecific(current, c);
	agree();
	if (pthread_create(&worker, NULL, work, c) == 0)
		pthread_join(worker, NULL);
	else
		work(c);
	return NULL;
}

int connection_begin(struct connection *c)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, serve, c);
}
