/* Lost update: the place in a list is read, used and written back one higher, without a lock.
 * Both threads read `length` before either writes it: one entry is overwritten. */
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int list[2], length;

static void *append(void *item)
{
	int place;

	if (FIXED)
		pthread_mutex_lock(&lock);
	place = length;
	list[place] = *(int *)item;
	length = place + 1;
	if (FIXED)
		pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	int items[2] = {7, 8};

	start(append, &items[0]);
	start(append, &items[1]);
	join_all();
	check(length == 2 && list[0] + list[1] == 15, "an entry was lost");
	return 0;
}
