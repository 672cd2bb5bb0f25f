/* Three-way deadlock: thread i takes lock i, then lock i + 1 of a ring of three.
 * All three have their first lock before any asks for its second. */
#include "bug.h"

static pthread_mutex_t ring[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				  PTHREAD_MUTEX_INITIALIZER};
static const int places[3] = {0, 1, 2};

static void *use_two(void *arg)
{
	int first = *(const int *)arg, second = (first + 1) % 3;

	if (FIXED && second < first) {
		second = first;
		first = 0;
	}
	pthread_mutex_lock(&ring[first]);
	pthread_mutex_lock(&ring[second]);
	pthread_mutex_unlock(&ring[second]);
	pthread_mutex_unlock(&ring[first]);
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 3; i++)
		start(use_two, (void *)&places[i]);
	join_all();
	return 0;
}
