/* A table is a struct in it. A function of its own gets its address and makes it grow, under the lock; that is asked without. */
#include <pthread.h>
#include <stdlib.h>

struct table {
	unsigned long size, room;
	unsigned char *bits;
};

struct keys {
	pthread_mutex_t lock;
	struct table used;
};

static struct keys keys = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void table_grow(struct table *t)
{
	if (t->size < t->room)
		return;
	t->room = t->room * 2 + 8;
	t->bits = realloc(t->bits, t->room);
}

void keys_add(void)
{
	pthread_mutex_lock(&keys.lock);
	table_grow(&keys.used);
	keys.used.bits[keys.used.size] = 1;
	keys.used.size++;
	pthread_mutex_unlock(&keys.lock);
}

int keys_remove(unsigned long i)
{
	if (i >= keys.used.room) /* finding: P3 used */
		return -1;
	pthread_mutex_lock(&keys.lock);
	keys.used.bits[i] = 0;
	keys.used.size--;
	pthread_mutex_unlock(&keys.lock);
	return 0;
}
