/* Semaphore off by one: it admits one item more than the buffer has room for.
 * Two producers put three items before the consumer takes the first. */
#include <semaphore.h>
#include "bug.h"

enum { ROOM = 2, EACH = 2 };

static sem_t room, items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int used;

static void *produce(void *arg)
{
	for (int i = 0; i < EACH; i++) {
		sem_wait(&room);
		pthread_mutex_lock(&lock);
		check(used < ROOM, "buffer overrun");
		used++;
		pthread_mutex_unlock(&lock);
		sem_post(&items);
	}
	return arg;
}

static void *consume(void *arg)
{
	for (int i = 0; i < 2 * EACH; i++) {
		sem_wait(&items);
		pthread_mutex_lock(&lock);
		used--;
		pthread_mutex_unlock(&lock);
		sem_post(&room);
	}
	return arg;
}

int main(void)
{
	sem_init(&room, 0, FIXED ? ROOM : ROOM + 1);
	sem_init(&items, 0, 0);
	start(consume, NULL);
	start(produce, NULL);
	start(produce, NULL);
	join_all();
	return 0;
}
