/* A subscription is taken out of the list under the lock, and freed when nobody can find it any more. */
#include <pthread.h>
#include <stdlib.h>

/* @thread_safe */
struct subscription {
	struct subscription *next;
	int topic;
	int delivered;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct subscription *subscriptions;

int subscription_add(int topic)
{
	struct subscription *added = calloc(1, sizeof(*added));
	if (!added)
		return -1;
	added->topic = topic;
	pthread_mutex_lock(&lock);
	added->next = subscriptions;
	subscriptions = added;
	pthread_mutex_unlock(&lock);
	return 0;
}

void subscription_deliver(int topic)
{
	pthread_mutex_lock(&lock);
	for (struct subscription *s = subscriptions; s; s = s->next)
		if (s->topic == topic)
			s->delivered++;
	pthread_mutex_unlock(&lock);
}

void subscription_remove(int topic)
{
	struct subscription *found = NULL;
	pthread_mutex_lock(&lock);
	for (struct subscription **at = &subscriptions; *at; at = &(*at)->next) {
		if ((*at)->topic == topic) {
			found = *at;
			*at = found->next;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	free(found);
}
