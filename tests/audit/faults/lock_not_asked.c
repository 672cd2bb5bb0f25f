/* A list of names whose counting takes the lock only if its caller says so: one who has it not says no, too. */
#include <pthread.h>
#include <stdbool.h>

struct names {
	pthread_mutex_t lock;
	int count;
};

static int names_change(struct names *names, int by, bool do_lock)
{
	if (do_lock)
		pthread_mutex_lock(&names->lock);
	names->count += by; /* finding: P3 count */
	int count = names->count;
	if (do_lock)
		pthread_mutex_unlock(&names->lock);
	return count;
}

int names_add(struct names *names)
{
	return names_change(names, 1, true);
}

int names_remove(struct names *names)
{
	return names_change(names, -1, false);
}

bool names_add_two(struct names *names)
{
	pthread_mutex_lock(&names->lock);
	bool odd = names_change(names, 2, false) % 2;
	pthread_mutex_unlock(&names->lock);
	return odd;
}

int names_count(struct names *names)
{
	pthread_mutex_lock(&names->lock);
	int count = names->count;
	pthread_mutex_unlock(&names->lock);
	return count;
}

bool names_is_empty(struct names *names)
{
	pthread_mutex_lock(&names->lock);
	bool empty = names->count == 0;
	pthread_mutex_unlock(&names->lock);
	return empty;
}

void names_clear(struct names *names)
{
	pthread_mutex_lock(&names->lock);
	names->count = 0;
	pthread_mutex_unlock(&names->lock);
}
