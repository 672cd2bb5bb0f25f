/* rwlock upgrade: the read lock is let go before the write lock is taken, and what was read is not read again.
 * Two threads find the cache empty, then both fill it. */
#include "bug.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int cached, filled;

static void *get(void *arg)
{
	int found;

	pthread_rwlock_rdlock(&lock);
	found = cached;
	pthread_rwlock_unlock(&lock);
	if (found)
		return arg;
	pthread_rwlock_wrlock(&lock);
	if (!FIXED || !cached) {
		cached = 1;
		filled++;
	}
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	start(get, NULL);
	start(get, NULL);
	join_all();
	check(filled == 1, "filled twice");
	return 0;
}
