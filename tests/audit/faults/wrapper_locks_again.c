/* A toll gate that locks by a function of its own, and on the way to its report takes the lock directly once more. */
#include <pthread.h>
#include <stdlib.h>

struct toll {
	pthread_mutex_t lock;
	long income;
	long trucks;
};

static void toll_lock(struct toll *toll)
{
	pthread_mutex_lock(&toll->lock);
}

static void toll_unlock(struct toll *toll)
{
	pthread_mutex_unlock(&toll->lock);
}

struct toll *toll_new(void)
{
	struct toll *toll = calloc(1, sizeof(*toll));
	if (!toll)
		return NULL;
	pthread_mutex_init(&toll->lock, NULL);
	return toll;
}

void toll_pay(struct toll *toll, long amount)
{
	toll_lock(toll);
	toll->income += amount;
	toll->trucks += amount > 10;
	toll_unlock(toll);
}

long toll_report(struct toll *toll)
{
	toll_lock(toll);
	long report = toll->income;
	if (report > 1000) {
		pthread_mutex_lock(&toll->lock); /* finding: double-lock lock */
		report -= toll->trucks;
	}
	toll_unlock(toll);
	return report;
}

#ifdef DRIVER
static void *pay(void *toll)
{
	toll_pay(toll, 600);
	return NULL;
}

static void *report(void *toll)
{
	toll_report(toll);
	return NULL;
}

int main(void)
{
	struct toll *toll = toll_new();
	pthread_t reporter, one, two;
	pthread_create(&reporter, NULL, report, toll);
	pthread_create(&one, NULL, pay, toll);
	pthread_create(&two, NULL, pay, toll);
	pthread_join(reporter, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return 0;
}
#endif
