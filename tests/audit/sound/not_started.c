/* Where the thread could not be made, nobody else uses the listener: its name is taken back. */
#include <pthread.h>
#include <stdlib.h>

struct listener {
	pthread_t thread;
	pthread_mutex_t lock;
	const char *name;
	long heard;
};

static void *listen_on(void *argument)
{
	struct listener *l = argument;

	pthread_mutex_lock(&l->lock);
	for (const char *c = l->name; *c; c++)
		l->heard++;
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

struct listener *listener_new(const char *name)
{
	struct listener *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	pthread_mutex_init(&l->lock, NULL);
	l->name = name;
	if (pthread_create(&l->thread, NULL, listen_on, l) != 0)
		l->name = NULL;
	return l;
}

long listener_heard(struct listener *l)
{
	long heard;

	pthread_mutex_lock(&l->lock);
	heard = l->heard;
	pthread_mutex_unlock(&l->lock);
	return heard;
}
