/* Each thread has its own scratch object, which needs no lock though its struct has one for the shared totals. */
#include <pthread.h>

struct tally {
	pthread_mutex_t lock;
	long number;
};

static struct tally total = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Thread_local struct tally mine = {.lock = PTHREAD_MUTEX_INITIALIZER};

void tally_count(void)
{
	mine.number++;
}

void tally_hand_in(void)
{
	pthread_mutex_lock(&total.lock);
	total.number += mine.number;
	pthread_mutex_unlock(&total.lock);
	mine.number = 0;
}

long tally_total(void)
{
	pthread_mutex_lock(&total.lock);
	long number = total.number;
	pthread_mutex_unlock(&total.lock);
	return number;
}
