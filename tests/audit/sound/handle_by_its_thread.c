/* The field that holds the thread's handle gets its value by pthread_create(), which also shares the object. */
#include <pthread.h>
#include <stdlib.h>

struct poller {
	pthread_mutex_t lock;
	pthread_t thread;
	int events;
};

static void *poll_events(void *argument)
{
	struct poller *p = argument;

	pthread_mutex_lock(&p->lock);
	p->events++;
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

struct poller *poller_new(void)
{
	struct poller *p = malloc(sizeof(*p));

	if (!p)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	p->events = 0;
	pthread_create(&p->thread, NULL, poll_events, p);
	return p;
}

void poller_wait(struct poller *p)
{
	pthread_mutex_lock(&p->lock);
	p->events = 0;
	pthread_t thread = p->thread;
	pthread_mutex_unlock(&p->lock);
	pthread_join(thread, NULL);
}
