/* Account transfer in two steps: each account has its lock, the transfer has none.
 * The audit comes when the money has left one account and is not yet in the other. */
#include "bug.h"

static pthread_mutex_t from_lock = PTHREAD_MUTEX_INITIALIZER, to_lock = PTHREAD_MUTEX_INITIALIZER;
static int from = 100, to = 100;

static void *transfer(void *arg)
{
	pthread_mutex_lock(&from_lock);
	from -= 10;
	if (!FIXED)
		pthread_mutex_unlock(&from_lock);
	pthread_mutex_lock(&to_lock);
	to += 10;
	pthread_mutex_unlock(&to_lock);
	if (FIXED)
		pthread_mutex_unlock(&from_lock);
	return arg;
}

static void *audit(void *arg)
{
	pthread_mutex_lock(&from_lock);
	pthread_mutex_lock(&to_lock);
	check(from + to == 200, "money is missing");
	pthread_mutex_unlock(&to_lock);
	pthread_mutex_unlock(&from_lock);
	return arg;
}

int main(void)
{
	start(transfer, NULL);
	start(audit, NULL);
	join_all();
	return 0;
}
