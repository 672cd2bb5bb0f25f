/* Wrong lock: both threads lock, but not the same lock.
 * One reads the balance between the other's reading and writing it: money is lost. */
#include "bug.h"

static pthread_mutex_t in = PTHREAD_MUTEX_INITIALIZER, out = PTHREAD_MUTEX_INITIALIZER;
static volatile int balance = 100;

static void *deposit(void *arg)
{
	int before;

	pthread_mutex_lock(&in);
	before = balance;
	check(before < 1000, "too rich");
	balance = before + 50;
	pthread_mutex_unlock(&in);
	return arg;
}

static void *withdraw(void *arg)
{
	int before;

	pthread_mutex_lock(FIXED ? &in : &out);
	before = balance;
	check(before >= 30, "too poor");
	balance = before - 30;
	pthread_mutex_unlock(FIXED ? &in : &out);
	return arg;
}

int main(void)
{
	start(deposit, NULL);
	start(withdraw, NULL);
	join_all();
	check(balance == 120, "money was lost");
	return 0;
}
