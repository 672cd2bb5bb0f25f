/* C11 threads: mtx_trylock, and its answer is not looked at.
 * One thread is inside when the other tries: it goes in as well, and an entry is overwritten. */
#include <threads.h>
#include "bug.h"

static mtx_t lock;
static volatile int list[2], length;

static int append(void *item)
{
	int place;

	if (FIXED)
		mtx_lock(&lock);
	else
		mtx_trylock(&lock);
	place = length;
	list[place] = *(int *)item;
	length = place + 1;
	mtx_unlock(&lock);
	return 0;
}

int main(void)
{
	int items[2] = {7, 8};
	thrd_t threads[2];

	mtx_init(&lock, mtx_plain);
	for (int i = 0; i < 2; i++)
		check(thrd_create(&threads[i], append, &items[i]) == thrd_success, "no thread");
	for (int i = 0; i < 2; i++)
		thrd_join(threads[i], NULL);
	check(length == 2, "an entry was lost");
	return 0;
}
