/* A list of names whose counting takes the lock only if its caller says so: who has it already says no. */
#include <pthread.h>
#include <stdbool.h>

struct names {
	pthread_mutex_t lock;
	int count;
	int changes;
};

static int names_count(struct names *names, bool do_lock)
{
	if (do_lock)
		pthread_mutex_lock(&names->lock);
	int count = names->count;
	names->changes++;
	if (do_lock)
		pthread_mutex_unlock(&names->lock);
	return count;
}

int names_size(struct names *names)
{
	return names_count(names, true);
}

bool names_add(struct names *names, int most)
{
	pthread_mutex_lock(&names->lock);
	bool fits = names_count(names, false) < most;
	if (fits)
		names->count++;
	pthread_mutex_unlock(&names->lock);
	return fits;
}
