/* Bank: reading and writing the balance are each under the lock, a withdrawal is both and not.
 * Two withdrawals read 100 before either writes: the bank pays twice and books once. */
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, counter = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;
static _Atomic int paid;

static int get_balance(void)
{
	int result;

	pthread_mutex_lock(&lock);
	result = balance;
	pthread_mutex_unlock(&lock);
	return result;
}

static void set_balance(int value)
{
	pthread_mutex_lock(&lock);
	balance = value;
	pthread_mutex_unlock(&lock);
}

static void *withdraw(void *arg)
{
	int before;

	if (FIXED)
		pthread_mutex_lock(&counter);
	before = get_balance();
	if (before >= 40) {
		set_balance(before - 40);
		paid += 40;
	}
	if (FIXED)
		pthread_mutex_unlock(&counter);
	return arg;
}

int main(void)
{
	start(withdraw, NULL);
	start(withdraw, NULL);
	join_all();
	check(balance + paid == 100, "paid more than booked");
	return 0;
}
