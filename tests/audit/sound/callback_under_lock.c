/* A list of listeners that are called with the lock held, and are given a value, nothing of the struct. */
#include <pthread.h>
#include <stdlib.h>

#define LISTENERS 4

struct notifier {
	pthread_mutex_t lock;
	void (*listeners[LISTENERS])(int value);
	int number;
	int value;
};

struct notifier *notifier_new(void)
{
	struct notifier *notifier = calloc(1, sizeof(*notifier));
	if (!notifier)
		return NULL;
	pthread_mutex_init(&notifier->lock, NULL);
	return notifier;
}

int notifier_listen(struct notifier *notifier, void (*listener)(int value))
{
	int result = -1;
	pthread_mutex_lock(&notifier->lock);
	if (notifier->number < LISTENERS) {
		notifier->listeners[notifier->number++] = listener;
		result = 0;
	}
	pthread_mutex_unlock(&notifier->lock);
	return result;
}

void notifier_set(struct notifier *notifier, int value)
{
	pthread_mutex_lock(&notifier->lock);
	notifier->value = value;
	for (int i = 0; i < notifier->number; i++)
		notifier->listeners[i](notifier->value);
	pthread_mutex_unlock(&notifier->lock);
}
