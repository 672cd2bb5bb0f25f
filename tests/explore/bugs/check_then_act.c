/* Check, then act: whether the seat is free is asked under the lock and it is taken under the lock,
 * but the lock is let go between. Both ask before either takes: one seat, two owners. */
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, desk = PTHREAD_MUTEX_INITIALIZER;
static int taken, owners;

static int is_free(void)
{
	int answer;

	pthread_mutex_lock(&lock);
	answer = !taken;
	pthread_mutex_unlock(&lock);
	return answer;
}

static void take(void)
{
	pthread_mutex_lock(&lock);
	taken = 1;
	owners++;
	pthread_mutex_unlock(&lock);
}

static void *reserve(void *arg)
{
	if (FIXED)
		pthread_mutex_lock(&desk);
	if (is_free())
		take();
	if (FIXED)
		pthread_mutex_unlock(&desk);
	return arg;
}

int main(void)
{
	start(reserve, NULL);
	start(reserve, NULL);
	join_all();
	check(owners == 1, "one seat, two owners");
	return 0;
}
