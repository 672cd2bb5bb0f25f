/* A starting gate: the flag is set without the lock, so the wake-up falls between a waiter's look and its wait. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct start {
	pthread_mutex_t lock;
	pthread_cond_t opened;
	bool open;
};

struct start *start_new(void)
{
	struct start *start = calloc(1, sizeof(*start));
	if (!start)
		return NULL;
	pthread_mutex_init(&start->lock, NULL);
	pthread_cond_init(&start->opened, NULL);
	return start;
}

void start_wait(struct start *start)
{
	pthread_mutex_lock(&start->lock);
	while (!start->open)
		pthread_cond_wait(&start->opened, &start->lock);
	pthread_mutex_unlock(&start->lock);
}

bool start_is_open(struct start *start)
{
	pthread_mutex_lock(&start->lock);
	bool open = start->open;
	pthread_mutex_unlock(&start->lock);
	return open;
}

void start_open(struct start *start)
{
	start->open = true; /* finding: P3 open */
	pthread_cond_broadcast(&start->opened);
}

#ifdef DRIVER
static void *waiter(void *start)
{
	start_wait(start);
	return NULL;
}

static void *opener(void *start)
{
	start_open(start);
	return NULL;
}

int main(void)
{
	struct start *start = start_new();
	pthread_t one, two;
	pthread_create(&one, NULL, waiter, start);
	pthread_create(&two, NULL, opener, start);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return !start_is_open(start);
}
#endif
