/* Readers and writers where the readers' count has no lock: the first in takes the room, the last out gives it back.
 * Two readers both find 0 on their way in: the count is one short, the room is never given back to the writer. */
#include <semaphore.h>
#include "bug.h"

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static sem_t room;
static volatile int readers, data;

static void enter(void)
{
	int before;

	if (FIXED)
		pthread_mutex_lock(&door);
	before = readers;
	if (before == 0)
		sem_wait(&room);
	readers = before + 1;
	if (FIXED)
		pthread_mutex_unlock(&door);
}

static void leave(void)
{
	int left;

	if (FIXED)
		pthread_mutex_lock(&door);
	left = readers - 1;
	readers = left;
	if (left == 0)
		sem_post(&room);
	if (FIXED)
		pthread_mutex_unlock(&door);
}

static void *read_data(void *arg)
{
	int first;

	enter();
	first = data;
	check(first == data, "changed while it was read");
	leave();
	return arg;
}

static void *write_data(void *arg)
{
	sem_wait(&room);
	data = 1;
	sem_post(&room);
	return arg;
}

int main(void)
{
	sem_init(&room, 0, 1);
	start(read_data, NULL);
	start(read_data, NULL);
	start(write_data, NULL);
	join_all();
	return 0;
}
