/* Two threads read messages of two bytes from one pipe, byte by byte.
 * One reads its first byte, the other reads the second: each has half of somebody else's message. */
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];

static void *receive(void *arg)
{
	char first = 0, second = 0;

	if (FIXED)
		pthread_mutex_lock(&lock);
	check(read(ends[0], &first, 1) == 1, "nothing to read");
	check(read(ends[0], &second, 1) == 1, "nothing to read");
	if (FIXED)
		pthread_mutex_unlock(&lock);
	check(first == second, "halves of two messages");
	return arg;
}

int main(void)
{
	check(!pipe(ends), "no pipe");
	start(receive, NULL);
	start(receive, NULL);
	check(write(ends[1], "aabb", 4) == 4, "not written");
	join_all();
	return 0;
}
